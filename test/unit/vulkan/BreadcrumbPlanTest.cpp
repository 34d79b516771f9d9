// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/vulkan/InventedDevice.hpp"
#include "vulkan/device/DevicePlan.hpp"

namespace kp::vulkan::test {
namespace {

TEST(BreadcrumbPlan, IsTheBestThatTheDeviceHas) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    DeviceRequest request;
    const auto kind = [&] { return planDevice(device, request).plan.value().breadcrumbs; };
    EXPECT_EQ(kind(), BreadcrumbKind::eNone);
    request.breadcrumbs = true;
    EXPECT_EQ(kind(), BreadcrumbKind::eFills);
    offer(device, std::string("VK_NV_device_diagnostic_checkpoints"));
    EXPECT_EQ(kind(), sizeof(void*) == 8 ? BreadcrumbKind::eCheckpoints : BreadcrumbKind::eFills);
    offer(device, std::string("VK_AMD_buffer_marker"));
    EXPECT_EQ(kind(), BreadcrumbKind::eMarkers);
    const DevicePlan with = planDevice(device, request).plan.value();
    EXPECT_TRUE(with.hasExtension("VK_AMD_buffer_marker"));
    request.withheld = {"VK_AMD_buffer_marker", "VK_NV_device_diagnostic_checkpoints"};
    EXPECT_EQ(kind(), BreadcrumbKind::eFills);
    const DevicePlan without = planDevice(device, {}).plan.value();
    EXPECT_FALSE(without.hasExtension("VK_AMD_buffer_marker"));
    EXPECT_FALSE(with.covers(without)); // they would cost it time
    EXPECT_FALSE(without.covers(with));
}

TEST(BreadcrumbPlan, FollowsTheExtensionsOfAHostApplication) {
    const PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    HostDevice host;
    EXPECT_EQ(planHostDevice(device, host).breadcrumbs, BreadcrumbKind::eNone);
    host.breadcrumbs = true;
    EXPECT_EQ(planHostDevice(device, host).breadcrumbs, BreadcrumbKind::eFills);
    host.enabledExtensions = {"VK_AMD_buffer_marker"};
    EXPECT_EQ(planHostDevice(device, host).breadcrumbs, BreadcrumbKind::eMarkers);
}

} // namespace
} // namespace kp::vulkan::test

// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/DevicePlan.hpp"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "unit/vulkan/InventedDevice.hpp"

namespace kp::vulkan::test {
namespace {

TEST(RequestedQueues, AreDifferentOnesInTheOrderOfTheFamilies) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    device.queueFamilies = {family(kAll, 2), family(kCompute, 8)};
    DeviceRequest request;
    request.queueFamilies = {1, 0, 1, 1, 0};
    const std::vector<QueuePlan> expected{{1, 0}, {0, 0}, {1, 1}, {1, 2}, {0, 1}};
    EXPECT_EQ(requestedQueues(device, request), expected);
    const DevicePlan plan = planOf(device, request);
    for (const QueuePlan& queue : expected)
        EXPECT_EQ(std::count(plan.queues.begin(), plan.queues.end(), queue), 1);
}

TEST(RequestedQueues, AreOneOfTheDefaultFamilyIfNoneIsNamed) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    device.queueFamilies = {family(VK_QUEUE_TRANSFER_BIT, 2), family(kAll, 2), family(kCompute, 8)};
    EXPECT_EQ(requestedQueues(device, {}), (std::vector<QueuePlan>{{1, 0}}));
    DeviceRequest request;
    request.defaultFamily = 2;
    EXPECT_EQ(requestedQueues(device, request), (std::vector<QueuePlan>{{2, 0}}));
    request.queueFamilies = {1};
    EXPECT_EQ(requestedQueues(device, request), (std::vector<QueuePlan>{{1, 0}}));
}

/// Returns the queue families of an H200.
PhysicalDevice inventNvidia() {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    device.properties.vendorID = 0x10de;
    device.queueFamilies = {family(kAll, 16), family(VK_QUEUE_TRANSFER_BIT, 2), family(kCompute, 8),
                            family(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_VIDEO_DECODE_BIT_KHR, 7)};
    return device;
}

TEST(DefaultQueueFamily, OnlyComputesOnNvidia) {
    PhysicalDevice device = inventNvidia();
    EXPECT_EQ(defaultQueueFamily(device), 2U);
    EXPECT_EQ(requestedQueues(device, {}), (std::vector<QueuePlan>{{2, 0}}));
    const DevicePlan plan = planOf(device);
    EXPECT_EQ(plan.queues, (std::vector<QueuePlan>{{2, 0}, {0, 0}}));
}

TEST(DefaultQueueFamily, HasTimestampsAndQueuesOnNvidia) {
    PhysicalDevice device = inventNvidia();
    device.queueFamilies[2].timestampValidBits = 0;
    EXPECT_EQ(defaultQueueFamily(device), 0U);
    device = inventNvidia();
    device.queueFamilies[2].queueCount = 0;
    EXPECT_EQ(defaultQueueFamily(device), 0U);
    device.queueFamilies.push_back(family(kCompute, 1));
    EXPECT_EQ(defaultQueueFamily(device), 4U);
    device.queueFamilies = {family(kAll, 1)};
    EXPECT_EQ(defaultQueueFamily(device), 0U);
}

TEST(DefaultQueueFamily, IsTheFirstWithComputeElsewhere) {
    PhysicalDevice device = inventNvidia();
    device.properties.vendorID = 0x1002;
    EXPECT_EQ(defaultQueueFamily(device), 0U);
    std::swap(device.queueFamilies[0], device.queueFamilies[1]);
    EXPECT_EQ(defaultQueueFamily(device), 1U);
    device.queueFamilies = {family(VK_QUEUE_GRAPHICS_BIT, 1)};
    EXPECT_EQ(defaultQueueFamily(device), std::nullopt);
}

TEST(DefaultQueueFamily, IsRefusedIfTheEnvironmentNamesAWrongOne) {
    DeviceRequest request;
    request.defaultFamily = 9;
    auto result = refusalOf(inventNvidia(), request);
    EXPECT_TRUE(mentions(result.refusals, {"queue family 9 (KOMPUTE_QUEUE_FAMILY) does not exist",
                                           "name one with compute", "2: compute+transfer x 8"}));
    EXPECT_TRUE(result.badRequest);
    request.defaultFamily = 1;
    result = refusalOf(inventNvidia(), request);
    EXPECT_TRUE(mentions(result.refusals, {"queue family 1 (KOMPUTE_QUEUE_FAMILY) cannot compute",
                                           "1: transfer x 2"}));
}

} // namespace
} // namespace kp::vulkan::test

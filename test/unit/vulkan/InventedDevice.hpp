// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vulkan/device/DevicePlan.hpp"
#include "vulkan/device/PhysicalDevice.hpp"

namespace kp::vulkan::test {

inline VkQueueFamilyProperties family(VkQueueFlags flags, uint32_t count) {
    VkQueueFamilyProperties properties{};
    properties.queueFlags = flags;
    properties.queueCount = count;
    properties.timestampValidBits = 64;
    return properties;
}

inline constexpr VkQueueFlags kCompute = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
inline constexpr VkQueueFlags kAll = VK_QUEUE_GRAPHICS_BIT | kCompute;

/// Returns an invented device: one family with four queues, no features, no extensions.
inline PhysicalDevice inventDevice(uint32_t apiVersion, const std::string& name = "Invented",
                                   VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                   uint32_t index = 0) {
    PhysicalDevice device;
    device.index = index;
    device.apiVersion = apiVersion;
    device.properties.apiVersion = apiVersion;
    device.properties.deviceType = type;
    std::snprintf(device.properties.deviceName, sizeof(device.properties.deviceName), "%s",
                  name.c_str());
    device.queueFamilies = {family(kAll, 4)};
    return device;
}

inline void offer(PhysicalDevice& device, Feature feature) {
    enable(device.features, feature);
}
inline void offer(PhysicalDevice& device, const std::string& extension) {
    device.extensions.push_back(extension);
    std::sort(device.extensions.begin(), device.extensions.end());
}
/// Offers a feature and the extension that it needs on this device.
inline void offerWithExtension(PhysicalDevice& device, Feature feature) {
    offer(device, feature);
    if (!known(feature, device.apiVersion, device.extensions))
        offer(device, std::string(extensionOf(feature)));
}

inline bool contains(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// Returns whether one line of the list contains all of @p parts.
inline bool mentions(const std::vector<std::string>& list, const std::vector<std::string>& parts) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& line) {
        return std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
            return line.find(part) != std::string::npos;
        });
    });
}

inline DevicePlan planOf(const PhysicalDevice& device, const DeviceRequest& request = {}) {
    const DevicePlanResult result = planDevice(device, request);
    EXPECT_TRUE(result.plan) << (result.refusals.empty() ? "" : result.refusals.front());
    EXPECT_TRUE(result.refusals.empty());
    return result.plan.value_or(DevicePlan{});
}

inline DevicePlanResult refusalOf(const PhysicalDevice& device, const DeviceRequest& request = {}) {
    DevicePlanResult result = planDevice(device, request);
    EXPECT_FALSE(result.plan);
    EXPECT_FALSE(result.refusals.empty());
    return result;
}

} // namespace kp::vulkan::test

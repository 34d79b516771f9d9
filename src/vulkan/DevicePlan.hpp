// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vulkan/PhysicalDevice.hpp"

namespace kp::vulkan {

/// Which device, and what of it. Pure data.
struct DeviceRequest {
    std::optional<uint32_t> index; ///< place in the list of devices
    std::string name;              ///< part of the device's name, any case; "" = any
    std::string uuid;              ///< device UUID in hexadecimal, dashes optional; "" = any
    std::optional<VkPhysicalDeviceType> type;
    bool excludeCpu = false; ///< no software drivers
    std::vector<uint32_t>
        queueFamilies; ///< one entry per queue; empty: one queue of the first family with compute
    std::vector<std::string> requiredExtensions; ///< missing: the device is refused
    std::vector<std::string> desiredExtensions;  ///< missing: dropped with a warning
    bool allowTimelineSemaphores = true;         ///< false: run on recycled fences
    std::optional<bool> timesLaunches;           ///< see DevicePlan; empty: what suits the device
    const void* featureChain = nullptr;          ///< caller's pNext of VkDeviceCreateInfo, or null
    bool shared = true; ///< false: a VkDevice of its own, which equal requests do not get
};

/// One queue of the plan.
struct QueuePlan {
    uint32_t family = 0;
    uint32_t index = 0; ///< within the family
    bool operator==(const QueuePlan&) const = default;
};

/// What to enable on one device, and why others were refused.
struct DevicePlan {
    uint32_t apiVersion = VK_API_VERSION_1_1;
    std::vector<std::string> extensions;
    std::vector<std::string> droppedExtensions; ///< desired, not offered
    FeatureSet features;
    std::vector<QueuePlan> queues; ///< in the order of DeviceRequest::queueFamilies
    /// Up to two of a family that does nothing but copy, for the transfer engine: one for each
    /// direction. Empty where there is none, and without timeline semaphores, since order against
    /// other queues is then made by the host waiting.
    std::vector<QueuePlan> copyQueues;
    bool timelineSemaphores = false;
    /// The end of a dispatch is taken to be when the next one, which waits for it, is launched. On
    /// NVIDIA's GPUs a timestamp that waits for the end itself costs 37 % of a list of small
    /// kernels, this one 1 %, and both give the same times to within a barrier's
    /// (docs/launchers.md). It is wrong on a device that reads on in the command buffer only when a
    /// dispatch is done.
    bool timesLaunches = false;

    bool has(Feature feature) const { return vulkan::has(features, feature); }
    bool hasExtension(const std::string& name) const;
    bool operator==(const DevicePlan&) const = default;
};

/// Either a plan or the reasons against the device.
struct DevicePlanResult {
    std::optional<DevicePlan> plan;
    std::vector<std::string> refusals; ///< empty where there is a plan
    bool badRequest = false;           ///< refused for nothing but the queue families asked for
};

/// Decides what to enable on @p device. Pure: looks at nothing but its arguments.
/// Refuses devices below Vulkan 1.1, without a compute queue, with a queue family that does not
/// exist, lacks compute or has fewer queues than asked for, and without a required extension.
DevicePlanResult planDevice(const PhysicalDevice& device, const DeviceRequest& request);

/// Orders devices best first: those the request names; then discrete, integrated, virtual, other,
/// CPU; then the driver's order. Devices the request excludes are left out.
/// @return indices into @p devices
std::vector<size_t> rankDevices(const std::vector<PhysicalDevice>& devices,
                                const DeviceRequest& request);

/// What a host application must and should switch on in a device it makes itself.
std::vector<std::string> requiredExtensions(const PhysicalDevice& device);
std::vector<std::string> recommendedExtensions(const PhysicalDevice& device);

} // namespace kp::vulkan

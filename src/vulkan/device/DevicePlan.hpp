// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vulkan/device/PhysicalDevice.hpp"

namespace kp::vulkan {

class Instance;
struct DeviceProfile;

/// The device that a Manager asks for, and what to enable on it. Pure data.
struct DeviceRequest {
    std::optional<uint32_t> index; ///< in the list of devices
    std::string name;              ///< part of the device's name, any case; "" = any
    std::string uuid;              ///< device UUID in hexadecimal, dashes optional; "" = any
    std::optional<VkPhysicalDeviceType> type;
    bool excludeCpu = false; ///< no software drivers
    /// One entry per queue; empty: one queue of defaultFamily.
    std::vector<uint32_t> queueFamilies;
    std::optional<uint32_t> defaultFamily; ///< KOMPUTE_QUEUE_FAMILY; empty: defaultQueueFamily()
    std::vector<std::string> requiredExtensions; ///< a device without one is refused
    std::vector<std::string> desiredExtensions;  ///< a missing one is dropped with a warning
    /// Features and extensions that are left off, by Vulkan's names, unless requiredExtensions,
    /// desiredExtensions or the chain ask for them. Without timelineSemaphore, recycled fences are
    /// used.
    std::vector<std::string> withheld;
    std::shared_ptr<const DeviceProfile> profile; ///< applied before the plan; null: none
    std::optional<bool> launchTimestamps;         ///< see DevicePlan; empty: chosen by the device
    bool breadcrumbs = false;                     ///< DevicePlan::breadcrumbs is not eNone
    const void* featureChain = nullptr;           ///< caller's pNext of VkDeviceCreateInfo, or null
    bool shared = true; ///< false: a VkDevice of its own, which equal requests do not get
};

/// How the device shows how far it is in a command buffer; see Breadcrumbs.
enum class BreadcrumbKind {
    eNone,
    eFills,      ///< fills of a word, between barriers: operations run one after the other
    eMarkers,    ///< VK_AMD_buffer_marker
    eCheckpoints ///< VK_NV_device_diagnostic_checkpoints, which are read when the device is lost
};

struct HostQueue {
    VkQueue handle = VK_NULL_HANDLE; ///< null: looked up by family and index
    uint32_t family = 0;
    uint32_t index = 0;
};

/// A device that a host application created and owns.
struct HostDevice {
    std::shared_ptr<Instance> instance; ///< Instance::wrap() of the host's VkInstance
    VkPhysicalDevice physicalDevice = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    std::vector<HostQueue> queues; ///< at least one with compute
    std::vector<std::string> enabledExtensions;
    FeatureSet enabledFeatures; ///< a feature not listed counts as disabled
    uint32_t apiVersion = VK_API_VERSION_1_1;
    bool allowTimelineSemaphores = true;
    std::shared_ptr<const DeviceProfile> profile; ///< what counts as the device; null: all of it
    std::optional<bool> launchTimestamps;         ///< see DevicePlan; empty: chosen by the device
    bool breadcrumbs = false;                     ///< DevicePlan::breadcrumbs is not eNone
    std::function<void(uint32_t family, uint32_t index)> lockQueue;   ///< may be empty
    std::function<void(uint32_t family, uint32_t index)> unlockQueue; ///< may be empty
};

struct QueuePlan {
    uint32_t family = 0;
    uint32_t index = 0; ///< within the family
    bool operator==(const QueuePlan&) const = default;
};

/// The features and queues to enable on one device.
struct DevicePlan {
    uint32_t apiVersion = VK_API_VERSION_1_1;
    std::vector<std::string> extensions; ///< sorted
    FeatureSet features;
    /// One queue of each family with compute, so that requests for different families get the same
    /// device, and as many more as the request names. Not all available queues: each takes an
    /// H200's driver 30 ms to create. The queues of defaultQueueFamily() come first.
    std::vector<QueuePlan> queues;
    /// Up to two queues of a family that only copies, for the transfer engine: one per direction.
    /// Empty if there is no such family. Also empty without timeline semaphores, since the host
    /// would then have to wait between queues.
    std::vector<QueuePlan> copyQueues;
    bool timelineSemaphores = false;
    /// A dispatch counts as finished when the next one, which waits for it, is launched. On NVIDIA
    /// GPUs a timestamp that waits for the end itself costs 37 % of a list of small kernels, this
    /// one 1 %, and the two differ by no more than a barrier takes (docs/guides/launchers.md).
    /// Wrong on a device that stops reading the command buffer until a dispatch has finished.
    bool launchTimestamps = false;
    BreadcrumbKind breadcrumbs = BreadcrumbKind::eNone;

    bool has(Feature feature) const { return vulkan::has(features, feature); }
    bool hasExtension(const std::string& name) const;
    /// Returns true if a device with this plan also has all that the other asks for.
    bool covers(const DevicePlan& other) const;
    bool operator==(const DevicePlan&) const = default;
};

/// A plan, or the reasons why the device is refused.
struct DevicePlanResult {
    std::optional<DevicePlan> plan;
    std::vector<std::string> droppedExtensions; ///< desired, but not offered
    std::vector<std::string> refusals;          ///< empty if there is a plan
    bool badRequest = false;                    ///< only the requested queue families were refused
};

/// Decides which features and queues to enable on @p device. Pure. Refuses a device below Vulkan
/// 1.1, one without a compute queue or without a required extension, and a request for a queue
/// family that does not exist, lacks compute, or has fewer queues.
DevicePlanResult planDevice(const PhysicalDevice& device, const DeviceRequest& request);

/// Returns the plan of a device that a host application created: its enabled features and queues,
/// and planDevice()'s choices about everything else. Pure.
DevicePlan planHostDevice(const PhysicalDevice& device, const HostDevice& host);

/// Returns the queue family of requests that name none; empty if no family has compute. Pure.
std::optional<uint32_t> defaultQueueFamily(const PhysicalDevice& device);

/// Returns the queues that a request gets, which are different ones: entry i is of its i-th family.
/// Pure. The queues exist if planDevice() accepts the request.
std::vector<QueuePlan> requestedQueues(const PhysicalDevice& device, const DeviceRequest& request);

/// Returns the indices of matching devices, best first: discrete,
/// integrated, virtual, other, CPU; then the driver's order. Pure.
std::vector<size_t> rankDevices(const std::vector<PhysicalDevice>& devices,
                                const DeviceRequest& request);

/// Return the extensions that a host application must, and should, enable on a device of its own.
std::vector<std::string> requiredExtensions(const PhysicalDevice& device);
std::vector<std::string> recommendedExtensions(const PhysicalDevice& device);

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#include "core/manager/DeviceChoice.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <kompute/Error.hpp>

#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/profiles/ApplyProfile.hpp"
#include "vulkan/profiles/KnownProfiles.hpp"

namespace kp {
namespace {

bool namesDevice(const ManagerOptions& options) {
    return options.deviceIndex || !options.deviceName.empty() || !options.deviceUuid.empty() ||
           options.deviceType;
}

bool isNumber(std::string_view text) {
    return !text.empty() && text.size() < 10 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool isUuid(std::string_view text) {
    const auto digits =
        std::count_if(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c); });
    const auto dashes = std::count(text.begin(), text.end(), '-');
    return digits == 32 && static_cast<size_t>(digits + dashes) == text.size();
}

struct DeviceTypeName {
    const char* name;
    VkPhysicalDeviceType type;
};

constexpr DeviceTypeName kDeviceTypeNames[] = {
    {"discrete", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU},
    {"integrated", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU},
    {"virtual", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU},
    {"cpu", VK_PHYSICAL_DEVICE_TYPE_CPU},
};

void applyDeviceVariable(const std::string& value, vulkan::DeviceRequest& request) {
    if (value.empty())
        return;
    if (value == "gpu") {
        request.excludeCpu = true;
        return;
    }
    for (const DeviceTypeName& entry : kDeviceTypeNames)
        if (value == entry.name) {
            request.type = entry.type;
            return;
        }
    if (isNumber(value))
        request.index = static_cast<uint32_t>(std::stoul(value));
    else if (isUuid(value))
        request.uuid = value;
    else
        request.name = value;
}

/// Returns the names in KOMPUTE_WITHOUT.
std::vector<std::string> withheldNames() {
    std::vector<std::string> names = listed(environment("KOMPUTE_WITHOUT"));
    for (const std::string& name : names)
        if (!name.starts_with("VK_") && !vulkan::featureNamed(name))
            fail<InvalidArgument>(
                "KOMPUTE_WITHOUT lists '{}', which is not a feature that the library "
                "uses; list features and extensions by Vulkan's names, such as "
                "timelineSemaphore,VK_EXT_device_fault",
                name);
    return names;
}

} // namespace

vulkan::DeviceRequest requestOf(const ManagerOptions& options) {
    vulkan::DeviceRequest request;
    request.index = options.deviceIndex;
    request.name = options.deviceName;
    request.uuid = options.deviceUuid;
    if (options.deviceType)
        request.type = static_cast<VkPhysicalDeviceType>(*options.deviceType);
    if (!namesDevice(options))
        applyDeviceVariable(environment("KOMPUTE_DEVICE"), request);
    request.queueFamilies = options.queueFamilies;
    if (const std::string family = environment("KOMPUTE_QUEUE_FAMILY"); !family.empty()) {
        if (!isNumber(family))
            fail<InvalidArgument>("KOMPUTE_QUEUE_FAMILY is '{}'; set it to the index of a queue "
                                  "family with compute, such as 0, or unset it",
                                  family);
        request.defaultFamily = static_cast<uint32_t>(std::stoul(family));
    }
    request.requiredExtensions = options.requiredExtensions;
    request.desiredExtensions = options.desiredExtensions;
    request.withheld = withheldNames();
    request.profile = requestedProfile();
    if (!options.timelineSemaphores)
        request.withheld.push_back(nameOf(vulkan::Feature::eTimelineSemaphore));
    request.launchTimestamps = launchTimestampsRequested();
    request.breadcrumbs = options.breadcrumbs || breadcrumbsRequested();
    request.featureChain = options.featureChain;
    request.shared = options.shareDevice;
    return request;
}

std::shared_ptr<const vulkan::DeviceProfile> requestedProfile() {
    const std::string given = environment("KOMPUTE_PROFILE");
    if (given.empty())
        return nullptr;
    try {
        return vulkan::findProfile(given);
    } catch (const InvalidArgument& error) {
        fail<InvalidArgument>("KOMPUTE_PROFILE: {}", error.what());
    }
}

std::optional<bool> launchTimestampsRequested() {
    const std::string timestamps = environment("KOMPUTE_TIMESTAMPS");
    return timestamps.empty() ? std::nullopt : std::optional(timestamps == "launch");
}

bool breadcrumbsRequested() {
    const std::string given = environment("KOMPUTE_BREADCRUMBS");
    return !given.empty() && given != "0";
}

std::string transferRulesOf(const ManagerOptions& options) {
    std::string text =
        options.transfer.empty() ? environment("KOMPUTE_TRANSFER") : options.transfer;
    if (options.stagingBytes != 0)
        text += formatted("{}staging={}", text.empty() ? "" : ",", options.stagingBytes);
    return text;
}

DeviceInfo describe(const vulkan::PhysicalDevice& device) {
    const VkPhysicalDeviceLimits& limits = device.properties.limits;
    DeviceInfo info;
    info.index = device.index;
    info.name = device.name();
    info.uuid = vulkan::uuidToString(device.deviceUuid);
    info.type = static_cast<DeviceType>(device.ownType.value_or(device.properties.deviceType));
    info.driver = device.driverName + (device.driverInfo.empty() ? "" : " " + device.driverInfo);
    if (!device.profile.empty())
        info.driver += formatted(", as {}", device.profile);
    info.apiVersion = device.properties.apiVersion;
    for (uint32_t i = 0; i < device.memory.memoryHeapCount; ++i) {
        const VkMemoryHeap& heap = device.memory.memoryHeaps[i];
        if (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            info.memoryBytes = std::max<uint64_t>(info.memoryBytes, heap.size);
    }
    for (size_t i = 0; i < 3; ++i) {
        info.maxWorkgroupCount[i] = limits.maxComputeWorkGroupCount[i];
        info.maxWorkgroupSize[i] = limits.maxComputeWorkGroupSize[i];
    }
    info.maxWorkgroupInvocations = limits.maxComputeWorkGroupInvocations;
    info.maxStorageBufferRange = limits.maxStorageBufferRange;
    info.subgroupSize = device.subgroupSize;
    if (device.requiresSubgroupSizes()) {
        info.minSubgroupSize = device.minSubgroupSize;
        info.maxSubgroupSize = device.maxSubgroupSize;
    }
    info.timestamps = limits.timestampComputeAndGraphics;
    for (const VkQueueFamilyProperties& family : device.queueFamilies)
        info.computeQueues.push_back(family.queueFlags & VK_QUEUE_COMPUTE_BIT ? family.queueCount
                                                                              : 0);
    return info;
}

std::vector<DeviceInfo> listDevices() {
    std::vector<DeviceInfo> devices;
    const std::shared_ptr<vulkan::Instance> instance = vulkan::Instance::acquire({});
    const std::shared_ptr<const vulkan::DeviceProfile> profile = requestedProfile();
    for (const vulkan::PhysicalDevice& device : instance->physicalDevices())
        devices.push_back(describe(profile ? vulkan::withProfile(device, *profile) : device));
    return devices;
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include "vulkan/profiles/ApplyProfile.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/Text.hpp"
#include "vulkan/profiles/DeviceProfile.hpp"

namespace kp::vulkan {
namespace {

using Limits = VkPhysicalDeviceLimits;

// clang-format off
/// Limits that a device may exceed, and alignments, of which the larger is the stricter one.
#define KOMPUTE_PROFILE_LIMITS(X) \
    X(maxImageDimension1D) X(maxImageDimension2D) X(maxImageDimension3D) X(maxImageArrayLayers) \
    X(maxUniformBufferRange) X(maxStorageBufferRange) X(maxPushConstantsSize) \
    X(maxMemoryAllocationCount) X(maxSamplerAllocationCount) X(maxBoundDescriptorSets) \
    X(maxPerStageDescriptorSamplers) X(maxPerStageDescriptorUniformBuffers) \
    X(maxPerStageDescriptorStorageBuffers) X(maxPerStageDescriptorSampledImages) \
    X(maxPerStageDescriptorStorageImages) X(maxPerStageResources) X(maxComputeSharedMemorySize) \
    X(maxComputeWorkGroupInvocations)
#define KOMPUTE_PROFILE_ALIGNMENTS(X) \
    X(minUniformBufferOffsetAlignment) X(minStorageBufferOffsetAlignment) X(nonCoherentAtomSize) \
    X(bufferImageGranularity)
// clang-format on

void lower(uint32_t& value, uint64_t limit) {
    value = static_cast<uint32_t>(std::min<uint64_t>(value, limit));
}
/// 0 means not known.
void lowerKnown(uint64_t& value, uint64_t limit) {
    value = value == 0 ? limit : std::min(value, limit);
}

void applyLimit(const DeviceProfile::Limit& limit, PhysicalDevice& device) {
    Limits& limits = device.properties.limits;
    const uint64_t value = limit.values.front();
#define KOMPUTE_LOWER(member)                                                                      \
    if (limit.name == #member)                                                                     \
        lower(limits.member, value);
    KOMPUTE_PROFILE_LIMITS(KOMPUTE_LOWER)
#undef KOMPUTE_LOWER
#define KOMPUTE_RAISE(member)                                                                      \
    if (limit.name == #member)                                                                     \
        limits.member = std::max<VkDeviceSize>(limits.member, value);
    KOMPUTE_PROFILE_ALIGNMENTS(KOMPUTE_RAISE)
#undef KOMPUTE_RAISE
    if (limit.name == "maxMemoryAllocationSize")
        lowerKnown(device.maxMemoryAllocationSize, value);
    if (limit.name == "maxBufferSize")
        lowerKnown(device.maxBufferSize, value);
    for (size_t i = 0; i < 3; ++i) {
        if (limit.name == "maxComputeWorkGroupCount")
            lower(limits.maxComputeWorkGroupCount[i], limit.values[i]);
        if (limit.name == "maxComputeWorkGroupSize")
            lower(limits.maxComputeWorkGroupSize[i], limit.values[i]);
    }
}

void applySubgroups(const DeviceProfile& profile, PhysicalDevice& device) {
    // Another size than the driver's choice would make shaders wrong, not different.
    if (device.subgroupSize >= profile.minSubgroupSize &&
        device.subgroupSize <= profile.maxSubgroupSize) {
        device.minSubgroupSize = std::max(device.minSubgroupSize, profile.minSubgroupSize);
        device.maxSubgroupSize = std::min(device.maxSubgroupSize, profile.maxSubgroupSize);
    }
    if (!profile.requiresSubgroupSizes)
        device.requiredSubgroupSizeStages = 0;
    lower(device.maxComputeWorkgroupSubgroups, profile.maxComputeWorkgroupSubgroups);
    device.subgroupOperations &= profile.subgroupOperations;
    // Drivers that compute on the processor can, and the size may be theirs.
    if (device.computesOnHost() && profile.emulatedSubgroupSize != device.subgroupSize)
        device.emulatedSubgroupSize = profile.emulatedSubgroupSize;
}

/// Returns the driver's first type with all properties; its count if there is none.
uint32_t servingType(const VkPhysicalDeviceMemoryProperties& driver, VkMemoryPropertyFlags flags) {
    uint32_t type = 0;
    while (type < driver.memoryTypeCount &&
           (driver.memoryTypes[type].propertyFlags & flags) != flags)
        ++type;
    return type;
}

bool usable(const VkPhysicalDeviceMemoryProperties& memory) {
    constexpr VkMemoryPropertyFlags kHost =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    return servingType(memory, kHost) < memory.memoryTypeCount &&
           servingType(memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) < memory.memoryTypeCount;
}

bool isHidden(const VkMemoryType& type) {
    return (type.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0 &&
           (type.propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0;
}

/// Adds the driver's memory that the host cannot see, unless one of the profile's types is of it.
void addTypeForImages(const VkPhysicalDeviceMemoryProperties& driver,
                      VkPhysicalDeviceMemoryProperties& memory, MemoryMap& map) {
    uint32_t hidden = 0;
    while (hidden < driver.memoryTypeCount && !isHidden(driver.memoryTypes[hidden]))
        ++hidden;
    const uint32_t count = memory.memoryTypeCount;
    const bool isThere =
        std::any_of(map.driverTypes.begin(), map.driverTypes.begin() + count,
                    [&](uint32_t type) { return isHidden(driver.memoryTypes[type]); });
    if (hidden == driver.memoryTypeCount || isThere || count == VK_MAX_MEMORY_TYPES)
        return;
    const uint32_t local = servingType(memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    memory.memoryTypes[count] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                 memory.memoryTypes[local].heapIndex};
    map.driverTypes[count] = hidden;
    map.forImages = memory.memoryTypeCount++;
}

/// Each of the profile's types is one of the driver's that has its properties, and maybe more.
void applyMemory(const DeviceProfile& profile, PhysicalDevice& device) {
    const VkPhysicalDeviceMemoryProperties driver = device.driverMemory();
    MemoryMap map{driver, {}};
    VkPhysicalDeviceMemoryProperties memory = profile.memory;
    memory.memoryTypeCount = 0;
    for (uint32_t i = 0; i < profile.memory.memoryTypeCount; ++i) {
        const VkMemoryType& wanted = profile.memory.memoryTypes[i];
        const uint32_t type = servingType(driver, wanted.propertyFlags);
        if (type == driver.memoryTypeCount)
            continue;
        VkDeviceSize& heap = memory.memoryHeaps[wanted.heapIndex].size;
        heap = std::min(heap, driver.memoryHeaps[driver.memoryTypes[type].heapIndex].size);
        map.driverTypes[memory.memoryTypeCount] = type;
        memory.memoryTypes[memory.memoryTypeCount++] = wanted;
    }
    if (!usable(memory))
        return;
    addTypeForImages(driver, memory, map);
    device.memory = memory;
    device.memoryMap = map;
}

} // namespace

std::vector<std::pair<std::string, std::vector<uint64_t>>> limitsOf(const PhysicalDevice& device) {
    const Limits& limits = device.properties.limits;
    const auto three = [](const uint32_t(&values)[3]) {
        return std::vector<uint64_t>(std::begin(values), std::end(values));
    };
    return {
#define KOMPUTE_LIST(member) {#member, {limits.member}},
        KOMPUTE_PROFILE_LIMITS(KOMPUTE_LIST) KOMPUTE_PROFILE_ALIGNMENTS(KOMPUTE_LIST)
#undef KOMPUTE_LIST
            {"maxComputeWorkGroupCount", three(limits.maxComputeWorkGroupCount)},
        {"maxComputeWorkGroupSize", three(limits.maxComputeWorkGroupSize)},
        {"maxMemoryAllocationSize", {device.maxMemoryAllocationSize}},
        {"maxBufferSize", {device.maxBufferSize}}};
}

size_t dimensionsOfLimit(std::string_view name) {
#define KOMPUTE_KNOWN(member)                                                                      \
    if (name == #member)                                                                           \
        return 1;
    KOMPUTE_PROFILE_LIMITS(KOMPUTE_KNOWN)
    KOMPUTE_PROFILE_ALIGNMENTS(KOMPUTE_KNOWN)
#undef KOMPUTE_KNOWN
    if (name == "maxMemoryAllocationSize" || name == "maxBufferSize")
        return 1;
    return name == "maxComputeWorkGroupCount" || name == "maxComputeWorkGroupSize" ? 3 : 0;
}

PhysicalDevice withProfile(const PhysicalDevice& device, const DeviceProfile& profile) {
    PhysicalDevice made = device;
    made.profile = profile.name;
    made.apiVersion = std::min(device.apiVersion, profile.apiVersion);
    if (profile.apiVersion < device.apiVersion)
        made.properties.apiVersion = profile.apiVersion; // which users see and compile for
    made.ownType = device.properties.deviceType;
    made.properties.deviceType = profile.type;
    made.properties.vendorID = profile.vendorId;
    std::erase_if(made.extensions, [&](const std::string& name) {
        return !std::binary_search(profile.extensions.begin(), profile.extensions.end(), name);
    });
    made.features &= profile.features;
    for (size_t i = 0; i < made.features.size(); ++i)
        if (!known(static_cast<Feature>(i), made.apiVersion, made.extensions))
            made.features.set(i, false);
    if (!made.has(Feature::eCooperativeMatrix))
        made.cooperative = {};
    if (!made.hasExtension("VK_EXT_external_memory_host"))
        made.importedHostPointerAlignment = 0;
    for (const DeviceProfile::Limit& limit : profile.limits)
        applyLimit(limit, made);
    applySubgroups(profile, made);
    if (!profile.timestamps) {
        made.properties.limits.timestampComputeAndGraphics = VK_FALSE;
        for (VkQueueFamilyProperties& family : made.queueFamilies)
            family.timestampValidBits = 0;
    }
    if (profile.memory.memoryTypeCount != 0)
        applyMemory(profile, made);
    return made;
}

std::string describeProfile(const PhysicalDevice& device, const PhysicalDevice& profiled) {
    std::vector<std::string> features;
    for (size_t i = 0; i < device.features.size(); ++i)
        if (device.features.test(i) && !profiled.features.test(i))
            features.emplace_back(nameOf(static_cast<Feature>(i)));
    std::vector<std::string> limits;
    const auto note = [&](const char* name, uint64_t before, uint64_t after) {
        if (before != after)
            limits.push_back(formatted("{} {} to {}", name, before, after));
    };
    const Limits& before = device.properties.limits;
    const Limits& after = profiled.properties.limits;
#define KOMPUTE_NOTE(member) note(#member, before.member, after.member);
    KOMPUTE_PROFILE_LIMITS(KOMPUTE_NOTE)
    KOMPUTE_PROFILE_ALIGNMENTS(KOMPUTE_NOTE)
#undef KOMPUTE_NOTE
    note("maxMemoryAllocationSize", device.maxMemoryAllocationSize,
         profiled.maxMemoryAllocationSize);
    note("maxBufferSize", device.maxBufferSize, profiled.maxBufferSize);
    return formatted("the device profile '{}' takes from {}: {} of {} extensions; the features {}; "
                     "limits: {}; features that the device itself lacks stay missing",
                     profiled.profile, device.name(),
                     device.extensions.size() - profiled.extensions.size(),
                     device.extensions.size(), features.empty() ? "(none)" : join(features),
                     limits.empty() ? "(none)" : join(limits));
}

} // namespace kp::vulkan

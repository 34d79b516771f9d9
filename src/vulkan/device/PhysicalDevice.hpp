// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vulkan/features/CooperativeMatrices.hpp"
#include "vulkan/features/Features.hpp"

namespace kp::vulkan {

struct InstanceTable;

/// The driver's own memory under a device profile, which shows another one.
struct MemoryMap {
    VkPhysicalDeviceMemoryProperties driver{};
    std::array<uint32_t, VK_MAX_MEMORY_TYPES> driverTypes{}; ///< of each of the profile's types
    /// A type that the profile does not have, for images that the driver keeps in no other. On GPUs
    /// with memory of their own, that is memory which the host cannot see.
    std::optional<uint32_t> forImages;
};

/// The properties of one device, read once. Pure data, so that tests can invent devices.
struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    uint32_t index = 0; ///< in vkEnumeratePhysicalDevices
    VkPhysicalDeviceProperties properties{};
    /// The version that the library may use: the lower of the instance's and the device's.
    uint32_t apiVersion = VK_API_VERSION_1_0;
    std::array<uint8_t, VK_UUID_SIZE> deviceUuid{};
    std::array<uint8_t, VK_UUID_SIZE> driverUuid{};
    std::string driverName; ///< "" if neither Vulkan 1.2 nor VK_KHR_driver_properties
    std::string driverInfo;
    uint32_t subgroupSize = 0;
    uint32_t minSubgroupSize = 0;
    uint32_t maxSubgroupSize = 0;
    /// Stages whose shaders may require a subgroup size; 0 without VK_EXT_subgroup_size_control.
    VkShaderStageFlags requiredSubgroupSizeStages = 0;
    uint32_t maxComputeWorkgroupSubgroups = 0; ///< of a required size; 0 without the extension
    /// Lanes of a profile's device, which the library's own shaders emulate for tests; 0: none.
    uint32_t emulatedSubgroupSize = 0;
    VkSubgroupFeatureFlags subgroupOperations = 0; ///< of compute shaders; 0 if they have none
    uint64_t maxMemoryAllocationSize = 0;
    uint64_t maxBufferSize = 0; ///< 0: not known
    /// Addresses and sizes of imported host memory must be multiples of this; 0 without
    /// VK_EXT_external_memory_host.
    uint64_t importedHostPointerAlignment = 0;
    /// Whether timeline semaphores are exported and imported by file descriptors.
    bool sharesTimelines = false;
    VkPhysicalDeviceMemoryProperties memory{};
    std::optional<MemoryMap> memoryMap; ///< set if `memory` is a profile's, not the driver's
    std::string profile;                ///< of withProfile(); "" = the device as it is
    /// Set if `properties` has a profile's type. Users choose and see the device's own.
    std::optional<VkPhysicalDeviceType> ownType;
    std::vector<VkQueueFamilyProperties> queueFamilies;
    std::vector<std::string> extensions; ///< sorted
    FeatureSet features;
    CooperativeMatrices cooperative;

    bool hasExtension(const std::string& name) const;
    bool has(Feature feature) const { return vulkan::has(features, feature); }
    /// Returns true if compute pipelines can require a subgroup size.
    bool requiresSubgroupSizes() const {
        return has(Feature::eSubgroupSizeControl) &&
               (requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
    }
    /// Returns the memory by the numbers that Vulkan's calls take and external memory has.
    const VkPhysicalDeviceMemoryProperties& driverMemory() const {
        return memoryMap ? memoryMap->driver : memory;
    }
    bool isNvidia() const { return properties.vendorID == 0x10de; }
    bool isCpu() const { return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
    /// Returns true if the driver computes on the processor, regardless of a profile.
    bool computesOnHost() const {
        return ownType.value_or(properties.deviceType) == VK_PHYSICAL_DEVICE_TYPE_CPU;
    }
    std::string name() const { return properties.deviceName; }
};

/// Reads a device. @throws Error if an enumeration fails
PhysicalDevice readPhysicalDevice(const InstanceTable& table, VkPhysicalDevice handle,
                                  uint32_t index, uint32_t instanceVersion);

/// Returns lower-case hexadecimal digits with dashes, as vulkaninfo prints them.
std::string uuidToString(const std::array<uint8_t, VK_UUID_SIZE>& uuid);

} // namespace kp::vulkan

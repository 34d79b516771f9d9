// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vulkan/features/Features.hpp"

namespace kp::vulkan {

/// The limits, features, extensions and memory of a device model. Pure data.
struct DeviceProfile {
    struct Limit {
        std::string name;             ///< Vulkan's
        std::vector<uint64_t> values; ///< one, or one per dimension
    };

    std::string name;            ///< "raspberry-pi-5", or the path of its file
    std::string device;          ///< the described device, in words
    uint32_t apiVersion = 0;     ///< VK_MAKE_API_VERSION(0, major, minor, 0)
    VkPhysicalDeviceType type{}; ///< other: not given
    uint32_t vendorId = 0;       ///< 0: not given
    uint32_t minSubgroupSize = 1;
    uint32_t maxSubgroupSize = 128;
    uint32_t emulatedSubgroupSize = 0; ///< lanes that the library's shaders emulate; 0: none
    bool requiresSubgroupSizes = true; ///< false: no compute pipeline can require a size
    uint32_t maxComputeWorkgroupSubgroups = UINT32_MAX;
    VkSubgroupFeatureFlags subgroupOperations = 0;
    std::vector<Limit> limits; ///< every other limit stays the device's
    bool timestamps = true;
    VkPhysicalDeviceMemoryProperties memory{}; ///< no types: the device's memory
    FeatureSet features;
    std::vector<std::string> extensions; ///< sorted
};

/// Return the names that profiles have for flags.
std::vector<std::string> subgroupOperationNames(VkSubgroupFeatureFlags operations);
std::vector<std::string> memoryFlagNames(VkMemoryPropertyFlags flags);

/// Reads a profile from JSON: see test/profiles. Pure.
/// @param name  of the profile, for messages
/// @throws InvalidArgument if the text is not JSON, lacks an entry, or has one that is unknown or
///         of another kind; names it
std::shared_ptr<const DeviceProfile> parseProfile(std::string_view text, const std::string& name);

} // namespace kp::vulkan

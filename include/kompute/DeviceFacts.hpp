// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {

class Manager;

/// What the library asks of a device, by Vulkan's names. With it, owners of a device report how the
/// library does there.
struct DeviceFacts {
    struct MemoryType {
        uint32_t heap = 0;
        std::vector<std::string> flags; ///< "deviceLocal", "hostVisible", ...
    };

    std::string profile; ///< of KOMPUTE_PROFILE; "" = the device as it is
    uint32_t vendorId = 0;
    uint32_t deviceId = 0;
    uint32_t driverVersion = 0; ///< encoded by the vendor
    /// Each has one value, or one per dimension. 0 in maxBufferSize means that it is not known.
    std::vector<std::pair<std::string, std::vector<uint64_t>>> limits;
    std::vector<std::string> subgroupOperations; ///< "basic", "arithmetic", ... of compute shaders
    std::vector<std::string> enabledFeatures;    ///< of those that the library knows
    std::vector<std::string> missingFeatures;    ///< the others
    std::vector<std::string> enabledExtensions;
    std::vector<uint64_t> heapBytes; ///< of each heap of memory
    std::vector<MemoryType> memoryTypes;
};

/// Returns what a manager's device offers and what is enabled. Thread-safe.
/// @throws InvalidArgument after Manager::destroy()
KOMPUTE_API DeviceFacts deviceFacts(const Manager& manager);

} // namespace kp

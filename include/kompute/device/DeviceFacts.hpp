// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {

class Manager;

/// A device's properties that the library reads, by Vulkan's names. Users send them in reports on
/// devices.
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
    std::vector<std::string> enabledFeatures;    ///< that the library knows
    std::vector<std::string> missingFeatures;    ///< the others
    std::vector<std::string> enabledExtensions;
    std::vector<uint64_t> heapBytes; ///< of each heap of memory
    std::vector<MemoryType> memoryTypes;
};

/// Returns the features of a manager's device, and the enabled ones. Thread-safe.
/// @throws InvalidArgument after Manager::destroy()
KOMPUTE_API DeviceFacts deviceFacts(const Manager& manager);

} // namespace kp

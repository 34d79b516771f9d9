// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "vulkan/device/Device.hpp"

namespace kp::primitives {

/// Device properties that plans depend on. Pure data, so that tests can invent devices.
struct DeviceTraits {
    /// The largest View, in bytes: within maxStorageBufferRange, and so small that a shader counts
    /// bytes with 32 bits.
    uint64_t maxViewBytes = 0;
    uint32_t maxGroupSize = 0;  ///< invocations of a work group, in x
    uint32_t maxGroupCount = 0; ///< of a dispatch, in each dimension
    uint32_t sharedBytes = 0;   ///< per work group
    uint32_t maxPushBytes = 128;
    uint32_t minSubgroupSize = 0;
    uint32_t maxSubgroupSize = 0;
    bool subgroups = false;          ///< full ones, with shuffles, ballots and votes
    bool subgroupArithmetic = false; ///< besides, reductions and scans over lanes
    bool subgroupInt64 = false;      ///< such over integers of 64 bits
    bool memoryModel = false;        ///< Vulkan's, with device scope
    bool int16 = false;              ///< 16-bit integers, other than in buffers
    bool int64 = false;              ///< 64-bit integers, other than in buffers
    bool float64 = true;             ///< doubles; without, shaders are lowered
    /// Those that the library's shaders can use.
    vulkan::CooperativeMatrices cooperative;
    bool isCpu = false;
    bool isNvidia = false;

    static DeviceTraits of(const vulkan::Device& device);
};

} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp {

/// Properties of an algorithm's pipeline that neither the shader nor its arguments decide.
struct AlgorithmOptions {
    /// Invocations of a subgroup: a power of two between DeviceInfo::minSubgroupSize and
    /// maxSubgroupSize. 0 lets the driver choose. Other sizes, and devices that cannot require
    /// sizes, are refused with Unsupported.
    uint32_t subgroupSize = 0;
    /// True means that no subgroup lacks invocations. The shader's local size in x must then be a
    /// multiple of the required size or, without one, of DeviceInfo::subgroupSize (for SPIR-V 1.6
    /// and later, of maxSubgroupSize).
    bool fullSubgroups = false;
};

} // namespace kp

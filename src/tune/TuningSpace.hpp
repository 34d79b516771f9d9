// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <kompute/launch/TunableKernel.hpp>

#include "vulkan/device/Device.hpp"

namespace kp::tune {

/// Limits of a device for a dispatch. Plain data.
struct TuningLimits {
    uint32_t maxInvocations = 0;
    Workgroup maxSize{};
    Workgroup maxCount{};
    uint64_t maxSharedBytes = 0;
    uint32_t subgroupSize = 0;
    bool isCpu = false;
};

TuningLimits limitsOf(const vulkan::Device& device);

/// Returns the limit that a work group of this size exceeds, with the values; "" if it can run.
std::string exceededLimit(const TuningLimits& limits, const Workgroup& localSize);

/// Returns a configuration of a kernel by its number. The last parameter changes fastest.
TuningConfiguration configurationAt(const TunableKernel& kernel, uint64_t number);
/// Returns true if the configuration has exactly the kernel's parameters, each with one of its
/// values.
bool belongsTo(const TunableKernel& kernel, const TuningConfiguration& configuration);

/// Configurations that constraints and limits allow.
struct TuningDraw {
    std::vector<TuningConfiguration> configurations;
    uint64_t constrained = 0; ///< examined and excluded by constraints
    uint64_t pruned = 0;      ///< examined and excluded by limits
};

/// Draws up to @p maxCount configurations evenly from all allowed ones. The same arguments give the
/// same draw.
/// @throws InvalidArgument if none is allowed; exceptions of predicates
TuningDraw drawConfigurations(const TunableKernel& kernel, const TuningLimits& limits,
                              size_t maxCount, uint32_t seed, bool subgroupMultiple);

/// Returns true if constraints and limits allow the configuration.
bool isAllowed(const TunableKernel& kernel, const TuningLimits& limits,
               const TuningConfiguration& configuration);

/// Ranks configurations by a rule of thumb: first by the distance of the work group size from a
/// size that suits this kind of device, then by the order of the parameters' values.
std::vector<TuningConfiguration> rankByRule(const TunableKernel& kernel, const TuningLimits& limits,
                                            std::vector<TuningConfiguration> configurations);

} // namespace kp::tune

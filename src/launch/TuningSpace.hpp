// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <kompute/launch/TunableKernel.hpp>

namespace kp::launch {

/// What a device allows a dispatch. Pure data.
struct TuningLimits {
    uint32_t maxInvocations = 0;
    Workgroup maxSize{};
    Workgroup maxCount{};
    uint64_t maxSharedBytes = 0;
    uint32_t subgroupSize = 0;
    bool isCpu = false;
};

/// @return "" where a work group of this size can run, else the limit that it is over
std::string overLimits(const TuningLimits& limits, const Workgroup& localSize);

/// The configurations of a kernel, by number: the last parameter changes fastest.
TuningConfiguration configurationAt(const TunableKernel& kernel, uint64_t number);
/// True where each value is one of its parameter's, and no parameter is missing.
bool belongsTo(const TunableKernel& kernel, const TuningConfiguration& configuration);

/// Configurations that constraints and limits leave.
struct TuningDraw {
    std::vector<TuningConfiguration> configurations;
    uint64_t constrained = 0; ///< left out by constraints, of those looked at
    uint64_t pruned = 0;      ///< left out by limits, of those looked at
};

/// Draws evenly from all configurations that are left, or takes all of them where they are no more
/// than @p most. The same arguments give the same draw.
/// @throws InvalidArgument where nothing is left; what predicates throw
TuningDraw drawConfigurations(const TunableKernel& kernel, const TuningLimits& limits, size_t most,
                              uint32_t seed, bool subgroupMultiple);

/// True where constraints and limits leave the configuration.
bool isAllowed(const TunableKernel& kernel, const TuningLimits& limits,
               const TuningConfiguration& configuration);

/// The configurations as a rule of thumb ranks them: the work-group size nearest to what devices of
/// this kind like, and earlier values before later ones.
std::vector<TuningConfiguration> rankByRule(const TunableKernel& kernel, const TuningLimits& limits,
                                            std::vector<TuningConfiguration> configurations);

} // namespace kp::launch

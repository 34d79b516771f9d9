// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Manager.hpp>
#include <kompute/launch/Autotuner.hpp>
#include <kompute/shader/Reflection.hpp>

#include "tune/TuningSpace.hpp"

namespace kp::tune {

/// A configuration that is ready to run.
struct TuningBuild {
    std::vector<uint32_t> spirv;
    std::vector<SpecializationConstant> specialization;
    Workgroup workgroup{};
    /// Bindings that the shader writes; all of them if it uses buffer addresses.
    std::vector<uint32_t> writtenObjects;
    /// Names the device limit that it exceeds, with the values; "" if it can run.
    std::string exceededLimit;
};

/// Returns the SPIR-V of a configuration.
/// @throws ShaderError, InvalidArgument, or a factory's exception
std::vector<uint32_t> spirvOf(const TunableKernel& kernel, const TuningConfiguration& configuration,
                              const Manager& manager);

/// Returns the shader's identification in the cache: the key of a factory, else a hash of the
/// SPIR-V.
std::string shaderKeyOf(const TunableKernel& kernel, const std::vector<uint32_t>& spirv);

/// Determines the specialization constants and the work group counts.
/// @throws ShaderError if the SPIR-V is invalid or cannot have the work group size;
///         InvalidArgument if kernel and arguments do not match the shader
TuningBuild buildConfiguration(const TunableKernel& kernel, const TuningArguments& arguments,
                               const TuningConfiguration& configuration,
                               std::vector<uint32_t> spirv, const TuningLimits& limits);

/// Makes the algorithm of a build on the memory of the arguments.
std::shared_ptr<Algorithm> makeAlgorithm(Manager& manager, const TuningArguments& arguments,
                                         const TuningBuild& build);

} // namespace kp::tune

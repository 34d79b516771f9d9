// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kompute/Manager.hpp>
#include <kompute/Reflection.hpp>
#include <kompute/launch/Autotuner.hpp>

#include "launch/TuningSpace.hpp"

namespace kp::launch {

/// What a configuration becomes before it runs.
struct TuningBuild {
    std::vector<uint32_t> spirv;
    std::vector<SpecializationConstant> specialization;
    Workgroup workgroup{};
    /// Bindings that the shader writes, and all of them where it follows pointers.
    std::vector<uint32_t> writtenBindings;
    std::string overLimit; ///< "", else the limit of the device that keeps it from running
};

/// The SPIR-V of a configuration. @throws ShaderError, InvalidArgument; what a factory throws
std::vector<uint32_t> spirvOf(const TunableKernel& kernel, const TuningConfiguration& configuration,
                              const Manager& manager);

/// What cached times of a configuration are looked up by: the key of a factory, else a hash of the
/// SPIR-V.
std::string shaderKeyOf(const TunableKernel& kernel, const std::vector<uint32_t>& spirv);

/// Works out constants and work groups.
/// @throws ShaderError where the SPIR-V is not valid or its work-group size cannot be had;
///         InvalidArgument where kernel and arguments do not fit the shader
TuningBuild buildConfiguration(const TunableKernel& kernel, const TuningArguments& arguments,
                               const TuningConfiguration& configuration,
                               std::vector<uint32_t> spirv, const TuningLimits& limits);

} // namespace kp::launch

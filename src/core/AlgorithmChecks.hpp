// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/Core.hpp>
#include <kompute/Memory.hpp>

#include "shader/Reflection.hpp"
#include "vulkan/Device.hpp"

namespace kp {

// What a shader needs against what it is given and what the device has. Each throws ShaderError
// (the shader cannot run or does not fit) or InvalidArgument (an argument is wrong by itself).

/// Features the SPIR-V asks for, and its local size.
void checkDevice(const shader::Reflection& reflection, const vulkan::Device& device,
                 const Workgroup& localSize);

/// Each binding against the memory object with its number.
void checkBindings(const shader::Reflection& reflection, const vulkan::Device& device,
                   const std::vector<std::shared_ptr<Memory>>& memObjects);

struct Specialization;

/// Sizes of the specialization constants given.
void checkSpecialization(const shader::Reflection& reflection,
                         const Specialization& specialization);

/// Push constants against the device's limit.
void checkPushConstantLimit(const shader::Reflection& reflection, const vulkan::Device& device,
                            size_t bytes);

/// Push constants of one dispatch against what the shader declares.
void checkPushConstants(const shader::Reflection& reflection, size_t bytes);

/// Group counts against the device's limits.
void refuseWorkgroup(const Workgroup& workgroup, const vulkan::Device& device);
inline void checkWorkgroup(const Workgroup& workgroup, const vulkan::Device& device) {
    const auto& limits = device.physical().properties.limits.maxComputeWorkGroupCount;
    if (workgroup[0] > limits[0] || workgroup[1] > limits[1] || workgroup[2] > limits[2])
        [[unlikely]]
        refuseWorkgroup(workgroup, device);
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include <kompute/Core.hpp>
#include <kompute/Memory.hpp>
#include <kompute/algorithm/AlgorithmOptions.hpp>

#include "shader/reflect/Reflection.hpp"
#include "vulkan/device/Device.hpp"

namespace kp {

struct Specialization;

// Checks of a shader and its arguments. Each throws ShaderError if the shader does not suit the
// device or the argument, or InvalidArgument if the argument is invalid in itself.

/// Checks that the device has the features that the capabilities of a module need.
/// @param capabilities  the SPIR-V specification's names
void requireCapabilities(const std::vector<std::string>& capabilities,
                         const vulkan::Device& device);

/// Checks a local size against the device's limits.
void requireLocalSize(const Workgroup& localSize, const vulkan::Device& device);

/// Checks the memory that a work group shares against the device's limit, and the arrays of an
/// invocation against the option's.
void requireVariables(std::span<const uint32_t> spirv, const Hash& contentKey,
                      const shader::Reflection& reflection, const Specialization& specialization,
                      const AlgorithmOptions& options, const vulkan::Device& device);

/// Checks the memory that a shader reaches by address.
void requireAddressed(const AlgorithmOptions& options, const shader::Reflection& reflection,
                      const vulkan::Device& device);

/// Checks that the device can make the pipeline of a shader with these options.
/// @throws Unsupported with the device's abilities; InvalidArgument if the local size does not
///         suit the subgroup size
void requireOptions(const AlgorithmOptions& options, const shader::Reflection& reflection,
                    const Workgroup& localSize, const vulkan::Device& device);

/// Checks that the device can bind as many descriptors and sets as the shader uses.
void requireDescriptors(const shader::Reflection& reflection, const vulkan::Device& device);

void checkSpecialization(const shader::Reflection& reflection,
                         const Specialization& specialization);

/// Checks the size of push constants, given and declared, against the device's limit.
void checkPushConstantLimit(const shader::Reflection& reflection, const vulkan::Device& device,
                            size_t bytes);

/// Returns the types of numbers that all push constants of a shader take, as bits by
/// Memory::DataTypes. eCustom is among them.
uint32_t pushTypesOf(const shader::Reflection& reflection);

/// Checks size and type of a dispatch's push constants against the shader's declaration.
/// @param type  of numbers; eCustom: a struct or bytes, which are not compared
void checkPushConstants(const shader::Reflection& reflection, size_t bytes, Memory::DataTypes type);

/// Returns group counts in x, y and z whose product is at least @p groups, and hardly more.
std::array<uint32_t, 3> foldedGroups(uint64_t groups, const VkPhysicalDeviceLimits& limits);

/// Returns the work group counts that cover this many invocations in x, y and z. One-dimensional
/// counts are folded into three if the device needs it and the shader uses kp_index().
/// @throws InvalidArgument if they exceed the device's limits
Workgroup groupsFor(const std::array<uint64_t, 3>& invocations, const Workgroup& localSize,
                    const shader::Reflection& reflection, const vulkan::Device& device);

/// Throws InvalidArgument for work group counts that exceed the device's limits.
[[noreturn]] void refuseWorkgroup(const Workgroup& workgroup, const vulkan::Device& device);
/// Checks work group counts against the device's limits.
inline void checkWorkgroup(const Workgroup& workgroup, const vulkan::Device& device) {
    const auto& limits = device.physical().properties.limits.maxComputeWorkGroupCount;
    if (workgroup[0] > limits[0] || workgroup[1] > limits[1] || workgroup[2] > limits[2])
        [[unlikely]]
        refuseWorkgroup(workgroup, device);
}

} // namespace kp

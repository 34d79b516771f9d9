// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/check/CheckedShader.hpp"
#include "program/ProgramData.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::program {

/// Validates the kernels' modules, and compares them with what the program says of them. Apart from
/// the other checks, because it needs SPIRV-Tools.
/// @throws ShaderError, InvalidArgument
void requireValidKernels(const Data& data, const vulkan::Device& device);

/// Returns a kernel's module with checks; null if nothing in it can fail. Needs SPIRV-Tools, too.
std::shared_ptr<const CheckedShader> checkedKernel(const Kernel& kernel, const Data& data,
                                                   const vulkan::Device& device,
                                                   const shader::CheckKinds& kinds);

} // namespace kp::program

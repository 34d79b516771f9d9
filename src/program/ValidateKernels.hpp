// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/ProgramData.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::program {

/// Validates the kernels' modules, and compares them with what the program says of them. Apart from
/// the other checks, because it needs SPIRV-Tools.
/// @throws ShaderError, InvalidArgument
void requireValidKernels(const Data& data, const vulkan::Device& device);

} // namespace kp::program

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Core.hpp>

#include "shader/Reflection.hpp"
#include "vulkan/device/Device.hpp"

namespace kp {

/// Checks that the device has the features that the SPIR-V's capabilities need.
/// @throws ShaderError
void requireCapabilities(const shader::Reflection& reflection, const vulkan::Device& device);

/// Checks a local size against the device's limits. @throws ShaderError
void requireLocalSize(const Workgroup& localSize, const vulkan::Device& device);

} // namespace kp

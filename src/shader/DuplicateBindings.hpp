// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <kompute/Shader.hpp>

namespace kp::shader {

/// Rejects used variables of an HLSL shader that share a binding. `register(t0)` and `register(u0)`
/// are different registers but the same Vulkan binding.
/// @throws ShaderError that names both variables and the remedy
void refuseDuplicateBindings(std::span<const uint32_t> spirv, const CompileOptions& options);

} // namespace kp::shader

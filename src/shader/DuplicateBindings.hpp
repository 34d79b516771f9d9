// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <kompute/Shader.hpp>

namespace kp::shader {

/// HLSL's `register(t0)` and `register(u0)` are different registers but the same Vulkan binding.
/// Finds used variables that share a binding, which in HLSL is never meant.
/// @throws ShaderError that names both variables and says what to write instead
void refuseDuplicateBindings(std::span<const uint32_t> spirv, const CompileOptions& options);

} // namespace kp::shader

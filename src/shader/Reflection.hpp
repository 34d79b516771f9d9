// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <kompute/Reflection.hpp>

namespace kp::shader {

/// Returns the size of a scalar in bytes; 0 for eUnknown and eStruct. A bool has 4 bytes in memory.
uint32_t sizeOf(ScalarType type);

/// Returns GLSL's name of a scalar type for messages: "float", "uint16_t", ...
const char* nameOf(ScalarType type);

/// Reads the interface of a module.
/// @param spirv       a module that validate() accepted
/// @param entryPoint  name of a compute entry point
/// @throws ShaderError if the module has no such entry point; lists those it has
Reflection reflect(std::span<const uint32_t> spirv, const std::string& entryPoint = "main");

} // namespace kp::shader

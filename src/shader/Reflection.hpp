// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <kompute/Reflection.hpp>

namespace kp::shader {

/// Bytes of one scalar; 0 for eUnknown and eStruct. A bool is 4 bytes in memory.
uint32_t sizeOf(ScalarType type);

/// GLSL's name of a scalar type ("float", "uint16_t", ...), for messages.
const char* nameOf(ScalarType type);

/// Reads a validated module.
/// @param spirv       words of a module that validate() accepted
/// @param entryPoint  name of a GLCompute entry point
/// @throws ShaderError where the module has no such compute entry point (says which it has)
Reflection reflect(std::span<const uint32_t> spirv, const std::string& entryPoint = "main");

} // namespace kp::shader

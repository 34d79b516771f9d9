// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kompute/Shader.hpp>

#include "shader/compile/Includer.hpp"

namespace kp::shader {

/// Call it before runGlslang(). Takes time only once. Thread-safe.
void prepareGlslang();

/// Compiles GLSL or HLSL on the calling thread, whose stack must have kCompilerStackBytes.
/// Thread-safe.
/// @param source    text without a byte order mark
/// @param includer  made from the same options; contains the included texts afterwards
/// @throws ShaderError with the location of the first error; exceptions of the user's includer
std::vector<uint32_t> runGlslang(const std::string& source, const CompileOptions& options,
                                 Includer& includer);

/// Equal versions produce equal SPIR-V.
std::string glslangVersion();

} // namespace kp::shader

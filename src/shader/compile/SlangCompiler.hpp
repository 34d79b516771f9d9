// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kompute/Shader.hpp>

#include "shader/compile/Includer.hpp"

namespace kp::shader {

/// Opens Slang's library and makes its session, which takes up to two seconds once. Thread-safe.
/// @throws Unsupported if the library is not found
void prepareSlang();

/// Compiles Slang on the calling thread, whose stack must have kCompilerStackBytes. Thread-safe:
/// sources are compiled one after another.
/// @param source    text without a byte order mark
/// @param includer  made from the same options; contains the included texts afterwards
/// @throws ShaderError with the location of the first error; exceptions of the user's includer
std::vector<uint32_t> runSlang(const std::string& source, const CompileOptions& options,
                               Includer& includer);

/// Equal versions produce equal SPIR-V.
/// @throws Unsupported if the library is not found
std::string slangVersion();

} // namespace kp::shader

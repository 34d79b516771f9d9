// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kompute/Shader.hpp>

#include "shader/compile/Includer.hpp"

namespace kp::shader {

/// Runs the compiler of the options' language, on a thread with a large stack, in this process or,
/// with CompileOptions::isolate, in a child. Thread-safe.
/// @param source    text without a byte order mark
/// @param includer  made from the same options; contains the included texts afterwards
/// @throws ShaderError with the location of the first error; exceptions of the user's includer;
///         Unsupported if the language's compiler is not installed
std::vector<uint32_t> runCompiler(const std::string& source, const CompileOptions& options,
                                  Includer& includer);

/// Returns the versions of the library and of a language's compiler. Equal versions produce equal
/// SPIR-V. Thread-safe.
/// @throws Unsupported if the language's compiler is not installed
std::string compilerVersion(ShaderLanguage language);

} // namespace kp::shader

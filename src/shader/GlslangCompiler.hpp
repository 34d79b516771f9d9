// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kompute/Shader.hpp>

#include "shader/Includer.hpp"

namespace kp::shader {

/// Runs glslang once, in this process. Initialises it on first use; any number of threads may
/// compile at the same time.
/// @param source    text, without a byte-order mark
/// @param includer  made from the same options; holds the included texts afterwards
/// @throws ShaderError with the first fault located; what the user's includer threw
std::vector<uint32_t> runGlslang(const std::string& source, const CompileOptions& options,
                                 Includer& includer);

/// Names the library and the compiler in it, with their versions: equal names give equal SPIR-V.
const std::string& compilerVersion();

} // namespace kp::shader

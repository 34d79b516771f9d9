// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include <kompute/shader/Reflection.hpp>

#include "base/Hash.hpp"

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

/// Returns reflect(), cached by content in up to 16 MiB of the process, so that another call only
/// compares words. Thread-safe; two threads with the same new module may both read it.
/// @throws ShaderError as reflect(); failures are not cached
std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv,
                                                const std::string& entryPoint = "main");
/// The same with the contentKey() of @p spirv.
std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv,
                                                const Hash& contentKey,
                                                const std::string& entryPoint = "main");

} // namespace kp::shader

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/Hash.hpp"
#include "shader/Reflection.hpp"

namespace kp::shader {

/// Returns reflect(), cached by content in up to 16 MiB of the process, so that another call only
/// computes a hash. Thread-safe; two threads with the same new module may both read it.
/// @throws ShaderError as reflect(); failures are not cached
std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv,
                                                const std::string& entryPoint = "main");
/// The same with the hash of @p spirv.
std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv, const Hash& hash,
                                                const std::string& entryPoint = "main");

} // namespace kp::shader

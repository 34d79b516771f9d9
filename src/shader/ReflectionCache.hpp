// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "shader/Hash.hpp"
#include "shader/Reflection.hpp"

namespace kp::shader {

/// reflect(), remembered by content: a module seen before costs one hash. The cache is bounded
/// (16 MiB for the whole process) and the result stays valid for as long as it is held.
/// Thread-safe; two threads that meet a new module at once may both read it.
/// @throws ShaderError as reflect(); failures are not remembered
std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv,
                                                const std::string& entryPoint = "main");
/// The same where the hash of all of @p spirv is known already.
std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv, const Hash& hash,
                                                const std::string& entryPoint = "main");

} // namespace kp::shader

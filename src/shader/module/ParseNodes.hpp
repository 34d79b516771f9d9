// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// Takes a module apart with SPIRV-Tools, whose grammar knows which operands are ids.
/// @param take  called with each instruction, in order
/// @throws ShaderError for words that are not a module of a known grammar
void parseNodes(std::span<const uint32_t> spirv, const std::function<void(Node)>& take);

} // namespace kp::shader

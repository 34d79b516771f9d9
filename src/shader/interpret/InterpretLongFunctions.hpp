// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// Replaces functions that are very long once their callees are inlined, as drivers do, by an
/// interpreter with one case for each different instruction, and a table of instructions. The
/// results are the same, to the bit. Only functions of values and their own variables are replaced,
/// without accesses to buffers and without barriers.
/// @param computed  functions of which a call is one instruction of the interpreter
void interpretLongFunctions(ModuleEditor& editor, const std::unordered_set<uint32_t>& computed);

} // namespace kp::shader

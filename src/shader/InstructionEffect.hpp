// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shader/SpirvModule.hpp"

namespace kp::shader {

/// What one instruction of a function body does with the pointers and handles among its operands.
/// All entries are ids.
struct InstructionEffect {
    std::vector<uint32_t> loads{};   ///< pointers a value is loaded through (an image's handle too)
    std::vector<uint32_t> reads{};   ///< pointers or handles read through
    std::vector<uint32_t> writes{};  ///< pointers or handles written through
    std::vector<uint32_t> flows{};   ///< operands the result points to the same memory as
    std::vector<uint32_t> names{};   ///< operands only asked for a property, such as a length
    std::vector<uint32_t> unknown{}; ///< operands something unknown happens to
    std::vector<uint32_t> calls{}; ///< operands that may be functions the instruction calls itself
    uint32_t result = 0;           ///< the id that flows and loads go to; 0: none
};

/// Reads one instruction. Operands that are literals are never taken for ids in the instructions
/// the SPIR-V specification has; in others every word may be an id, and all are unknown.
/// Function calls, parameters and returns are left to the caller: they give an empty effect.
/// @param glslSet          the instruction belongs to the extended set "GLSL.std.450"
/// @param nonSemanticSet   the instruction belongs to a set without effects, such as debug output
InstructionEffect effectOf(const Instruction& instruction, bool glslSet, bool nonSemanticSet);

} // namespace kp::shader

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shader/SpirvModule.hpp"

namespace kp::shader {

/// What one instruction of a function body does with its pointer and handle operands. All entries
/// are ids.
struct InstructionEffect {
    std::vector<uint32_t> loads{};  ///< pointers to a loaded value, which may be an image handle
    std::vector<uint32_t> reads{};  ///< pointers or handles that are read through
    std::vector<uint32_t> writes{}; ///< pointers or handles that are written through
    std::vector<uint32_t> flows{};  ///< operands that point to the same memory as the result
    std::vector<uint32_t> names{};  ///< operands of which only a property is read, such as a length
    std::vector<uint32_t> unknown{}; ///< operands with unknown accesses
    std::vector<uint32_t> calls{};   ///< operands that may be functions called by the instruction
    uint32_t result = 0;             ///< id that receives flows and loads; 0: none
};

/// Reads one instruction. In instructions of the SPIR-V specification, literal operands are never
/// taken for ids. In others, every word counts as an id with unknown accesses. The effect of
/// function calls, parameters and returns is empty: the caller handles them.
/// @param glslSet         the instruction belongs to the extended set "GLSL.std.450"
/// @param nonSemanticSet  the instruction belongs to a set without effects, such as debug output
InstructionEffect effectOf(const Instruction& instruction, bool glslSet, bool nonSemanticSet);

} // namespace kp::shader

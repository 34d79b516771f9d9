// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shader/lower/LoweringContext.hpp"

namespace kp::shader {

/// Emits an operation on doubles that are pairs of words.
/// @param values  scalars
/// @return a pair, or a boolean for comparisons
uint32_t doubleOperation(LoweringContext& context, spv::Op opcode,
                         const std::vector<uint32_t>& values);

/// Emits an instruction of GLSL.std.450 on such doubles, component by component.
uint32_t doubleFunction(LoweringContext& context, uint32_t instruction,
                        const std::vector<uint32_t>& values);

} // namespace kp::shader

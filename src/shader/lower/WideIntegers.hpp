// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shader/lower/LoweringContext.hpp"

namespace kp::shader {

/// Emits an operation on 64-bit integers that are pairs of words.
/// @param values  scalars; the count of a shift may have any integer type
/// @return a pair, or a boolean for comparisons
uint32_t wideOperation(LoweringContext& context, spv::Op opcode,
                       const std::vector<uint32_t>& values, const std::vector<NumberShape>& shapes);

/// Emits an instruction of GLSL.std.450 on such integers.
uint32_t wideFunction(LoweringContext& context, uint32_t instruction,
                      const std::vector<uint32_t>& values);

} // namespace kp::shader

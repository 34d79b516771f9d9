// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shader/lower/LoweringContext.hpp"

namespace kp::shader {

/// Emits an operation on 8- or 16-bit integers that are kept in 32 bits, and wraps its result.
/// Shifts of other integers by such counts, or by pairs of words, are taken, too.
/// @param values  scalars
/// @return a number of the type that @p result has now, or a boolean for comparisons
uint32_t narrowOperation(LoweringContext& context, spv::Op opcode, const NumberShape& result,
                         const std::vector<uint32_t>& values,
                         const std::vector<NumberShape>& shapes);

} // namespace kp::shader

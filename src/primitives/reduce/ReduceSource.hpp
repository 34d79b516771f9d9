// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "primitives/reduce/ReducePlan.hpp"

namespace kp::primitives {

/// The GLSL of a reduction: its types, and the functions that shaders/primitives/reduce/Reduce.glsl
/// needs.
struct ReduceSource {
    std::string macros;
    std::string functions;
    uint32_t partialBytes = 0;
};

/// @param int64  the device has integers of 64 bits
ReduceSource reduceSource(const ReduceProblem& problem, bool int64);

} // namespace kp::primitives

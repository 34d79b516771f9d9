// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "arrays/engine/ElementKernel.hpp"
#include "arrays/engine/Reduce.hpp"

namespace kp::arrays {

/// Returns the shader of a reduction. Its parameters before the program's are the number of
/// results, the number of elements of each, the parts of a result, and the elements of a part.
/// @param accumulated  type in which elements are combined
/// @param binding      of the results, of type @p results
/// @param grouped      whether a work group computes a part of a result, else an invocation
/// @param wide         bindings that are accessed in vectors along the elements of a result
std::string reduceSource(const KernelCode& program, const Layout& layout, DType accumulated,
                         DType results, int binding, const Reduction& reduction, const Rules& rules,
                         bool grouped, uint64_t wide);

} // namespace kp::arrays

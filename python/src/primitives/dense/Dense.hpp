// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "primitives/Primitives.hpp"

/// Primitives of dense linear algebra.
namespace kp::python {

/// Returns the square matrices in the last two axes of an argument.
/// @throws ValueError if they are not square
SquareMatrices squareMatrices(const RangeArgument& range, const char* argument);

void bindCholesky(py::module_& module);

} // namespace kp::python

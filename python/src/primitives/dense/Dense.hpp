// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "primitives/Primitives.hpp"

/// Primitives of dense linear algebra.
namespace kp::python {

/// Matrices in the last two axes of an argument.
struct MatrixShape {
    uint64_t rows = 0;
    uint64_t columns = 0;
    uint64_t batches = 1;
};

/// @throws ValueError if the argument has fewer than two axes
MatrixShape matrixShape(const RangeArgument& range, const char* argument);
/// @throws ValueError if the matrices are not square
SquareMatrices squareMatrices(const RangeArgument& range, const char* argument);
/// Returns the number of columns of the right sides `b`, which has an axis less than `a` if each is
/// one column.
uint64_t sideColumns(const RangeArgument& a, const RangeArgument& b);

void bindCholesky(py::module_& module);
void bindEigh(py::module_& module);
void bindLu(py::module_& module);
void bindQr(py::module_& module);
/// Binds OpSolve and OpTriangularSolve.
void bindSolve(py::module_& module);
void bindSvd(py::module_& module);

} // namespace kp::python

// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/Dense.hpp"

namespace kp::python {

MatrixShape matrixShape(const RangeArgument& range, const char* argument) {
    const size_t axes = range.shape.size();
    if (axes < 2)
        throw py::value_error(
            formatted("{} has fewer than two dimensions, which matrices need", argument));
    MatrixShape shape{range.shape[axes - 2], range.shape[axes - 1]};
    for (size_t axis = 0; axis + 2 < axes; ++axis)
        shape.batches *= range.shape[axis];
    return shape;
}

SquareMatrices squareMatrices(const RangeArgument& range, const char* argument) {
    const MatrixShape shape = matrixShape(range, argument);
    if (shape.rows != shape.columns)
        throw py::value_error(formatted("{} has matrices of {} x {}, but they must be square",
                                        argument, shape.rows, shape.columns));
    return {shape.rows, shape.batches};
}

uint64_t sideColumns(const RangeArgument& a, const RangeArgument& b) {
    return b.shape.size() < a.shape.size() ? 1 : matrixShape(b, "b").columns;
}

void bindDense(py::module_& module) {
    bindCholesky(module);
    bindEigh(module);
    bindLu(module);
    bindQr(module);
    bindSolve(module);
    bindSvd(module);
}

} // namespace kp::python

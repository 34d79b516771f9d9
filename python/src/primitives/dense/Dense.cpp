// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/Dense.hpp"

#include "base/Text.hpp"

namespace kp::python {

SquareMatrices squareMatrices(const RangeArgument& range, const char* argument) {
    const size_t axes = range.shape.size();
    if (axes < 2)
        throw py::value_error(formatted("{} has {}, but matrices need two", argument,
                                        counted(axes, "dimension")));
    const uint64_t rows = range.shape[axes - 2];
    if (rows != range.shape[axes - 1])
        throw py::value_error(formatted("{} has matrices of {} x {}, but they must be square",
                                        argument, rows, range.shape[axes - 1]));
    SquareMatrices matrices;
    matrices.size = rows;
    for (size_t axis = 0; axis + 2 < axes; ++axis)
        matrices.batches *= range.shape[axis];
    return matrices;
}

void bindDense(py::module_& module) {
    bindCholesky(module);
}

} // namespace kp::python

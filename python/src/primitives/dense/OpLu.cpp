// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/Dense.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpLu>> makeLu(const py::object& a, const py::object& lu,
                                       const py::object& pivots, const py::object& info,
                                       bool transposed) {
    const std::vector<RangeArgument> tensors = {toRange(a, "a"), toRange(lu, "lu"),
                                                toRange(pivots, "pivots"), toRange(info, "info")};
    const MatrixShape shape = matrixShape(tensors[0], "a");
    LuOptions options;
    options.batches = shape.batches;
    options.transposed = transposed;
    return makePrimitive<OpLu>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                               tensors[3].range, transposed ? shape.columns : shape.rows,
                               transposed ? shape.rows : shape.columns, options);
}

} // namespace

void bindLu(py::module_& module) {
    declareOperation<HandleOf<OpLu>>(module, "OpLu", doc(R"(
        Factors matrices with partial pivoting: p a = l u, with l lower and u upper triangular.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeLu), "a"_a, "lu"_a, "pivots"_a, "info"_a, py::kw_only(),
             "transposed"_a = false, doc(R"(
                 The last two axes of `a` are matrices of float32 or float64. `lu` has as many
                 elements, and may be `a`: l without its diagonal of 1, and u. `pivots` has an
                 element of int32 or uint32 per step, the row that was exchanged with the step's
                 row, counted from 0. `info` has one per matrix: 0, or the first step, counted from
                 1, whose pivot is 0. With `transposed`, `a` and `lu` hold transposed matrices,
                 which is faster.)"));
}

} // namespace kp::python

// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/Dense.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpQr>> makeQr(const py::object& a, const py::object& q,
                                       const py::object& r, bool complete) {
    const std::vector<RangeArgument> tensors = {toRange(a, "a"), toOptionalRange(q, "q"),
                                                toRange(r, "r")};
    QrOptions options;
    options.complete = complete;
    const auto [rows, columns, batches] = matrixShape(tensors[0], "a");
    const RectangularMatrices matrices{rows, columns, batches};
    return makePrimitive<OpQr>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                               matrices, options);
}

} // namespace

void bindQr(py::module_& module) {
    declareOperation<HandleOf<OpQr>>(module, "OpQr", doc(R"(
        Factors matrices: a = q r, with orthonormal columns of q, and r upper triangular.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeQr), "a"_a, "q"_a, "r"_a, py::kw_only(), "complete"_a = false, doc(R"(
            The last two axes of `a` are matrices of float32 or float64. The columns of `q`, which
            may be None, and the rows of `r` are as many as the smaller extent of a matrix, or if
            `complete` as its rows. Signs as in numpy.linalg.qr.)"));
}

} // namespace kp::python

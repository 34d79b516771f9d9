// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/Dense.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpSvd>> makeSvd(const py::object& a, const py::object& u,
                                         const py::object& s, const py::object& vh, bool full) {
    const std::vector<RangeArgument> tensors = {toRange(a, "a"), toOptionalRange(u, "u"),
                                                toRange(s, "s"), toOptionalRange(vh, "vh")};
    SvdOptions options;
    options.full = full;
    const auto [rows, columns, batches] = matrixShape(tensors[0], "a");
    const RectangularMatrices matrices{rows, columns, batches};
    return makePrimitive<OpSvd>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                tensors[3].range, matrices, options);
}

} // namespace

void bindSvd(py::module_& module) {
    declareOperation<HandleOf<OpSvd>>(module, "OpSvd", doc(R"(
        Finds singular values and vectors of matrices: a = u diag(s) vh.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeSvd), "a"_a, "u"_a, "s"_a, "vh"_a, py::kw_only(), "full"_a = false,
             doc(R"(
                 The last two axes of `a` are matrices of float32 or float64. `s` gets their singular
                 values in descending order, as many as the smaller extent. `u` and `vh` may both be
                 None. The columns of `u` and the rows of `vh` are as many as the singular values, or
                 if `full` as the rows and the columns of `a`. Matrices with an infinity or NaN have
                 NaN for results.)"));
}

} // namespace kp::python

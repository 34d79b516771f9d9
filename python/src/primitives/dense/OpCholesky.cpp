// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/Dense.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpCholesky>> makeCholesky(const py::object& a, const py::object& factor,
                                                   const py::object& info) {
    const std::vector<RangeArgument> tensors = {toRange(a, "a"), toRange(factor, "factor"),
                                                toRange(info, "info")};
    return makePrimitive<OpCholesky>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                     squareMatrices(tensors[0], "a"));
}

} // namespace

void bindCholesky(py::module_& module) {
    declareOperation<HandleOf<OpCholesky>>(module, "OpCholesky", doc(R"(
        Factors symmetric positive definite matrices: a = l l^T, with l lower triangular.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeCholesky), "a"_a, "factor"_a, "info"_a, doc(R"(
            The last two axes of `a` are matrices of float32 or float64, of which the lower triangles
            are read. `factor` has as many elements, and may be `a`. `info` has an element of int32
            or uint32 per matrix: 0, or the order of the first leading minor that is not positive,
            counted from 1; the factor of such a matrix is undefined.)"));
}

} // namespace kp::python

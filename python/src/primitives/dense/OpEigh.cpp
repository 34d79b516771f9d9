// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/Dense.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpEigh>> makeEigh(const py::object& a, const py::object& values,
                                           const py::object& vectors, bool upper) {
    const std::vector<RangeArgument> tensors = {toRange(a, "a"), toRange(values, "values"),
                                                toOptionalRange(vectors, "vectors")};
    EighOptions options;
    options.upper = upper;
    return makePrimitive<OpEigh>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                 squareMatrices(tensors[0], "a"), options);
}

} // namespace

void bindEigh(py::module_& module) {
    declareOperation<HandleOf<OpEigh>>(module, "OpEigh", doc(R"(
        Finds the eigenvalues and eigenvectors of symmetric matrices: a = v diag(w) v^T.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeEigh), "a"_a, "values"_a, "vectors"_a = py::none(), py::kw_only(),
             "upper"_a = false, doc(R"(
                 The last two axes of `a` are matrices of float32 or float64, of which the lower
                 triangles are read, or the `upper` ones. `values` has as many elements as they have
                 rows, and gets the eigenvalues in ascending order. `vectors`, with as many elements
                 as `a`, gets an eigenvector in each column. Matrices with an infinity or NaN have
                 NaN for results.)"));
}

} // namespace kp::python

// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

constexpr Named<SparseMethod> kMethods[] = {{"automatic", SparseMethod::eAutomatic},
                                            {"rows", SparseMethod::eRows},
                                            {"balanced", SparseMethod::eBalanced}};

std::unique_ptr<HandleOf<OpSparseMatMul>>
makeSparseMatMul(const py::object& offsets, const py::object& indices, const py::object& values,
                 const py::object& x, const py::object& y, const std::string& method,
                 uint64_t longestRow) {
    const std::vector<RangeArgument> tensors = {
        toRange(offsets, "offsets"), toRange(indices, "indices"), toRange(values, "values"),
        toRange(x, "x"), toRange(y, "y")};
    const std::vector<uint64_t>& inner = tensors[3].shape;
    const std::vector<uint64_t>& rows = tensors[4].shape;
    if (inner.size() != rows.size() || inner.empty() || inner.size() > 2)
        throw py::value_error("x and y have one dimension each, or two");
    const SparseExtents extents{rows[0], inner[0], rows.size() == 2 ? rows[1] : 1};
    const SparseOptions options{valueNamed(kMethods, method, "method"), longestRow};
    return makePrimitive<OpSparseMatMul>(tensors, tensors[0].range, tensors[1].range,
                                         tensors[2].range, tensors[3].range, tensors[4].range,
                                         extents, options);
}

} // namespace

void bindSparseMatMul(py::module_& module) {
    declareOperation<HandleOf<OpSparseMatMul>>(module, "OpSparseMatMul", doc(R"(
        Multiplies a sparse matrix in compressed rows (CSR) with a vector or a matrix.

        Row i has the elements from number offsets[i] up to, but without, offsets[i + 1]: `values`,
        and their columns `indices`. It reads and writes device memory; afterwards the host view of
        y shows the result. kp.sparse has matrices with SciPy's names.
    )"))
        .def(py::init(&makeSparseMatMul), "offsets"_a, "indices"_a, "values"_a, "x"_a, "y"_a,
             py::kw_only(), "method"_a = "automatic", "longest_row"_a = 0, doc(R"(
                 The numbers are float32, float64, complex64 or complex128, the same for values, x
                 and y. Offsets and indices are integers of 32 or 64 bits. An element with an index
                 out of range counts as 0. `method` is "rows", "balanced" for rows of very different
                 lengths, or "automatic": by `longest_row`, the most elements of a row. Each tensor
                 may be a part of one: (tensor, first) or (tensor, first, count).
             )"));
}

} // namespace kp::python

// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/Dense.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpSolve>> makeSolve(const py::object& a, const py::object& b,
                                             const py::object& x, const py::object& info) {
    const std::vector<RangeArgument> tensors = {toRange(a, "a"), toOptionalRange(b, "b"),
                                                toRange(x, "x"), toRange(info, "info")};
    const SquareMatrices matrices = squareMatrices(tensors[0], "a");
    const uint64_t columns =
        tensors[1].handle ? sideColumns(tensors[0], tensors[1]) : matrices.size;
    return makePrimitive<OpSolve>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                  tensors[3].range, matrices, columns);
}

std::unique_ptr<HandleOf<OpTriangularSolve>>
makeTriangularSolve(const py::object& t, const py::object& b, const py::object& x, bool upper,
                    bool transposed, bool unitDiagonal) {
    const std::vector<RangeArgument> tensors = {toRange(t, "t"), toRange(b, "b"), toRange(x, "x")};
    TriangularSolveOptions options;
    options.upper = upper;
    options.transposed = transposed;
    options.unitDiagonal = unitDiagonal;
    return makePrimitive<OpTriangularSolve>(tensors, tensors[0].range, tensors[1].range,
                                            tensors[2].range, squareMatrices(tensors[0], "t"),
                                            sideColumns(tensors[0], tensors[1]), options);
}

} // namespace

void bindSolve(py::module_& module) {
    declareOperation<HandleOf<OpSolve>>(module, "OpSolve", doc(R"(
        Solves systems of linear equations a x = b, or inverts matrices.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeSolve), "a"_a, "b"_a, "x"_a, "info"_a, doc(R"(
            The last two axes of `a` are square matrices of float32 or float64. `b` and `x` have as
            many matrices with as many rows, or an axis less if each is one column. Without `b`, x is
            the inverse of a. `info` has an element of int32 or uint32 per matrix: 0, or the first
            step of the factorization, counted from 1, whose pivot is 0; x is undefined then.)"));
    declareOperation<HandleOf<OpTriangularSolve>>(module, "OpTriangularSolve", doc(R"(
        Solves systems of linear equations with triangular matrices: t x = b.

        It reads and writes device memory; afterwards the host view of `x` shows the solution.
    )"))
        .def(py::init(&makeTriangularSolve), "t"_a, "b"_a, "x"_a, py::kw_only(), "upper"_a = false,
             "transposed"_a = false, "unit_diagonal"_a = false, doc(R"(
                 The last two axes of `t` are square matrices of float32 or float64, of which the
                 lower triangles are read, or the upper ones. `b` and `x` have as many matrices with
                 as many rows, or an axis less if each is one column; `x` may be `b`. With
                 `transposed`, the matrices are transposed. With `unit_diagonal`, their diagonals
                 are 1.)"));
}

} // namespace kp::python

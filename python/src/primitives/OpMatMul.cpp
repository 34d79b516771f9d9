// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

/// The rows and columns of an array's last two axes as stored, and how many matrices it has.
struct Stacked {
    uint64_t rows = 1;
    uint64_t columns = 1;
    uint64_t matrices = 1;
};

/// @param isRow  one-dimensional arrays are rows, else columns
Stacked stackedOf(const std::vector<uint64_t>& shape, bool isRow, const char* argument) {
    if (shape.empty())
        throw py::value_error(
            formatted("{} has no dimensions; matrices have at least one", argument));
    Stacked stacked;
    if (shape.size() == 1) {
        (isRow ? stacked.columns : stacked.rows) = shape[0];
        return stacked;
    }
    stacked.rows = shape[shape.size() - 2];
    stacked.columns = shape.back();
    for (size_t i = 0; i + 2 < shape.size(); ++i)
        stacked.matrices *= shape[i];
    return stacked;
}

/// Sets extents and batches from the shapes of A and B.
MatrixExtents extentsOf(const RangeArgument& a, const RangeArgument& b, MatMulOptions& options) {
    const Stacked stackedA = stackedOf(a.shape, !options.transposeA, "a");
    const Stacked stackedB = stackedOf(b.shape, options.transposeB, "b");
    MatrixExtents extents;
    extents.rows = options.transposeA ? stackedA.columns : stackedA.rows;
    extents.inner = options.transposeA ? stackedA.rows : stackedA.columns;
    extents.columns = options.transposeB ? stackedB.rows : stackedB.columns;
    const uint64_t inner = options.transposeB ? stackedB.columns : stackedB.rows;
    if (inner != extents.inner)
        throw py::value_error(formatted("the rows of a have {} elements, but the columns of b have "
                                        "{}; they must be as long",
                                        extents.inner, inner));
    if (stackedA.matrices != stackedB.matrices && stackedA.matrices != 1 && stackedB.matrices != 1)
        throw py::value_error(formatted("a has {} matrices and b has {}; give as many of both, or "
                                        "one of one",
                                        stackedA.matrices, stackedB.matrices));
    options.batches = stackedA.matrices == 1 ? stackedB.matrices : stackedA.matrices;
    if (options.batches != 1) {
        if (stackedA.matrices == 1)
            options.batchStrideA = 0;
        if (stackedB.matrices == 1)
            options.batchStrideB = 0;
    }
    return extents;
}

/// @throws TypeError, ValueError naming @p argument if @p number is none that a float64 holds
double toFactor(const py::object& number, const char* argument) {
    const double factor = PyFloat_AsDouble(number.ptr());
    if (PyErr_Occurred()) {
        const bool large = PyErr_ExceptionMatches(PyExc_OverflowError);
        PyErr_Clear();
        if (!large)
            throwTypeError(argument, "a number", number);
    } else if (!PyLong_Check(number.ptr()) || py::float_(factor).equal(number)) {
        return factor;
    }
    throw py::value_error(
        formatted("{} is a float64, which cannot hold {}", argument, reprOf(number)));
}

using Strides =
    std::tuple<std::optional<uint64_t>, std::optional<uint64_t>, std::optional<uint64_t>>;

std::unique_ptr<HandleOf<OpMatMul>>
makeMatMul(const py::object& a, const py::object& b, const py::object& c, bool transposeA,
           bool transposeB, const py::object& alpha, const py::object& beta,
           const std::string& epilogue, const py::object& bias, bool biasOfRows,
           const std::optional<std::tuple<uint64_t, uint64_t, uint64_t>>& extents,
           const std::optional<Strides>& strides, uint64_t batches,
           const std::optional<Strides>& batchStrides) {
    const std::vector<RangeArgument> tensors = {toRange(a, "a"), toRange(b, "b"), toRange(c, "c"),
                                                toOptionalRange(bias, "bias")};
    MatMulOptions options;
    options.transposeA = transposeA;
    options.transposeB = transposeB;
    options.alpha = toFactor(alpha, "alpha");
    options.beta = toFactor(beta, "beta");
    options.epilogue = epilogue;
    options.bias = tensors[3].range;
    options.biasOfRows = biasOfRows;
    MatrixExtents given;
    if (extents) {
        given = {std::get<0>(*extents), std::get<1>(*extents), std::get<2>(*extents)};
        options.batches = batches;
        if (strides)
            std::tie(options.strideA, options.strideB, options.strideC) = *strides;
        if (batchStrides)
            std::tie(options.batchStrideA, options.batchStrideB, options.batchStrideC) =
                *batchStrides;
    } else {
        if (strides || batchStrides || batches != 1)
            throw py::value_error("strides, batches and batch_strides need extents; without them, "
                                  "the shapes of a and b tell");
        given = extentsOf(tensors[0], tensors[1], options);
    }
    return makePrimitive<OpMatMul>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                   given, options);
}

} // namespace

void bindMatMul(py::module_& module) {
    declareOperation<HandleOf<OpMatMul>>(module, "OpMatMul", doc(R"(
        Multiplies matrices: c = epilogue(alpha a b + beta c).

        It reads and writes device memory; afterwards the host view of `c` shows the product.
    )"))
        .def(py::init(&makeMatMul), "a"_a, "b"_a, "c"_a, py::kw_only(), "transpose_a"_a = false,
             "transpose_b"_a = false, "alpha"_a = 1.0, "beta"_a = 0.0, "epilogue"_a = "",
             "bias"_a = py::none(), "bias_of_rows"_a = false, "extents"_a = py::none(),
             "strides"_a = py::none(), "batches"_a = 1, "batch_strides"_a = py::none(), doc(R"(
                 The last two axes of `a` and `b` are matrices; with more axes, there are as many
                 products, and one of the two may be a single matrix for all. One-dimensional `a` is
                 a row, `b` a column. `transpose_a` and `transpose_b` say that the matrices are
                 stored transposed. `epilogue` is a GLSL expression over c, row, column, batch and
                 bias, as in "c * c + bias"; `bias` has an element per column, or per row.
                 `extents` (rows, columns, inner) replaces the shapes. It permits `strides` from row
                 to row and `batch_strides` from matrix to matrix, in elements, of a, b and c (None:
                 dense). Types as in OpMatMul.hpp: c has the type of a and b, or of their sums.)"));
}

} // namespace kp::python

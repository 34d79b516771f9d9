// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Products.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Manipulation.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/primitives/matrices/OpMatMul.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/Views.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "arrays/functions/Convolution.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::flat;
using arrays::stateOf;
using arrays::View;

/// A stack of matrices as OpMatMul reads it. Strides count elements.
struct Matrices {
    View view;
    bool transposed = false;
    int64_t rowStride = 0;
    int64_t batchStride = 0;
};

/// Returns how far apart the matrices of a stack are; empty if no one distance takes from each to
/// the next.
std::optional<int64_t> batchStrideOf(const View& view) {
    int64_t stride = 0;
    int64_t next = 0; // stride that the axis needs to continue the inner ones
    bool any = false;
    for (size_t axis = view.shape.size() - 2; axis-- > 0;) {
        if (view.shape[axis] == 1)
            continue;
        if (!any)
            stride = next = view.strides[axis];
        else if (view.strides[axis] != next)
            return std::nullopt;
        any = true;
        next = view.strides[axis] * view.shape[axis];
    }
    if (stride < 0)
        return std::nullopt;
    return stride;
}

/// Returns matrices, repeated to a stack, where they are, or as a copy if the primitive cannot read
/// them there.
Matrices matricesOf(const Array& x, const Shape& stack) {
    Shape shape = stack;
    const int64_t rows = x.shape()[x.ndim() - 2];
    const int64_t columns = x.shape().back();
    shape.append({rows, columns});
    const View view = stateOf(x.broadcastTo(shape)).evaluated();
    const int64_t row = view.strides[shape.size() - 2];
    const int64_t column = view.strides.back();
    if (const std::optional<int64_t> batch = batchStrideOf(view)) {
        if ((column == 1 || columns == 1) && (row >= columns || rows == 1))
            return {view, false, rows > 1 ? row : columns, *batch};
        if ((row == 1 || rows == 1) && (column >= rows || columns == 1))
            return {view, true, columns > 1 ? column : rows, *batch};
    }
    return {arrays::contiguous(view), false, columns, rows * columns};
}

/// Returns the elements from where a view begins, for matrices with gaps between them.
TensorRange startOf(const View& view) {
    return {view.storage->tensor(), static_cast<uint64_t>(view.offset),
            static_cast<uint64_t>(view.storage->count() - view.offset)};
}

/// Multiplies arrays of one type with at least two axes.
Array product(const Array& a, const Array& b) {
    const auto stackOf = [](const Array& x) { return Shape(x.shape().data(), x.ndim() - 2); };
    const Shape stack = broadcast(stackOf(a), stackOf(b));
    const int64_t rows = a.shape()[a.ndim() - 2];
    const int64_t inner = a.shape().back();
    const int64_t columns = b.shape().back();
    Shape shape = stack;
    shape.append({rows, columns});
    if (a.dtype() == DType::eBool)
        return notEqual(product(a.astype(DType::eInt32), b.astype(DType::eInt32)), 0);
    if (inner == 0 || shape.product() == 0)
        return zeros(shape, a.dtype(), &a.manager());
    if (a.dtype() >= DType::eComplex64) // in one kernel, without storing the products
        return reduce(multiply(expandDims(a, -1), expandDims(b, -3)), ReduceOperation::eSum, -2,
                      a.dtype(), a.dtype());
    const Matrices left = matricesOf(a, stack);
    const Matrices right = matricesOf(b, stack);
    View out = View::blank(left.view.storage->home(), shape, a.dtype());
    const auto unsignedOf = [](int64_t value) { return static_cast<uint64_t>(value); };
    MatMulOptions options;
    options.transposeA = left.transposed;
    options.transposeB = right.transposed;
    options.strideA = unsignedOf(left.rowStride);
    options.strideB = unsignedOf(right.rowStride);
    options.batches = unsignedOf(stack.product());
    options.batchStrideA = unsignedOf(left.batchStride);
    options.batchStrideB = unsignedOf(right.batchStride);
    out.storage->home()->launch(std::make_shared<OpMatMul>(
        startOf(left.view), startOf(right.view), arrays::rangeOf(out),
        MatrixExtents{unsignedOf(rows), unsignedOf(columns), unsignedOf(inner)}, options));
    return arrayOf(std::move(out));
}

/// Returns the axes of an array, those that are summed over and the others, as the two axes of a
/// matrix.
Array asMatrix(const Array& x, const std::vector<int64_t>& first,
               const std::vector<int64_t>& last) {
    Shape order;
    Shape shape{1, 1};
    for (const bool isLast : {false, true})
        for (const int64_t axis : isLast ? last : first) {
            order.push_back(axis);
            shape[isLast ? 1 : 0] *= x.shape()[static_cast<size_t>(axis)];
        }
    return (order.empty() ? x : x.transpose(order)).reshape(shape);
}

/// Returns axes of an array in their order, and all others.
std::pair<std::vector<int64_t>, std::vector<int64_t>> parted(const Axes& axes, const Array& x) {
    static_cast<void>(arrays::axesOf(axes, x.ndim())); // throws for wrong ones
    std::vector<int64_t> summed;
    std::vector<int64_t> kept;
    for (const int64_t axis : axes.axes)
        summed.push_back(static_cast<int64_t>(arrays::axisOf(axis, x.ndim())));
    for (int64_t axis = 0; axis < static_cast<int64_t>(x.ndim()); ++axis) {
        if (axes.all)
            summed.push_back(axis);
        else if (std::ranges::find(summed, axis) == summed.end())
            kept.push_back(axis);
    }
    return {std::move(summed), std::move(kept)};
}

/// Returns both rows in their common type.
std::pair<Array, Array> rowsOf(const Array& a, const Array& v, const char* function) {
    const Operand operands[] = {a, v};
    const DType dtype = commonType(operands, 2);
    for (const Array& each : {a, v})
        if (each.ndim() != 1 || each.size() == 0)
            fail<InvalidArgument>("{}() takes rows of at least one element, not of shape {}",
                                  function, toString(each.shape()));
    return {a.astype(dtype), v.astype(dtype)};
}

} // namespace

Array matmul(const Array& a, const Array& b) {
    if (a.ndim() == 0 || b.ndim() == 0)
        throw InvalidArgument(
            "matmul() takes arrays of at least one axis; multiply numbers with *");
    const Operand operands[] = {a, b};
    const DType dtype = commonType(operands, 2);
    const bool row = a.ndim() == 1;
    const bool column = b.ndim() == 1;
    const Array left = (row ? expandDims(a, 0) : a).astype(dtype);
    const Array right = (column ? expandDims(b, 1) : b).astype(dtype);
    if (left.shape().back() != right.shape()[right.ndim() - 2])
        fail<InvalidArgument>("arrays of the shapes {} and {} cannot be multiplied: their inner "
                              "extents differ, {} and {}",
                              toString(a.shape()), toString(b.shape()), left.shape().back(),
                              right.shape()[right.ndim() - 2]);
    if (row && column && dtype != DType::eBool) // reading memory is all of the work
        return reduce(multiply(flat(left), flat(right)), ReduceOperation::eSum, -1,
                      dtype == DType::eFloat16 ? DType::eFloat32 : dtype, dtype);
    Array made = product(left, right);
    if (column)
        made = squeeze(made, -1);
    return row ? squeeze(made, column ? -1 : -2) : made;
}

Array dot(const Array& a, const Array& b) {
    if (a.ndim() == 0 || b.ndim() == 0)
        return multiply(a, b);
    if (a.ndim() <= 2 && b.ndim() <= 2)
        return matmul(a, b);
    return tensordot(a, b, -1, b.ndim() == 1 ? -1 : -2);
}

Array tensordot(const Array& a, const Array& b, const Axes& axesOfA, const Axes& axesOfB) {
    const auto [overA, keptA] = parted(axesOfA, a);
    const auto [overB, keptB] = parted(axesOfB, b);
    if (overA.size() != overB.size())
        fail<InvalidArgument>("tensordot() sums over as many axes of both arrays, not {} and {}",
                              overA.size(), overB.size());
    for (size_t i = 0; i < overA.size(); ++i) {
        const int64_t one = a.shape()[static_cast<size_t>(overA[i])];
        const int64_t other = b.shape()[static_cast<size_t>(overB[i])];
        if (one != other)
            fail<InvalidArgument>(
                "tensordot() sums over axes of one extent, but axis {} has {} and "
                "axis {} {}",
                overA[i], one, overB[i], other);
    }
    Shape shape;
    for (const int64_t axis : keptA)
        shape.push_back(a.shape()[static_cast<size_t>(axis)]);
    for (const int64_t axis : keptB)
        shape.push_back(b.shape()[static_cast<size_t>(axis)]);
    return matmul(asMatrix(a, keptA, overA), asMatrix(b, overB, keptB)).reshape(shape);
}

Array outer(const Array& a, const Array& b) {
    return multiply(expandDims(flat(a), 1), flat(b));
}

Array convolve(const Array& a, const Array& v, ConvolutionPart part, ConvolutionMethod method) {
    auto [first, second] = rowsOf(a, v, "convolve");
    if (second.size() > first.size())
        std::swap(first, second);
    return arrays::convolved(first, second, part, method);
}

Array correlate(const Array& a, const Array& v, ConvolutionPart part, ConvolutionMethod method) {
    auto [first, second] = rowsOf(a, v, "correlate");
    if (second.dtype() >= DType::eComplex64)
        second = conj(second);
    if (second.size() > first.size())
        return flip(arrays::convolved(second, flip(first), part, method));
    return arrays::convolved(first, flip(second), part, method);
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/LinearAlgebra.hpp>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Comparing.hpp>
#include <kompute/arrays/Creation.hpp>
#include <kompute/arrays/Elementwise.hpp>
#include <kompute/arrays/Manipulation.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/arrays/Reductions.hpp>
#include <kompute/primitives/dense/OpCholesky.hpp>
#include <kompute/primitives/dense/OpLu.hpp>
#include <kompute/primitives/dense/OpSolve.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/Views.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "arrays/functions/Matrices.hpp"
#include "base/Text.hpp"

namespace kp {
namespace arrays {
namespace {

/// A stack of square matrices in C order without gaps.
struct Matrices {
    View view;
    Shape stack; ///< without the axes of the matrices

    const std::shared_ptr<Home>& home() const { return view.storage->home(); }
    bool isEmpty() const { return view.shape.product() == 0; }
    SquareMatrices extents() const {
        return {static_cast<uint64_t>(view.shape.back()), static_cast<uint64_t>(stack.product())};
    }
    /// Returns memory of elements for each matrix.
    View perMatrix(const Shape& axes, DType dtype) const {
        Shape shape = stack;
        shape.append(axes);
        return View::blank(home(), shape, dtype);
    }
    Array noneFailed() const { return zeros(stack, DType::eInt32, &home()->manager()); }
    void launch(std::shared_ptr<OpBase> operation) const { home()->launch(std::move(operation)); }
};

/// @param stack  to which the matrices are repeated
Matrices matricesOf(const Array& a, DType dtype, const Shape& stack) {
    Shape shape = stack;
    shape.append({a.shape().back(), a.shape().back()});
    const Array repeated = a.shape() == shape ? a : a.broadcastTo(shape);
    return {contiguous(stateOf(repeated.astype(dtype)).evaluated()), stack};
}

Matrices matricesOf(const Array& a, std::string_view function) {
    requireSquare(a, function);
    return matricesOf(a, factoredType(a, function), stackOf(a));
}

/// Throws if the step of a matrix failed.
void requireFactored(const Array& info, const char* message) {
    if (info.size() > 0 && any(info).item<bool>())
        throw InvalidArgument(message);
}

} // namespace

Factored choleskyOf(const Array& a, bool upper) {
    requireSquare(a, "cholesky"); // before its axes are exchanged
    const Matrices matrices =
        matricesOf(upper ? swapaxes(a, -1, -2) : a, factoredType(a, "cholesky"), stackOf(a));
    if (matrices.isEmpty())
        return {arrayOf(matrices.view), matrices.noneFailed()};
    View factor = View::blank(matrices.home(), matrices.view.shape, matrices.view.dtype());
    View info = matrices.perMatrix({}, DType::eInt32);
    matrices.launch(std::make_shared<OpCholesky>(rangeOf(matrices.view), rangeOf(factor),
                                                 rangeOf(info), matrices.extents()));
    const Array made = arrayOf(std::move(factor));
    return {upper ? swapaxes(made, -1, -2) : made, arrayOf(std::move(info))};
}

Factored inverseOf(const Array& a) {
    const Matrices matrices = matricesOf(a, "inv");
    if (matrices.isEmpty())
        return {arrayOf(matrices.view), matrices.noneFailed()};
    View inverse = View::blank(matrices.home(), matrices.view.shape, matrices.view.dtype());
    View info = matrices.perMatrix({}, DType::eInt32);
    matrices.launch(std::make_shared<OpSolve>(rangeOf(matrices.view), TensorRange(),
                                              rangeOf(inverse), rangeOf(info), matrices.extents(),
                                              matrices.extents().size));
    return {arrayOf(std::move(inverse)), arrayOf(std::move(info))};
}

Factored solutionOf(const Array& a, const Array& b) {
    requireSquare(a, "solve");
    const bool isVector = b.ndim() == 1;
    if (b.ndim() == 0)
        fail<InvalidArgument>("solve() takes right sides of at least one axis, not a number");
    const Array sides = isVector ? expandDims(b, 1) : b;
    const int64_t n = a.shape().back();
    if (sides.shape()[sides.ndim() - 2] != n)
        fail<InvalidArgument>("solve() needs {} rows of the right sides, as many as the matrices "
                              "have, but their shape is {}",
                              n, toString(b.shape()));
    const DType dtype = promote(factoredType(a, "solve"), factoredType(b, "solve"));
    const Shape stack = broadcast(stackOf(a), stackOf(sides));
    const Matrices matrices = matricesOf(a, dtype, stack);
    Shape shape = stack;
    shape.append({n, sides.shape().back()});
    View x = View::blank(matrices.home(), shape, dtype);
    Array info = matrices.noneFailed();
    if (shape.product() > 0) {
        View steps = matrices.perMatrix({}, DType::eInt32);
        const View given = contiguous(stateOf(sides.broadcastTo(shape).astype(dtype)).evaluated());
        matrices.launch(std::make_shared<OpSolve>(rangeOf(matrices.view), rangeOf(given),
                                                  rangeOf(x), rangeOf(steps), matrices.extents(),
                                                  static_cast<uint64_t>(shape.back())));
        info = arrayOf(std::move(steps));
    }
    const Array made = arrayOf(std::move(x));
    return {isVector ? squeeze(made, -1) : made, std::move(info)};
}

} // namespace arrays

Array cholesky(const Array& a, bool upper) {
    arrays::Factored made = arrays::choleskyOf(a, upper);
    arrays::requireFactored(made.info, "cholesky(): a matrix is not positive definite");
    return std::move(made.values);
}

Array solve(const Array& a, const Array& b) {
    arrays::Factored made = arrays::solutionOf(a, b);
    arrays::requireFactored(made.info, "solve(): a matrix is singular");
    return std::move(made.values);
}

Array inv(const Array& a) {
    arrays::Factored made = arrays::inverseOf(a);
    arrays::requireFactored(made.info, "inv(): a matrix is singular");
    return std::move(made.values);
}

namespace {

SignAndLogarithm determinantOf(const Array& a, std::string_view function) {
    const arrays::Matrices matrices = arrays::matricesOf(a, function);
    const DType dtype = matrices.view.dtype();
    if (matrices.isEmpty())
        return {full(matrices.stack, 1, dtype, &a.manager()),
                zeros(matrices.stack, dtype, &a.manager())};
    const int64_t n = matrices.view.shape.back();
    arrays::View factors = arrays::View::blank(matrices.home(), matrices.view.shape, dtype);
    arrays::View pivots = matrices.perMatrix({n}, DType::eInt32);
    const arrays::View info = matrices.perMatrix({}, DType::eInt32);
    LuOptions options;
    options.batches = matrices.extents().batches;
    options.transposed = true; // the determinant is the same
    const uint64_t size = matrices.extents().size;
    matrices.launch(std::make_shared<OpLu>(arrays::rangeOf(matrices.view), arrays::rangeOf(factors),
                                           arrays::rangeOf(pivots), arrays::rangeOf(info), size,
                                           size, options));
    Shape shape = matrices.stack;
    shape.append({n});
    Shape strides(factors.strides.data(), matrices.stack.size());
    strides.append({n + 1});
    const int64_t offset = factors.offset;
    const Array diagonal = arrays::arrayOf(std::move(factors)).strided(offset, shape, strides);
    const Array steps = arange(0, n, 1, DType::eInt32, &a.manager());
    const Array exchanges = where(notEqual(arrays::arrayOf(std::move(pivots)), steps), -1, 1);
    return {prod(multiply(sign(diagonal), exchanges.astype(dtype)), -1),
            sum(log(abs(diagonal)), -1)};
}

} // namespace

SignAndLogarithm slogdet(const Array& a) {
    return determinantOf(a, "slogdet");
}

Array det(const Array& a) {
    const SignAndLogarithm found = determinantOf(a, "det");
    return multiply(found.sign, exp(found.logarithm));
}

} // namespace kp

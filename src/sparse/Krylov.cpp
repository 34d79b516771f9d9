// SPDX-License-Identifier: Apache-2.0
#include "sparse/Krylov.hpp"

#include <kompute/arrays/Engine.hpp>

#include "sparse/Convergence.hpp"

namespace kp::sparse {
namespace {

Array conjugate(const Array& x) {
    return x.dtype() >= DType::eComplex64 ? conj(x) : x;
}

/// Returns the sum of squared magnitudes.
Array squareOf(const Array& x) {
    return kp::real(innerProduct(x, x));
}

} // namespace

Orthogonal orthogonalized(const Array& basis, const Array& vector) {
    Orthogonal made{vector, {}};
    for (const bool again : {false, true}) {
        const Array more = conjugate(matmul(basis, conjugate(made.rest))).evaluate();
        made.rest = (made.rest - matmul(more, basis)).evaluate();
        made.parts = again ? (made.parts + more).evaluate() : more;
    }
    return made;
}

Krylov::Krylov(const Array& b, DType real, int64_t size) : mSize(size) {
    const auto blank = [&](const Shape& shape, DType dtype) {
        return zeros(shape, dtype, &b.manager()).copy().evaluate();
    };
    mVectors = blank({size + 1, b.size()}, b.dtype());
    mInverse = blank({size + 1, size + 1}, b.dtype());
    mEnough = blank({}, DType::eUint32);
    mNorm = blank({}, real);
    mLimit = blank({}, real);
}

void Krylov::begin(const Array& residual, const Array& norm, double limit) {
    mNorm.assign(norm);
    // Rounding alone leaves more than the second of these.
    mLimit.assign(maximum(norm * epsilonOf(norm.dtype()), limit));
    mVectors(0).assign(quotient(residual, norm));
    mInverse.assign(0);
    mInverse(0, 0).assign(1);
    mEnough.assign(logicalNot(greater(norm, mLimit)).astype(DType::eUint32));
}

void Krylov::extend(int64_t j, const Array& image) {
    const Array basis = mVectors(Slice(0, j + 1));
    const auto [w, parts] = orthogonalized(basis, image);
    const Array length = normOf(w).evaluate();
    // If the image is in the space up to rounding, its length is rounded up, and no vector follows.
    const Array least = sqrt(squareOf(parts) + square(length)) * epsilonOf(length.dtype());
    const Array isInside = lessEqual(length, least).evaluate();
    const Array divisor = maximum(length, least);
    const Array factor = where(greater(divisor, 0), reciprocal(divisor), 1).evaluate();
    mVectors(j + 1).assign(where(isInside, 0, w * factor));
    const Array isActive = equal(mEnough, 0).evaluate();
    const Array column = matmul(parts, mInverse(Slice(0, j + 1))).evaluate();
    mInverse(j + 1).assign(where(isActive, negative(column) * factor, 0));
    mInverse(j + 1, j + 1).assign(where(isActive, factor, 0));
    const Array left = mNorm / sqrt(squareOf(mInverse(Slice(0, j + 2), 0)));
    mEnough.assign(logicalNot(greater(left, mLimit)).astype(DType::eUint32));
}

Array Krylov::change(const Array& norm) const {
    const Array row = mInverse(Slice(0, end), 0);
    const Array left = (conjugate(row) * (norm / squareOf(row))).evaluate();
    const Array parts = matmul(left(Slice(1, end)), mInverse(Slice(1, end), Slice(1, end)));
    return negative(matmul(parts, mVectors(Slice(0, mSize)))).evaluate();
}

} // namespace kp::sparse

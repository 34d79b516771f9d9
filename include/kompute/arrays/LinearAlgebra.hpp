// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Array.hpp>

namespace kp {

// Linear algebra of square matrices, the last two axes of arrays; other axes are stacks of them.
// Integer matrices are converted to defaultFloat(), and float16 matrices to float32. All functions
// throw InvalidArgument for complex numbers, and for matrices that are not square. Functions that
// check the elements wait for the device.

/// Returns the lower triangular factors L of symmetric positive definite matrices L L^T, reading
/// only the lower triangles; or the upper triangular U of U^T U, reading only the upper ones.
/// @throws InvalidArgument if a matrix is not positive definite
KOMPUTE_API Array cholesky(const Array& a, bool upper = false);
/// Returns the solutions x of a x = b. Stacks broadcast; b with one axis is one right side for all.
/// @throws InvalidArgument if a matrix is singular, or if b has a different number of rows than a
KOMPUTE_API Array solve(const Array& a, const Array& b);
/// Returns the inverses.
/// @throws InvalidArgument if a matrix is singular
KOMPUTE_API Array inv(const Array& a);

/// A determinant is sign * exp(logarithm). For singular matrices, these are 0 and -infinity.
struct SignAndLogarithm {
    Array sign;
    Array logarithm;
};
KOMPUTE_API SignAndLogarithm slogdet(const Array& a);
/// Returns the determinants.
KOMPUTE_API Array det(const Array& a);

namespace arrays {

/// Results for a stack of matrices, and an eInt32 for each: 0, or the step of its factorization
/// that failed, counted from 1. Does not wait.
struct Factored {
    Array values;
    Array info;
};

// The functions above without checks of the elements.
KOMPUTE_API Factored choleskyOf(const Array& a, bool upper);
KOMPUTE_API Factored solutionOf(const Array& a, const Array& b);
KOMPUTE_API Factored inverseOf(const Array& a);

} // namespace arrays
} // namespace kp

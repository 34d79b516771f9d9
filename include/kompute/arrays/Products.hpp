// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Array.hpp>
#include <kompute/arrays/Axes.hpp>

namespace kp {

// Products of vectors and matrices, in the type to which both promote. Matrices are read in place,
// even transposed or strided. Sums of bool are "or".

/// Returns the product of matrices, the last two axes of each. Other axes broadcast; an array of
/// one axis is a row on the left and a column on the right; the result omits that axis.
/// @throws InvalidArgument if the inner extents differ, or for arrays without axes
KOMPUTE_API Array matmul(const Array& a, const Array& b);
/// Returns the sums of products over the last axis of a and the second to last (or only) axis of b:
/// the inner product of vectors, the product of matrices. Arrays without axes multiply.
KOMPUTE_API Array dot(const Array& a, const Array& b);
/// Returns the sums of products over axes of both arrays, in pairs.
KOMPUTE_API Array tensordot(const Array& a, const Array& b, const Axes& axesOfA,
                            const Axes& axesOfB);
/// Returns the products of each element of a with each of b, a matrix. Both are flat.
KOMPUTE_API Array outer(const Array& a, const Array& b);

} // namespace kp

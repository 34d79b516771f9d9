// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/dense/SquareMatrices.hpp>

namespace kp {

struct TriangularSolveOptions {
    bool upper = false;        ///< of T as it is stored; the other triangle is not read
    bool transposed = false;   ///< solve T^T X = B
    bool unitDiagonal = false; ///< the diagonal counts as 1; the stored values are ignored
};

/// Solves systems of linear equations with triangular matrices: T X = B, or T^T X = B.
///
///     sequence->record<kp::OpTriangularSolve>(l, b, x, kp::SquareMatrices{256}, 1);
///
/// With a diagonal element of 0, elements of X are infinite or NaN.
///
/// **Rounding.** Backward stable: each column of X solves a system whose elements differ by a
/// relative error of about size u, with u = 2^-24 (eDouble: 2^-53). Equal input gives equal bits on
/// one device and driver.
///
/// **Method.** By substitution for up to 128 rows at a time, an invocation per column, and products
/// of OpMatMul between them.
class KOMPUTE_API OpTriangularSolve : public Primitive {
public:
    /// @param t        the matrices, of eFloat or eDouble
    /// @param b        size x columns elements of the same type for each
    /// @param x        as many. May be B, but not a part of it.
    /// @throws InvalidArgument if types or numbers of elements do not match; Unsupported if a
    ///         matrix is larger than the device can bind at a time; OutOfMemory
    OpTriangularSolve(const TensorRange& t, const TensorRange& b, const TensorRange& x,
                      const SquareMatrices& matrices, uint64_t columns,
                      const TriangularSolveOptions& options = {});
    ~OpTriangularSolve() override;
};

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/dense/SquareMatrices.hpp>

namespace kp {

/// Solves systems of linear equations A X = B, by LU with partial pivoting, and inverts matrices.
///
///     sequence->record<kp::OpSolve>(a, b, x, info, kp::SquareMatrices{256}, 1);
///
/// For a singular matrix, `info` is the first step of the factorization, counted from 1, whose
/// pivot is 0, and X is undefined; else it is 0. Nothing waits: read `info` when you need it.
///
/// **Rounding.** Backward stable, as LAPACK's gesv. Equal input gives equal bits on one device and
/// driver.
///
/// **Method.** As OpLu and OpTriangularSolve. A and B are not changed.
class KOMPUTE_API OpSolve : public Primitive {
public:
    /// @param a        the matrices, of eFloat or eDouble
    /// @param b        size x columns elements of the same type for each; no tensor: the identity,
    ///                 so that X is the inverse of A
    /// @param x        as many; must not overlap with the others
    /// @param info     one element of eInt or eUnsignedInt per matrix
    /// @param columns  of B and X; of the identity `size`
    /// @throws InvalidArgument if types or numbers of elements do not match; Unsupported if a
    ///         matrix is larger than the device can bind at a time; OutOfMemory
    OpSolve(const TensorRange& a, const TensorRange& b, const TensorRange& x,
            const TensorRange& info, const SquareMatrices& matrices, uint64_t columns);
    ~OpSolve() override;
};

} // namespace kp

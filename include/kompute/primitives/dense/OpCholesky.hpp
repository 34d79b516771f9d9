// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/dense/SquareMatrices.hpp>

namespace kp {

/// Factors symmetric positive definite matrices: A = L L^T, with L lower triangular.
///
///     sequence->record<kp::OpCholesky>(a, l, info, kp::SquareMatrices{256});
///
/// Only the lower triangles of A are read. Above its diagonal, L is 0. For a matrix that is not
/// positive definite, `info` is the order of the first leading minor that is not positive, counted
/// from 1, and L is undefined; else it is 0, as in LAPACK. Nothing waits: read `info` when you need
/// it.
///
/// **Rounding.** With u = 2^-24 (eDouble: 2^-53), the elements of L L^T - A are at most (size + 3)
/// u times the elements of |L| |L^T|. Equal input gives equal bits on one device and driver.
///
/// **Method.** Work groups factor blocks of up to 64 x 64 in registers, several matrices at a time
/// if they are small. Larger matrices are factored by blocks, right-looking, with products of
/// OpMatMul.
class KOMPUTE_API OpCholesky : public Primitive {
public:
    /// @param a       the matrices, of eFloat or eDouble
    /// @param factor  L: of the same type and number of elements. May be A, but not a part of it.
    /// @param info    one element of eInt or eUnsignedInt per matrix
    /// @throws InvalidArgument if types or numbers of elements do not match; Unsupported if a
    ///         matrix is larger than the device can bind at a time; OutOfMemory
    OpCholesky(const TensorRange& a, const TensorRange& factor, const TensorRange& info,
               const SquareMatrices& matrices);
    ~OpCholesky() override;
};

} // namespace kp

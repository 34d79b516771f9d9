// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/dense/RectangularMatrices.hpp>

namespace kp {

struct SvdOptions {
    /// U is rows x rows and V^T columns x columns; else, the smaller extent of A replaces the
    /// columns of U and the rows of V^T.
    bool full = false;
};

/// Finds singular values and vectors of matrices: A = U diag(s) V^T, with orthonormal columns of U
/// and rows of V^T.
///
///     sequence->record<kp::OpSvd>(a, u, s, vh, kp::RectangularMatrices{256, 64});
///
/// Singular values are not negative and in descending order. Their number is the smaller extent of
/// A. A matrix with an infinity or NaN gives NaN. Nothing waits for the host.
///
/// **Rounding.** With u = 2^-24 (eDouble: 2^-53), e the larger extent and |A| the largest singular
/// value, the elements of U diag(s) V^T - A are below 8 e u |A|, elements of U^T U - 1 and
/// V^T V - 1 below 8 e u, and singular values have errors below 8 e u |A|. Equal input gives equal
/// bits on one device and driver.
///
/// **Method.** Jacobi rotations of the rows, or of the columns if they are fewer, until all are
/// orthogonal to each other (Hestenes). A work group rotates a matrix that fits shared memory. Of
/// larger ones, blocks of rows meet in a tournament, as in OpEigh; work groups rotate the products
/// of a pair of blocks, and apply the product of their rotations to the rows. QR factors complete
/// bases.
class KOMPUTE_API OpSvd : public Primitive {
public:
    /// @param a      the matrices, of eFloat or eDouble
    /// @param u, vh  U and V^T, of the same type; or neither
    /// @param s      the singular values, of the same type
    /// @throws InvalidArgument if types or numbers of elements do not match, or ranges overlap;
    ///         Unsupported if a matrix is larger than the device can bind at a time; OutOfMemory
    OpSvd(const TensorRange& a, const TensorRange& u, const TensorRange& s, const TensorRange& vh,
          const RectangularMatrices& matrices, const SvdOptions& options = {});
    ~OpSvd() override;
};

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/dense/SquareMatrices.hpp>

namespace kp {

struct EighOptions {
    bool upper = false; ///< the upper triangles are read, else the lower ones
};

/// Finds the eigenvalues and eigenvectors of symmetric matrices: A = V diag(w) V^T.
///
///     sequence->record<kp::OpEigh>(a, values, vectors, kp::SquareMatrices{256});
///
/// Eigenvalues are in ascending order. Column i of V is a vector of length 1 of eigenvalue i. A
/// matrix with an infinity or NaN gives NaN. Nothing waits for the host.
///
/// **Rounding.** With u = 2^-24 (eDouble: 2^-53) and |A| the largest absolute eigenvalue, the
/// elements of A V - V diag(w) are below 4 size u |A|, elements of V^T V - 1 below 4 size u, and
/// eigenvalues have errors below 4 size u |A|. Equal input gives equal bits on one device and
/// driver.
///
/// **Method.** Jacobi rotations in parallel order, until a sweep finds no element to rotate. A work
/// group does this in shared memory for each matrix of up to 64 rows. Of larger ones, blocks of
/// rows meet in a tournament: work groups rotate the rows of pairs of blocks, and apply the
/// products of their rotations to the rest (as in Golub and Van Loan, "Matrix Computations",
/// section 8.5).
class KOMPUTE_API OpEigh : public Primitive {
public:
    /// @param a        the matrices, of eFloat or eDouble
    /// @param values   of the same type, `size` elements per matrix
    /// @param vectors  V, of the same type and number of elements as A; or none
    /// @throws InvalidArgument if types or numbers of elements do not match, or ranges overlap;
    ///         Unsupported if a matrix is larger than the device can bind at a time; OutOfMemory
    OpEigh(const TensorRange& a, const TensorRange& values, const TensorRange& vectors,
           const SquareMatrices& matrices, const EighOptions& options = {});
    ~OpEigh() override;
};

} // namespace kp

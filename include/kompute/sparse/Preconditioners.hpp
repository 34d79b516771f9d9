// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include <kompute/Array.hpp>
#include <kompute/sparse/Csr.hpp>

namespace kp::sparse {

/// A linear map of vectors, arrays of one axis: a product with a matrix, or any function that
/// launches its work and does not wait. The device repeats the maps of this header by itself; a
/// program's functions are called by the host in each step of a solver.
using LinearMap = std::function<Array(const Array&)>;

/// Returns the product with a matrix.
KOMPUTE_API LinearMap mapOf(const Csr& a);
/// Same, with a dense one.
/// @throws InvalidArgument unless it has two axes
KOMPUTE_API LinearMap mapOf(const Array& dense);

// Preconditioners of square matrices: maps that approximate the inverse. Making one waits.

/// Returns the division by the diagonal, Jacobi's preconditioner. A 0 there counts as 1.
KOMPUTE_API LinearMap jacobi(const Csr& a);
/// Returns the division by blocks on the diagonal, of neighbouring rows. Elements beside the blocks
/// are ignored. The inverses take size elements for each row.
/// @param size  rows of a block, 1 or more; the last block may have fewer
/// @throws InvalidArgument for complex numbers, and for a singular block, which it names
KOMPUTE_API LinearMap blockJacobi(const Csr& a, int64_t size);
/// Returns the solution with the incomplete Cholesky factor L of a Hermitian, positive definite
/// matrix: L has elements only where the lower triangle has (IC(0); Meijerink and van der Vorst,
/// 1977). Elements above the diagonal are not read. L is computed on the host, in double precision,
/// and applied by two solutions with a Triangle, which are fast if there are few levels.
/// @param shift  0 or more: the diagonal counts as 1 + shift times itself (Manteuffel, 1980). Raise
///               it, from 0.001 on, if there is no factor
/// @throws InvalidArgument that names the first row whose pivot is not positive
KOMPUTE_API LinearMap incompleteCholesky(const Csr& a, double shift = 0);

} // namespace kp::sparse

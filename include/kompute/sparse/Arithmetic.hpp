// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/sparse/OpSparseMatMul.hpp>
#include <kompute/sparse/Csr.hpp>

namespace kp::sparse {

// Products and sums, in the type to which both promote.

/// Returns the product with a vector, or with a matrix of two axes. The first product waits for
/// Csr::longestRow(), unless a method is given.
/// @throws InvalidArgument if the extents differ
KOMPUTE_API Array matmul(const Csr& a, const Array& x,
                         SparseMethod method = SparseMethod::eAutomatic);
/// Returns the product of sparse matrices. Takes memory for each product of two elements. Waits.
/// @throws InvalidArgument if the inner extents differ
KOMPUTE_API Csr matmul(const Csr& a, const Csr& b);
/// Returns the sum of matrices of one shape. Elements that cancel stay, as zeros. Waits.
KOMPUTE_API Csr add(const Csr& a, const Csr& b);
/// Returns the products with the elements of an array that broadcasts to the shape, at the places
/// of the sparse matrix.
KOMPUTE_API Csr multiply(const Csr& a, const Array& dense);

} // namespace kp::sparse

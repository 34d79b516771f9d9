// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/sparse/Csr.hpp>

namespace kp::sparse {

// Matrices in other forms. All is computed on the device; what waits for a number of elements says
// so.

/// Returns the matrix of elements with their rows and columns (COO), in any order. Elements of one
/// place are added. Waits.
/// @param row, column  integers, of one axis
/// @throws InvalidArgument that names the first row or column beyond the shape
KOMPUTE_API Csr compressed(const Array& data, const Array& row, const Array& column,
                           const Shape& shape);
/// Returns the elements of a matrix of two axes that are not 0. Waits for their number.
KOMPUTE_API Csr compressed(const Array& dense);

/// Returns the row of each element, in the type of the indices.
KOMPUTE_API Array rowsOf(const Csr& a);
/// Returns the matrix with the indices of each row ascending, none twice: a itself if it is so.
/// Waits.
KOMPUTE_API Csr canonical(const Csr& a);
/// Returns the transposed matrix. Its indices ascend. As arrays, it is a in compressed columns
/// (CSC).
KOMPUTE_API Csr transposed(const Csr& a);
/// Returns the matrix with all its zeros. Waits as isCanonical() does.
KOMPUTE_API Array dense(const Csr& a);
/// Returns the elements of a diagonal. Waits.
/// @param k  above the main one
KOMPUTE_API Array diagonal(const Csr& a, int64_t k = 0);
/// Returns neighbouring rows. Waits for two offsets.
/// @throws InvalidArgument unless 0 <= begin <= end <= rows
KOMPUTE_API Csr rowsBetween(const Csr& a, int64_t begin, int64_t end);

} // namespace kp::sparse

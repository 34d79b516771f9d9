// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Array.hpp>
#include <kompute/primitives/sort/OpSearchSorted.hpp>
#include <kompute/sparse/Csr.hpp>

namespace kp::sparse {

/// @throws InvalidArgument unless a sparse matrix may have this shape
void requireShape(const Shape& shape);
/// @throws InvalidArgument unless a sparse matrix may have these elements
void requireElements(const Array& data);
/// @throws InvalidArgument unless these are integers, of one axis
void requireIndices(const Array& indices, const char* name);
/// @throws InvalidArgument unless there are as many as elements
void requireCount(const Array& indices, const char* name, int64_t count);
/// @param smallest, largest  of the indices
/// @throws InvalidArgument that names the first index beyond an extent
void requireWithin(const Array& indices, int64_t extent, int64_t smallest, int64_t largest,
                   const char* name);

/// Returns elements at indices that are known to be within, as an expression.
Array gathered(const Array& x, const Array& indices);
/// Sets the elements of a row at indices that are known to be within, each at most once.
void scatter(const Array& row, const Array& values, const Array& indices);
/// Returns 0, 1, ... count - 1 in the type of a matrix's indices.
Array numbered(int64_t count, DType type, Manager& manager);
/// Returns where 0, 1, ... count - 1 are among sorted integers, at least one. Of the row of each
/// element in ascending order, these are the offsets; of offsets, the rows but for 1.
Array placesOf(const Array& sorted, int64_t count, SearchSide side, DType type);
/// Same as compressed() of a matrix's elements, whose rows and columns are known to be within.
Csr compressedKnown(const Array& data, const Array& row, const Array& column, const Shape& shape);

} // namespace kp::sparse

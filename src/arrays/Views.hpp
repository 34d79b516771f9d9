// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <kompute/Array.hpp>

namespace kp::arrays {

/// Returns an axis, which counts from the last one if it is negative, as one that counts from the
/// first. @throws InvalidArgument if an array of @p ndim axes does not have it
size_t axisOf(int64_t axis, size_t ndim);

/// Returns the axes of an array of @p ndim axes in ascending order.
/// @throws InvalidArgument if it does not have one, or if one is given twice
std::vector<size_t> axesOf(const Axes& given, size_t ndim);

/// @throws InvalidArgument for a negative extent. Views, which repeat elements, may have more
/// elements than kernels count.
void requireNotNegative(const Shape& shape);
/// @throws InvalidArgument if an extent is negative; Unsupported if there are more elements than
///         kernels count
void requireExtents(const Shape& shape);

/// @throws InvalidArgument with both shapes unless one broadcasts to the other
/// @param what  has the first one, such as "an array"
void requireBroadcast(const char* what, const Shape& shape, const Shape& target);

/// Returns a shape for a number of elements, with the extent that stands as -1.
/// @throws InvalidArgument if it has another number of elements
Shape completed(const Shape& shape, int64_t size);

} // namespace kp::arrays

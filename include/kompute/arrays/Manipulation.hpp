// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/Array.hpp>

namespace kp {

// Functions that change the shape, as NumPy's functions of these names. Negative axes count from
// the last. Views share the memory of x.

/// Returns the elements along one axis, in C order: as a view if possible.
KOMPUTE_API Array ravel(const Array& x);
/// Returns a view with new axes of one element, at these positions of the result.
KOMPUTE_API Array expandDims(const Array& x, const Axes& axes = 0);
/// Returns a view without axes of one element.
/// @throws InvalidArgument if a named axis has more than one
KOMPUTE_API Array squeeze(const Array& x, const Axes& axes = {});
/// Returns a view with an axis at another place; the others keep their order.
KOMPUTE_API Array moveaxis(const Array& x, int64_t source, int64_t destination);
/// Returns a view with two axes swapped.
KOMPUTE_API Array swapaxes(const Array& x, int64_t first, int64_t second);
/// Returns a view with the elements in reverse order along axes.
KOMPUTE_API Array flip(const Array& x, const Axes& axes = {});
/// Returns views of equal parts along an axis.
/// @throws InvalidArgument if the extent is not a multiple of their number
KOMPUTE_API std::vector<Array> split(const Array& x, int64_t parts, int64_t axis = 0);

/// Returns arrays joined along an axis, in the type to which their types promote.
/// @param arrays  at least one, equal in all other extents
KOMPUTE_API Array concat(const std::vector<Array>& arrays, int64_t axis = 0);
/// Returns arrays of one shape joined along a new axis.
KOMPUTE_API Array stack(const std::vector<Array>& arrays, int64_t axis = 0);

/// Returns the elements moved by a number of places in C order, or along an axis. Elements that
/// leave at one end enter at the other.
KOMPUTE_API Array roll(const Array& x, int64_t shift);
KOMPUTE_API Array roll(const Array& x, int64_t shift, int64_t axis);
/// Returns each element several times, along an axis. Without one, x is flat.
/// @param count  not negative
KOMPUTE_API Array repeat(const Array& x, int64_t count);
KOMPUTE_API Array repeat(const Array& x, int64_t count, int64_t axis);
/// Same, with a separate count for each element of the axis. Waits for the counts.
/// @param counts  integers, not negative
KOMPUTE_API Array repeat(const Array& x, const Array& counts, int64_t axis);
/// Returns the whole array several times along each of its last axes, or new ones in front.
KOMPUTE_API Array tile(const Array& x, const Shape& counts);

} // namespace kp

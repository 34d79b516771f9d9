// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Array.hpp>
#include <kompute/primitives/sort/OpSearchSorted.hpp>

namespace kp {

// Sorting and searching, with the results of NumPy's functions of these names. NaNs are larger than
// all numbers. Complex numbers have no order and are refused with InvalidArgument.

/// Returns a sorted copy along an axis. -0 is before +0.
KOMPUTE_API Array sort(const Array& x, int64_t axis = -1, bool descending = false);
/// Returns the indices (eInt64) that sort along an axis. Equal elements keep their order.
KOMPUTE_API Array argsort(const Array& x, int64_t axis = -1, bool descending = false);

/// Returns the index (eInt64), in C order or along an axis, of the first smallest element, or of
/// the first NaN.
/// @throws InvalidArgument for no elements
KOMPUTE_API Array argmin(const Array& x);
KOMPUTE_API Array argmin(const Array& x, int64_t axis, bool keepAxis = false);
/// Same, of the largest one.
KOMPUTE_API Array argmax(const Array& x);
KOMPUTE_API Array argmax(const Array& x, int64_t axis, bool keepAxis = false);

/// Returns the indices (eInt64) at which values keep a sorted array of one axis in order.
/// @param side  before or after elements that are equal
KOMPUTE_API Array searchsorted(const Array& sorted, const Array& values,
                               SearchSide side = SearchSide::eLeft);

/// Returns the distinct elements, sorted. All NaNs count as one. Waits for the number of results.
KOMPUTE_API Array unique(const Array& x);

/// The result of uniqueAll(). All but the values are eInt64.
struct Unique {
    Array values;  ///< distinct, sorted
    Array indices; ///< in C order, of the first element of each value
    Array inverse; ///< which value each element has, in the shape of x
    Array counts;  ///< how many elements have each value
};
/// Returns the distinct elements, and where and how often they are. Waits as unique() does.
KOMPUTE_API Unique uniqueAll(const Array& x);

} // namespace kp

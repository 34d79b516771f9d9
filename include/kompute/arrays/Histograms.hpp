// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Array.hpp>

namespace kp {

/// How many elements are in each bin.
struct Histogram {
    Array counts; ///< eInt64, one for each bin
    Array edges;  ///< one more
};

/// Counts elements in bins of one width. Elements outside and NaNs are not counted. The last bin
/// includes both edges, the others only the lower one.
/// @param bins        at least 1
/// @param low, high   edges; by default the smallest and the largest element, which it waits for
/// @throws InvalidArgument if low is more than high, or either is not finite
KOMPUTE_API Histogram histogram(const Array& x, int64_t bins, double low, double high);
KOMPUTE_API Histogram histogram(const Array& x, int64_t bins = 10);
/// Counts elements in bins between edges, which ascend.
KOMPUTE_API Histogram histogram(const Array& x, const Array& edges);

/// Returns how often each integer from 0 on occurs, as eInt64. Waits for the largest one.
/// @param x        one axis, of integers that are not negative
/// @param minimum  the result has at least so many elements
KOMPUTE_API Array bincount(const Array& x, int64_t minimum = 0);
/// Returns the sums of the weights of each integer, as defaultFloat().
/// @param weights  one for each element
KOMPUTE_API Array bincount(const Array& x, const Array& weights, int64_t minimum = 0);

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Array.hpp>

namespace kp {

// Running totals and differences. Types as for sum() and prod().

/// Returns the sums of the elements up to each one, in C order or along an axis.
KOMPUTE_API Array cumsum(const Array& x);
KOMPUTE_API Array cumsum(const Array& x, int64_t axis);
/// Returns the products of the elements up to each one, in C order or along an axis.
KOMPUTE_API Array cumprod(const Array& x);
KOMPUTE_API Array cumprod(const Array& x, int64_t axis);
/// Returns the differences of neighbours along an axis, taken several times. Of bool, whether they
/// differ.
/// @param times  not negative
KOMPUTE_API Array diff(const Array& x, int64_t times = 1, int64_t axis = -1);

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/Array.hpp>

namespace kp {

/// Returns the elements of x where a mask is true, in C order: NumPy's x[mask]. Waits for their
/// number.
/// @param mask  bool, of the shape of x, or of its first axes, so that it chooses rows
KOMPUTE_API Array compress(const Array& mask, const Array& x);
/// Returns the indices (eInt64), an array for each axis, of the elements that are not 0. Waits for
/// their number.
KOMPUTE_API std::vector<Array> nonzero(const Array& x);
/// Returns the indices (eInt64), in C order, of the elements that are not 0. Waits as nonzero().
KOMPUTE_API Array flatnonzero(const Array& x);

/// Returns the elements at indices, along an axis or of the flat array. The result has the axes of
/// the indices in place of that axis.
/// @param indices  integers; negative ones count from the end. Waits for them
/// @throws InvalidArgument if one is out of bounds
KOMPUTE_API Array take(const Array& x, const Array& indices);
KOMPUTE_API Array take(const Array& x, const Array& indices, int64_t axis);
/// Returns the elements at indices along an axis, an index for each position, as argsort() and
/// argmin() (with the axis kept) return them.
/// @param indices  as many axes as x, which broadcast against the others
KOMPUTE_API Array takeAlongAxis(const Array& x, const Array& indices, int64_t axis);
/// Sets the elements at indices of a row: x[indices] = values in NumPy. If indices repeat, one
/// value wins. Waits for the indices.
/// @param x       one axis, writable
/// @param values  that broadcast to the shape of the indices
KOMPUTE_API void put(const Array& x, const Array& indices, const Operand& values);

} // namespace kp

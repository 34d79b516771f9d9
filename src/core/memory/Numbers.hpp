// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <kompute/Memory.hpp>

namespace kp {

/// Converts numbers. Floating-point numbers are rounded to nearest; everything else is exact.
/// @param from      @p count numbers
/// @param to        receives them; does not overlap @p from
/// @throws InvalidArgument for structs, and for the first number that @p toType cannot hold: an
///         integer that is out of range or not exact, a fraction or NaN for an integer type, a
///         finite number that overflows
void convertNumbers(const void* from, Memory::DataTypes fromType, size_t count, void* to,
                    Memory::DataTypes toType);

} // namespace kp

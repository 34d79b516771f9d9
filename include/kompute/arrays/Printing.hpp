// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include <kompute/Array.hpp>

namespace kp {

/// Returns the elements as NumPy prints them: "[[1 2]\n [3 4]]". Arrays of more than 1,000 elements
/// show the first and the last three along each axis. Waits for them.
KOMPUTE_API std::string toString(const Array& x);
/// Writes toString(x), or "no array" for a null array.
KOMPUTE_API std::ostream& operator<<(std::ostream& stream, const Array& x);

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <kompute/Array.hpp>
#include <kompute/arrays/DType.hpp>
#include <kompute/arrays/Shape.hpp>

namespace kp::arrays {

/// Returns the axes before the last two, which are matrices.
Shape stackOf(const Array& x);
/// Returns the type in which matrices are factored. Throws for complex numbers.
DType factoredType(const Array& a, std::string_view function);
/// Throws if an array has no two axes.
void requireMatrices(const Array& a, std::string_view function);
void requireSquare(const Array& a, std::string_view function);

} // namespace kp::arrays

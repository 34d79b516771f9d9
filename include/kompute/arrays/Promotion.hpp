// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <kompute/arrays/DType.hpp>
#include <kompute/arrays/Functions.hpp>

namespace kp {

class Operand;

/// Returns the type to which two types promote, by NumPy's rules.
KOMPUTE_API DType promote(DType a, DType b);
/// Returns true if a type holds all numbers of another, by NumPy's rule "safe".
KOMPUTE_API bool castsSafely(DType from, DType to);

/// Returns the type of floating-point numbers whose type nobody names: eFloat64, unless
/// setDefaultFloat() said otherwise. Thread-safe.
KOMPUTE_API DType defaultFloat();
/// Sets it, to eFloat32 or eFloat64, for the whole process. Then eFloat64 comes only of what is
/// eFloat64 already. @throws InvalidArgument for another type
KOMPUTE_API void setDefaultFloat(DType dtype);

/// The types in which a function computes. Comparisons compare eInt64 with eUint64 as they are.
struct Resolution {
    std::array<DType, 2> operands{};
    DType result{};
};
/// Returns the types in which a function computes operands, by NumPy's rules.
/// @throws InvalidArgument if the function does not take that many operands, or their types
KOMPUTE_API Resolution resolve(const Function& function, const Operand* operands, size_t count);

/// Returns the type of a result that is one of the operands.
KOMPUTE_API DType commonType(const Operand* operands, size_t count);

} // namespace kp

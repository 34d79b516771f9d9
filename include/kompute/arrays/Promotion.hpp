// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <kompute/arrays/DType.hpp>
#include <kompute/arrays/Functions.hpp>

namespace kp {

class Manager;
class Operand;

/// Returns the type to which two types promote, by NumPy's rules.
KOMPUTE_API DType promote(DType a, DType b);
/// Returns true if a type holds all numbers of another, by NumPy's rule "safe".
KOMPUTE_API bool castsSafely(DType from, DType to);

/// Returns the default floating-point type where no array sets one: the choice of setDefaultFloat()
/// or the environment variable KOMPUTE_DEFAULT_FLOAT, or else eFloat64. Thread-safe.
/// @throws InvalidArgument if the variable names another type than these two
KOMPUTE_API DType defaultFloat();
/// Returns the same for arrays of a device: without a choice, eFloat32 if the device has no
/// shaderFloat64. The first time that this applies, a warning is logged. Throws as above.
KOMPUTE_API DType defaultFloat(Manager& manager);
/// Sets it, to eFloat32 or eFloat64, for the whole process and all devices. With eFloat32, only
/// eFloat64 inputs give eFloat64 results.
/// @throws InvalidArgument for another type
KOMPUTE_API void setDefaultFloat(DType dtype);
/// Undoes setDefaultFloat(). Thread-safe, as the others.
KOMPUTE_API void resetDefaultFloat();

/// The types in which a function computes. Comparisons compare eInt64 with eUint64 as they are.
struct Resolution {
    std::array<DType, 2> operands{};
    DType result{};
};
/// Returns the types in which a function computes operands, by NumPy's rules and defaultFloat() of
/// their device.
/// @throws InvalidArgument if the function does not take that many operands, or their types
KOMPUTE_API Resolution resolve(const Function& function, const Operand* operands, size_t count);

/// Returns the type of a result that is one of the operands.
KOMPUTE_API DType commonType(const Operand* operands, size_t count);

} // namespace kp

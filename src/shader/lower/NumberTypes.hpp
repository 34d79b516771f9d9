// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp::shader {

/// The kinds of numbers that a lowering replaces.
struct LoweredTypes {
    bool int8 = false;    ///< by int32, wrapped after each operation
    bool int16 = false;   ///< likewise
    bool int64 = false;   ///< by uvec2, the low word first
    bool float16 = false; ///< by float, rounded after each operation
    bool float64 = false; ///< by uvec2, the low word first
    bool any() const { return int8 || int16 || int64 || float16 || float64; }
    bool narrow() const { return int8 || int16 || float16; }
};

/// A type of numbers or booleans, before the lowering.
struct NumberShape {
    enum class Kind { eOther, eBool, eInt, eFloat };
    Kind kind = Kind::eOther;
    uint32_t width = 0; ///< bits of a component
    bool isSigned = false;
    uint32_t count = 1; ///< components
    bool isLowered = false;

    bool isInt() const { return kind == Kind::eInt; }
    bool isFloat() const { return kind == Kind::eFloat; }
    bool isNumber() const { return isInt() || isFloat(); }
    bool isWide() const { return isNumber() && width == 64; }
    bool isNarrow() const { return isNumber() && width < 32; }
    bool isLoweredWide() const { return isLowered && isWide(); }
    bool isLoweredNarrow() const { return isLowered && isNarrow(); }
    NumberShape component() const {
        NumberShape one = *this;
        one.count = 1;
        return one;
    }
};

/// Returns true if the lowering replaces numbers of a kind and width.
bool isLowered(const LoweredTypes& lowered, NumberShape::Kind kind, uint32_t width);
/// Returns a constant of a narrow integer type, as one of 32 bits.
uint32_t wrappedBits(uint32_t value, const NumberShape& shape);
/// Returns the bits of a half, its low 16 bits, as the bits of the equal float.
uint32_t floatBitsOfHalf(uint32_t half);

} // namespace kp::shader

// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/NumberTypes.hpp"

#include <bit>
#include <cmath>

namespace kp::shader {

bool isLowered(const LoweredTypes& lowered, NumberShape::Kind kind, uint32_t width) {
    if (kind == NumberShape::Kind::eInt)
        return (width == 8 && lowered.int8) || (width == 16 && lowered.int16) ||
               (width == 64 && lowered.int64);
    if (kind == NumberShape::Kind::eFloat)
        return (width == 16 && lowered.float16) || (width == 64 && lowered.float64);
    return false;
}

uint32_t wrappedBits(uint32_t value, const NumberShape& shape) {
    const uint32_t unused = 32 - shape.width;
    value <<= unused;
    return shape.isSigned ? static_cast<uint32_t>(static_cast<int32_t>(value) >> unused)
                          : value >> unused;
}

uint32_t floatBitsOfHalf(uint32_t half) {
    const uint32_t sign = (half & 0x8000u) << 16;
    const uint32_t exponent = (half >> 10) & 0x1fu;
    const uint32_t fraction = half & 0x3ffu;
    if (exponent == 0x1f)
        return sign | 0x7f800000u | (fraction << 13);
    if (exponent == 0) // a multiple of 2^-24
        return sign | std::bit_cast<uint32_t>(std::ldexp(static_cast<float>(fraction), -24));
    return sign | ((exponent + 112) << 23) | (fraction << 13);
}

} // namespace kp::shader

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kp {
namespace detail {

/// Returns a float that rounds to fewer bits exactly like the number itself. Inexact floats end in
/// a 1 bit, so that they stay on the same side of every boundary (Boldo and Melquiond, "Emulation
/// of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
template <typename T>
float roundedToOdd(T number) {
    if constexpr (std::is_integral<T>::value && sizeof(T) == 8) {
        constexpr auto kExact = T{1} << 53, kStep = T{1} << 11, kRest = kStep - 1;
        const bool isExact =
            number < kExact && (std::is_unsigned<T>::value || number > T{0} - kExact);
        if (!isExact && (number & kRest) != 0)
            number = (number & ~kRest) | kStep;
        return roundedToOdd(static_cast<double>(number));
    } else if constexpr (std::is_integral<T>::value) {
        return roundedToOdd(static_cast<double>(number));
    } else {
        const auto single = static_cast<float>(number);
        const auto back = static_cast<T>(single);
        if (back == number || number != number || number - number != 0)
            return single;
        const bool isLarger = number < 0 ? back < number : back > number;
        uint32_t bits;
        std::memcpy(&bits, &single, sizeof bits);
        bits = (isLarger ? bits - 1 : bits) | 1u;
        float odd;
        std::memcpy(&odd, &bits, sizeof odd);
        return odd;
    }
}

} // namespace detail

/// An IEEE 754 binary16 number: storage for shaders with float16_t, with conversions for the host.
struct Half {
    uint16_t bits = 0;

    Half() = default;
    /// Rounds to nearest, ties to even. Values that are too large become infinity.
    explicit Half(float value) {
        uint32_t x;
        std::memcpy(&x, &value, sizeof x);
        const uint32_t sign = (x >> 16) & 0x8000u;
        const uint32_t magnitude = x & 0x7fffffffu;
        if (magnitude >= 0x7f800000u) { // infinity or NaN
            bits = static_cast<uint16_t>(sign | 0x7c00u | (magnitude > 0x7f800000u ? 0x200u : 0u));
        } else if (magnitude >= 0x477ff000u) { // rounds to 65536 or more
            bits = static_cast<uint16_t>(sign | 0x7c00u);
        } else if (magnitude >= 0x38800000u) { // normal
            const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
            bits = static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
        } else if (magnitude > 0x33000000u) { // subnormal
            const uint32_t shift = 126u - (magnitude >> 23);
            const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
            const uint32_t half = 1u << (shift - 1u);
            const uint32_t odd = (mantissa >> shift) & 1u;
            bits = static_cast<uint16_t>(sign | ((mantissa + half - 1u + odd) >> shift));
        } else {
            bits = static_cast<uint16_t>(sign);
        }
    }
    /// Rounds once, directly from the number, not by way of a float.
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    explicit Half(T value) : Half(detail::roundedToOdd(value)) {}

    explicit operator float() const {
        const uint32_t sign = (bits & 0x8000u) << 16;
        const uint32_t exponent = (bits >> 10) & 0x1fu;
        uint32_t mantissa = bits & 0x3ffu;
        uint32_t x;
        if (exponent == 0x1fu) {
            x = sign | 0x7f800000u | (mantissa << 13);
        } else if (exponent != 0) {
            x = sign | ((exponent + 112u) << 23) | (mantissa << 13);
        } else if (mantissa == 0) {
            x = sign;
        } else {
            uint32_t shifted = 113u;
            while ((mantissa & 0x400u) == 0) {
                mantissa <<= 1;
                --shifted;
            }
            x = sign | (shifted << 23) | ((mantissa & 0x3ffu) << 13);
        }
        float value;
        std::memcpy(&value, &x, sizeof value);
        return value;
    }

    bool operator==(const Half& other) const { return bits == other.bits; }
    bool operator!=(const Half& other) const { return bits != other.bits; }
};

/// The upper half of an IEEE 754 binary32 number. Storage only: shaders see it as uint16_t.
struct BFloat16 {
    uint16_t bits = 0;

    BFloat16() = default;
    /// Rounds to nearest, ties to even.
    explicit BFloat16(float value) {
        uint32_t x;
        std::memcpy(&x, &value, sizeof x);
        if ((x & 0x7fffffffu) > 0x7f800000u)
            bits = static_cast<uint16_t>((x >> 16) | 0x40u);
        else
            bits = static_cast<uint16_t>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16);
    }
    /// Rounds once, directly from the number, not by way of a float.
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    explicit BFloat16(T value) : BFloat16(detail::roundedToOdd(value)) {}

    explicit operator float() const {
        const uint32_t x = static_cast<uint32_t>(bits) << 16;
        float value;
        std::memcpy(&value, &x, sizeof value);
        return value;
    }

    bool operator==(const BFloat16& other) const { return bits == other.bits; }
    bool operator!=(const BFloat16& other) const { return bits != other.bits; }
};

} // namespace kp

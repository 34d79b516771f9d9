// SPDX-License-Identifier: Apache-2.0
#include "core/memory/Numbers.hpp"

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/memory/Half.hpp>

#include "base/Text.hpp"

namespace kp {
namespace {

using Types = Memory::DataTypes;

/// A type of floating-point numbers: its precision, and the largest power of two below infinity.
template <typename T>
struct Floating {
    static constexpr int kDigits = std::numeric_limits<T>::digits;
    static constexpr int kBits = std::numeric_limits<T>::max_exponent;
};
template <>
struct Floating<Half> {
    static constexpr int kDigits = 11, kBits = 16;
};
template <>
struct Floating<BFloat16> {
    static constexpr int kDigits = 8, kBits = 128;
};

template <typename T>
constexpr bool kIsStorage = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// Returns a number in a type that computes.
template <typename T>
auto computed(T value) {
    if constexpr (kIsStorage<T>)
        return static_cast<float>(value);
    else
        return value;
}

/// Returns whether To holds an integer exactly.
template <typename To, std::integral From>
bool holds(From value) {
    if constexpr (std::is_integral_v<To>) {
        return std::in_range<To>(value);
    } else {
        const auto bits = static_cast<uint64_t>(value);
        const uint64_t magnitude = std::cmp_less(value, 0) ? 0 - bits : bits;
        if (magnitude == 0)
            return true;
        const int width = std::bit_width(magnitude);
        return width - std::countr_zero(magnitude) <= Floating<To>::kDigits &&
               width <= Floating<To>::kBits;
    }
}

/// Returns whether To holds a number, rounded if To has fractions.
template <typename To, std::floating_point From>
bool holds(From value) {
    if constexpr (std::is_integral_v<To>) {
        const From limit = std::ldexp(From(1), std::numeric_limits<To>::digits);
        return std::trunc(value) == value && value < limit &&
               value >= (std::is_signed_v<To> ? -limit : From(0));
    } else {
        return !std::isfinite(value) || std::isfinite(computed(static_cast<To>(value)));
    }
}

/// Calls a function with a value of the type behind an enumerator. Bools are bytes.
template <typename Function>
void withType(Types type, Function&& function) {
    switch (type) {
    case Types::eBool:
    case Types::eUnsignedChar:
        return function(uint8_t());
    case Types::eChar:
        return function(int8_t());
    case Types::eShort:
        return function(int16_t());
    case Types::eUnsignedShort:
        return function(uint16_t());
    case Types::eInt:
        return function(int32_t());
    case Types::eUnsignedInt:
        return function(uint32_t());
    case Types::eLong:
        return function(int64_t());
    case Types::eUnsignedLong:
        return function(uint64_t());
    case Types::eHalf:
        return function(Half());
    case Types::eBFloat16:
        return function(BFloat16());
    case Types::eFloat:
        return function(float());
    case Types::eDouble:
        return function(double());
    case Types::eCustom:
        break;
    }
    throw InvalidArgument(
        "to<T>() converts numbers, but the elements are structs; call vector<T>() "
        "with the struct");
}

} // namespace

void convertNumbers(const void* from, Types fromType, size_t count, void* to, Types toType) {
    withType(fromType, [&]<typename From>(From) {
        withType(toType, [&]<typename To>(To) {
            const auto* const first = static_cast<const From*>(from);
            auto* const result = static_cast<To*>(to);
            for (size_t i = 0; i < count; ++i) {
                const auto value = computed(first[i]);
                if constexpr (!std::is_same_v<From, To>)
                    if (!holds<To>(value))
                        fail<InvalidArgument>("to<T>(): element {} is {}, which {} cannot hold", i,
                                              value, Memory::toString(toType));
                result[i] = static_cast<To>(value);
            }
        });
    });
}

} // namespace kp

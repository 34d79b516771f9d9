// SPDX-License-Identifier: Apache-2.0
#include "wide/WideFunctions.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "base/Text.hpp"

namespace kp::test {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;

double number(uint64_t bits) {
    return std::bit_cast<double>(bits);
}
uint64_t bitsOf(double x) {
    return std::bit_cast<uint64_t>(x);
}
float single(uint64_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
}
uint64_t bitsOf(float x) {
    return std::bit_cast<uint32_t>(x);
}
int64_t signedOf(uint64_t bits) {
    return static_cast<int64_t>(bits);
}
int32_t intOf(uint64_t bits) {
    return static_cast<int32_t>(static_cast<uint32_t>(bits));
}

int64_t quotient(int64_t a, int64_t b) {
    if (b == 0)
        return 0;
    return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
}
int64_t rest(int64_t a, int64_t b) {
    return b == 0 || b == -1 ? 0 : a % b;
}
int64_t modulus(int64_t a, int64_t b) {
    const int64_t left = rest(a, b);
    return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}

/// Returns the nearest number of an integer type, rounded towards 0; 0 for NaN.
template <typename T>
T nearest(double x) {
    if (std::isnan(x))
        return 0;
    if (x >= std::ldexp(1.0, std::numeric_limits<T>::digits))
        return std::numeric_limits<T>::max();
    if (x <= static_cast<double>(std::numeric_limits<T>::min()))
        return std::numeric_limits<T>::min();
    return static_cast<T>(x);
}

double modulus(double x, double y) {
    const double left = std::fmod(x, y);
    if (left == 0)
        return std::copysign(0.0, y);
    return (left < 0) != (y < 0) ? left + y : left;
}

uint64_t extreme(uint64_t a, uint64_t b, bool larger) {
    const double x = number(a), y = number(b);
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) ? b : a;
    if (x == y)
        return larger ? a & b : a | b; // of zeros
    return (x > y) == larger ? a : b;
}

double valueOfHalf(uint32_t size) {
    return size < 0x400 ? std::ldexp(size, -24)
                        : std::ldexp(0x400 + (size & 0x3ff), static_cast<int>(size >> 10) - 25);
}

/// Searches for the two halves around a number.
uint64_t halfOf(double x) {
    const uint64_t sign = std::signbit(x) ? 0x8000 : 0;
    const double size = std::abs(x);
    if (std::isnan(x))
        return sign | 0x7e00;
    uint32_t below = 0, beyond = 0x7c00; // its value would be 65536
    if (size >= valueOfHalf(beyond))
        return sign | beyond;
    while (beyond - below > 1) {
        const uint32_t middle = (below + beyond) / 2;
        (valueOfHalf(middle) <= size ? below : beyond) = middle;
    }
    const double middle = (valueOfHalf(below) + valueOfHalf(beyond)) / 2;
    return sign | (size > middle || (size == middle && below % 2 == 1) ? beyond : below);
}

uint64_t floatOfHalf(uint64_t half) {
    const uint32_t size = half & 0x7fff;
    const uint64_t sign = (half & 0x8000) << 16;
    if (size >= 0x7c00)
        return sign | 0x7f800000 | (size > 0x7c00 ? 0x400000 : 0);
    return sign | bitsOf(static_cast<float>(valueOfHalf(size)));
}

uint64_t significand(double x) {
    int exponent = 0;
    return bitsOf(std::isfinite(x) ? std::frexp(x, &exponent) : x);
}
uint32_t exponent(double x) {
    int found = 0;
    if (std::isfinite(x))
        std::frexp(x, &found);
    return static_cast<uint32_t>(found);
}

#define KP_HOST(expression)                                                                        \
    [](uint64_t a, uint64_t b, uint64_t c) -> uint64_t {                                           \
        static_cast<void>(a);                                                                      \
        static_cast<void>(b);                                                                      \
        static_cast<void>(c);                                                                      \
        return static_cast<uint64_t>(expression);                                                  \
    }

const std::vector<WideFunction> kFunctions = {
    {"kp_i64_mul", "ll", 'l', KP_HOST(a* b)},
    {"kp_i64_div", "ll", 'l', KP_HOST(quotient(signedOf(a), signedOf(b)))},
    {"kp_i64_rem", "ll", 'l', KP_HOST(rest(signedOf(a), signedOf(b)))},
    {"kp_i64_mod", "ll", 'l', KP_HOST(modulus(signedOf(a), signedOf(b)))},
    {"kp_u64_div", "ll", 'l', KP_HOST(b == 0 ? 0 : a / b)},
    {"kp_u64_rem", "ll", 'l', KP_HOST(b == 0 ? 0 : a % b)},
    {"kp_i64_shl", "ls", 'l', KP_HOST(a << (b & 63))},
    {"kp_u64_shr", "ls", 'l', KP_HOST(a >> (b & 63))},
    {"kp_i64_shr", "ls", 'l', KP_HOST(signedOf(a) >> (b & 63))},
    {"kp_i64_less", "ll", 'b', KP_HOST(signedOf(a) < signedOf(b))},
    {"kp_u64_less", "ll", 'b', KP_HOST(a < b)},
    {"kp_f32_to_i64", "f", 'l', KP_HOST(nearest<int64_t>(single(a)))},
    {"kp_f32_to_u64", "f", 'l', KP_HOST(nearest<uint64_t>(single(a)))},
    {"kp_i64_to_f32", "l", 'f', KP_HOST(bitsOf(static_cast<float>(signedOf(a))))},
    {"kp_u64_to_f32", "l", 'f', KP_HOST(bitsOf(static_cast<float>(a)))},
    {"kp_f32_to_f16", "f", 'h', KP_HOST(halfOf(single(a)))},
    {"kp_f16_to_f32", "h", 'f', KP_HOST(floatOfHalf(a))},
    {"kp_f64_add", "dd", 'd', KP_HOST(bitsOf(number(a) + number(b)))},
    {"kp_f64_sub", "dd", 'd', KP_HOST(bitsOf(number(a) - number(b)))},
    {"kp_f64_mul", "dd", 'd', KP_HOST(bitsOf(number(a) * number(b)))},
    {"kp_f64_div", "dd", 'd', KP_HOST(bitsOf(number(a) / number(b)))},
    {"kp_f64_rem", "dd", 'd', KP_HOST(bitsOf(std::fmod(number(a), number(b))))},
    {"kp_f64_mod", "dd", 'd', KP_HOST(bitsOf(modulus(number(a), number(b))))},
    {"kp_f64_sqrt", "d", 'd', KP_HOST(bitsOf(std::sqrt(number(a))))},
    {"kp_f64_fma", "ddd", 'd', KP_HOST(bitsOf(std::fma(number(a), number(b), number(c))))},
    {"kp_f64_neg", "d", 'r', KP_HOST(a ^ kSign)},
    {"kp_f64_abs", "d", 'r', KP_HOST(a & ~kSign)},
    {"kp_f64_floor", "d", 'd', KP_HOST(bitsOf(std::floor(number(a))))},
    {"kp_f64_ceil", "d", 'd', KP_HOST(bitsOf(std::ceil(number(a))))},
    {"kp_f64_trunc", "d", 'd', KP_HOST(bitsOf(std::trunc(number(a))))},
    {"kp_f64_round_even", "d", 'd', KP_HOST(bitsOf(std::nearbyint(number(a))))},
    {"kp_f64_fract", "d", 'd', KP_HOST(bitsOf(number(a) - std::floor(number(a))))},
    {"kp_f64_sign", "d", 'd',
     KP_HOST(std::isnan(number(a)) ? a : bitsOf(double(number(a) > 0) - double(number(a) < 0)))},
    {"kp_f64_min", "dd", 'd', KP_HOST(extreme(a, b, false))},
    {"kp_f64_max", "dd", 'd', KP_HOST(extreme(a, b, true))},
    {"kp_f64_less", "dd", 'b', KP_HOST(number(a) < number(b))},
    {"kp_f64_less_equal", "dd", 'b', KP_HOST(number(a) <= number(b))},
    {"kp_f64_equal", "dd", 'b', KP_HOST(number(a) == number(b))},
    {"kp_f64_is_nan", "d", 'b', KP_HOST(std::isnan(number(a)))},
    {"kp_f64_is_inf", "d", 'b', KP_HOST(std::isinf(number(a)))},
    {"kp_f64_to_f32", "d", 'f', KP_HOST(bitsOf(static_cast<float>(number(a))))},
    {"kp_f64_to_f16", "d", 'h', KP_HOST(halfOf(number(a)))},
    {"kp_f32_to_f64", "f", 'd', KP_HOST(bitsOf(static_cast<double>(single(a))))},
    {"kp_f64_to_i32", "d", 'i', KP_HOST(static_cast<uint32_t>(nearest<int32_t>(number(a))))},
    {"kp_f64_to_u32", "d", 'u', KP_HOST(nearest<uint32_t>(number(a)))},
    {"kp_i32_to_f64", "i", 'd', KP_HOST(bitsOf(static_cast<double>(intOf(a))))},
    {"kp_u32_to_f64", "u", 'd', KP_HOST(bitsOf(static_cast<double>(static_cast<uint32_t>(a))))},
    {"kp_f64_to_i64", "d", 'l', KP_HOST(nearest<int64_t>(number(a)))},
    {"kp_f64_to_u64", "d", 'l', KP_HOST(nearest<uint64_t>(number(a)))},
    {"kp_i64_to_f64", "l", 'd', KP_HOST(bitsOf(static_cast<double>(signedOf(a))))},
    {"kp_u64_to_f64", "l", 'd', KP_HOST(bitsOf(static_cast<double>(a)))},
    {"kp_f64_frexp_significand", "d", 'd', KP_HOST(significand(number(a)))},
    {"kp_f64_frexp_exponent", "d", 'i', KP_HOST(exponent(number(a)))},
    {"kp_f64_ldexp", "de", 'd', KP_HOST(bitsOf(std::ldexp(number(a), intOf(b))))},
};

#undef KP_HOST

struct FloatType {
    uint64_t infinity;
    uint64_t quiet; ///< the bit that quiet NaNs have
};

FloatType floatType(char type) {
    if (type == 'h')
        return {0x7c00, 0x200};
    return type == 'f' ? FloatType{0x7f800000, 0x400000}
                       : FloatType{0x7ff0000000000000, 0x8000000000000};
}

bool isNan(FloatType type, uint64_t bits) {
    const uint64_t sign = (type.infinity << 1) & ~type.infinity;
    return (bits & ~sign) > type.infinity;
}

} // namespace

const std::vector<WideFunction>& wideFunctions() {
    return kFunctions;
}

bool isRight(const WideFunction& function, uint64_t found, uint64_t host) {
    if (function.result == 'd' || function.result == 'f' || function.result == 'h') {
        const FloatType type = floatType(function.result);
        if (isNan(type, host))
            return isNan(type, found) && (found & type.quiet) != 0;
    }
    return found == host;
}

std::string firstWrong(const WideFunction& function, const WideArguments& arguments,
                       const std::vector<uint64_t>& results) {
    for (size_t i = 0; i < results.size(); ++i) {
        const auto at = [&](size_t place) {
            return place < function.arguments.size() ? arguments[place][i] : 0;
        };
        const uint64_t host = function.host(at(0), at(1), at(2));
        if (isRight(function, results[i], host))
            continue;
        std::string given;
        for (size_t place = 0; place < function.arguments.size(); ++place)
            given += formatted("{}{:#x}", place == 0 ? "" : ", ", at(place));
        return formatted("{}({}) is {:#x}, but should be {:#x}", function.name, given, results[i],
                         host);
    }
    return "";
}

} // namespace kp::test

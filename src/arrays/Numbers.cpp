// SPDX-License-Identifier: Apache-2.0
#include "arrays/Numbers.hpp"

#include <bit>
#include <cmath>

#include <kompute/Error.hpp>
#include <kompute/arrays/NumberType.hpp>
#include <kompute/memory/Half.hpp>

#include "base/Text.hpp"

namespace kp::arrays {
namespace {

using enum DType;

/// Returns an integer in two's complement if a type of integers holds it.
uint64_t heldInteger(const Operand& number, DType dtype) {
    const uint64_t value = number.integer();
    const size_t bits = 8 * itemSize(dtype);
    const bool isSigned = numberType(dtype).family == 'i';
    const uint64_t largest =
        isSigned ? (uint64_t{1} << (bits - 1)) - 1 : ~uint64_t{0} >> (64 - bits);
    const bool fits = number.isNegative() ? isSigned && ~value <= largest : value <= largest;
    if (!fits)
        fail<InvalidArgument>("the integer {} is out of bounds for {}",
                              number.isNegative() ? formatted("{}", static_cast<int64_t>(value))
                                                  : formatted("{}", value),
                              toString(dtype));
    return value;
}

double realValue(const Operand& number) {
    if (number.kind() != Operand::Kind::eInteger)
        return number.real();
    return number.isNegative() ? static_cast<double>(static_cast<int64_t>(number.integer()))
                               : static_cast<double>(number.integer());
}

void put(std::array<uint32_t, 4>& words, size_t at, uint64_t value) {
    words[at] = static_cast<uint32_t>(value);
    words[at + 1] = static_cast<uint32_t>(value >> 32);
}

} // namespace

std::array<uint32_t, 4> constantWords(const Operand& number, DType dtype) {
    std::array<uint32_t, 4> words{};
    const char family = numberType(dtype).family;
    if (family == 'b') {
        words[0] = number.integer() != 0 || number.real() != 0 || number.imaginary() != 0 ? 1 : 0;
        return words;
    }
    if (family != 'c' && number.imaginary() != 0)
        fail<InvalidArgument>("a complex number does not fit an array of {}", toString(dtype));
    if (family == 'i' || family == 'u') {
        if (number.kind() == Operand::Kind::eInteger) {
            put(words, 0, heldInteger(number, dtype));
            return words;
        }
        const double whole = std::trunc(number.real());
        if (whole != number.real() || std::abs(whole) >= 0x1p63)
            fail<InvalidArgument>("{} holds integers, not {}; use astype()", toString(dtype),
                                  number.real());
        put(words, 0, static_cast<uint64_t>(static_cast<int64_t>(whole)));
        return words;
    }
    const double real = realValue(number);
    switch (dtype) {
    case eFloat16:
        words[0] = std::bit_cast<uint32_t>(static_cast<float>(Half(real)));
        break;
    case eFloat32:
    case eComplex64:
        words[0] = std::bit_cast<uint32_t>(static_cast<float>(real));
        words[1] = std::bit_cast<uint32_t>(static_cast<float>(number.imaginary()));
        break;
    default:
        put(words, 0, std::bit_cast<uint64_t>(real));
        put(words, 2, std::bit_cast<uint64_t>(number.imaginary()));
    }
    return words;
}

} // namespace kp::arrays

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace kp::primitives {

/// A number of a problem, which equals another one only if it has the same bits: plans for 0 and -0
/// differ, and one for NaN is found again.
class ExactNumber {
public:
    constexpr ExactNumber(double value) : mValue(value) {}
    constexpr operator double() const { return mValue; }
    /// A template, so that a comparison with a number compares numbers.
    template <std::same_as<ExactNumber> Other>
    constexpr bool operator==(const Other& other) const {
        return std::bit_cast<uint64_t>(mValue) == std::bit_cast<uint64_t>(other.mValue);
    }

private:
    double mValue;
};

} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <kompute/Export.hpp>

namespace kp {

/// Distribution of the numbers of OpRandom.
///
///     kp::Distribution::integers(1, 6)
struct KOMPUTE_API Distribution {
    enum class Kind { eBits, eIntegers, eUniform, eNormal, eExponential };

    /// Uniformly distributed bits of an integer type: the upper ones of the random words.
    static Distribution bits() { return {Kind::eBits, 0, 0, {}, {}}; }
    /// Integers from @p lowest to @p highest, both included, each with exactly the same
    /// probability.
    template <typename Integer, typename = std::enable_if_t<std::is_integral<Integer>::value>>
    static Distribution integers(Integer lowest, Integer highest) {
        return {Kind::eIntegers, 0, 0, bound(lowest), bound(highest)};
    }
    /// Floating-point numbers in [low, high) with steps of 2^-24 (eFloat), 2^-53 (eDouble), 2^-11
    /// (eHalf) or 2^-8 (eBFloat16) of high - low. Rounding may give @p high if the limits are not 0
    /// and 1.
    static Distribution uniform(double low = 0, double high = 1) {
        return {Kind::eUniform, low, high, {}, {}};
    }
    static Distribution normal(double mean = 0, double standardDeviation = 1) {
        return {Kind::eNormal, mean, standardDeviation, {}, {}};
    }
    /// Numbers with density exp(-x / mean) / mean.
    static Distribution exponential(double mean = 1) {
        return {Kind::eExponential, mean, 0, {}, {}};
    }

    /// An integer of any 64-bit type.
    struct Bound {
        uint64_t bits = 0; ///< in two's complement
        bool isNegative = false;
    };

    Kind kind = Kind::eBits;
    double first = 0;  ///< low or mean
    double second = 0; ///< high or standard deviation
    Bound lowest;
    Bound highest;

private:
    template <typename Integer>
    static Bound bound(Integer value) {
        if constexpr (std::is_signed<Integer>::value)
            return {static_cast<uint64_t>(static_cast<int64_t>(value)), value < 0};
        else
            return {static_cast<uint64_t>(value), false};
    }
};

} // namespace kp

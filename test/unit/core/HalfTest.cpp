// SPDX-License-Identifier: Apache-2.0
#include <kompute/memory/Half.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace kp::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float floatFromBits(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t bitsOf(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <typename T>
T fromBits(uint32_t bits) {
    T value;
    value.bits = static_cast<uint16_t>(bits);
    return value;
}

/// Decodes 16 bits by the definition of a binary floating-point format.
double decode(uint32_t bits, int exponentBits, int mantissaBits) {
    const int bias = (1 << (exponentBits - 1)) - 1;
    const int exponent = static_cast<int>(bits >> mantissaBits) & ((1 << exponentBits) - 1);
    const double fraction = bits & ((1u << mantissaBits) - 1);
    const double sign = bits & 0x8000u ? -1 : 1;
    if (exponent == (1 << exponentBits) - 1)
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0)
        return sign * std::ldexp(fraction, 1 - bias - mantissaBits);
    return sign *
           std::ldexp(std::ldexp(1.0, mantissaBits) + fraction, exponent - bias - mantissaBits);
}

template <typename T>
struct Format;
template <>
struct Format<Half> {
    static constexpr int kExponentBits = 5;
    static constexpr int kMantissaBits = 10;
};
template <>
struct Format<BFloat16> {
    static constexpr int kExponentBits = 8;
    static constexpr int kMantissaBits = 7;
};

template <typename T>
class SmallFloatTest : public ::testing::Test {
protected:
    using F = Format<T>;
    static constexpr uint32_t kInfinityBits = ((1u << F::kExponentBits) - 1) << F::kMantissaBits;

    static double decoded(uint32_t bits) {
        return decode(bits, F::kExponentBits, F::kMantissaBits);
    }

    static void expectRoundsTo(float value, uint32_t bits) {
        ASSERT_EQ(T(value).bits, bits)
            << "for " << value << " (" << std::hex << bitsOf(value) << ")";
        ASSERT_EQ(T(-value).bits, bits | 0x8000u) << "for " << -value;
    }
};

using SmallFloats = ::testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(SmallFloatTest, SmallFloats);

TYPED_TEST(SmallFloatTest, DecodesEveryValue) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const double expected = this->decoded(bits);
        const float value = static_cast<float>(fromBits<TypeParam>(bits));
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(value)) << bits;
        } else {
            ASSERT_EQ(value, expected) << bits;
            ASSERT_EQ(std::signbit(value), (bits & 0x8000u) != 0) << bits;
        }
    }
}

TYPED_TEST(SmallFloatTest, RoundTripsEveryValueThroughFloat) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const TypeParam value = fromBits<TypeParam>(bits);
        const TypeParam back(static_cast<float>(value));
        if (std::isnan(this->decoded(bits)))
            ASSERT_TRUE(std::isnan(static_cast<float>(back))) << bits;
        else
            ASSERT_EQ(back, value) << bits;
    }
}

TYPED_TEST(SmallFloatTest, RoundsToNearestAndTiesToEven) {
    for (uint32_t bits = 0; bits + 1 < this->kInfinityBits; ++bits) {
        const double low = this->decoded(bits);
        const double high = this->decoded(bits + 1);
        const auto middle = static_cast<float>((low + high) / 2);
        ASSERT_EQ(middle, (low + high) / 2) << "the middle is not a float";
        this->expectRoundsTo(middle, bits + (bits & 1));
        this->expectRoundsTo(std::nextafter(middle, 0.0f), bits);
        this->expectRoundsTo(std::nextafter(middle, kInfinity), bits + 1);
        this->expectRoundsTo(std::nextafter(static_cast<float>(low), kInfinity), bits);
        this->expectRoundsTo(std::nextafter(static_cast<float>(high), 0.0f), bits + 1);
    }
}

TYPED_TEST(SmallFloatTest, RoundsOverflowToInfinity) {
    const double largest = this->decoded(this->kInfinityBits - 1);
    const double step = largest - this->decoded(this->kInfinityBits - 2);
    const auto tie = static_cast<float>(largest + step / 2);
    ASSERT_EQ(tie, largest + step / 2);
    this->expectRoundsTo(std::nextafter(tie, 0.0f), this->kInfinityBits - 1);
    this->expectRoundsTo(tie, this->kInfinityBits);
    this->expectRoundsTo(std::nextafter(tie, kInfinity), this->kInfinityBits);
    this->expectRoundsTo(std::numeric_limits<float>::max(), this->kInfinityBits);
    this->expectRoundsTo(kInfinity, this->kInfinityBits);
}

TYPED_TEST(SmallFloatTest, KeepsNaNs) {
    for (const uint32_t bits : {0x7f800001u, 0x7f801fffu, 0x7fbfffffu, 0x7fc00000u, 0x7fffffffu,
                                0xff800001u, 0xffffffffu})
        EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(floatFromBits(bits))))) << bits;
}

TYPED_TEST(SmallFloatTest, RoundsRandomFloatsToTheNearestValue) {
    std::mt19937 random(5);
    for (int i = 0; i < 1000000; ++i) {
        const float value = floatFromBits(static_cast<uint32_t>(random()) & 0x7fffffffu);
        if (std::isnan(value) || std::isinf(value))
            continue;
        const uint32_t bits = TypeParam(value).bits;
        ASSERT_LE(bits, this->kInfinityBits);
        if (bits == this->kInfinityBits)
            continue;
        const double error = std::abs(this->decoded(bits) - value);
        ASSERT_LE(error, std::abs(this->decoded(bits + 1) - value)) << value;
        if (bits > 0) {
            ASSERT_LE(error, std::abs(this->decoded(bits - 1) - value)) << value;
        }
    }
}

TYPED_TEST(SmallFloatTest, ComparesBits) {
    EXPECT_TRUE(TypeParam(1.0f) == TypeParam(1.0f));
    EXPECT_TRUE(TypeParam(1.0f) != TypeParam(2.0f));
    EXPECT_EQ(TypeParam().bits, 0);
}

} // namespace
} // namespace kp::test

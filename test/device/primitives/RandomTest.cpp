// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include <Philox.glsl.hpp>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/random/RandomPlan.hpp"
#include "primitives/source/Source.hpp"

namespace kp::test {
namespace {

using kp::Distribution;
using kp::RandomState;
using kp::TensorRange;

using PhiloxBlock = std::array<uint32_t, 4>;

PhiloxBlock philox(PhiloxBlock counter, uint64_t seed) {
    auto key0 = static_cast<uint32_t>(seed);
    auto key1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const uint64_t product0 = uint64_t{0xD2511F53u} * counter[0];
        const uint64_t product1 = uint64_t{0xCD9E8D57u} * counter[2];
        counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key0,
                   static_cast<uint32_t>(product1),
                   static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key1,
                   static_cast<uint32_t>(product0)};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/// Word number `word` of a sequence.
uint32_t wordOf(const RandomState& state, uint64_t word) {
    const uint64_t block = word / 4;
    return philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                   static_cast<uint32_t>(state.stream), static_cast<uint32_t>(state.stream >> 32)},
                  state.seed)[word % 4];
}

/// Known answers that come with Random123, "kat_vectors".
struct KnownAnswer {
    PhiloxBlock counter;
    uint64_t seed;
    PhiloxBlock answer;
};
constexpr KnownAnswer kKnownAnswers[] = {
    {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     0xffffffffffffffff,
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     0x299f31d0a4093822,
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};

class RandomTest : public DeviceTest {
protected:
    template <typename T>
    std::vector<T> random(size_t count, const Distribution& distribution,
                          const RandomState& state = {}) {
        const auto out = manager.tensorT<T>(count);
        manager.sequence()->eval<kp::OpRandom>(out, distribution, state);
        return out->vector();
    }

    /// Compares parts of a sequence, each generated alone, with the whole.
    template <typename T>
    void expectSameInParts(const Distribution& distribution) {
        const RandomState state{77, 0xfffffffffffffff0, 5};
        const std::vector<T> whole = random<T>(1000, distribution, state);
        for (const uint64_t first : {1, 2, 3, 4, 15, 16, 17, 998}) {
            const RandomState later{77, state.counter + first, 5};
            const std::vector<T> part = random<T>(1000 - first, distribution, later);
            EXPECT_TRUE(std::equal(
                part.begin(), part.end(), whole.begin() + first,
                [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }))
                << "from " << first;
        }
        // The same in the middle of a tensor.
        const auto out = manager.tensorT<T>(1000);
        auto sequence = manager.sequence();
        for (const auto& [first, count] : {std::pair(0, 3), {3, 330}, {333, 1}, {334, 666}})
            sequence->record<kp::OpRandom>(
                TensorRange(out, first, count), distribution,
                RandomState{77, state.counter + static_cast<uint64_t>(first), 5});
        sequence->eval();
        EXPECT_EQ(std::memcmp(out->data(), whole.data(), 1000 * sizeof(T)), 0);
    }
};

TEST_F(RandomTest, PhiloxGivesTheKnownAnswers) {
    for (const KnownAnswer& known : kKnownAnswers) {
        EXPECT_EQ(philox(known.counter, known.seed), known.answer);
        const auto keys = kp::primitives::philoxKeys(known.seed);
        const auto out = manager.tensorT<uint32_t>(4);
        kp::primitives::Plan plan(2);
        kp::primitives::Kernel kernel;
        kernel.name = "known answers";
        kernel.source = kp::primitives::composeSource(
            "layout(push_constant) uniform Push { uint first; uint firstOut; uint keys[20]; };\n",
            std::string(kp::PHILOX_GLSL),
            "layout(binding = 0) buffer Counter { uvec4 counter; };\n"
            "layout(binding = 1) buffer Out { uvec4 answer; };\n"
            "void main() { answer = philox(counter); }\n",
            false);
        kernel.constants = {1};
        kp::primitives::Dispatch dispatch;
        dispatch.kernel = plan.addKernel(kernel);
        dispatch.views = {{0, 0, 16}, {1, 0, 16, 4, kp::primitives::View::Use::eWrite}};
        dispatch.push.assign(keys.begin(), keys.end());
        plan.steps.push_back(dispatch);
        const auto counter =
            manager.tensorT<uint32_t>({known.counter.begin(), known.counter.end()});
        manager.sequence()
            ->record<kp::OpSyncDevice>({counter})
            ->record(plannedOperation(plan, {counter, out}))
            ->eval();
        EXPECT_EQ(out->vector(), std::vector<uint32_t>(known.answer.begin(), known.answer.end()));
    }
    const std::vector<uint32_t> first = random<uint32_t>(4, Distribution::bits());
    EXPECT_TRUE(std::ranges::equal(first, kKnownAnswers[0].answer));
}

TEST_F(RandomTest, BitsAreTheWordsOfPhilox) {
    for (const size_t count : {1, 2, 3, 4, 5, 1031, 70001}) {
        const RandomState state{0x123456789abcdef0, 0xfffffffd, 0xfedcba9876543210};
        const auto words = random<uint32_t>(count, Distribution::bits(), state);
        const auto pairs = random<int64_t>(count, Distribution::bits(), state);
        const auto bytes = random<uint8_t>(count, Distribution::bits(), state);
        const auto shorts = random<int16_t>(count, Distribution::bits(), state);
        for (size_t i = 0; i < count; i += 1 + i / 50) {
            const uint32_t word = wordOf(state, state.counter + i);
            const uint64_t pair = 2 * (state.counter + i);
            ASSERT_EQ(words[i], word) << i;
            ASSERT_EQ(bytes[i], word >> 24) << i;
            ASSERT_EQ(shorts[i], static_cast<int16_t>(word >> 16)) << i;
            ASSERT_EQ(static_cast<uint64_t>(pairs[i]),
                      wordOf(state, pair) | uint64_t{wordOf(state, pair + 1)} << 32)
                << i;
        }
    }
}

TEST_F(RandomTest, NumbersDependOnTheirPlaceInTheSequenceAlone) {
    expectSameInParts<uint8_t>(Distribution::bits());
    expectSameInParts<uint64_t>(Distribution::bits());
    expectSameInParts<int32_t>(Distribution::integers(-1'000'000'000, 1'000'000'000));
    expectSameInParts<float>(Distribution::uniform());
    expectSameInParts<kp::Half>(Distribution::uniform(-1, 1));
    expectSameInParts<kp::Half>(Distribution::normal(0, 0.01));
    expectSameInParts<kp::BFloat16>(Distribution::normal());
    expectSameInParts<float>(Distribution::normal());
    expectSameInParts<double>(Distribution::normal());
    expectSameInParts<double>(Distribution::exponential());
}

TEST_F(RandomTest, SeedsAndStreamsGiveOtherNumbers) {
    const auto a = random<uint64_t>(100, Distribution::bits(), {1, 0, 0});
    const auto b = random<uint64_t>(100, Distribution::bits(), {2, 0, 0});
    const auto c = random<uint64_t>(100, Distribution::bits(), {1, 0, 1});
    EXPECT_EQ(a, (random<uint64_t>(100, Distribution::bits(), {1, 0, 0})));
    for (size_t i = 0; i < 100; ++i) {
        EXPECT_NE(a[i], b[i]);
        EXPECT_NE(a[i], c[i]);
    }
}

TEST_F(RandomTest, UniformNumbersAreTheUpperBits) {
    const RandomState state{3, 0, 0};
    const auto floats = random<float>(5000, Distribution::uniform(), state);
    const auto doubles = random<double>(5000, Distribution::uniform(), state);
    const auto halves = random<kp::Half>(5000, Distribution::uniform(), state);
    const auto shifted = random<float>(5000, Distribution::uniform(-2, 6), state);
    for (size_t i = 0; i < 5000; ++i) {
        const uint32_t word = wordOf(state, i);
        ASSERT_EQ(floats[i], static_cast<float>(word >> 8) * 0x1p-24f);
        ASSERT_EQ(static_cast<float>(halves[i]), static_cast<float>(word >> 21) * 0x1p-11f);
        ASSERT_EQ(shifted[i], floats[i] * 8 - 2);
        const uint64_t bits = wordOf(state, 2 * i) | uint64_t{wordOf(state, 2 * i + 1)} << 32;
        ASSERT_EQ(doubles[i], static_cast<double>(bits >> 11) * 0x1p-53);
    }
}

TEST_F(RandomTest, IntegersInARangeAreAllEquallyLikely) {
    // Without the rejection, a third of the numbers would be twice as likely.
    const uint32_t range = 0xc0000000u;
    const RandomState state{9, 0, 0};
    const auto numbers = random<uint32_t>(40000, Distribution::integers(0u, range - 1), state);
    std::array<int, 12> counts{};
    for (size_t i = 0; i < numbers.size(); ++i) {
        ASSERT_LT(numbers[i], range);
        ++counts[numbers[i] / (range / 12)];
        PhiloxBlock block = philox({static_cast<uint32_t>(i / 4), 0, 0, 0}, state.seed);
        while (static_cast<uint32_t>(block[i % 4] * range) < (0u - range) % range)
            block = philox(block, state.seed);
        ASSERT_EQ(numbers[i], (uint64_t{block[i % 4]} * range) >> 32) << i;
    }
    for (const int count : counts)
        EXPECT_NEAR(count, 40000 / 12, 5 * std::sqrt(40000 / 12.0));

    const auto dice = random<int8_t>(60000, Distribution::integers(-3, 2), state);
    std::array<int, 6> faces{};
    for (const int8_t face : dice)
        ++faces.at(static_cast<size_t>(face + 3));
    for (const int count : faces)
        EXPECT_NEAR(count, 10000, 500);
}

TEST_F(RandomTest, IntegersOf64BitsStayInTheirRange) {
    const int64_t lowest = -0x7000000000000000;
    const int64_t highest = 0x5fffffffffffffff; // rejects one word in 9
    const auto numbers = random<int64_t>(20000, Distribution::integers(lowest, highest), {4, 0, 0});
    double mean = 0;
    for (const int64_t number : numbers) {
        ASSERT_GE(number, lowest);
        ASSERT_LE(number, highest);
        mean += static_cast<double>(number) / 20000;
    }
    const double width = static_cast<double>(highest) - static_cast<double>(lowest);
    EXPECT_NEAR(mean / width, -0x0.8p60 / width, 5 / std::sqrt(12.0 * 20000));
    EXPECT_EQ(random<uint64_t>(100, Distribution::integers(uint64_t{0}, UINT64_MAX)),
              random<uint64_t>(100, Distribution::bits()));
    EXPECT_EQ(random<int64_t>(3, Distribution::integers(7, 7)), (std::vector<int64_t>{7, 7, 7}));
    const auto flags = manager.tensorT<bool>(1000);
    manager.sequence()->eval<kp::OpRandom>(flags, Distribution::integers(0, 1));
    EXPECT_NEAR(std::count(flags->data(), flags->data() + 1000, true), 500, 80);
}

TEST_F(RandomTest, NormalAndExponentialNumbersAreTheDocumentedOnes) {
    const RandomState state{11, 2, 0};
    const size_t count = 20000;
    const auto floats = random<float>(count, Distribution::normal(), state);
    const auto doubles = random<double>(count, Distribution::normal(3, 2), state);
    const auto waits = random<float>(count, Distribution::exponential(5), state);
    const auto longWaits = random<double>(count, Distribution::exponential(), state);
    const double pi2 = 2 * std::acos(-1.0);
    const auto cut = [](uint64_t word, int significant) {
        const int excess = static_cast<int>(std::bit_width(word)) - significant;
        return excess > 0 ? word >> excess << excess : word;
    };
    // A larger number is as probable as its word. The density says how far it is off.
    const auto expectQuantile = [&](float found, uint32_t word) {
        const double x = std::abs(found);
        const double tail = 2.0 * (word & 0x7fffffffu) + 1;
        const double off = std::erfc(x / std::sqrt(2)) / 2 - tail * 0x1p-33;
        EXPECT_LT(std::abs(off), 6e-7 * std::exp(-x * x / 2) / std::sqrt(pi2)) << word;
        EXPECT_EQ(std::signbit(found), word >> 31 != 0) << word;
    };
    for (size_t i = 0; i < count; i += 2) {
        const uint64_t n = state.counter + i;
        const auto pairOf = [&](uint64_t number) {
            const uint64_t bits =
                wordOf(state, 2 * number) | uint64_t{wordOf(state, 2 * number + 1)} << 32;
            return static_cast<double>(cut(bits, 53)) * 0x1p-64;
        };
        const double u = static_cast<double>(cut(wordOf(state, n), 24)) * 0x1p-32;
        expectQuantile(floats[i], wordOf(state, n));
        expectQuantile(floats[i + 1], wordOf(state, n + 1));
        ASSERT_NEAR(waits[i], -5 * std::log(u), -2e-6 * 5 * std::log(u)) << i;
        const double wide = std::sqrt(-2 * std::log(pairOf(n)));
        const double wideAngle = pi2 * pairOf(n + 1);
        ASSERT_NEAR(doubles[i], 3 + 2 * wide * std::cos(wideAngle), 1e-14 * (3 + 2 * wide)) << i;
        ASSERT_NEAR(doubles[i + 1], 3 + 2 * wide * std::sin(wideAngle), 1e-14 * (3 + 2 * wide));
        ASSERT_NEAR(longWaits[i], -std::log(pairOf(n)), 1e-14 * wide * wide) << i;
    }
    const auto moment = [&](int power) {
        double sum = 0;
        for (const float x : floats)
            sum += std::pow(x, power);
        return sum / static_cast<double>(count);
    };
    EXPECT_NEAR(moment(1), 0, 5 / std::sqrt(count));
    EXPECT_NEAR(moment(2), 1, 5 * std::sqrt(2.0 / count));
    EXPECT_NEAR(moment(3), 0, 5 * std::sqrt(15.0 / count));
    EXPECT_NEAR(moment(4), 3, 5 * std::sqrt(96.0 / count));
}

TEST_F(RandomTest, ShortNumbersAreTheNearestToFloats) {
    if (isSwiftShader(manager))
        GTEST_SKIP() << "SwiftShader computes a few of these numbers otherwise";
    for (const double deviation : {1.0, 1e-4, 3e4}) {
        const auto distribution = Distribution::normal(0, deviation);
        const auto floats = random<float>(5001, distribution);
        const auto halves = random<kp::Half>(5001, distribution);
        const auto shorts = random<kp::BFloat16>(5001, distribution);
        for (size_t i = 0; i < floats.size(); ++i) {
            ASSERT_EQ(static_cast<float>(halves[i]), static_cast<float>(kp::Half(floats[i])));
            ASSERT_EQ(shorts[i].bits, kp::BFloat16(floats[i]).bits) << floats[i];
        }
    }
}

// Other devices must give the same bits.
TEST_F(RandomTest, NormalAndExponentialNumbersHaveTheSameBitsOnEveryDevice) {
    if (isSwiftShader(manager))
        GTEST_SKIP() << "SwiftShader computes a few of these numbers otherwise";
    const auto hash = [](const auto& numbers) {
        uint64_t sum = 1469598103934665603;
        for (const auto& number : numbers) {
            unsigned char bytes[sizeof number];
            std::memcpy(bytes, &number, sizeof number);
            for (const unsigned char byte : bytes)
                sum = (sum ^ byte) * 1099511628211;
        }
        return sum;
    };
    EXPECT_EQ(hash(random<float>(10000, Distribution::normal(1, 3), {1, 2, 3})),
              1494520035810882483u);
    EXPECT_EQ(hash(random<double>(10000, Distribution::normal(1, 3), {1, 2, 3})),
              4504966889411683145u);
    EXPECT_EQ(hash(random<float>(10000, Distribution::exponential(), {1, 2, 3})),
              3587595841975601658u);
    EXPECT_EQ(hash(random<double>(10000, Distribution::exponential(), {1, 2, 3})),
              2814464462898431519u);
}

TEST_F(RandomTest, RunsAgainInASequence) {
    const auto out = manager.tensorT<float>(1000);
    auto sequence = manager.sequence();
    sequence->record<kp::OpRandom>(out, Distribution::uniform());
    sequence->eval();
    const std::vector<float> first = out->vector();
    std::fill_n(out->data(), 1000, 0.f);
    sequence->record<kp::OpSyncDevice>({out});
    sequence->eval();
    sequence->clear();
    sequence->eval<kp::OpRandom>(out, Distribution::uniform());
    EXPECT_EQ(out->vector(), first);
    const auto empty = manager.tensorT<float>(4);
    manager.sequence()->eval<kp::OpRandom>(TensorRange(empty, 2, 0), Distribution::uniform());
}

TEST_F(RandomTest, RefusesDistributionsThatDoNotExist) {
    const auto floats = manager.tensorT<float>(4);
    const auto bytes = manager.tensorT<int8_t>(4);
    const auto expect = [&](const char* message, const TensorRange& out,
                            const Distribution& distribution) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpRandom(out, distribution));
    };
    expect("the output is null", {}, Distribution::bits());
    expect("there are no numbers from -3e+38 up to 3e+38", floats,
           Distribution::uniform(-3e38, 3e38));
    expect("integers need an output of an integer type, not of eFloat", floats,
           Distribution::bits());
    expect("needs an output of a floating-point type, not of eChar", bytes, Distribution::normal());
    expect("type eChar cannot hold 128", bytes, Distribution::integers(0, 128));
    expect("type eChar cannot hold -129", bytes, Distribution::integers(-129, 0));
    expect("type eChar cannot hold 18446744073709551615", bytes,
           Distribution::integers(uint64_t{0}, UINT64_MAX));
    expect("no integers from 3 to 2", bytes, Distribution::integers(3, 2));
    expect("no integers from 3 to -2", bytes, Distribution::integers(3, -2));
    expect("no numbers from 2 up to 1", floats, Distribution::uniform(2, 1));
    expect("no numbers from 0 up to inf", floats, Distribution::uniform(0, INFINITY));
    expect("deviation -1 does not exist", floats, Distribution::normal(0, -1));
    expect("mean nan does not exist", floats, Distribution::exponential(NAN));
    expect("begins at element 3 and has 2 elements", TensorRange(floats, 3, 2),
           Distribution::uniform());
}

} // namespace
} // namespace kp::test

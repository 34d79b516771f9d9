// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/select/SelectPlan.hpp"

namespace kp::test {
namespace {

using kp::TensorRange;
using kp::UniqueOptions;

constexpr auto kRunMemory = kp::Memory::MemoryTypes::eStorage;

using Three = std::array<uint32_t, 3>;

/// The runs of some values.
template <typename T>
struct Runs {
    std::vector<T> values;
    std::vector<uint64_t> lengths;
    std::vector<uint64_t> inverse;

    explicit Runs(const std::vector<T>& in) {
        for (size_t i = 0; i < in.size(); ++i) {
            if (i == 0 || in[i] != in[i - 1]) {
                values.push_back(in[i]);
                lengths.push_back(0);
            }
            ++lengths.back();
            inverse.push_back(values.size() - 1);
        }
    }
};

template <typename To, typename From>
std::vector<To> converted(const std::vector<From>& values) {
    return std::vector<To>(values.begin(), values.end());
}

class RunsTest : public DeviceTest {
protected:
    /// Values in runs of up to `longest`.
    template <typename T>
    static std::vector<T> inRuns(size_t count, size_t longest) {
        const auto random = randomValues<uint32_t>(count, count + longest);
        std::vector<T> values;
        uint32_t current = 1;
        for (size_t i = 0; values.size() < count; ++i) {
            current = current % 100 + 1;
            T value{};
            std::memcpy(&value, &current, std::min(sizeof value, sizeof current));
            values.insert(values.end(), std::min(count - values.size(), random[i] % longest + 1),
                          value);
        }
        return values;
    }

    template <typename T, typename Integer>
    void expectRuns(const std::vector<T>& values) {
        const Runs<T> runs(values);
        const size_t count = values.size();
        const auto in = manager.tensorT<T>(values, kRunMemory);
        const auto out = manager.tensorT<T>(std::vector<T>(count), kRunMemory);
        const auto lengths = manager.tensorT<Integer>(std::vector<Integer>(count), kRunMemory);
        const auto inverse = manager.tensorT<Integer>(std::vector<Integer>(count), kRunMemory);
        const auto number = manager.tensorT<Integer>(1);
        const auto check = [&] {
            ASSERT_EQ(static_cast<uint64_t>(number->vector().front()), runs.values.size()) << count;
            auto given = onDevice<T>(*out);
            given.resize(runs.values.size());
            EXPECT_TRUE(given == runs.values) << count;
            auto givenLengths = onDevice<Integer>(*lengths);
            givenLengths.resize(runs.values.size());
            EXPECT_EQ(givenLengths, converted<Integer>(runs.lengths)) << count;
        };
        manager.sequence()->eval<kp::OpRunLength>(in, out, lengths, number);
        check();
        manager.sequence()->eval<kp::OpFill>(std::vector<std::shared_ptr<kp::Tensor>>{lengths},
                                             Integer{3});
        UniqueOptions options;
        options.counts = lengths;
        options.inverse = inverse;
        manager.sequence()->eval<kp::OpUnique>(in, out, number, options);
        check();
        EXPECT_EQ(onDevice<Integer>(*inverse), converted<Integer>(runs.inverse)) << count;
    }
};

TEST_F(RunsTest, EncodesAnyNumberOfElements) {
    for (const size_t count : kSizes) {
        expectRuns<uint32_t, uint32_t>(inRuns<uint32_t>(count, 1));
        expectRuns<uint32_t, uint32_t>(inRuns<uint32_t>(count, 7));
        expectRuns<uint32_t, uint32_t>(inRuns<uint32_t>(count, 30000));
    }
    expectRuns<uint32_t, uint32_t>(std::vector<uint32_t>(50000, 4));
}

TEST_F(RunsTest, TakesElementsAndIntegersOfEveryType) {
    expectRuns<uint8_t, int32_t>(inRuns<uint8_t>(20000, 9));
    expectRuns<int16_t, int64_t>(inRuns<int16_t>(20000, 9));
    expectRuns<float, uint64_t>(inRuns<float>(20000, 9));
    expectRuns<uint64_t, uint32_t>(inRuns<uint64_t>(20000, 9));
    expectRuns<double, uint32_t>(inRuns<double>(20000, 9));
    expectRuns<Three, uint32_t>(inRuns<Three>(20000, 9));
    expectRuns<std::array<uint8_t, 5>, int64_t>(inRuns<std::array<uint8_t, 5>>(20000, 9));
}

TEST_F(RunsTest, NaNDiffersFromNaNAndZeroEqualsMinusZero) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto lengths = manager.tensorT<uint32_t>(8);
    const auto values = manager.tensorT<float>(8);
    const auto count = manager.tensorT<uint32_t>(1);
    manager.sequence()->eval<kp::OpRunLength>(
        manager.tensorT<float>({nan, nan, 1, 1, 0.0f, -0.0f, nan, nan}, kRunMemory), values,
        lengths, count);
    ASSERT_EQ(count->vector().front(), 6u);
    auto given = lengths->vector();
    given.resize(6);
    EXPECT_EQ(given, (std::vector<uint32_t>{1, 1, 2, 2, 1, 1}));
    EXPECT_EQ(values->vector()[2], 1);
}

TEST_F(RunsTest, TakesPartsOfTensorsAndSmallOutputs) {
    const auto values = inRuns<uint16_t>(9000, 5);
    const std::vector<uint16_t> part(values.begin() + 13, values.begin() + 8013);
    const Runs<uint16_t> runs(part);
    const auto out = manager.tensorT<uint16_t>(std::vector<uint16_t>(50, 9), kRunMemory);
    const auto lengths = manager.tensorT<uint32_t>(std::vector<uint32_t>(90, 9), kRunMemory);
    const auto count = manager.tensorT<uint64_t>(1);
    manager.sequence()->eval<kp::OpRunLength>(
        TensorRange(manager.tensorT<uint16_t>(values, kRunMemory), 13, 8000),
        TensorRange(out, 3, 40), TensorRange(lengths, 1, 80), count);
    EXPECT_EQ(count->vector().front(), runs.values.size());
    std::vector<uint16_t> expected(50, 9);
    std::copy_n(runs.values.begin(), 40, expected.begin() + 3);
    EXPECT_EQ(onDevice<uint16_t>(*out), expected);
    std::vector<uint32_t> expectedLengths(90, 9);
    std::copy_n(runs.lengths.begin(), 80, expectedLengths.begin() + 1);
    EXPECT_EQ(onDevice<uint32_t>(*lengths), expectedLengths);
}

TEST_F(RunsTest, OfNothingAreNone) {
    const auto values = manager.tensorT<float>({1});
    const auto out = manager.tensorT<float>(1);
    const auto lengths = manager.tensorT<uint32_t>(1);
    const auto count = manager.tensorT<uint32_t>({5});
    manager.sequence()->eval<kp::OpRunLength>(TensorRange(values, 0, 0), out, lengths, count);
    EXPECT_EQ(count->vector().front(), 0u);
}

// The views of a device are at most 2 GiB, and often less. Here they have a few elements.
TEST_F(RunsTest, CutsWhatNoViewCanHold) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    for (const uint64_t bytes : {2000, 60000})
        for (const size_t longest : {1, 5, 3000}) {
            traits.maxViewBytes = bytes;
            const size_t elements = bytes == 2000 ? 2000 : 40000;
            const auto values = inRuns<uint32_t>(elements, longest);
            const Runs<uint32_t> runs(values);
            kp::primitives::SelectProblem problem;
            problem.choice = kp::primitives::SelectProblem::Choice::eHeads;
            problem.count = problem.outCount = problem.lengthCount = elements;
            problem.type = kp::Memory::DataTypes::eUnsignedInt;
            problem.arguments = 5;
            problem.out = 1;
            problem.lengths = 2;
            problem.wideLengths = true;
            problem.inverse = 3;
            problem.number = 4;
            const auto out = manager.tensorT<uint32_t>(elements);
            const auto lengths = manager.tensorT<uint64_t>(elements);
            const auto inverse = manager.tensorT<uint32_t>(elements);
            const auto count = manager.tensorT<uint32_t>(1);
            manager.sequence()->eval(plannedOperation(
                kp::primitives::planSelect(problem, traits),
                {manager.tensorT<uint32_t>(values, kRunMemory), out, lengths, inverse, count}));
            ASSERT_EQ(count->vector().front(), runs.values.size());
            auto given = out->vector();
            given.resize(runs.values.size());
            EXPECT_EQ(given, runs.values) << bytes << " " << longest;
            auto givenLengths = lengths->vector();
            givenLengths.resize(runs.values.size());
            EXPECT_EQ(givenLengths, runs.lengths) << bytes << " " << longest;
            EXPECT_EQ(converted<uint64_t>(inverse->vector()), runs.inverse);
        }
}

// What GPUs do: one pass, in which work groups wait for each other, or help those that say nothing.
TEST_F(RunsTest, EncodesByLookBack) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    if (!traits.memoryModel || !traits.subgroups)
        GTEST_SKIP() << "the device has no memory model with device scope, or no subgroups";
    traits.isCpu = false;
    const auto expectEncoded = [&](auto first, uint32_t silent, size_t elements, size_t longest) {
        using T = decltype(first);
        const auto values = inRuns<T>(elements, longest);
        const Runs<T> runs(values);
        // The first element does not start a block.
        std::vector<T> stored(3, values.front());
        stored.insert(stored.end(), values.begin(), values.end());
        const auto in = manager.tensorT<T>(stored, kRunMemory);
        const auto out = manager.tensorT<T>(std::vector<T>(elements), kRunMemory);
        const auto lengths = manager.tensorT<uint64_t>(elements);
        const auto inverse = manager.tensorT<uint32_t>(elements);
        const auto count = manager.tensorT<uint32_t>(1);
        kp::primitives::SelectProblem problem;
        problem.choice = kp::primitives::SelectProblem::Choice::eHeads;
        problem.count = problem.outCount = problem.lengthCount = elements;
        problem.type = in->dataType();
        problem.elementBytes = sizeof(T);
        problem.arguments = 5;
        problem.out = 1;
        problem.lengths = 2;
        problem.wideLengths = true;
        problem.inverse = 3;
        problem.number = 4;
        auto rules = kp::primitives::SelectRules::of(problem, traits);
        EXPECT_EQ(rules.way, kp::primitives::SelectWay::eLookBack) << rules.reason;
        rules.tile = {64, 4, 4};
        rules.silentGroups = silent;
        rules.spins = 8;
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planSelect(problem, traits, rules),
                             {TensorRange(in, 3), out, lengths, inverse, count}));
        ASSERT_EQ(count->vector().front(), runs.values.size()) << elements << " " << silent;
        auto given = onDevice<T>(*out);
        given.resize(runs.values.size());
        EXPECT_TRUE(given == runs.values) << elements << " " << longest << " " << silent;
        auto givenLengths = lengths->vector();
        givenLengths.resize(runs.values.size());
        EXPECT_EQ(givenLengths, runs.lengths) << elements << " " << longest << " " << silent;
        EXPECT_EQ(converted<uint64_t>(inverse->vector()), runs.inverse);
    };
    for (const uint32_t silent : {0u, 1u})
        for (const size_t longest : {1, 5, 3000})
            for (const size_t elements : {1, 256, 257, 20011})
                expectEncoded(uint32_t{}, silent, elements, longest);
    expectEncoded(uint8_t{}, 0, 2001, 5);
    expectEncoded(double{}, 0, 2001, 5);
}

TEST_F(RunsTest, RefusesArgumentsThatDoNotMatch) {
    const auto six = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto out = manager.tensorT<float>(6);
    const auto count = manager.tensorT<uint32_t>(1);
    EXPECT_ERROR(kp::InvalidArgument, "OpRunLength: the lengths is null",
                 kp::OpRunLength(six, out, {}, count));
    EXPECT_ERROR(kp::InvalidArgument, "the lengths must be of eUnsignedInt",
                 kp::OpRunLength(six, out, manager.tensorT<float>(6), count));
    UniqueOptions options;
    options.inverse = manager.tensorT<uint32_t>(5);
    EXPECT_ERROR(kp::InvalidArgument, "OpUnique: the input has 6 elements, but the inverse has 5",
                 kp::OpUnique(six, out, count, options));
    EXPECT_ERROR(kp::InvalidArgument, "the input and the output overlap",
                 kp::OpUnique(six, six, count));
}

} // namespace
} // namespace kp::test

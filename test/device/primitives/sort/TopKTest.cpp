// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/sort/TopKPlan.hpp"

namespace kp::test {
namespace {

using kp::TensorRange;
using kp::TopKOptions;

constexpr auto kRanked = kp::Memory::MemoryTypes::eStorage;

/// The order of OpSort: -0 before 0, all NaNs last.
template <typename T>
bool ranksBefore(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        return left < right;
    } else {
        using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
        const Real a = static_cast<Real>(left);
        const Real b = static_cast<Real>(right);
        if (std::isnan(a) || std::isnan(b))
            return !std::isnan(a) && std::isnan(b);
        return a == b ? std::signbit(a) && !std::signbit(b) : a < b;
    }
}

/// Many equal numbers, and special ones.
template <typename T>
std::vector<T> rankedValues(size_t count, uint64_t seed) {
    std::vector<T> values = randomValues<T>(count, seed);
    for (size_t i = 0; i < count; ++i) {
        if (i % 3 != 0)
            values[i] = values[i / 3];
        if constexpr (!std::is_integral_v<T>) {
            const float infinity = std::numeric_limits<float>::infinity();
            const float nan = std::numeric_limits<float>::quiet_NaN();
            const float special[] = {0.0f, -0.0f, infinity, -infinity, nan, -nan, 1e-40f, -1e-40f};
            if (i % 31 == 5)
                values[i] = static_cast<T>(special[i / 31 % 8]);
        } else if (i % 37 == 3) {
            values[i] = i % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
        }
    }
    return values;
}

/// Extents around an axis, and the wanted results.
struct TopKCase {
    size_t outer = 1;
    size_t length = 0;
    size_t inner = 1;
    size_t k = 0;
    bool smallest = false;
};

class TopKTest : public DeviceTest {
protected:
    template <typename T>
    std::shared_ptr<kp::TensorT<T>> stored(const std::vector<T>& values) {
        return manager.tensorT<T>(values, kRanked);
    }

    template <typename T, typename Index>
    static void findByLoop(const std::vector<T>& values, const TopKCase& wanted,
                           std::vector<T>& found, std::vector<Index>& indices) {
        found.resize(wanted.outer * wanted.k * wanted.inner);
        indices.resize(found.size());
        std::vector<size_t> order(wanted.length);
        for (size_t o = 0; o < wanted.outer; ++o)
            for (size_t i = 0; i < wanted.inner; ++i) {
                const auto at = [&](size_t j) {
                    return (o * wanted.length + j) * wanted.inner + i;
                };
                std::iota(order.begin(), order.end(), size_t{0});
                std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
                    return wanted.smallest ? ranksBefore(values[at(a)], values[at(b)])
                                           : ranksBefore(values[at(b)], values[at(a)]);
                });
                for (size_t j = 0; j < wanted.k; ++j) {
                    found[(o * wanted.k + j) * wanted.inner + i] = values[at(order[j])];
                    indices[(o * wanted.k + j) * wanted.inner + i] = static_cast<Index>(order[j]);
                }
            }
    }

    template <typename T>
    static bool hasBitsOf(const std::vector<T>& a, const std::vector<T>& b) {
        return a.size() == b.size() &&
               (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
    }

    template <typename T, typename Index = uint32_t>
    void expectFound(const std::vector<T>& values, const TopKCase& wanted) {
        std::vector<T> expected;
        std::vector<Index> expectedIndices;
        findByLoop(values, wanted, expected, expectedIndices);
        TopKOptions options;
        options.smallest = wanted.smallest;
        if (wanted.outer * wanted.inner != 1) {
            options.shape = {wanted.outer, wanted.length, wanted.inner};
            options.axis = -2;
        }
        const auto out = manager.tensorT<T>(expected.size(), kRanked);
        const auto indices = manager.tensorT<Index>(expected.size(), kRanked);
        manager.sequence()->eval<kp::OpTopK>(stored(values), wanted.k, out, indices, options);
        EXPECT_TRUE(hasBitsOf(onDevice<T>(*out), expected))
            << wanted.k << " of " << wanted.length << " x " << wanted.outer << " x "
            << wanted.inner;
        EXPECT_EQ(onDevice<Index>(*indices), expectedIndices)
            << wanted.k << " of " << wanted.length;
    }

    /// Runs a plan of the test's own, over rows.
    template <typename T>
    void expectPlanned(const std::vector<T>& values, const TopKCase& wanted,
                       const kp::primitives::DeviceTraits& traits,
                       const kp::primitives::TopKRules& rules, bool withValues,
                       uint32_t indexBytes) {
        std::vector<T> expected;
        std::vector<uint64_t> expectedIndices;
        findByLoop(values, wanted, expected, expectedIndices);
        kp::primitives::TopKProblem problem;
        const auto in = stored(values);
        problem.type = in->dataType();
        problem.array = {wanted.outer, wanted.length, wanted.inner};
        problem.k = wanted.k;
        problem.smallest = wanted.smallest;
        problem.values = withValues;
        problem.indexBytes = indexBytes;
        const auto out = manager.tensorT<T>(expected.size(), kRanked);
        const auto narrow = manager.tensorT<uint32_t>(expected.size(), kRanked);
        const auto wide = manager.tensorT<uint64_t>(expected.size(), kRanked);
        std::vector<TensorRange> tensors = {in};
        if (withValues)
            tensors.push_back(out);
        if (indexBytes == 4)
            tensors.push_back(narrow);
        if (indexBytes == 8)
            tensors.push_back(wide);
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planTopK(problem, traits, rules), tensors));
        if (withValues) {
            EXPECT_TRUE(hasBitsOf(onDevice<T>(*out), expected)) << wanted.length;
        }
        if (indexBytes == 4) {
            const auto found = onDevice<uint32_t>(*narrow);
            EXPECT_EQ(std::vector<uint64_t>(found.begin(), found.end()), expectedIndices);
        }
        if (indexBytes == 8) {
            EXPECT_EQ(onDevice<uint64_t>(*wide), expectedIndices) << wanted.length;
        }
    }

    static kp::primitives::TopKRules smallChunks() {
        kp::primitives::TopKRules rules;
        rules.groupSize = 64;
        rules.chunk = 100;
        rules.keysPerTaken = 5;
        return rules;
    }
};

TEST_F(TopKTest, FindsTheLargestOfAnyNumberOfElements) {
    for (const size_t count : kSizes)
        expectFound(rankedValues<float>(count, count), {1, count, 1, std::min<size_t>(count, 10)});
}

TEST_F(TopKTest, FindsAnyNumberOfElements) {
    const auto values = rankedValues<float>(5003, 1);
    for (const size_t k : {1, 2, 31, 255, 1025, 2000, 5003})
        expectFound(values, {1, 5003, 1, k});
    const auto few = rankedValues<float>(900, 2);
    for (const size_t k : {1, 17, 899, 900})
        expectFound(few, {1, 900, 1, k, true});
}

// The operations take every type that OpSort takes; here are those that its kernels distinguish.
TEST_F(TopKTest, FindsNumbersOfEveryType) {
    expectFound(rankedValues<int8_t>(3001, 1), {1, 3001, 1, 77, true});
    expectFound<kp::Half>(rankedValues<kp::Half>(3001, 5), {1, 3001, 1, 77});
    for (const bool smallest : {false, true})
        expectFound<double, int64_t>(rankedValues<double>(3001, 6), {1, 3001, 1, 77, smallest});
}

// Of equal elements, the ones with the smallest indices.
TEST_F(TopKTest, OfEqualElementsTakesTheFirst) {
    expectFound(std::vector<float>(5000, 3.0f), {1, 5000, 1, 100});
    std::vector<int> two(20000);
    for (size_t i = 0; i < two.size(); ++i)
        two[i] = i % 1000 == 7 ? 5 : 1;
    expectFound(std::vector<float>(two.begin(), two.end()), {1, 20000, 1, 50});
}

TEST_F(TopKTest, FindsAlongAnAxis) {
    expectFound(rankedValues<float>(40 * 33, 1), {40, 33, 1, 5});
    expectFound(rankedValues<float>(6 * 2500, 2), {6, 2500, 1, 9, true});
    expectFound(rankedValues<float>(3 * 50 * 7, 3), {3, 50, 7, 4});
    expectFound(rankedValues<double>(2 * 1500 * 3, 4), {2, 1500, 3, 20, true});
}

TEST_F(TopKTest, WritesValuesAloneAndIndicesAlone) {
    const std::vector<float> values = rankedValues<float>(2000, 3);
    const TopKCase wanted{2, 1000, 1, 12};
    const auto traits = traitsOf(manager);
    expectPlanned(values, wanted, traits, smallChunks(), true, 0);
    expectPlanned(values, wanted, traits, smallChunks(), false, 4);
    const TopKCase all{1, 2000, 1, 1500};
    expectPlanned(values, all, traits, smallChunks(), true, 0);
    expectPlanned(values, all, traits, smallChunks(), false, 8);
}

// Rows are reduced chunk by chunk, several times.
TEST_F(TopKTest, ReducesLongRowsInRounds) {
    const auto traits = traitsOf(manager);
    for (const size_t length : {1025, 3001, 20011})
        for (const size_t k : {1, 10, 101})
            expectPlanned(rankedValues<float>(2 * length, length), {2, length, 1, k}, traits,
                          smallChunks(), true, 4);
    expectPlanned(rankedValues<double>(9001, 5), {1, 9001, 1, 40, true}, traits, smallChunks(),
                  true, 8);
}

// Devices with small storage buffers take rows, and chunks of rows, one after the other.
TEST_F(TopKTest, FindsAmongElementsThatNoViewCanHold) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.maxViewBytes = 4800;
    expectPlanned(rankedValues<float>(5003, 1), {1, 5003, 1, 7}, traits, smallChunks(), true, 4);
    expectPlanned(rankedValues<float>(7 * 500, 2), {7, 500, 1, 7}, traits, smallChunks(), true, 4);
}

TEST_F(TopKTest, FindsInPartsOfTensorsInASequence) {
    const std::vector<int8_t> values = rankedValues<int8_t>(3000, 8);
    const auto in = manager.tensorT<int8_t>(values);
    const auto out = manager.tensorT<int8_t>(std::vector<int8_t>(20, 3));
    const auto indices = manager.tensorT<uint32_t>(std::vector<uint32_t>(20, 4));
    const auto largest = manager.tensorT<int8_t>(1);
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({in, out, indices})
        ->record<kp::OpTopK>(TensorRange(in, 7, 2500), 9, TensorRange(out, 3, 9),
                             TensorRange(indices, 1, 9))
        ->record<kp::OpReduce>(out, largest, kp::ReduceOperation::eMaximum)
        ->record<kp::OpTopK>(in, 0, TensorRange(out, 0, 0));
    std::vector<int8_t> found;
    std::vector<uint32_t> foundAt;
    findByLoop(std::vector<int8_t>(values.begin() + 7, values.begin() + 2507), {1, 2500, 1, 9},
               found, foundAt);
    std::vector<int8_t> expected(20, 3);
    std::vector<uint32_t> expectedAt(20, 4);
    std::copy(found.begin(), found.end(), expected.begin() + 3);
    std::copy(foundAt.begin(), foundAt.end(), expectedAt.begin() + 1);
    for (int i = 0; i < 2; ++i) {
        sequence->eval();
        EXPECT_EQ(out->vector(), expected);
        EXPECT_EQ(indices->vector(), expectedAt);
        EXPECT_EQ(largest->vector()[0], expected[3]);
    }
}

TEST_F(TopKTest, RefusesArgumentsThatDoNotMatch) {
    const auto floats = stored<float>({1, 2, 3, 4, 5, 6});
    const auto two = manager.tensorT<float>(2);
    const auto words = manager.tensorT<uint32_t>(2);
    const auto refuse = [&](const char* part, uint64_t k, const TensorRange& values,
                            const TensorRange& indices, const TopKOptions& options = {}) {
        EXPECT_ERROR(kp::InvalidArgument, part, kp::OpTopK(floats, k, values, indices, options));
    };
    refuse("neither values nor indices are given", 2, {}, {});
    refuse("no 7 largest of 6 elements", 7, two, words);
    refuse("the result has 3 elements, but there are 2 places for values", 3, two, words);
    refuse("must have the same type", 2, words, {});
    refuse("the indices must be of eUnsignedInt", 2, {}, two);
    refuse("overlap", 2, TensorRange(floats, 0, 2), words);
    TopKOptions rows;
    rows.shape = {2, 3};
    rows.axis = 2;
    refuse("axis 2 does not exist", 2, two, words, rows);
    rows.axis = 1;
    refuse("the result has 4 elements, but there are 2 places for values", 2, two, words, rows);
    rows.smallest = true;
    refuse("no 4 smallest of 3 elements", 4, two, words, rows);
    rows.shape = {4, 3};
    refuse("does not have the input's 6 elements", 2, two, words, rows);
    const auto custom = manager.tensor(uint64_t{6}, uint64_t{12}, kp::Memory::DataTypes::eCustom);
    EXPECT_ERROR(kp::InvalidArgument, "cannot be ordered", kp::OpTopK(custom, 1, two));
}

} // namespace
} // namespace kp::test

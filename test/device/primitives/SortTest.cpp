// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/sort/SortPlan.hpp"

namespace kp::test {
namespace {

using kp::SortOptions;
using kp::TensorRange;
using kp::primitives::DeviceTraits;
using kp::primitives::SortProblem;
using kp::primitives::SortRules;
using kp::primitives::SortWay;
using DataTypes = kp::Memory::DataTypes;

template <typename T>
constexpr bool kIsReal = !std::is_integral_v<T>;

/// The order of OpSort.
template <typename T>
bool isBefore(T left, T right) {
    if constexpr (kIsReal<T>) {
        using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
        const Real a = static_cast<Real>(left);
        const Real b = static_cast<Real>(right);
        if (std::isnan(a) || std::isnan(b))
            return !std::isnan(a);
        return a == b ? std::signbit(a) && !std::signbit(b) : a < b;
    } else {
        return left < right;
    }
}
template <typename T>
bool isLess(T a, T b) {
    if constexpr (kIsReal<T>)
        if (std::isnan(static_cast<double>(static_cast<float>(b))) &&
            std::isnan(static_cast<double>(static_cast<float>(a))))
            return false;
    return isBefore(a, b);
}

/// The indices of a part of the keys in their order, from 0.
template <typename T>
std::vector<uint32_t> order(const std::vector<T>& keys, size_t first, size_t count,
                            bool descending = false) {
    std::vector<uint32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0u);
    std::stable_sort(indices.begin(), indices.end(), [&](uint32_t a, uint32_t b) {
        const T left = keys[first + a];
        const T right = keys[first + b];
        return descending ? isLess(right, left) : isLess(left, right);
    });
    return indices;
}
template <typename T>
std::vector<uint32_t> order(const std::vector<T>& keys, bool descending = false) {
    return order(keys, 0, keys.size(), descending);
}

template <typename T, typename Index>
std::vector<T> gathered(const std::vector<T>& values, const std::vector<Index>& indices) {
    std::vector<T> out(indices.size());
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = values[indices[i]];
    return out;
}

template <typename T>
bool hasSameBits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Keys with many equal ones among them, and with every kind of special number.
template <typename T>
std::vector<T> keysOf(size_t count, uint64_t seed) {
    std::vector<T> keys = randomValues<T>(count, seed);
    for (size_t i = 0; i < count; ++i) {
        if (i % 3 == 1)
            keys[i] = keys[i / 2];
        if constexpr (kIsReal<T>) {
            const float infinity = std::numeric_limits<float>::infinity();
            const float nan = std::numeric_limits<float>::quiet_NaN();
            const float special[] = {0.0f, -0.0f, infinity, -infinity, nan, -nan, 1e-40f, -1e-40f};
            if (i % 7 == 5)
                keys[i] = static_cast<T>(special[i / 7 % 8]);
        } else if (i % 11 == 3) {
            keys[i] = i % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
        }
    }
    return keys;
}

class SortTest : public DeviceTest {
protected:
    static constexpr auto kStorage = kp::Memory::MemoryTypes::eStorage;

    template <typename T>
    std::shared_ptr<kp::TensorT<T>> stored(const std::vector<T>& values) {
        return manager.tensorT<T>(values, kStorage);
    }

    /// Sorts keys, keys with values, and indices, and compares with std::stable_sort.
    template <typename T>
    void expectSorted(const std::vector<T>& keys, const SortOptions& options = {}) {
        const std::vector<uint32_t> indices = order(keys, options.descending);
        const std::vector<T> sorted = gathered(keys, indices);
        const auto alone = stored(keys);
        manager.sequence()->eval<kp::OpSort>(alone, TensorRange{}, options);
        EXPECT_TRUE(hasSameBits(onDevice<T>(*alone), sorted)) << keys.size() << " keys";

        std::vector<uint64_t> values(keys.size());
        std::iota(values.begin(), values.end(), uint64_t{1} << 40);
        const auto withValues = stored(keys);
        const auto wide = stored(values);
        manager.sequence()->eval<kp::OpSort>(withValues, wide, options);
        EXPECT_TRUE(hasSameBits(onDevice<T>(*withValues), sorted)) << keys.size() << " keys";
        EXPECT_EQ(onDevice<uint64_t>(*wide), gathered(values, indices)) << keys.size() << " keys";

        const auto source = stored(keys);
        const auto found = stored(std::vector<uint32_t>(keys.size()));
        manager.sequence()->eval<kp::OpArgSort>(source, found, options);
        EXPECT_EQ(onDevice<uint32_t>(*found), indices) << keys.size() << " keys";
        EXPECT_TRUE(hasSameBits(onDevice<T>(*source), keys));
    }

    /// Sorts keys and indices in one operation, as drivers take long to compile the variants.
    template <typename T>
    void expectOrdered(const std::vector<T>& keys, const SortOptions& given = {}) {
        SortOptions options = given;
        const std::vector<uint32_t> indices = order(keys, options.descending);
        const auto sorted = stored(std::vector<T>(keys.size()));
        const auto found = stored(std::vector<uint32_t>(keys.size()));
        options.sortedKeys = sorted;
        manager.sequence()->eval<kp::OpArgSort>(stored(keys), found, options);
        EXPECT_EQ(onDevice<uint32_t>(*found), indices) << keys.size() << " keys";
        EXPECT_TRUE(hasSameBits(onDevice<T>(*sorted), gathered(keys, indices)));
    }

    /// Runs a plan of the test's own over keys and 32-bit values, in place.
    template <typename T>
    void expectPlanned(const std::vector<T>& keys, const DeviceTraits& traits,
                       const SortRules& rules, uint32_t valueBytes = 4) {
        SortProblem problem;
        const auto tensor = stored(keys);
        problem.keys = tensor->dataType();
        problem.count = keys.size();
        problem.bits = sizeof(T) * 8;
        problem.valueBytes = valueBytes;
        problem.keysInPlace = true;
        problem.valuesInPlace = true;
        const std::vector<uint32_t> indices = order(keys);
        std::vector<TensorRange> tensors = {tensor};
        std::vector<uint32_t> values(keys.size() * std::max(4u, valueBytes) / 4);
        std::iota(values.begin(), values.end(), 7u);
        const auto valueTensor = stored(values);
        if (valueBytes > 0)
            tensors.push_back(valueTensor);
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planSort(problem, traits, rules), tensors));
        EXPECT_TRUE(hasSameBits(onDevice<T>(*tensor), gathered(keys, indices)))
            << keys.size() << " keys of " << sizeof(T) << " bytes";
        if (valueBytes == 4) {
            EXPECT_EQ(onDevice<uint32_t>(*valueTensor), gathered(values, indices))
                << keys.size() << " keys of " << sizeof(T) << " bytes";
        }
    }

    SortRules rulesFor(SortWay way, const DeviceTraits& traits, uint32_t groupSize,
                       uint32_t items) {
        SortRules rules = SortRules::of(SortProblem{}, traits);
        rules.way = way;
        rules.pass = SortRules::fitted({groupSize, items, true, false}, traits);
        rules.spins = 8;
        return rules;
    }
};

TEST_F(SortTest, SortsAnyNumberOfKeys) {
    for (const size_t count : kSizes)
        expectSorted(keysOf<uint32_t>(count, count));
}

TEST_F(SortTest, SortsKeysOfEveryType) {
    expectOrdered(keysOf<int8_t>(1000, 1));
    expectOrdered(keysOf<uint8_t>(1000, 2));
    expectOrdered(keysOf<int16_t>(1000, 3));
    expectOrdered(keysOf<uint16_t>(5003, 4));
    expectOrdered(keysOf<int32_t>(5003, 5));
    expectOrdered(keysOf<int64_t>(1000, 6));
    expectOrdered(keysOf<uint64_t>(1000, 7));
    expectOrdered(keysOf<kp::Half>(1000, 8));
    expectOrdered(keysOf<kp::BFloat16>(1000, 9));
    expectOrdered(keysOf<float>(1000, 10));
    expectOrdered(keysOf<double>(5003, 11));
}

TEST_F(SortTest, DescendingOrderIsStable) {
    SortOptions options;
    options.descending = true;
    for (const size_t count : {900, 5003}) {
        expectOrdered(keysOf<int8_t>(count, 1), options);
        expectOrdered(keysOf<uint64_t>(count, 2), options);
        expectOrdered(keysOf<double>(count, 4), options);
    }
}

template <typename T>
std::vector<T> withoutNegativeZeros(std::vector<T> keys) {
    for (T& key : keys)
        if (static_cast<double>(static_cast<float>(key)) == 0 && order<T>({key, T(0)})[0] == 0)
            key = T(0);
    return keys;
}

TEST_F(SortTest, EqualZerosKeepTheirOrder) {
    const auto expectEqual = [&]<typename T>(const std::vector<T>& keys, bool descending) {
        SortOptions options;
        options.equalZeros = true;
        options.descending = descending;
        const auto sorted = stored(std::vector<T>(keys.size()));
        const auto found = stored(std::vector<uint32_t>(keys.size()));
        options.sortedKeys = sorted;
        manager.sequence()->eval<kp::OpArgSort>(stored(keys), found, options);
        const auto expected = order(withoutNegativeZeros(keys), descending);
        EXPECT_NE(expected, order(keys, descending)) << "a test without both zeros";
        EXPECT_EQ(onDevice<uint32_t>(*found), expected) << keys.size() << " keys";
        EXPECT_TRUE(hasSameBits(onDevice<T>(*sorted), gathered(keys, expected)));
    };
    expectEqual(keysOf<float>(1000, 1), false);
    expectEqual(keysOf<float>(5003, 2), true);
    expectEqual(keysOf<double>(5003, 3), false);
    expectEqual(keysOf<kp::Half>(1000, 4), false);
}

TEST_F(SortTest, KeepsTheBitsOfNaNs) {
    std::vector<float> keys = {1, 0, 0, -1, 0, 0};
    const uint32_t bits[] = {0x7fc00001, 0xffc00002, 0x7f800003, 0xffffffff};
    std::memcpy(&keys[1], &bits[0], 8);
    std::memcpy(&keys[4], &bits[2], 8);
    const auto tensor = stored(keys);
    manager.sequence()->eval<kp::OpSort>(tensor);
    const std::vector<float> sorted = onDevice<float>(*tensor);
    EXPECT_EQ(sorted[0], -1);
    EXPECT_EQ(sorted[1], 1);
    EXPECT_EQ(std::memcmp(&sorted[2], bits, sizeof bits), 0);
}

TEST_F(SortTest, ComparesTheBitsAskedForAlone) {
    for (const auto& [first, end] : {std::pair(0u, 1u), {3u, 8u}, {0u, 24u}, {7u, 20u}, {24u, 32u}})
        for (const size_t count : {100, 5003}) {
            const auto keys = randomValues<uint32_t>(count);
            std::vector<uint32_t> parts = keys;
            for (uint32_t& part : parts)
                part = part >> first & ((uint64_t{1} << (end - first)) - 1);
            SortOptions options;
            options.firstBit = first;
            options.endBit = end;
            const auto tensor = stored(keys);
            const auto values = stored(keys);
            manager.sequence()->eval<kp::OpSort>(tensor, values, options);
            const auto expected = gathered(keys, order(parts));
            EXPECT_EQ(onDevice<uint32_t>(*tensor), expected) << first << " " << end;
            EXPECT_EQ(onDevice<uint32_t>(*values), expected) << first << " " << end;
        }
    const auto keys = randomValues<uint64_t>(5003);
    std::vector<uint64_t> parts = keys;
    for (uint64_t& part : parts)
        part = part >> 27 & 0x3ffff;
    SortOptions options;
    options.firstBit = 27;
    options.endBit = 45;
    const auto tensor = stored(keys);
    manager.sequence()->eval<kp::OpSort>(tensor, TensorRange{}, options);
    EXPECT_EQ(onDevice<uint64_t>(*tensor), gathered(keys, order(parts)));
}

TEST_F(SortTest, SortsByLookBack) {
    const DeviceTraits traits = traitsOf(manager);
    if (!traits.memoryModel)
        GTEST_SKIP() << "the device has no memory model with device scope";
    SortRules rules = rulesFor(SortWay::eLookBack, traits, 256, 4);
    for (const size_t count : {1, 1023, 1024, 1025, 20011})
        expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
    // As on NVIDIA's GPUs.
    rules.window = 8;
    rules.pass = SortRules::fitted({128, 4, true, true}, traits);
    for (const size_t count : {513, 20011})
        expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
    for (const uint32_t parts : {2u, 3u}) {
        SCOPED_TRACE(parts);
        rules.pass = SortRules::fitted({128, 6, true, true, parts}, traits);
        for (const size_t count : {767, 768, 20011})
            expectPlanned(keysOf<uint32_t>(count, count), traits, rules, 0);
        expectPlanned(keysOf<int32_t>(9001, 1), traits, rules, 4);
        expectPlanned(keysOf<double>(9001, 4), traits, rules, 8);
    }
    rules = rulesFor(SortWay::eLookBack, traits, 256, 4);
    expectPlanned(keysOf<uint8_t>(9001, 1), traits, rules);
    expectPlanned(keysOf<float>(9001, 2), traits, rules, 0);
    expectPlanned(keysOf<double>(9001, 4), traits, rulesFor(SortWay::eLookBack, traits, 128, 4));
    expectPlanned(std::vector<uint32_t>(9001, 5), traits, rules);
}

// A work group whose neighbours make no progress.
TEST_F(SortTest, SortsByLookBackIfHalfOfTheTilesPublishNothing) {
    for (const bool subgroups : {true, false}) {
        DeviceTraits traits = traitsOf(manager);
        if (!traits.memoryModel)
            GTEST_SKIP() << "the device has no memory model with device scope";
        traits.subgroups = traits.subgroups && subgroups;
        SortRules rules = rulesFor(SortWay::eLookBack, traits, subgroups ? 128 : 256, 4);
        rules.withhold = true;
        for (const size_t count : {1025, 9011})
            expectPlanned(keysOf<int32_t>(count, count), traits, rules);
        expectPlanned(keysOf<double>(3001, 4), traits, rules);
    }
}

TEST_F(SortTest, SortsByThreeDispatchesPerDigit) {
    const DeviceTraits traits = traitsOf(manager);
    SortRules rules = rulesFor(SortWay::eThreeDispatches, traits, 64, 4);
    for (const uint64_t blocks : {1, 7, 1000}) {
        rules.blocks = blocks;
        for (const size_t count : {1, 257, 20011})
            expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
    }
    expectPlanned(keysOf<uint16_t>(9001, 2), traits, rules, 0);
    expectPlanned(keysOf<int64_t>(9001, 3), traits, rules);
}

TEST_F(SortTest, SortsWithoutSubgroupOperations) {
    DeviceTraits traits = traitsOf(manager);
    traits.subgroups = false;
    for (const SortWay way : {SortWay::eThreeDispatches, SortWay::eLookBack}) {
        if (way == SortWay::eLookBack && !traits.memoryModel)
            continue;
        const SortRules rules = rulesFor(way, traits, 256, 4);
        for (const size_t count : {1, 1025, 20011})
            expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
    }
    SortRules rules = rulesFor(SortWay::eOneGroup, traits, 256, 4);
    rules.small = SortRules::fitted({128, 4, true, false}, traits);
    for (const size_t count : {1, 33, 511, 512})
        expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
}

// What drivers that compute on the processor take, on any device.
TEST_F(SortTest, SortsByOneInvocationPerStripOrRow) {
    const DeviceTraits traits = traitsOf(manager);
    SortRules rules = rulesFor(SortWay::eInvocations, traits, 64, 4);
    for (const uint64_t least : {1, 300}) {
        rules.minWhole = least;
        rules.minStrip = least;
        for (const size_t count : {1, 2, 3, 4, 5, 8, 9, 255, 1025, 20011})
            expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
        expectPlanned(keysOf<uint8_t>(9001, 2), traits, rules, 0);
        expectPlanned(keysOf<double>(9001, 3), traits, rules);
    }
}

TEST_F(SortTest, SortsRowsInEveryWay) {
    for (const bool isCpu : {false, true}) {
        DeviceTraits traits = traitsOf(manager);
        traits.isCpu = isCpu;
        for (const uint32_t length : {1, 3, 4, 7, 33, 256, 1500}) {
            const uint32_t rows = 4000 / length;
            SortProblem problem;
            problem.keys = kp::Memory::DataTypes::eFloat;
            problem.count = rows * length;
            problem.rowLength = length;
            problem.valueBytes = 4;
            problem.indices = true;
            for (const uint64_t take : {uint64_t{0}, uint64_t{length / 2}}) {
                problem.take = take;
                const uint32_t kept = take > 0 ? take : length;
                const std::vector<float> keys = keysOf<float>(problem.count, length);
                const auto in = stored(keys);
                const auto out = stored(std::vector<float>(rows * kept));
                const auto indices = stored(std::vector<uint32_t>(rows * kept));
                if (take > 0 && SortRules::of(problem, traits).small.keys() < length)
                    continue;
                manager.sequence()->eval(plannedOperation(kp::primitives::planSort(problem, traits),
                                                          {in, out, indices}));
                std::vector<float> sorted;
                std::vector<uint32_t> places;
                for (uint32_t row = 0; row < rows; ++row) {
                    const auto begin = keys.begin() + row * length;
                    const std::vector<float> own(begin, begin + length);
                    std::vector<uint32_t> ordered = order(own);
                    ordered.resize(kept);
                    for (const uint32_t place : ordered) {
                        places.push_back(place);
                        sorted.push_back(own[place]);
                    }
                }
                EXPECT_TRUE(hasSameBits(onDevice<float>(*out), sorted)) << length << " " << isCpu;
                EXPECT_EQ(onDevice<uint32_t>(*indices), places) << length << " " << isCpu;
            }
        }
    }
}

// The views of a device are at most 2 GiB, and often less. Here they have a few thousand elements.
TEST_F(SortTest, SortsWhatNoViewCanHold) {
    DeviceTraits traits = traitsOf(manager);
    traits.maxViewBytes = 4096;
    SortRules rules = rulesFor(SortWay::eThreeDispatches, traits, 64, 4);
    rules.blocks = 1;
    expectPlanned(keysOf<uint32_t>(3000, 1), traits, rules);
    traits.maxViewBytes = 16384;
    rules.blocks = 8;
    expectPlanned(keysOf<uint16_t>(20000, 2), traits, rules);
    expectPlanned(keysOf<int64_t>(5000, 3), traits, rules);
}

TEST_F(SortTest, LeavesTheInputIfOutputsAreGiven) {
    for (const size_t count : {10, 5003})
        for (const uint32_t endBit : {8u, 16u, 24u, 32u}) {
            const auto keys = randomValues<uint32_t>(count);
            const auto values = randomValues<uint32_t>(count, 2);
            std::vector<uint32_t> parts = keys;
            for (uint32_t& part : parts)
                part &= static_cast<uint32_t>((uint64_t{1} << endBit) - 1);
            const auto indices = order(parts);
            const auto in = stored(keys);
            const auto valuesIn = stored(values);
            SortOptions options;
            options.endBit = endBit;
            const auto out = stored(std::vector<uint32_t>(count));
            const auto valuesOut = stored(std::vector<uint32_t>(count));
            options.sortedKeys = out;
            options.sortedValues = valuesOut;
            manager.sequence()->eval<kp::OpSort>(in, valuesIn, options);
            EXPECT_EQ(onDevice<uint32_t>(*in), keys);
            EXPECT_EQ(onDevice<uint32_t>(*valuesIn), values);
            EXPECT_EQ(onDevice<uint32_t>(*out), gathered(keys, indices));
            EXPECT_EQ(onDevice<uint32_t>(*valuesOut), gathered(values, indices));

            options.sortedValues = {};
            const auto found = stored(std::vector<int64_t>(count));
            const auto again = stored(std::vector<uint32_t>(count));
            options.sortedKeys = again;
            manager.sequence()->eval<kp::OpArgSort>(in, found, options);
            EXPECT_EQ(onDevice<uint32_t>(*again), gathered(keys, indices));
            EXPECT_EQ(onDevice<int64_t>(*found),
                      std::vector<int64_t>(indices.begin(), indices.end()));
        }
}

TEST_F(SortTest, SortsPartsOfTensors) {
    for (const size_t first : {1, 3, 17})
        for (const size_t count : {0, 1, 15, 4001}) {
            const auto keys = keysOf<uint8_t>(first + count + 5, count);
            const auto values = randomValues<float>(count + 2);
            const auto tensor = stored(keys);
            const auto valueTensor = stored(values);
            manager.sequence()->eval<kp::OpSort>(TensorRange(tensor, first, count),
                                                 TensorRange(valueTensor, 1, count));
            const auto indices = order(keys, first, count);
            std::vector<uint8_t> sorted = keys;
            std::vector<float> moved = values;
            for (size_t i = 0; i < count; ++i) {
                sorted[first + i] = keys[first + indices[i]];
                moved[1 + i] = values[1 + indices[i]];
            }
            EXPECT_EQ(onDevice<uint8_t>(*tensor), sorted) << first << " " << count;
            EXPECT_EQ(onDevice<float>(*valueTensor), moved) << first << " " << count;
        }
}

TEST_F(SortTest, SortsRowsByThemselves) {
    for (const auto& [rows, length] : {std::pair<size_t, size_t>{1, 7},
                                       {500, 1},
                                       {300, 2},
                                       {40, 100},
                                       {9, 600},
                                       {5, 3000},
                                       {2, 20011}})
        for (const bool descending : {false, true}) {
            const auto keys = keysOf<float>(rows * length, length);
            std::vector<uint32_t> indices;
            std::vector<float> sorted;
            for (size_t row = 0; row < rows; ++row)
                for (const uint32_t index : order(keys, row * length, length, descending)) {
                    indices.push_back(index);
                    sorted.push_back(keys[row * length + index]);
                }
            SortOptions options;
            options.rowLength = length;
            options.descending = descending;
            const auto tensor = stored(keys);
            const auto found = stored(std::vector<uint32_t>(keys.size()));
            manager.sequence()->eval<kp::OpArgSort>(tensor, found, options);
            EXPECT_EQ(onDevice<uint32_t>(*found), indices) << rows << " rows of " << length;
            manager.sequence()->eval<kp::OpSort>(tensor, TensorRange{}, options);
            EXPECT_TRUE(hasSameBits(onDevice<float>(*tensor), sorted))
                << rows << " rows of " << length;
        }
}

// As if rows of 500 elements were too long for the kernel that adds up a long row's tiles.
TEST_F(SortTest, SortsLongRowsOneByOne) {
    const DeviceTraits traits = traitsOf(manager);
    const auto keys = keysOf<uint16_t>(6000, 1);
    SortProblem problem;
    problem.keys = DataTypes::eUnsignedShort;
    problem.count = keys.size();
    problem.bits = 16;
    problem.rowLength = 2000;
    problem.valueBytes = 8;
    problem.indices = true;
    problem.discardKeys = true;
    SortRules rules = SortRules::of(problem, traits);
    rules.minLongRow = 1000;
    rules.small = SortRules::fitted({64, 4, true}, traits);
    const auto found = stored(std::vector<uint64_t>(keys.size()));
    manager.sequence()->eval(
        plannedOperation(kp::primitives::planSort(problem, traits, rules), {stored(keys), found}));
    std::vector<uint64_t> indices;
    for (size_t row = 0; row < 3; ++row)
        for (const uint32_t index : order(keys, row * 2000, 2000))
            indices.push_back(index);
    EXPECT_EQ(onDevice<uint64_t>(*found), indices);
}

TEST_F(SortTest, SortsSegmentsOfAnyLength) {
    const auto expectSegments = [&]<typename Offset>(const std::vector<Offset>& offsets,
                                                     size_t count, uint32_t endBit) {
        auto keys = randomValues<uint32_t>(count, count);
        for (uint32_t& key : keys)
            key &= static_cast<uint32_t>((uint64_t{1} << endBit) - 1);
        std::vector<uint32_t> sorted = keys;
        std::vector<uint32_t> indices(count, 77);
        for (size_t i = 0; i + 1 < offsets.size(); ++i) {
            const auto begin = static_cast<size_t>(offsets[i]);
            const auto found = order(keys, begin, static_cast<size_t>(offsets[i + 1]) - begin);
            for (size_t k = 0; k < found.size(); ++k) {
                indices[begin + k] = found[k];
                sorted[begin + k] = keys[begin + found[k]];
            }
        }
        SortOptions options;
        options.endBit = endBit;
        options.segments = manager.tensorT<Offset>(offsets, kStorage);
        const auto tensor = stored(keys);
        const auto positions = stored(std::vector<uint32_t>(count, 77));
        manager.sequence()->eval<kp::OpArgSort>(tensor, positions, options);
        EXPECT_EQ(onDevice<uint32_t>(*positions), indices) << endBit;
        const auto values = stored(keys);
        manager.sequence()->eval<kp::OpSort>(tensor, values, options);
        EXPECT_EQ(onDevice<uint32_t>(*tensor), sorted) << endBit;
        EXPECT_EQ(onDevice<uint32_t>(*values), sorted) << endBit;
    };
    for (const uint32_t endBit : {8u, 32u}) {
        expectSegments(std::vector<uint32_t>{0, 0, 1, 5, 5, 5, 100, 1000, 1000}, 1000, endBit);
        expectSegments(std::vector<int64_t>{2, 3000, 3001, 9000, 20000}, 20011, endBit);
        std::vector<int32_t> many;
        for (int32_t i = 0; i <= 700; ++i)
            many.push_back(i * 3 + (i > 300 ? 6000 : 0));
        expectSegments(many, 9000, endBit);
    }
}

// Work groups sort several short segments at a time, also if some of them are empty or too long.
TEST_F(SortTest, SortsManyShortSegments) {
    const auto expectSegments = [&](const std::vector<uint32_t>& offsets) {
        const auto keys = keysOf<float>(offsets.back(), offsets.size());
        std::vector<float> sorted = keys;
        std::vector<uint32_t> indices(keys.size());
        for (size_t i = 0; i + 1 < offsets.size(); ++i) {
            const auto found = order(keys, offsets[i], offsets[i + 1] - offsets[i]);
            for (size_t k = 0; k < found.size(); ++k) {
                indices[offsets[i] + k] = found[k];
                sorted[offsets[i] + k] = keys[offsets[i] + found[k]];
            }
        }
        SortOptions options;
        const auto out = stored(std::vector<float>(keys.size()));
        options.sortedKeys = out;
        options.segments = stored(offsets);
        const auto found = stored(std::vector<uint32_t>(keys.size()));
        manager.sequence()->eval<kp::OpArgSort>(stored(keys), found, options);
        EXPECT_EQ(onDevice<uint32_t>(*found), indices) << offsets.size();
        EXPECT_TRUE(hasSameBits(onDevice<float>(*out), sorted)) << offsets.size();
    };
    std::vector<uint32_t> lengths = randomValues<uint32_t>(3001);
    for (const uint32_t longest : {1u, 7u, 60u}) {
        std::vector<uint32_t> offsets = {0};
        for (const uint32_t length : lengths)
            offsets.push_back(offsets.back() + (length >> 8) % (longest + 1));
        expectSegments(offsets);
    }
    // Most are short, a few are longer than a tile.
    std::vector<uint32_t> offsets = {0};
    for (size_t i = 0; i < lengths.size(); ++i)
        offsets.push_back(offsets.back() + (i % 700 == 5 ? 3000 : lengths[i] % 20));
    expectSegments(offsets);
}

TEST_F(SortTest, SurvivesSegmentsThatOverlapOrLeaveTheInput) {
    const auto tensor = stored(randomValues<uint32_t>(3000));
    SortOptions options;
    std::vector<uint32_t> offsets;
    for (uint32_t i = 0; i < 40; ++i)
        offsets.push_back(i % 2 * 5000);
    options.segments = stored(offsets);
    manager.sequence()->eval<kp::OpSort>(tensor, TensorRange{}, options);
    options.segments = stored(std::vector<uint32_t>{0, 90000});
    manager.sequence()->eval<kp::OpSort>(tensor, TensorRange{}, options);
    EXPECT_TRUE(std::ranges::is_sorted(onDevice<uint32_t>(*tensor)));
}

TEST_F(SortTest, MovesValuesOfAnyTypeOfFourOrEightBytes) {
    struct Particle {
        float x;
        uint32_t id;
    };
    const auto keys = keysOf<uint32_t>(3000, 1);
    std::vector<Particle> particles(keys.size());
    for (uint32_t i = 0; i < particles.size(); ++i)
        particles[i] = {static_cast<float>(i), i};
    const auto values = manager.tensor(particles.data(), particles.size(),
                                       uint32_t{sizeof(Particle)}, DataTypes::eCustom);
    manager.sequence()
        ->record<kp::OpSyncDevice>({values})
        ->record<kp::OpSort>(stored(keys), values)
        ->eval();
    const auto indices = order(keys);
    const auto* const moved = values->data<Particle>();
    for (size_t i = 0; i < particles.size(); ++i)
        ASSERT_EQ(moved[i].id, indices[i]) << i;
}

TEST_F(SortTest, RunsAgainAmongOtherWorkOnTheSameMemory) {
    const auto keys = manager.tensorT<uint32_t>(std::vector<uint32_t>(5000));
    const auto indices = manager.tensorT<uint32_t>(5000);
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({keys});
    sequence->record<kp::OpArgSort>(keys, indices);
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({keys}, addShader(1)));
    sequence->record<kp::OpSort>(keys);
    for (uint64_t round = 1; round < 4; ++round) {
        auto values = randomValues<uint32_t>(5000, round);
        std::ranges::copy(values, keys->data());
        sequence->eval();
        EXPECT_EQ(indices->vector(), order(values));
        for (uint32_t& value : values)
            ++value;
        std::ranges::sort(values);
        EXPECT_EQ(keys->vector(), values);
    }
}

TEST_F(SortTest, RefusesArgumentsThatDoNotMatch) {
    const auto keys = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto values = manager.tensorT<uint32_t>(6);
    const auto expect = [&](const char* message, const TensorRange& sorted,
                            const TensorRange& moved, const SortOptions& options = {}) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpSort(sorted, moved, options));
    };
    expect("the tensor of keys is null", {}, values);
    expect("there are 6 keys, but 5 values", keys, TensorRange(values, 0, 5));
    expect("values have 4 or 8 bytes, but these have 2", keys, manager.tensorT<uint16_t>(6));
    expect("the tensor of values overlap", TensorRange(keys, 0, 4), TensorRange(keys, 2, 4));
    SortOptions options;
    options.firstBit = 8;
    options.endBit = 8;
    expect("firstBit is 8 and endBit 8, but firstBit must be smaller", keys, {}, options);
    options.endBit = 33;
    expect("have the bits 0 to 31", keys, {}, options);
    options = {};
    options.rowLength = 4;
    expect("6 keys are not rows of 4", keys, {}, options);
    options.segments = values;
    expect("either rowLength or segments", keys, {}, options);
    options.rowLength = 0;
    options.segments = keys;
    expect("the offsets must be of eUnsignedInt", keys, {}, options);
    options = {};
    options.sortedKeys = values;
    expect("keys of eFloat cannot go to a tensor of eUnsignedInt", keys, {}, options);
    options.sortedKeys = manager.tensorT<float>(5);
    expect("there are 6 keys, but 5 places for sorted keys", keys, {}, options);
    options.sortedKeys = TensorRange(keys, 1, 3);
    expect("overlap", TensorRange(keys, 0, 3), {}, options);
    options = {};
    options.sortedValues = values;
    expect("sortedValues is given, but there are no values", keys, {}, options);
    options.sortedValues = manager.tensorT<uint64_t>(6);
    expect("values of 4 bytes cannot go to elements of 8 bytes", keys, values, options);
    const auto custom = manager.tensor(uint64_t{6}, uint64_t{4}, DataTypes::eCustom);
    expect("elements of eCustom cannot be sorted", custom, {});
    EXPECT_ERROR(kp::InvalidArgument, "the indices must be of eUnsignedInt",
                 kp::OpArgSort(keys, keys));
    EXPECT_ERROR(kp::InvalidArgument, "the tensor of indices is null",
                 kp::OpArgSort(keys, TensorRange{}));
}

} // namespace
} // namespace kp::test

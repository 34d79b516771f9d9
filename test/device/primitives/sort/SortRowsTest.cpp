// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/sort/SortSupport.hpp"

namespace kp::test {
namespace {

using primitives::DeviceTraits;
using primitives::SortProblem;
using primitives::SortRules;
using DataTypes = kp::Memory::DataTypes;

TEST_F(SortTest, SortsRowsInEveryWay) {
    for (const bool isCpu : {false, true}) {
        DeviceTraits traits = traitsOf(manager);
        traits.isCpu = isCpu;
        for (const uint32_t length :
             casesInTurn<uint32_t>(manager, {1, 3, 4, 7, 33, 256, 1500}, 3)) {
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
    if (const auto turn = testTurn(manager); turn && *turn % 4 != 0)
        GTEST_SKIP() << "a software driver takes minutes to compile the checks";
    const CheckScope checks("bounds");
    const auto sorted = [&](size_t count, const std::vector<uint32_t>& offsets) {
        const auto tensor = stored(randomValues<uint32_t>(count));
        SortOptions options;
        options.segments = stored(offsets);
        manager.sequence()->eval<kp::OpSort>(tensor, TensorRange{}, options);
        return onDevice<uint32_t>(*tensor);
    };
    std::vector<uint32_t> offsets(61);
    for (uint32_t i = 0; i < 61; ++i)
        offsets[i] = i * 5000;
    sorted(300'000, offsets); // leaves numbers in memory that is used again
    for (const uint32_t end : {5000u, 20'000u}) {
        for (uint32_t i = 0; i < 61; ++i)
            offsets[i] = i % 2 * end;
        sorted(end == 5000 ? 3000 : 30'000, offsets);
    }
    EXPECT_TRUE(std::ranges::is_sorted(sorted(30'000, {0, 90'000})));
}

} // namespace
} // namespace kp::test

// SPDX-License-Identifier: Apache-2.0
#include "group/shards/SortSplit.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

namespace kp::group {
namespace {

using SplitList = std::vector<uint64_t>;

/// Returns how many keys of each list a stable merge takes first.
SplitList splitByMerging(const std::vector<SplitList>& lists, uint64_t rank) {
    std::vector<std::tuple<uint64_t, size_t>> all;
    for (size_t list = 0; list < lists.size(); ++list)
        for (const uint64_t key : lists[list])
            all.emplace_back(key, list);
    std::stable_sort(all.begin(), all.end());
    SplitList split(lists.size(), 0);
    for (uint64_t i = 0; i < rank; ++i)
        ++split[std::get<1>(all[i])];
    return split;
}

TEST(SortSplit, IsExactWhateverTheSamples) {
    std::mt19937 random(5);
    for (int round = 0; round < 60; ++round) {
        std::vector<SplitList> lists(1 + random() % 4);
        std::vector<SortedSamples> samples;
        uint64_t total = 0;
        for (SplitList& list : lists) {
            list.resize(1 + random() % 300);
            for (uint64_t& key : list)
                key = random() % (round % 3 == 0 ? 4 : 1000);
            std::sort(list.begin(), list.end());
            total += list.size();
            SortedSamples known{list.size(), 1 + random() % 40, {}};
            for (uint64_t i = 0; i < list.size(); i += known.step)
                known.keys.push_back(list[i]);
            samples.push_back(known);
        }
        for (const uint64_t rank : {uint64_t{0}, total / 3, total / 2, total}) {
            const std::vector<SplitRange> ranges = splitRanges(samples, rank);
            std::vector<SplitList> between;
            for (size_t i = 0; i < lists.size(); ++i) {
                ASSERT_LE(ranges[i].first, ranges[i].last);
                ASSERT_LE(ranges[i].last, lists[i].size());
                EXPECT_LE(ranges[i].last - ranges[i].first,
                          2 * lists.size() * 41 + 2 * 41 * lists.size());
                between.emplace_back(
                    lists[i].begin() + static_cast<std::ptrdiff_t>(ranges[i].first),
                    lists[i].begin() + static_cast<std::ptrdiff_t>(ranges[i].last));
            }
            EXPECT_EQ(exactSplit(ranges, between, rank), splitByMerging(lists, rank));
        }
    }
}

template <typename T>
void expectOrdered(const std::vector<T>& ascending, Memory::DataTypes type) {
    const auto keys = orderedKeys(ascending.data(), ascending.size() * sizeof(T), type, false);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end())) << Memory::toString(type);
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end()) << "all differ";
    auto reversed = orderedKeys(ascending.data(), ascending.size() * sizeof(T), type, true);
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_TRUE(std::is_sorted(reversed.begin(), reversed.end())) << Memory::toString(type);
}

TEST(SortSplit, OrdersKeysOfEachTypeAsTheSort) {
    using Types = Memory::DataTypes;
    expectOrdered<float>({-INFINITY, -1e-40f, -0.0f, 0.0f, 1, INFINITY, NAN}, Types::eFloat);
    expectOrdered<double>({-INFINITY, -1, -0.0, 0.0, 1, INFINITY, NAN}, Types::eDouble);
    expectOrdered<uint16_t>({0xfc00, 0x8000, 0, 0x3c00, 0x7c00, 0x7c01}, Types::eHalf);
    expectOrdered<uint16_t>({0xff80, 0x8000, 0, 0x3f80, 0x7f80, 0x7fc0}, Types::eBFloat16);
    expectOrdered<int32_t>({INT32_MIN, -1, 0, INT32_MAX}, Types::eInt);
    expectOrdered<int64_t>({INT64_MIN, -1, 0, INT64_MAX}, Types::eLong);
    expectOrdered<int8_t>({-128, -1, 0, 127}, Types::eChar);
    expectOrdered<int16_t>({-32768, -1, 0, 32767}, Types::eShort);
    expectOrdered<uint64_t>({0, 1, UINT64_MAX}, Types::eUnsignedLong);
    const float nans[] = {NAN, -NAN};
    const auto keys = orderedKeys(nans, sizeof nans, Types::eFloat, false);
    EXPECT_EQ(keys[0], keys[1]);
}

} // namespace
} // namespace kp::group

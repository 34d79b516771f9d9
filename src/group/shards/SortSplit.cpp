// SPDX-License-Identifier: Apache-2.0
#include "group/shards/SortSplit.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace kp::group {
namespace {

using DataTypes = Memory::DataTypes;

/// Properties of a type that decide its order: the bits of its numbers.
struct KeyBits {
    bool isSigned = false;
    uint64_t infinity = 0; ///< of a floating-point type, the bits of infinity
};

KeyBits keyBitsOf(DataTypes type) {
    switch (type) {
    case DataTypes::eInt:
    case DataTypes::eShort:
    case DataTypes::eChar:
    case DataTypes::eLong:
        return {true, 0};
    case DataTypes::eHalf:
        return {false, 0x7c00};
    case DataTypes::eBFloat16:
        return {false, 0x7f80};
    case DataTypes::eFloat:
        return {false, 0x7f800000};
    case DataTypes::eDouble:
        return {false, 0x7ff0000000000000};
    default:
        return {};
    }
}

uint64_t ordered(uint64_t bits, const KeyBits& key, uint64_t sign) {
    const uint64_t all = sign | (sign - 1);
    if (key.isSigned)
        return bits ^ sign;
    if (key.infinity == 0)
        return bits;
    if ((bits & ~sign) > key.infinity)
        return all; // NaNs are equal and last
    return bits & sign ? all ^ bits : bits | sign;
}

/// A key, its list and its place there, which order a stable merge.
using Place = std::tuple<uint64_t, size_t, uint64_t>;

} // namespace

std::vector<uint64_t> orderedKeys(const void* keys, size_t bytes, DataTypes type, bool descending) {
    const size_t each = Memory::dataTypeMemorySize(type);
    const KeyBits key = keyBitsOf(type);
    const uint64_t sign = uint64_t{1} << (8 * each - 1);
    std::vector<uint64_t> made(bytes / each);
    for (size_t i = 0; i < made.size(); ++i) {
        const auto* const from = static_cast<const unsigned char*>(keys) + i * each;
        const auto read = [&](auto value) {
            std::memcpy(&value, from, sizeof value);
            return uint64_t{value};
        };
        const uint64_t bits = each == 1   ? read(uint8_t{})
                              : each == 2 ? read(uint16_t{})
                              : each == 4 ? read(uint32_t{})
                                          : read(uint64_t{});
        const uint64_t place = ordered(bits, key, sign);
        made[i] = descending ? ~place : place;
    }
    return made;
}

std::vector<SplitRange> splitRanges(const std::vector<SortedSamples>& lists, uint64_t rank) {
    std::vector<Place> samples;
    for (size_t list = 0; list < lists.size(); ++list)
        for (size_t i = 0; i < lists[list].keys.size(); ++i)
            samples.emplace_back(lists[list].keys[i], list, i);
    std::sort(samples.begin(), samples.end());

    // With m samples of a list before a place, that list has more than (m - 1) steps and at most
    // m steps of keys before it.
    std::vector<uint64_t> before(lists.size(), 0);
    const auto least = [&](size_t list) {
        const uint64_t m = before[list];
        return m == 0 ? 0 : (m - 1) * lists[list].step + 1;
    };
    const auto most = [&](size_t list) {
        return std::min(before[list] * lists[list].step, lists[list].count);
    };
    std::vector<SplitRange> ranges(lists.size());
    for (size_t list = 0; list < lists.size(); ++list)
        ranges[list].last = lists[list].count;
    for (const auto& [key, owner, index] : samples) {
        uint64_t smallest = 0;
        uint64_t largest = 0;
        for (size_t list = 0; list < lists.size(); ++list) {
            smallest += least(list);
            largest += most(list);
        }
        if (smallest >= rank) { // this sample is not among the first
            for (size_t list = 0; list < lists.size(); ++list)
                ranges[list].last = std::max(most(list), ranges[list].first);
            return ranges;
        }
        if (largest <= rank) // all keys before it are among the first
            for (size_t list = 0; list < lists.size(); ++list)
                ranges[list].first = least(list);
        ++before[owner];
    }
    return ranges;
}

std::vector<uint64_t> exactSplit(const std::vector<SplitRange>& ranges,
                                 const std::vector<std::vector<uint64_t>>& keys, uint64_t rank) {
    std::vector<uint64_t> split;
    std::vector<Place> undecided;
    uint64_t decided = 0;
    for (size_t list = 0; list < ranges.size(); ++list) {
        split.push_back(ranges[list].first);
        decided += ranges[list].first;
        for (size_t i = 0; i < keys[list].size(); ++i)
            undecided.emplace_back(keys[list][i], list, i);
    }
    const uint64_t wanted = rank - decided;
    if (wanted < undecided.size())
        std::nth_element(undecided.begin(), undecided.begin() + static_cast<std::ptrdiff_t>(wanted),
                         undecided.end());
    for (uint64_t i = 0; i < wanted; ++i)
        ++split[std::get<1>(undecided[i])];
    return split;
}

} // namespace kp::group

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <kompute/Memory.hpp>

#include "primitives/plan/Axis.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/sort/SortKeys.hpp"

namespace kp::primitives {

/// The problem of OpSort and OpArgSort.
struct SortProblem {
    Memory::DataTypes keys = Memory::DataTypes::eUnsignedInt;
    uint64_t count = 0;
    bool descending = false;
    bool equalZeros = false; ///< -0 and +0 are equal keys
    /// The bits that order the keys, from bit 0 of their ordered form.
    uint32_t firstBit = 0;
    uint32_t bits = 32;
    uint32_t valueBytes = 0;  ///< 0 (keys alone), 4 or 8
    bool indices = false;     ///< the values are the keys' indices in their row or segment
    bool discardKeys = false; ///< only values are wanted; at least one of both is
    bool keysInPlace = false;
    bool valuesInPlace = false;
    /// Sorts rows of so many keys; 0 for one row.
    uint64_t rowLength = 0;
    /// Writes so many keys and values of each row, the first ones; 0 for all. For rows that one
    /// work group sorts (SortRules::small), and not in place.
    uint64_t take = 0;
    std::optional<Segments> segments;

    /// Arguments, in this order, without absent ones and ones in place: keys in, keys
    /// out, values in, values out, the segments' offsets.
    struct Memories {
        uint32_t keysIn = 0;
        uint32_t keysOut = 0;
        uint32_t valuesIn = 0;
        uint32_t valuesOut = 0;
        uint32_t offsets = 0;
        uint32_t count = 0;
    };
    Memories memories() const;
    bool operator==(const SortProblem&) const = default;
};

/// The size of a work group and of the tile of keys that it ranks at a time.
struct SortTile {
    uint32_t groupSize = 0;
    uint32_t items = 0; ///< keys per invocation
    bool subgroups = false;
    /// With look-back: lanes find lanes with equal digits by atomics in shared memory, in which
    /// each has a bit of a word, rather than by a vote per bit of the digit.
    bool sharedMasks = false;
    /// With look-back: the sorted tile passes through shared memory in so many parts, a divisor of
    /// `items`, so that a larger one fits.
    uint32_t parts = 1;

    uint64_t keys() const { return uint64_t{groupSize} * items; }
    /// Words for the teams' counters (without subgroups also for their votes) or a part of the
    /// keys.
    uint64_t sharedWords(const DeviceTraits& traits) const;
    bool fits(const DeviceTraits& traits) const;
};

/// How the keys of one row are sorted.
enum class SortWay {
    eOneGroup,        ///< one work group, in one dispatch
    eLookBack,        ///< one dispatch per digit, in which work groups wait for each other
    eThreeDispatches, ///< count, add up, move, per digit
    eInvocations      ///< the same with a strip of keys per invocation; rows are merged by one each
};

/// The choices of a sort. One table, with the reason of each number.
struct SortRules {
    SortWay way = SortWay::eOneGroup;
    const char* reason = ""; ///< of the way

    SortTile pass;            ///< of a dispatch per digit
    SortTile small;           ///< of a work group that sorts by all digits
    uint64_t blocks = 0;      ///< work groups of a dispatch without look-back, about
    uint64_t minLongRow = 0;  ///< rows from this length on are sorted one by one
    uint64_t minWhole = 0;    ///< a single row from this length on is not sorted like several
    uint64_t minPacked = 0;   ///< from so many segments in a tile on, a work group takes several
    uint32_t spins = 0;       ///< reads of a tile's count before it is counted again
    uint32_t window = 0;      ///< tiles whose counts an invocation reads together
    uint32_t stripGroup = 16; ///< of eInvocations: size of a work group
    uint64_t minStrip = 1024; ///< keys of an invocation
    uint64_t maxStrips = 256; ///< invocations
    uint64_t longestStrip = 32768; ///< keys of an invocation at most: see longestMerge
    /// Longer rows are sorted one by one. Old drivers end loops after 65,535 iterations together
    /// (device notes), and a merge takes 43,000 for so many keys.
    uint64_t longestMerge = 4096;
    bool withhold = false; ///< for tests: every second tile publishes nothing

    static SortRules of(const SortProblem& problem, const DeviceTraits& traits);
    /// Returns the tile nearest to @p wanted that a work group can have.
    static SortTile fitted(SortTile wanted, const DeviceTraits& traits);
};

} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kompute/Memory.hpp>

namespace kp::group {

/// Returns keys as integers in the order of OpSort: a smaller integer comes first, and equal keys
/// are equal.
/// @param keys   of a type, one after the other
/// @param bytes  of all of them
std::vector<uint64_t> orderedKeys(const void* keys, size_t bytes, Memory::DataTypes type,
                                  bool descending);

/// A sorted list, of which every step-th key is known: keys 0, step, 2 step, ...
struct SortedSamples {
    uint64_t count = 0; ///< of all keys
    uint64_t step = 1;
    std::vector<uint64_t> keys; ///< ordered
};

/// Where a list may be divided: some place from `first` to `last`, both included.
struct SplitRange {
    uint64_t first = 0;
    uint64_t last = 0;
};

/// Merged stably (equal keys in the order of the lists), the first @p rank keys of all lists are
/// the first ones of each. Returns their number in each list, as exactly as the samples allow.
/// @param rank  at most the number of keys of all lists
std::vector<SplitRange> splitRanges(const std::vector<SortedSamples>& lists, uint64_t rank);

/// Returns how many keys of each list are among the first @p rank of all.
/// @param ranges  of splitRanges()
/// @param keys  of each list, from `first` up to, but without, `last`; ordered
std::vector<uint64_t> exactSplit(const std::vector<SplitRange>& ranges,
                                 const std::vector<std::vector<uint64_t>>& keys, uint64_t rank);

} // namespace kp::group

// SPDX-License-Identifier: Apache-2.0
#include "primitives/sort/SortRules.hpp"

#include <algorithm>
#include <bit>

#include "primitives/source/Division.hpp"

namespace kp::primitives {
namespace {

// The digits' own arrays.
constexpr uint64_t kOtherSharedBytes = 4096;
// Two of a state's 32 bits are flags.
constexpr uint64_t kLookBackLimit = uint64_t{1} << 30;
constexpr uint64_t kStateBytes = 1024; // per tile
// Several tiles of any size for each group that a large GPU runs at a time.
constexpr uint64_t kManyKeys = uint64_t{1} << 24;

} // namespace

SortProblem::Memories SortProblem::memories() const {
    Memories memories;
    uint32_t next = 1;
    if (!discardKeys)
        memories.keysOut = keysInPlace ? memories.keysIn : next++;
    if (valueBytes > 0) {
        if (!indices)
            memories.valuesIn = next++;
        memories.valuesOut = valuesInPlace ? memories.valuesIn : next++;
    }
    if (segments)
        memories.offsets = next++;
    memories.count = next;
    return memories;
}

uint64_t SortTile::sharedWords(const DeviceTraits& traits) const {
    const uint64_t teams =
        subgroups ? groupSize / std::max(1u, traits.minSubgroupSize) : uint64_t{groupSize} / 32 * 2;
    return std::max(keys() / parts, teams * (sharedMasks ? 512 : 256));
}

bool SortTile::fits(const DeviceTraits& traits) const {
    return groupSize <= traits.maxGroupSize &&
           (!subgroups || groupSize >= traits.maxSubgroupSize) &&
           sharedWords(traits) * sizeof(uint32_t) + kOtherSharedBytes <= traits.sharedBytes;
}

SortTile SortRules::fitted(SortTile wanted, const DeviceTraits& traits) {
    wanted.subgroups = wanted.subgroups && traits.subgroups;
    wanted.sharedMasks = wanted.sharedMasks && wanted.subgroups && traits.maxSubgroupSize <= 32;
    wanted.groupSize = std::min(wanted.groupSize, std::bit_floor(traits.maxGroupSize));
    // Fewer keys first, then the other ways to rank, then a smaller group.
    while (!wanted.fits(traits)) {
        if (wanted.items > 4) {
            wanted.items /= 2;
            if (wanted.items % wanted.parts != 0)
                wanted.parts = 1;
        } else if (wanted.sharedMasks)
            wanted.sharedMasks = false;
        else if (wanted.groupSize > 256)
            wanted.groupSize /= 2;
        else if (wanted.subgroups)
            wanted.subgroups = false;
        else if (wanted.groupSize > 64)
            wanted.groupSize /= 2;
        else
            break;
    }
    return wanted;
}

SortRules SortRules::of(const SortProblem& problem, const DeviceTraits& traits) {
    SortRules rules;
    const bool wideKeys = sortKeyBits(problem.keys) == 64;
    const uint64_t row = problem.rowLength > 0 ? problem.rowLength : problem.count;
    // Large tiles write longer runs per digit and look back less often, and two groups per core
    // hide each other's waits: on an H200, whose groups share 48 KiB of a core, 2^28 keys take 0.97
    // of the time of one group of 512 with 22, and with values 0.92 of the time of two groups of
    // 256 with 20. Keys of two words take twice the registers. Atomics in shared memory take 0.96
    // of the time of votes there.
    SortTile pass{512, 22, true, false};
    if (problem.valueBytes > 0)
        pass = {256, 20, true, traits.isNvidia};
    if (traits.isNvidia && !wideKeys && problem.valueBytes <= 4)
        pass = {320, 17, true, true};
    if (wideKeys)
        pass.items = 8;
    rules.pass = fitted(pass, traits);
    // A few keys must occupy all cores: 2^16 of them take 0.77 of the time that large tiles take.
    if (row <= uint64_t{1} << 18)
        rules.pass = fitted({256, 8, true, traits.isNvidia}, traits);
    // Rows that one group sorts faster than several dispatches start. More keys per invocation
    // would take as long as the dispatches.
    rules.small = fitted({512, 8, true, false}, traits);
    if (traits.isCpu) {
        // Drivers of CPUs compile a kernel with 4 keys per invocation in a quarter of the time of
        // one with 16 (2 s instead of 11 s with indices on lavapipe), and it sorts as fast. With 2
        // keys, it takes 1.5 times as long.
        rules.pass = fitted({256, 4, true, false}, traits);
        rules.small = fitted({256, 4, true, false}, traits);
    }
    // As many as OpReduce, and few enough for a work group to add up a digit's counts quickly.
    rules.blocks = traits.isCpu ? 32 : 2048;
    // A work group adds up a long row's counts tile by tile. From here on that takes longer than
    // the dispatches of a separate sort.
    rules.minLongRow = uint64_t{1} << 20;
    // Sorting by the number of the segment is one more digit to the 1 to 8 of the keys. It pays
    // where more than half of the invocations would have no key.
    rules.minPacked = 4;
    // Several tiles are between their counts and their sums at a time, and a read of 8 takes about
    // as long as one: on an H200, the sort takes 0.9 of the time.
    rules.window = traits.isCpu ? 1 : 8;
    // As for a scan (ScanRules): far longer than a neighbour needs that makes progress.
    rules.spins = 500;

    const uint64_t bytes = std::max(sortKeyBits(problem.keys) / 8, problem.valueBytes);
    const uint64_t stateBytes = divideUp(row, rules.pass.keys()) * kStateBytes;
    if (traits.isCpu) {
        // An invocation has 256 counters to clear and to add up for each digit, and merges fewer
        // keys meanwhile.
        rules.minWhole = 256;
        rules.minLongRow = rules.longestMerge + 1;
        rules.way = SortWay::eInvocations;
        rules.reason = "invocations that wait for each other take a driver of a CPU long";
    } else if (row <= rules.small.keys() && row * bytes <= traits.maxViewBytes) {
        rules.way = SortWay::eOneGroup;
        rules.reason = "the keys fit the shared memory of a work group";
    } else if (!traits.memoryModel) {
        rules.way = SortWay::eThreeDispatches;
        rules.reason = "look-back needs vulkanMemoryModelDeviceScope";
    } else if (row >= kLookBackLimit || row * bytes > traits.maxViewBytes ||
               stateBytes > traits.maxViewBytes) {
        rules.way = SortWay::eThreeDispatches;
        rules.reason = "the keys or values are larger than a storage buffer's range";
    } else {
        rules.way = SortWay::eLookBack;
        rules.reason = "it reads and writes the keys once per digit";
        // Larger tiles in two parts: 2^28 keys take 0.82 of the time with 32 of each invocation,
        // 0.85 with 28 and 0.89 with 24, and with values 0.92 with 30 of 256. In three parts, they
        // take longer than with the tile above, and so they do if the driver's registers have no
        // room for a second group: 96 of 320 invocations, 128 of 256.
        if (traits.isNvidia && !wideKeys && problem.valueBytes <= 4 && row >= kManyKeys)
            rules.pass = fitted(problem.valueBytes == 0 ? SortTile{320, 32, true, true, 2}
                                                        : SortTile{256, 30, true, true, 2},
                                traits);
    }
    return rules;
}

} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#include "primitives/sort/SortPlan.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <Offsets.glsl.hpp>
#include <SortHistogram.glsl.hpp>
#include <SortLong.glsl.hpp>
#include <SortLookBack.glsl.hpp>
#include <SortOffsets.glsl.hpp>
#include <SortPass.glsl.hpp>
#include <SortSegments.glsl.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "primitives/sort/SortPlanner.hpp"
#include "primitives/source/Division.hpp"

namespace kp::primitives {
namespace {

using Use = View::Use;

constexpr uint32_t kCopyKeysFlag = 4;
constexpr uint32_t kCopyValuesFlag = 8;
// Work groups that share the long segments. More would only start and end.
constexpr uint32_t kLongGroups = 1024;
// The counts of the 512 blocks that are added up at a time fit 32 bits.
constexpr uint64_t kMaxBlockKeys = uint64_t{1} << 22;

} // namespace

void SortPlanner::planRows() {
    const uint64_t length = mProblem.rowLength > 0 ? mProblem.rowLength : mProblem.count;
    const uint64_t rows = mProblem.count / length;
    const bool isOneByOne = length > viewElements() || (length > mRules.small.keys() &&
                                                        (rows == 1 || length >= mRules.minLongRow));
    const bool isWhole = rows == 1 && mRules.way != SortWay::eOneGroup && length >= mRules.minWhole;
    if (mProblem.take == 0 && (isOneByOne || isWhole)) {
        for (uint64_t row = 0; row < rows; ++row)
            planWhole({row * length, length});
        return;
    }
    const uint64_t most = viewElements() / length;
    for (uint64_t row = 0; row < rows; row += most) {
        const uint64_t part = std::min(most, rows - row);
        planSegments({row * length, part * length}, part, length);
    }
}

void SortPlanner::planWhole(Part part) {
    const SortChain keys = keyChain(part.count);
    const SortChain values = valueChain(part.count);
    const auto copyFirst = [&](const SortChain& chain, uint64_t bytes) {
        if (chain.copyFrom != kNoMemory)
            mPlan.steps.push_back(
                Copy{chain.copyFrom, part.first * bytes, chain.places[0], 0, part.count * bytes});
    };
    copyFirst(keys, mKeyBytes);
    copyFirst(values, mProblem.valueBytes);
    if (mRules.way == SortWay::eLookBack)
        planLookBack(part, keys, values);
    else if (mRules.way == SortWay::eInvocations && part.count <= viewElements())
        planStrips(part, keys, values);
    else
        planThreeDispatches(part, keys, values);
}

void SortPlanner::planLookBack(Part part, const SortChain& keys, const SortChain& values) {
    const SortTile& tile = mRules.pass;
    const uint64_t tiles = divideUp(part.count, tile.keys());
    const uint64_t totalBytes = mPasses * kSortRowBytes;
    const uint32_t totals = scratch("totals", totalBytes);
    const uint32_t states = scratch("states", mPasses * tiles * kSortRowBytes);
    mPlan.steps.push_back(Fill{totals, 0, totalBytes, 0});
    mPlan.steps.push_back(Fill{states, 0, mPasses * tiles * kSortRowBytes, 0});

    const uint64_t blockKeys = divideUp(tiles, mRules.blocks) * tile.keys();
    Dispatch count;
    count.kernel = kernel("OpSort's histogram", SORTHISTOGRAM_GLSL, tile, false,
                          formatted("#define ALL_DIGITS {}\n", mPasses));
    count.views = {view(keys.places[0], part, 0, mKeyBytes, Use::eRead),
                   {totals, 0, totalBytes, 4, Use::eReadWrite}};
    count.setPush(SortHistogramPush{.count = lowWord(part.count),
                                    .blockSize = lowWord(blockKeys),
                                    .firstBit = mProblem.firstBit,
                                    .bits = mProblem.bits,
                                    .flip = mFlip,
                                    .block = 0u,
                                    .blocks = 0u});
    count.groups = divideUp(part.count, blockKeys);
    mPlan.steps.push_back(std::move(count));

    std::string macros = formatted("#define SPINS {}u\n#define WINDOW {}u\n#define PARTS {}\n",
                                   mRules.spins, mRules.window, tile.parts);
    if (mRules.withhold)
        macros += "#define WITHHOLD\n";
    if (tile.sharedMasks)
        macros += "#define SHARED_MASKS\n";
    if (tile.subgroups && mTraits.minSubgroupSize == mTraits.maxSubgroupSize)
        macros += formatted("#define TEAM_LANES {}\n", mTraits.minSubgroupSize);
    const uint32_t pass = kernel("OpSort's pass", SORTLOOKBACK_GLSL, tile, true, macros, true);
    for (uint64_t digit = 0; digit < mPasses; ++digit) {
        Dispatch dispatch;
        dispatch.kernel = pass;
        dispatch.views = {
            view(keys.places[digit], part, 0, mKeyBytes, Use::eRead),
            view(keys.places[digit + 1], part, 0, mKeyBytes, Use::eWrite),
            {states, digit * tiles * kSortRowBytes, tiles * kSortRowBytes, 4, Use::eReadWrite},
            {totals, digit * kSortRowBytes, kSortRowBytes, 4, Use::eRead}};
        if (hasValues()) {
            dispatch.views.push_back(
                view(values.places[digit], part, 0, mProblem.valueBytes, Use::eRead));
            dispatch.views.push_back(
                view(values.places[digit + 1], part, 0, mProblem.valueBytes, Use::eWrite));
        }
        dispatch.setPush(SortLookBackPush{.count = lowWord(part.count),
                                          .shift = digitShift(digit),
                                          .mask = digitMask(digit),
                                          .flip = mFlip,
                                          .flags = flags(digit)});
        dispatch.groups = tiles;
        mPlan.steps.push_back(std::move(dispatch));
    }
}

void SortPlanner::planThreeDispatches(Part part, const SortChain& keys, const SortChain& values) {
    const SortTile& tile = mRules.pass;
    const uint64_t tiles = divideUp(part.count, tile.keys());
    const uint64_t blockTiles =
        std::max<uint64_t>(1, std::min({divideUp(tiles, mRules.blocks), kMaxBlockKeys / tile.keys(),
                                        viewElements() / tile.keys()}));
    const uint64_t blockKeys = blockTiles * tile.keys();
    const uint64_t blocks = divideUp(tiles, blockTiles);
    // Reads are cut at blocks, and writes anywhere.
    const uint64_t chunk = std::max<uint64_t>(1, viewElements() / blockKeys) * blockKeys;
    const uint64_t window = viewElements();
    const uint32_t counts = scratch("counts", blocks * kSortRowBytes);
    const uint32_t offsets = scratch("offsets", blocks * kSortRowBytes * 2);
    const uint32_t totals = scratch("totals", kSortRowBytes * 2);

    const uint32_t counter = kernel("OpSort's counts", SORTHISTOGRAM_GLSL, tile, false, "");
    const uint32_t adder = kernel("OpSort's offsets", SORTOFFSETS_GLSL,
                                  {std::min(256u, tile.groupSize), 1, false, false}, false, "");
    const uint32_t mover = kernel("OpSort's pass", SORTPASS_GLSL, tile, true, "");
    const auto inside = [&](uint64_t first, uint64_t most) {
        return Part{part.first + first, std::min(most, part.count - first)};
    };
    for (uint64_t digit = 0; digit < mPasses; ++digit) {
        for (uint64_t first = 0; first < part.count; first += chunk) {
            const Part read = inside(first, chunk);
            Dispatch count;
            count.kernel = counter;
            count.views = {view(keys.places[digit], read, first, mKeyBytes, Use::eRead),
                           {counts, 0, blocks * kSortRowBytes, 4, Use::eWrite}};
            count.setPush(SortHistogramPush{.count = lowWord(read.count),
                                            .blockSize = lowWord(blockKeys),
                                            .firstBit = digitShift(digit),
                                            .bits = lowWord(std::bit_width(digitMask(digit))),
                                            .flip = mFlip,
                                            .block = lowWord(first / blockKeys),
                                            .blocks = lowWord(blocks)});
            count.groups = divideUp(read.count, blockKeys);
            mPlan.steps.push_back(std::move(count));
        }
        Dispatch add;
        add.kernel = adder;
        add.views = {{counts, 0, blocks * kSortRowBytes, 4, Use::eRead},
                     {offsets, 0, blocks * kSortRowBytes * 2, 8, Use::eWrite},
                     {totals, 0, kSortRowBytes * 2, 8, Use::eWrite}};
        add.setPush(SortOffsetsPush{.blocks = lowWord(blocks)});
        add.groups = 256;
        mPlan.steps.push_back(std::move(add));
        for (uint64_t first = 0; first < part.count; first += chunk) {
            const Part read = inside(first, chunk);
            for (uint64_t place = 0; place < part.count; place += window) {
                const Part written = inside(place, window);
                Dispatch dispatch;
                dispatch.kernel = mover;
                dispatch.views = {
                    view(keys.places[digit], read, first, mKeyBytes, Use::eRead),
                    view(keys.places[digit + 1], written, place, mKeyBytes, Use::eWrite),
                    {offsets, 0, blocks * kSortRowBytes * 2, 8, Use::eRead},
                    {totals, 0, kSortRowBytes * 2, 8, Use::eRead}};
                if (hasValues()) {
                    const uint32_t bytes = mProblem.valueBytes;
                    dispatch.views.push_back(
                        view(values.places[digit], read, first, bytes, Use::eRead));
                    dispatch.views.push_back(
                        view(values.places[digit + 1], written, place, bytes, Use::eWrite));
                }
                dispatch.setPush(SortPassPush{.count = lowWord(read.count),
                                              .shift = digitShift(digit),
                                              .mask = digitMask(digit),
                                              .flip = mFlip,
                                              .flags = flags(digit),
                                              .baseLow = lowWord(first),
                                              .baseHigh = highWord(first),
                                              .windowLow = lowWord(place),
                                              .windowHigh = highWord(place),
                                              .windowCount = lowWord(written.count),
                                              .blockTiles = lowWord(blockTiles),
                                              .block = lowWord(first / blockKeys),
                                              .blocks = lowWord(blocks)});
                dispatch.groups = divideUp(read.count, blockKeys);
                mPlan.steps.push_back(std::move(dispatch));
            }
        }
    }
}

void SortPlanner::planOffsets() {
    if (mProblem.count > viewElements())
        fail<Unsupported>(
            "OpSort: {} keys in segments were given, but one storage buffer of this device holds "
            "{}. "
            "The offsets are in device memory, so the sort is planned without knowing where it "
            "could be cut; sort parts of whole segments one after the other, or rows of equal "
            "length (rowLength)",
            mProblem.count, viewElements());
    planSegments({0, mProblem.count}, mProblem.segments->count, 0);
}

// Small groups for small segments, so that few invocations have no key. Segments given by offsets
// may be longer than the average, so that it is multiplied by 4.
SortTile SortPlanner::segmentTile(uint64_t keys) const {
    for (const auto& [groupSize, items] :
         {std::pair(64u, 2u), std::pair(64u, 8u), std::pair(256u, 8u)}) {
        const SortTile tile =
            SortRules::fitted({groupSize, items, mRules.small.subgroups, false}, mTraits);
        const bool isWorthCompiling = !mTraits.isCpu || items == 2;
        if (isWorthCompiling && tile.keys() >= keys && tile.keys() < mRules.small.keys())
            return tile;
    }
    return mRules.small;
}

// A tile of several segments: small, as many of them are sorted at a time anyway.
SortTile SortPlanner::packedTile() const {
    if (mTraits.isCpu)
        return mRules.small;
    return SortRules::fitted({64, 8, mRules.small.subgroups, false}, mTraits);
}

// Segments given by offsets may be longer than the average, so that half of a tile is left for
// that. Their numbers are a digit.
uint64_t SortPlanner::segmentsPerTile(const SortTile& tile, uint64_t length, uint64_t average) {
    return std::min<uint64_t>(256, tile.keys() / (length > 0 ? length : 2 * average));
}

void SortPlanner::planSegments(Part part, uint64_t segments, uint64_t length) {
    // Merging needs twice as much scratch memory. Offsets do not say how long a segment is.
    if (mRules.way == SortWay::eInvocations && length > 0 && length <= mRules.longestMerge &&
        2 * part.count <= viewElements()) {
        planMerges(part, length);
        return;
    }
    const uint64_t average = divideUp(part.count, segments);
    const SortTile packed = packedTile();
    const uint64_t perGroup = segmentsPerTile(packed, length, average);
    const bool packs = perGroup >= mRules.minPacked;
    const SortTile tile = packs ? packed : segmentTile(length > 0 ? length : 4 * average);
    const bool hasLong = length > 0 ? length > tile.keys() : part.count > tile.keys();
    // A long segment has more than one tile of keys, and so at most twice as many tiles.
    const uint64_t longTiles = 2 * divideUp(part.count, tile.keys());
    const uint64_t listBytes = 16 + 24 * longTiles;
    const uint64_t offsetBytes = length > 0 ? 0 : mProblem.segments->wide ? 8 : 4;

    uint32_t bindings = hasValues() ? 4 : 2;
    std::string macros = "#define OFFSET_WORDS 0\n";
    std::string text(SORTSEGMENTS_GLSL);
    if (offsetBytes > 0) {
        macros = offsetMacros(*mProblem.segments, bindings++);
        text.insert(0, OFFSETS_GLSL);
    }
    if (hasLong)
        macros += formatted("#define LONG_BINDING {}\n", bindings);
    if (packs)
        macros += "#define PACK\n";
    const uint32_t sorter = kernel("OpSort of segments", text, tile, true, macros);
    const uint32_t list = hasLong ? scratch("list", listBytes) : kNoMemory;
    if (hasLong)
        mPlan.steps.push_back(Fill{list, 0, listBytes, 0});

    const uint64_t most = offsetBytes > 0 ? mTraits.maxViewBytes / offsetBytes - 1 : segments;
    for (uint64_t first = 0; first < segments; first += most) {
        const uint64_t count = std::min(most, segments - first);
        Dispatch dispatch;
        dispatch.kernel = sorter;
        const uint32_t keysOut = mProblem.discardKeys ? kNoMemory : mMemories.keysOut;
        Part out = part;
        if (mProblem.take > 0)
            out = {part.first / length * mProblem.take, part.count / length * mProblem.take};
        dispatch.views = {view(mMemories.keysIn, part, 0, mKeyBytes, Use::eRead),
                          view(keysOut, out, 0, mKeyBytes, Use::eWrite)};
        if (hasValues()) {
            const uint32_t valuesIn = mProblem.indices ? kNoMemory : mMemories.valuesIn;
            dispatch.views.push_back(view(valuesIn, part, 0, mProblem.valueBytes, Use::eRead));
            dispatch.views.push_back(
                view(mMemories.valuesOut, out, 0, mProblem.valueBytes, Use::eWrite));
        }
        if (offsetBytes > 0)
            dispatch.views.push_back({mMemories.offsets, first * offsetBytes,
                                      (count + 1) * offsetBytes, lowWord(offsetBytes), Use::eRead});
        if (hasLong)
            dispatch.views.push_back({list, 0, listBytes, 4, Use::eReadWrite});
        dispatch.setPush(SortSegmentsPush{.count = lowWord(part.count),
                                          .segments = lowWord(count),
                                          .length = lowWord(length),
                                          .firstBit = mProblem.firstBit,
                                          .bits = mProblem.bits,
                                          .flip = mFlip,
                                          .flags = (mProblem.indices ? kSortIndices : 0) |
                                                   (mProblem.discardKeys ? kSortDiscardKeys : 0),
                                          .longTiles = lowWord(longTiles),
                                          .take = lowWord(mProblem.take),
                                          .perGroup = packs ? lowWord(perGroup) : 1});
        dispatch.groups = packs ? divideUp(count, perGroup) : count;
        mPlan.steps.push_back(std::move(dispatch));
    }
    if (hasLong)
        planLong(tile, part, list, longTiles);
}

void SortPlanner::planLong(const SortTile& tile, Part part, uint32_t list, uint64_t longTiles) {
    const SortChain keys = keyChain(part.count);
    const SortChain values = valueChain(part.count);
    const uint32_t counts = scratch("counts", longTiles * kSortRowBytes);
    const auto groups = lowWord(std::min<uint64_t>(longTiles, kLongGroups));
    const auto add = [&](uint32_t stage, uint64_t digit, uint32_t what, uint32_t keysIn,
                         uint32_t keysOut, uint32_t valuesIn, uint32_t valuesOut) {
        Dispatch dispatch;
        dispatch.kernel = kernel("OpSort of long segments", SORTLONG_GLSL, tile, true,
                                 formatted("#define STAGE {}\n", stage));
        dispatch.views = {{list, 0, 16 + 24 * longTiles, 4, Use::eRead},
                          {counts, 0, longTiles * kSortRowBytes, 4, Use::eReadWrite}};
        if (stage != 1) {
            dispatch.views.push_back(view(keysIn, part, 0, mKeyBytes, Use::eRead));
            dispatch.views.push_back(view(keysOut, part, 0, mKeyBytes, Use::eWrite));
        }
        if (stage != 1 && hasValues()) {
            const uint32_t bytes = mProblem.valueBytes;
            dispatch.views.push_back(view(valuesIn, part, 0, bytes, Use::eRead));
            dispatch.views.push_back(view(valuesOut, part, 0, bytes, Use::eWrite));
        }
        dispatch.setPush(SortLongPush{.shift = digitShift(digit),
                                      .mask = digitMask(digit),
                                      .flip = mFlip,
                                      .flags = what,
                                      .longTiles = lowWord(longTiles),
                                      .groups = groups});
        dispatch.groups = groups;
        mPlan.steps.push_back(std::move(dispatch));
    };
    const uint32_t copies = (keys.copyFrom != kNoMemory ? kCopyKeysFlag : 0) |
                            (values.copyFrom != kNoMemory ? kCopyValuesFlag : 0);
    if (copies != 0)
        add(3, 0, copies, keys.copyFrom, keys.copyFrom != kNoMemory ? keys.places[0] : kNoMemory,
            values.copyFrom, values.copyFrom != kNoMemory ? values.places[0] : kNoMemory);
    for (uint64_t digit = 0; digit < mPasses; ++digit) {
        add(0, digit, 0, keys.places[digit], kNoMemory, kNoMemory, kNoMemory);
        add(1, digit, 0, kNoMemory, kNoMemory, kNoMemory, kNoMemory);
        add(2, digit, flags(digit), keys.places[digit], keys.places[digit + 1],
            values.places[digit], values.places[digit + 1]);
    }
}

Plan planSort(const SortProblem& problem, const DeviceTraits& traits, const SortRules& rules) {
    return SortPlanner(problem, traits, rules).plan();
}

Plan planSort(const SortProblem& problem, const DeviceTraits& traits) {
    return planSort(problem, traits, SortRules::of(problem, traits));
}

} // namespace kp::primitives

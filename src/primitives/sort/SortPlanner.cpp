// SPDX-License-Identifier: Apache-2.0
#include "primitives/sort/SortPlanner.hpp"

#include <SortKeys.glsl.hpp>
#include <SortMerge.glsl.hpp>
#include <SortStrips.glsl.hpp>
#include <SortTile.glsl.hpp>
#include <Wide.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/sort/SortKeys.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {

using Use = View::Use;

uint32_t SortPlanner::kernel(const char* name, std::string_view text, const SortTile& tile,
                             bool ranks, const std::string& macros, bool memoryModel) {
    const std::string key = formatted("{} {} {} {}", name, tile.groupSize, tile.items, macros);
    for (const auto& [known, number] : mKernels)
        if (known == key)
            return number;
    std::string defines = keyMacros(mProblem.keys) + macros;
    if (mProblem.equalZeros)
        defines += "#define EQUAL_ZEROS\n";
    std::string functions = std::string(WIDE_GLSL) + std::string(SORTKEYS_GLSL);
    defines += formatted("#define VALUE_WORDS {}\n#define GROUP_THREADS {}\n#define ITEMS {}\n",
                         mProblem.valueBytes / 4, tile.groupSize, tile.items);
    // A CPU driver takes seconds to compile unrolled loops, and gains nothing from it.
    defines += mTraits.isCpu ? "#define UNROLL [[dont_unroll]]\n" : "#define UNROLL [[unroll]]\n";
    if (ranks) {
        const uint32_t lanes = mTraits.maxSubgroupSize;
        defines +=
            formatted("#define SHARED_WORDS {}\n#define LANE_WORDS {}\n", tile.sharedWords(mTraits),
                      lanes <= 32   ? 1
                      : lanes <= 64 ? 2
                                    : 4);
        functions += SORTTILE_GLSL;
    }
    Kernel made;
    made.name = name;
    made.subgroups = ranks && tile.subgroups;
    made.source = composeSource(defines, functions, text, made.subgroups, memoryModel);
    made.constants = {tile.groupSize};
    mKernels.emplace_back(key, mPlan.addKernel(std::move(made)));
    return mKernels.back().second;
}

SortChain SortPlanner::keyChain(uint64_t count) {
    SortChain made;
    made.places.assign(mPasses + 1, kNoMemory);
    const auto a = [&] { return scratch("keys", count * mKeyBytes); };
    const auto b = [&] { return scratch("more keys", count * mKeyBytes); };
    for (uint64_t pass = 1; pass < mPasses; ++pass) {
        const bool isOut = (mPasses - pass) % 2 == 0;
        made.places[pass] = !isOut ? a() : mProblem.discardKeys ? b() : mMemories.keysOut;
    }
    if (!mProblem.discardKeys)
        made.places[mPasses] = mMemories.keysOut;
    made.places[0] = mMemories.keysIn;
    if (mProblem.keysInPlace && mPasses % 2 == 1) {
        made.copyFrom = mMemories.keysIn;
        made.places[0] = a();
    }
    return made;
}

SortChain SortPlanner::valueChain(uint64_t count) {
    SortChain made;
    made.places.assign(mPasses + 1, kNoMemory);
    if (!hasValues())
        return made;
    const auto a = [&] { return scratch("values", count * mProblem.valueBytes); };
    for (uint64_t pass = 1; pass <= mPasses; ++pass)
        made.places[pass] = (mPasses - pass) % 2 == 0 ? mMemories.valuesOut : a();
    if (!mProblem.indices)
        made.places[0] = mMemories.valuesIn;
    if (mProblem.valuesInPlace && mPasses % 2 == 1) {
        made.copyFrom = mMemories.valuesIn;
        made.places[0] = a();
    }
    return made;
}

void SortPlanner::planStrips(Part part, const SortChain& keys, const SortChain& values) {
    const uint64_t strips =
        std::max(std::clamp<uint64_t>(part.count / mRules.minStrip, 1, mRules.maxStrips),
                 divideUp(part.count, mRules.longestStrip));
    const uint64_t stripKeys = divideUp(part.count, strips);
    const bool alone = strips == 1;
    const SortTile tile{alone ? 1 : mRules.stripGroup, 1, false, false};
    std::vector<View> counted; // the counts and their totals
    if (!alone)
        for (const auto& [name, bytes] : {std::pair("counts", strips * kSortRowBytes),
                                          std::pair("totals", uint64_t{kSortRowBytes})})
            counted.push_back({scratch(name, bytes), 0, bytes, 4, Use::eReadWrite});
    const auto stage = [&](const char* name, int number) {
        return kernel(name, SORTSTRIPS_GLSL, tile, false,
                      alone ? "#define ALONE\n#define OUT_BINDING 1\n"
                            : formatted("#define STAGE {}\n#define COUNTS_BINDING {}\n"
                                        "#define OUT_BINDING 3\n",
                                        number, number == 1 ? 0 : 1));
    };
    const uint32_t mover = stage(alone ? "OpSort's pass" : "OpSort's pass over strips", 2);
    const uint32_t counter = alone ? mover : stage("OpSort's counts of strips", 0);
    const uint32_t adder = alone ? mover : stage("OpSort's offsets of strips", 1);
    const auto add = [&](uint32_t number, std::vector<View> views, uint64_t digit,
                         uint64_t invocations) {
        Dispatch dispatch;
        dispatch.kernel = number;
        dispatch.views = std::move(views);
        dispatch.setPush(SortStripsPush{.count = lowWord(part.count),
                                        .strips = lowWord(strips),
                                        .stripKeys = lowWord(stripKeys),
                                        .shift = digitShift(digit),
                                        .mask = digitMask(digit),
                                        .flip = mFlip,
                                        .flags = flags(digit)});
        dispatch.groups = divideUp(invocations, tile.groupSize);
        mPlan.steps.push_back(std::move(dispatch));
    };
    for (uint64_t digit = 0; digit < mPasses; ++digit) {
        const View in = view(keys.places[digit], part, 0, mKeyBytes, Use::eRead);
        std::vector<View> moved = {in};
        moved.insert(moved.end(), counted.begin(), counted.end());
        moved.push_back(view(keys.places[digit + 1], part, 0, mKeyBytes, Use::eWrite));
        if (hasValues()) {
            const uint32_t bytes = mProblem.valueBytes;
            moved.push_back(view(values.places[digit], part, 0, bytes, Use::eRead));
            moved.push_back(view(values.places[digit + 1], part, 0, bytes, Use::eWrite));
        }
        if (!alone) {
            add(counter, {in, counted[0]}, digit, strips);
            add(adder, counted, digit, 256);
        }
        add(mover, std::move(moved), digit, strips);
    }
}

void SortPlanner::planMerges(Part part, uint64_t length) {
    const SortTile tile{mRules.stripGroup, 1, false, false};
    const uint64_t rows = part.count / length;
    Part out = part;
    if (mProblem.take > 0)
        out = {part.first / length * mProblem.take, rows * mProblem.take};
    const auto halves = [&](const char* name, uint32_t bytes) {
        const uint64_t size = 2 * part.count * bytes;
        return View{scratch(name, size), 0, size, bytes, Use::eReadWrite};
    };
    const uint64_t mask = mProblem.bits == 64
                              ? ~uint64_t{0}
                              : ((uint64_t{1} << mProblem.bits) - 1) << mProblem.firstBit;
    Dispatch dispatch;
    dispatch.kernel = kernel("OpSort by merging", SORTMERGE_GLSL, tile, false, "");
    const uint32_t keysOut = mProblem.discardKeys ? kNoMemory : mMemories.keysOut;
    dispatch.views = {view(mMemories.keysIn, part, 0, mKeyBytes, Use::eRead),
                      view(keysOut, out, 0, mKeyBytes, Use::eWrite), halves("halves", mKeyBytes)};
    if (hasValues()) {
        const uint32_t bytes = mProblem.valueBytes;
        const uint32_t valuesIn = mProblem.indices ? kNoMemory : mMemories.valuesIn;
        dispatch.views.push_back(view(valuesIn, part, 0, bytes, Use::eRead));
        dispatch.views.push_back(view(mMemories.valuesOut, out, 0, bytes, Use::eWrite));
        dispatch.views.push_back(halves("halves of values", bytes));
    }
    dispatch.setPush(SortMergePush{.count = lowWord(part.count),
                                   .rows = lowWord(rows),
                                   .length = lowWord(length),
                                   .maskLow = lowWord(mask),
                                   .maskHigh = highWord(mask),
                                   .flip = mFlip,
                                   .flags = (mProblem.indices ? kSortIndices : 0) |
                                            (mProblem.discardKeys ? kSortDiscardKeys : 0),
                                   .take = lowWord(mProblem.take)});
    dispatch.groups = divideUp(rows, tile.groupSize);
    mPlan.steps.push_back(std::move(dispatch));
}

} // namespace kp::primitives

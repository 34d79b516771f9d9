// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primitives/sort/SortPlan.hpp"
#include "primitives/source/Division.hpp"

namespace kp::primitives {

constexpr uint64_t kSortRowBytes = 1024; ///< 256 counts
constexpr uint32_t kSortIndices = 1;     ///< flags of the shaders
constexpr uint32_t kSortDiscardKeys = 2;

constexpr uint32_t kNoMemory = UINT32_MAX; ///< no memory: bound, but not accessed

/// Where the keys or the values are before the first digit and after each.
struct SortChain {
    std::vector<uint32_t> places;
    uint32_t copyFrom = kNoMemory; ///< the source that is copied to places[0] first
};

/// Adds the steps of a sort to a plan.
class SortPlanner {
public:
    SortPlanner(const SortProblem& problem, const DeviceTraits& traits, const SortRules& rules)
        : mProblem(problem), mTraits(traits), mRules(rules), mMemories(problem.memories()),
          mPlan(mMemories.count), mKeyBytes(sortKeyBits(problem.keys) / 8),
          mPasses(divideUp(problem.bits, 8)), mFlip(problem.descending ? ~0u : 0u) {}

    Plan plan() {
        if (mProblem.count == 0)
            return std::move(mPlan);
        if (!mProblem.segments)
            planRows();
        else if (mProblem.segments->count > 0)
            planOffsets();
        return std::move(mPlan);
    }

private:
    /// A part of the arguments' elements.
    struct Part {
        uint64_t first = 0;
        uint64_t count = 0;
    };

    bool hasValues() const { return mProblem.valueBytes > 0; }
    /// Returns the elements of the keys and of the values that a view can hold.
    uint64_t viewElements() const {
        return mTraits.maxViewBytes / std::max(mKeyBytes, mProblem.valueBytes);
    }
    uint32_t digitShift(uint64_t pass) const { return lowWord(mProblem.firstBit + 8 * pass); }
    uint32_t digitMask(uint64_t pass) const {
        return (1u << std::min<uint64_t>(8, mProblem.bits - 8 * pass)) - 1;
    }
    uint32_t flags(uint64_t pass) const {
        return (mProblem.indices && pass == 0 ? kSortIndices : 0) |
               (mProblem.discardKeys && pass + 1 == mPasses ? kSortDiscardKeys : 0);
    }

    /// Returns scratch memory of at least so many bytes, the same for the same name.
    uint32_t scratch(const char* name, uint64_t bytes) {
        for (const auto& [known, memory] : mScratch)
            if (std::string_view(known) == name) {
                uint64_t& size = mPlan.scratch[memory - mPlan.arguments];
                size = std::max(size, bytes);
                return memory;
            }
        mScratch.emplace_back(name, mPlan.addScratch(bytes));
        return mScratch.back().second;
    }

    /// @param part  of the arguments; scratch memory has the same from @p inScratch on
    View view(uint32_t memory, Part part, uint64_t inScratch, uint32_t bytes, View::Use use) {
        if (memory == kNoMemory)
            return {scratch("nothing", 16), 0, 16, 8, use};
        const uint64_t first = memory < mPlan.arguments ? part.first : inScratch;
        return {memory, first * bytes, part.count * bytes, bytes, use};
    }

    uint32_t kernel(const char* name, std::string_view text, const SortTile& tile, bool ranks,
                    const std::string& macros, bool memoryModel = false);
    SortChain keyChain(uint64_t count);
    SortChain valueChain(uint64_t count);

    void planRows();
    void planWhole(Part part);
    void planLookBack(Part part, const SortChain& keys, const SortChain& values);
    void planThreeDispatches(Part part, const SortChain& keys, const SortChain& values);
    void planStrips(Part part, const SortChain& keys, const SortChain& values);
    void planOffsets();
    void planSegments(Part part, uint64_t segments, uint64_t length);
    void planLong(const SortTile& tile, Part part, uint32_t list, uint64_t longTiles);
    void planMerges(Part part, uint64_t length);
    SortTile segmentTile(uint64_t keys) const;
    SortTile packedTile() const;
    static uint64_t segmentsPerTile(const SortTile& tile, uint64_t length, uint64_t average);

    const SortProblem& mProblem;
    const DeviceTraits& mTraits;
    const SortRules& mRules;
    SortProblem::Memories mMemories;
    Plan mPlan;
    uint32_t mKeyBytes;
    uint64_t mPasses;
    uint32_t mFlip;
    std::vector<std::pair<std::string, uint32_t>> mKernels;
    std::vector<std::pair<const char*, uint32_t>> mScratch;
};

} // namespace kp::primitives

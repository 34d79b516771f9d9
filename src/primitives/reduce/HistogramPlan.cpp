// SPDX-License-Identifier: Apache-2.0
#include "primitives/reduce/HistogramPlan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Histogram.glsl.hpp>
#include <SortKeys.glsl.hpp>
#include <Wide.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/reduce/HistogramEdges.hpp"
#include "primitives/reduce/ReducePlan.hpp"
#include "primitives/sort/SearchPlan.hpp"
#include "primitives/sort/SortKeys.hpp"
#include "primitives/sort/SortPlan.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;
using Use = View::Use;

/// Floats below 2^23 have a bit for halves.
constexpr uint64_t kMaxQuickBins = uint64_t{1} << 22;

/// How work is divided. One table, with the reason of each number.
struct HistogramRules {
    /// As large as possible, since a group's shared memory is for all of its invocations: on an
    /// H200, 2^28 floats take 0.64 of the time of 256.
    uint32_t groupSize = 1024;
    /// As many as the largest GPUs run at a time (an H200: 132 x 2 groups of 1024). More would only
    /// add their counters to the same memory. A CPU driver runs a group per core.
    uint64_t groups = 264;
    /// Less does not pay for clearing and adding up the counters of a group.
    uint64_t minChunkBytes = 16 * 1024;
    /// Edges in shared memory: as many as leave room for counters.
    uint32_t sharedEdges = 1024;
    /// Counters in shared memory: 16 KiB, so that several groups share a core.
    uint32_t counters = 4096;
    /// One copy of the counters per subgroup of 32.
    uint32_t copies = 8;
    /// Loads of 16 bytes in flight per invocation, but of no more than 16 elements: the code for
    /// each is written out.
    uint32_t batch = 2;

    static HistogramRules of(const DeviceTraits& traits) {
        HistogramRules rules;
        const uint32_t wanted = rules.groupSize;
        rules.groupSize = std::min(wanted, std::bit_floor(traits.maxGroupSize));
        rules.groups *= wanted / rules.groupSize;
        const uint32_t edgeBytes = (rules.sharedEdges + 1) * 8;
        const uint32_t left = traits.sharedBytes > edgeBytes ? traits.sharedBytes - edgeBytes : 4;
        rules.counters = std::min(rules.counters, std::bit_floor(left / 4));
        if (traits.isCpu) {
            rules.groupSize = std::min(rules.groupSize, 256u);
            rules.groups = 32;
            rules.batch = 1;
        }
        return rules;
    }
};

/// Returns a finite float.
float nearestFloat(double value) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

class HistogramPlanner {
public:
    HistogramPlanner(const HistogramProblem& problem, const DeviceTraits& traits)
        : mProblem(problem), mTraits(traits), mRules(HistogramRules::of(traits)),
          mMemories(problem.memories()), mPlan(mMemories.count),
          mKeyBytes(sortKeyBits(problem.type) / 8),
          mOutBytes(Memory::dataTypeMemorySize(problem.out)), mBins(problem.bins) {}

    Plan plan() {
        if (mProblem.bins == 0)
            return std::move(mPlan);
        if (mProblem.sorts() && mProblem.count > 0) {
            planSorted();
            return std::move(mPlan);
        }
        mPlan.steps.emplace_back(Fill{mMemories.out, 0, mProblem.bins * mOutBytes, 0});
        if (mProblem.count > 0)
            planWindows(mMemories.out, mProblem.weighted ? Result::eSums : Result::eCounts);
        return std::move(mPlan);
    }

private:
    enum class Result { eCounts, eSums, eBins };

    bool hasEdges() const { return mProblem.kind != Bins::Kind::eIntegers; }
    bool isEven() const { return mProblem.kind == Bins::Kind::eEven; }

    /// Weights in the order of their bins, then each bin as a segment.
    void planSorted() {
        const uint64_t count = mProblem.count;
        const uint64_t bins = mProblem.bins;
        const uint32_t numbers = mPlan.addScratch(count * 4);
        // Elements without a bin come last.
        mPlan.steps.emplace_back(Fill{numbers, 0, count * 4, lowWord(bins)});
        planWindows(numbers, Result::eBins);
        SortProblem sort;
        sort.count = count;
        sort.bits = static_cast<uint32_t>(std::bit_width(bins));
        sort.keysInPlace = true;
        sort.valueBytes = mOutBytes;
        const uint32_t weights = mPlan.addScratch(count * mOutBytes);
        mPlan.append(planSort(sort, mTraits), {numbers, mMemories.weights, weights});
        SearchProblem search;
        search.type = DataTypes::eUnsignedInt;
        search.sorted = count;
        search.needles = bins + 1;
        search.countingNeedles = true;
        search.placeBytes = count > UINT32_MAX ? 8 : 4;
        const uint32_t offsets = mPlan.addScratch(search.needles * search.placeBytes);
        mPlan.append(planSearch(search, mTraits), {numbers, offsets});
        ReduceProblem reduce;
        reduce.in = reduce.out = mProblem.out;
        reduce.length = count;
        reduce.segments = Segments{bins, search.placeBytes == 8};
        mPlan.append(planReduce(reduce, mTraits), {weights, mMemories.out, offsets});
    }

    void planEvenEdges() {
        mEven.emplace(mProblem.low, mProblem.high, mProblem.bins, mProblem.type);
        mBins = mEven->bins();
        if (mBins == 0)
            return;
        std::vector<uint32_t> words(divideUp((mBins + 1) * mKeyBytes, 4));
        auto* const bytes = reinterpret_cast<unsigned char*>(words.data());
        for (uint64_t i = 0; i <= mBins; ++i) {
            const uint64_t bits = mEven->bits(i);
            std::memcpy(bytes + i * mKeyBytes, &bits, mKeyBytes); // little-endian
        }
        mEdges = mPlan.addConstants(std::move(words));
    }

    void planWindows(uint32_t memory, Result result) {
        mEdges = mMemories.edges;
        if (isEven())
            planEvenEdges();
        uint64_t window = mTraits.maxViewBytes / mOutBytes;
        if (hasEdges())
            window = std::min(window, mTraits.maxViewBytes / mKeyBytes - 1);
        for (uint64_t first = 0; first < mBins; first += window)
            planWindow(memory, result, first, std::min(window, mBins - first));
    }

    /// Where elements are among the edges of a window, in floats: see QUICK in the shader.
    struct Quick {
        bool exact = false; ///< enough to tell bins apart
        float shift = 0;
        float margin = 0;
    };
    Quick quickOf(uint64_t first, uint64_t bins) const {
        const double low = mEven->value(first);
        const double high = mEven->value(first + bins);
        const double perUnit = static_cast<double>(bins) / (high - low);
        // Roundings of the edge, of perUnit, of the shift, of the product and of the sum, each half
        // a unit in the last of 24 bits of a number up to this one; and twice that.
        const double largest =
            std::max(std::abs(low), std::abs(high)) * perUnit + static_cast<double>(bins);
        const double margin = 8 * largest * 0x1p-23;
        Quick quick;
        quick.exact = mProblem.type == DataTypes::eFloat && bins <= kMaxQuickBins &&
                      margin < 0.25 && perUnit > 0x1p-100 && perUnit < 0x1p100;
        if (quick.exact) {
            quick.shift = nearestFloat(-low * perUnit);
            quick.margin = nearestFloat(margin);
        }
        return quick;
    }

    uint32_t kernel(Result result, bool sharedEdges, bool counters, bool quick) {
        std::string macros = keyMacros(mProblem.type) + "#define VALUE_WORDS 0\n";
        const auto define = [&](bool wanted, const char* text) {
            if (wanted)
                macros += text;
        };
        define(result == Result::eSums, "#define SUMS\n");
        define(result == Result::eBins, "#define BINS\n");
        if (result == Result::eCounts)
            macros += formatted("#define COUNTS\n#define COUNT_WORDS {}\n", mOutBytes / 4);
        define(hasEdges(), "#define EDGES\n");
        define(isEven(), "#define EVEN\n");
        define(quick, "#define QUICK\n");
        define(mProblem.type == DataTypes::eHalf, "#define HALF\n");
        if (sharedEdges)
            macros += formatted("#define SHARED_EDGES {}\n", mRules.sharedEdges + 1);
        if (counters)
            macros += formatted("#define COUNTERS {}\n", mRules.counters);
        macros += formatted("#define WEIGHTS_BINDING {}\n#define BATCH {}\n", hasEdges() ? 4 : 3,
                            std::min(mRules.batch, mKeyBytes));
        // A CPU driver takes seconds to compile unrolled loops, and gains nothing from it.
        macros +=
            mTraits.isCpu ? "#define UNROLL [[dont_unroll]]\n" : "#define UNROLL [[unroll]]\n";
        for (const auto& [known, number] : mKernels)
            if (known == macros)
                return number;
        Kernel made;
        made.name = "OpHistogram";
        made.source = composeSource(macros, std::string(WIDE_GLSL) + std::string(SORTKEYS_GLSL),
                                    HISTOGRAM_GLSL, false);
        made.constants = {mRules.groupSize};
        mKernels.emplace_back(macros, mPlan.addKernel(std::move(made)));
        return mKernels.back().second;
    }

    /// @param first, bins  of the bins
    void planWindow(uint32_t memory, Result result, uint64_t first, uint64_t bins) {
        const bool counters = result != Result::eBins && bins <= mRules.counters;
        const uint64_t copies =
            counters ? std::clamp<uint64_t>(mRules.counters / bins, 1, mRules.copies) : 1;
        const Quick quick = isEven() ? quickOf(first, bins) : Quick{};
        const uint32_t number =
            kernel(result, hasEdges() && bins <= mRules.sharedEdges, counters, quick.exact);
        const uint64_t elementBytes =
            std::max({mKeyBytes, result == Result::eCounts ? 1u : mOutBytes, 1u});
        const uint64_t most = mTraits.maxViewBytes / std::max<uint64_t>(elementBytes, 4) / 16 * 16;
        float low = 0;
        float perUnit = 0;
        if (isEven()) {
            const double lowest = mEven->value(first);
            low = nearestFloat(lowest);
            perUnit =
                nearestFloat(static_cast<double>(bins) / (mEven->value(first + bins) - lowest));
        }
        for (uint64_t begin = 0; begin < mProblem.count; begin += most) {
            const uint64_t count = std::min(most, mProblem.count - begin);
            // The first and the last block may be incomplete.
            const uint64_t blocks = count * mKeyBytes / 16 + 2;
            uint64_t chunk = std::max(mRules.minChunkBytes / 16, divideUp(blocks, mRules.groups));
            if (counters)
                chunk = std::max(chunk, bins * copies * mKeyBytes / 16);
            Dispatch dispatch;
            dispatch.kernel = number;
            View in{0, begin * mKeyBytes, count * mKeyBytes, mKeyBytes};
            in.bindings = 2;
            dispatch.views = {in};
            if (result == Result::eBins)
                dispatch.views.push_back({memory, begin * 4, count * 4, 4, Use::eWrite});
            else
                dispatch.views.push_back(
                    {memory, first * mOutBytes, bins * mOutBytes, mOutBytes, Use::eReadWrite});
            if (hasEdges())
                dispatch.views.push_back(
                    {mEdges, first * mKeyBytes, (bins + 1) * mKeyBytes, mKeyBytes});
            if (result == Result::eSums)
                dispatch.views.push_back(
                    {mMemories.weights, begin * mOutBytes, count * mOutBytes, mOutBytes});
            dispatch.setPush(HistogramPush{.count = lowWord(count),
                                           .chunkBlocks = lowWord(chunk),
                                           .bins = lowWord(bins),
                                           .baseLow = lowWord(first),
                                           .baseHigh = highWord(first),
                                           .closed = first + bins == mBins ? 1u : 0u,
                                           .copies = lowWord(copies),
                                           .low = low,
                                           .perUnit = perUnit,
                                           .shift = quick.shift,
                                           .margin = quick.margin});
            dispatch.groups = divideUp(blocks, chunk);
            mPlan.steps.emplace_back(std::move(dispatch));
        }
    }

    const HistogramProblem& mProblem;
    const DeviceTraits& mTraits;
    HistogramRules mRules;
    HistogramProblem::Memories mMemories;
    Plan mPlan;
    uint32_t mKeyBytes;
    uint32_t mOutBytes;
    uint64_t mBins; ///< that elements may be in; the rest stay 0
    uint32_t mEdges = 0;
    std::optional<EvenEdges> mEven;
    std::vector<std::pair<std::string, uint32_t>> mKernels;
};

} // namespace

HistogramProblem::Memories HistogramProblem::memories() const {
    Memories memories;
    uint32_t next = 1;
    if (kind == Bins::Kind::eEdges)
        memories.edges = next++;
    if (weighted)
        memories.weights = next++;
    memories.out = next++;
    memories.count = next;
    return memories;
}

bool HistogramProblem::sorts() const {
    // Atomic additions of doubles need features that few devices have.
    return weighted && (determinism == Determinism::eRunToRun || out == DataTypes::eDouble);
}

Plan planHistogram(const HistogramProblem& problem, const DeviceTraits& traits) {
    return HistogramPlanner(problem, traits).plan();
}

} // namespace kp::primitives

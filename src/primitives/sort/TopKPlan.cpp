// SPDX-License-Identifier: Apache-2.0
#include "primitives/sort/TopKPlan.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <SortKeys.glsl.hpp>
#include <TopK.glsl.hpp>
#include <TopKDigits.glsl.hpp>
#include <TopKStream.glsl.hpp>
#include <Wide.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/move/MovePlan.hpp"
#include "primitives/sort/SortKeys.hpp"
#include "primitives/sort/SortPlan.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

using Use = View::Use;

/// Rows of keys, each with the index of its key in its row: its place, or an index in memory.
struct KeyRows {
    uint32_t keys = 0;
    std::optional<uint32_t> indices;
    uint64_t length = 0;
};

/// Where k keys or indices per row go. `unit`: of the memory's address.
struct TopKOutput {
    uint32_t memory = 0;
    uint32_t bytes = 0; ///< of an element
    uint32_t unit = 16;
};

class TopKPlanner {
public:
    TopKPlanner(const TopKProblem& problem, const DeviceTraits& traits, const TopKRules& rules)
        : mProblem(problem), mTraits(traits), mRules(rules),
          mPlan(1 + (problem.values ? 1 : 0) + (problem.indexBytes > 0 ? 1 : 0)),
          mKeyBytes(sortKeyBits(problem.type) / 8),
          mRows(problem.array.outer * problem.array.inner) {}

    Plan plan() {
        if (mProblem.k == 0 || mRows == 0)
            return std::move(mPlan);
        uint32_t next = 1;
        std::optional<TopKOutput> values;
        std::optional<TopKOutput> indices;
        if (mProblem.values)
            values = TopKOutput{next++, mKeyBytes, mProblem.valuesUnit};
        if (mProblem.indexBytes > 0)
            indices = TopKOutput{next++, mProblem.indexBytes, mProblem.indicesUnit};
        KeyRows rows{0, std::nullopt, mProblem.array.length};
        if (mProblem.array.inner == 1) {
            select(rows, values, indices);
            return std::move(mPlan);
        }
        rows.keys = transposed();
        const auto inRows = [&](const std::optional<TopKOutput>& output) {
            return output ? std::optional<TopKOutput>{{mPlan.addScratch(mRows * mProblem.k *
                                                                        output->bytes),
                                                       output->bytes, 16}}
                          : std::nullopt;
        };
        const std::optional<TopKOutput> valueRows = inRows(values);
        const std::optional<TopKOutput> indexRows = inRows(indices);
        select(rows, valueRows, indexRows);
        if (values)
            transposeBack(*valueRows, *values);
        if (indices)
            transposeBack(*indexRows, *indices);
        return std::move(mPlan);
    }

private:
    /// Returns a memory with the input's rows, in which the axis is the last.
    uint32_t transposed() {
        const AxisExtents& array = mProblem.array;
        const uint64_t bytes = mKeyBytes;
        MoveProblem move;
        move.elementBytes = bytes;
        move.outMemory = mPlan.addScratch(mRows * array.length * bytes);
        move.inUnit = mProblem.inUnit;
        move.axes = {{array.outer, signedStride(array.length * array.inner * bytes),
                      array.length * array.inner * bytes},
                     {array.inner, signedStride(bytes), array.length * bytes},
                     {array.length, signedStride(array.inner * bytes), bytes}};
        planMove(mPlan, move, mTraits);
        return move.outMemory;
    }

    void transposeBack(const TopKOutput& rows, const TopKOutput& out) {
        const AxisExtents& array = mProblem.array;
        const uint64_t bytes = out.bytes;
        const uint64_t k = mProblem.k;
        MoveProblem move;
        move.elementBytes = bytes;
        move.inMemory = rows.memory;
        move.outMemory = out.memory;
        move.outUnit = out.unit;
        move.axes = {{array.outer, signedStride(k * array.inner * bytes), k * array.inner * bytes},
                     {k, signedStride(bytes), array.inner * bytes},
                     {array.inner, signedStride(k * bytes), bytes}};
        planMove(mPlan, move, mTraits);
    }

    static int64_t signedStride(uint64_t stride) { return static_cast<int64_t>(stride); }

    void select(KeyRows rows, const std::optional<TopKOutput>& values,
                const std::optional<TopKOutput>& indices) {
        SortProblem sort = sortProblem(rows);
        const uint64_t small = SortRules::of(sort, mTraits).small.keys();
        const uint64_t most = mTraits.maxViewBytes / std::max(mKeyBytes, mProblem.indexBytes);
        const auto chunkOf = [&] {
            const uint64_t least = std::max(mRules.chunk, mRules.keysPerTaken * mProblem.k);
            return streams() ? std::max(least, divideUp(mRows * rows.length, mRules.groups))
                             : least;
        };
        while (rows.length > small && mRows * rows.length > mRules.mostSorted &&
               4 * mProblem.k <= rows.length && chunkOf() <= most)
            rows = selected(rows, chunkOf());
        sort = sortProblem(rows);
        if (rows.length <= small) {
            sort.take = mProblem.k;
            appendSort(sort, rows, values, indices);
            return;
        }
        const auto inFull = [&](const std::optional<TopKOutput>& output) {
            return output ? std::optional<TopKOutput>{{mPlan.addScratch(mRows * rows.length *
                                                                        output->bytes),
                                                       output->bytes, 16}}
                          : std::nullopt;
        };
        const std::optional<TopKOutput> allValues = inFull(values);
        const std::optional<TopKOutput> allIndices = inFull(indices);
        appendSort(sort, rows, allValues, allIndices);
        if (values)
            copyFirst(*allValues, *values, rows.length);
        if (indices)
            copyFirst(*allIndices, *indices, rows.length);
    }

    /// Whether a work group gathers keys in shared memory, rather than looking at all several
    /// times.
    bool streams() const { return mProblem.k + mRules.groupSize <= mRules.capacity; }

    SortProblem sortProblem(const KeyRows& rows) const {
        SortProblem sort;
        sort.keys = mProblem.type;
        sort.count = mRows * rows.length;
        sort.descending = !mProblem.smallest;
        sort.bits = sortKeyBits(mProblem.type);
        sort.valueBytes = mProblem.indexBytes;
        sort.indices = mProblem.indexBytes > 0 && !rows.indices;
        sort.discardKeys = !mProblem.values;
        sort.rowLength = rows.length;
        return sort;
    }

    void appendSort(const SortProblem& sort, const KeyRows& rows,
                    const std::optional<TopKOutput>& values,
                    const std::optional<TopKOutput>& indices) {
        std::vector<uint32_t> memories = {rows.keys};
        if (values)
            memories.push_back(values->memory);
        if (rows.indices && indices)
            memories.push_back(*rows.indices);
        if (indices)
            memories.push_back(indices->memory);
        mPlan.append(planSort(sort, mTraits), memories);
    }

    /// Copies the first k of each row.
    void copyFirst(const TopKOutput& rows, const TopKOutput& out, uint64_t length) {
        const uint64_t bytes = out.bytes;
        MoveProblem move;
        move.elementBytes = bytes;
        move.inMemory = rows.memory;
        move.outMemory = out.memory;
        move.outUnit = out.unit;
        move.axes = {{mRows, signedStride(length * bytes), mProblem.k * bytes},
                     {mProblem.k, signedStride(bytes), bytes}};
        planMove(mPlan, move, mTraits);
    }

    uint32_t kernel(bool places) {
        std::optional<uint32_t>& number = places ? mFirstKernel : mLaterKernel;
        if (number)
            return *number;
        std::string macros = keyMacros(mProblem.type) + "#define VALUE_WORDS 0\n";
        macros += formatted("#define INDEX_WORDS {}\n", mProblem.indexBytes / 4);
        if (places)
            macros += "#define PLACES\n";
        if (streams())
            macros += formatted("#define GROUP_THREADS {}\n#define CAPACITY {}\n#define BATCH {}\n"
                                "#define UNROLL {}\n",
                                mRules.groupSize, mRules.capacity, mRules.batch,
                                mTraits.isCpu ? "[[dont_unroll]]" : "[[unroll]]");
        Kernel made;
        made.name = "OpTopK";
        made.source = composeSource(macros, std::string(WIDE_GLSL) + std::string(SORTKEYS_GLSL),
                                    std::string(TOPKDIGITS_GLSL) +
                                        std::string(streams() ? TOPKSTREAM_GLSL : TOPK_GLSL),
                                    "", false);
        made.constants = {mRules.groupSize};
        number = mPlan.addKernel(std::move(made));
        return *number;
    }

    /// Adds dispatches that reduce each chunk of each row to its k first keys.
    KeyRows selected(const KeyRows& rows, uint64_t wantedChunk) {
        const uint64_t k = mProblem.k;
        const uint64_t chunkSize = divideUp(rows.length, divideUp(rows.length, wantedChunk));
        const uint64_t chunks = divideUp(rows.length, chunkSize);
        KeyRows out;
        out.length = (chunks - 1) * k + std::min(k, rows.length - (chunks - 1) * chunkSize);
        out.keys = mPlan.addScratch(mRows * out.length * mKeyBytes);
        if (mProblem.indexBytes > 0)
            out.indices = mPlan.addScratch(mRows * out.length * mProblem.indexBytes);
        const uint64_t most = mTraits.maxViewBytes / std::max(mKeyBytes, mProblem.indexBytes);
        if (rows.length <= most) {
            const uint64_t mostRows = most / rows.length;
            for (uint64_t row = 0; row < mRows; row += mostRows)
                addSelection(rows, out, row, std::min(mostRows, mRows - row), 0, chunks, chunkSize);
            return out;
        }
        const uint64_t mostChunks = most / chunkSize;
        for (uint64_t row = 0; row < mRows; ++row)
            for (uint64_t chunk = 0; chunk < chunks; chunk += mostChunks)
                addSelection(rows, out, row, 1, chunk, std::min(mostChunks, chunks - chunk),
                             chunkSize);
        return out;
    }

    /// @param row, rowCount      rows of this dispatch
    /// @param chunk, chunkCount  and chunks of each
    void addSelection(const KeyRows& in, const KeyRows& out, uint64_t row, uint64_t rowCount,
                      uint64_t chunk, uint64_t chunkCount, uint64_t chunkSize) {
        const uint64_t k = mProblem.k;
        const uint64_t place = chunk * chunkSize;
        const uint64_t length = std::min(chunkCount * chunkSize, in.length - place);
        const uint64_t inFirst = row * in.length + place;
        const uint64_t inCount = (rowCount - 1) * in.length + length;
        const uint64_t outFirst = row * out.length + chunk * k;
        const uint64_t outCount =
            (rowCount - 1) * out.length + std::min(chunkCount * k, out.length - chunk * k);
        const auto view = [](uint32_t memory, uint64_t first, uint64_t count, uint32_t bytes,
                             Use use) {
            return View{memory, first * bytes, count * bytes, bytes, use};
        };
        Dispatch dispatch;
        dispatch.kernel = kernel(!in.indices);
        dispatch.views = {view(in.keys, inFirst, inCount, mKeyBytes, Use::eRead),
                          view(out.keys, outFirst, outCount, mKeyBytes, Use::eWrite)};
        if (out.indices)
            dispatch.views.push_back(
                view(*out.indices, outFirst, outCount, mProblem.indexBytes, Use::eWrite));
        if (in.indices)
            dispatch.views.push_back(
                view(*in.indices, inFirst, inCount, mProblem.indexBytes, Use::eRead));
        dispatch.setPush(TopKDigitsPush{.rows = lowWord(rowCount),
                                        .chunks = lowWord(chunkCount),
                                        .chunkSize = lowWord(chunkSize),
                                        .length = lowWord(length),
                                        .outLength = lowWord(out.length),
                                        .k = lowWord(k),
                                        .flip = mProblem.smallest ? 0u : ~0u,
                                        .baseLow = lowWord(place),
                                        .baseHigh = highWord(place)});
        dispatch.groups = rowCount * chunkCount;
        mPlan.steps.emplace_back(std::move(dispatch));
    }

    const TopKProblem& mProblem;
    const DeviceTraits& mTraits;
    const TopKRules& mRules;
    Plan mPlan;
    uint32_t mKeyBytes;
    uint64_t mRows;
    std::optional<uint32_t> mFirstKernel;
    std::optional<uint32_t> mLaterKernel;
};

} // namespace

TopKRules TopKRules::of(const DeviceTraits& traits) {
    TopKRules rules;
    if (traits.isCpu) {
        rules.mostSorted = uint64_t{1} << 19;
        // A work group runs on one core. Small groups switch less at barriers.
        rules.groupSize = 64;
        rules.chunk = 16384;
        rules.groups = 32;
        rules.batch = 4;
    }
    rules.groupSize = std::min(rules.groupSize, std::bit_floor(traits.maxGroupSize));
    while (rules.capacity > 0 && rules.capacity * 12 + 4096 > traits.sharedBytes)
        rules.capacity /= 2;
    return rules;
}

Plan planTopK(const TopKProblem& problem, const DeviceTraits& traits, const TopKRules& rules) {
    return TopKPlanner(problem, traits, rules).plan();
}

Plan planTopK(const TopKProblem& problem, const DeviceTraits& traits) {
    return planTopK(problem, traits, TopKRules::of(traits));
}

} // namespace kp::primitives

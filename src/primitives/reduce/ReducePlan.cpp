// SPDX-License-Identifier: Apache-2.0
#include "primitives/reduce/ReducePlan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <Offsets.glsl.hpp>
#include <Reduce.glsl.hpp>
#include <ReduceColumns.glsl.hpp>
#include <ReduceRows.glsl.hpp>
#include <Wide.glsl.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/reduce/ReduceSource.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/OperatorSource.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

constexpr uint32_t kReduceIn = 0;
constexpr uint32_t kReduceOut = 1;
constexpr uint32_t kReduceOffsets = 2;

/// How work is divided. One table, with the reason of each number.
struct ReduceRules {
    /// Enough subgroups to hide latencies, and few enough for several groups per core.
    uint32_t groupSize = 256;
    /// Twice as many as the largest GPUs run at a time (an H200: 132 x 8 groups of 256), to replace
    /// groups that end early. A CPU driver runs a group per core, and each costs it time.
    uint64_t groups = 2048;
    /// The minimum that a group should reduce: 4 blocks of 16 bytes per invocation. Less does not
    /// pay for the second dispatch.
    uint64_t minChunkBytes = 16 * 1024;
    /// Short rows take fewer invocations than a group has, each with several accesses in flight: on
    /// an H200, segments of 1,024 floats take 0.76 of the time with 32 bytes each.
    uint64_t bytesPerLane = 128;
    /// Along columns, invocations have up to 16 rows in flight, of so many bytes.
    uint64_t columnBytes = 16;

    static ReduceRules of(const DeviceTraits& traits) {
        ReduceRules rules;
        rules.groupSize = std::min(rules.groupSize, std::bit_floor(traits.maxGroupSize));
        if (traits.isCpu) {
            rules.groups = 32;
            // Compiling the second dispatch's kernel takes longer than a core takes for this chunk.
            rules.minChunkBytes = 128 * 1024;
        }
        return rules;
    }
};

/// Adds the steps of one reduction to a plan.
class ReducePlanner {
public:
    ReducePlanner(const ReduceProblem& problem, const DeviceTraits& traits)
        : mProblem(problem), mTraits(traits), mRules(ReduceRules::of(traits)),
          mSource(reduceSource(problem, traits.int64)), mPlan(problem.segments ? 3 : 2),
          mInBytes(Memory::dataTypeMemorySize(problem.in)),
          mOutBytes(Memory::dataTypeMemorySize(problem.out)) {}

    Plan plan() {
        if (mProblem.results() == 0)
            return std::move(mPlan);
        if (mProblem.segments)
            planSegments();
        else if (mProblem.inner == 1)
            planRows();
        else
            planColumns();
        return std::move(mPlan);
    }

private:
    /// The input or output of a dispatch: results, or intermediate ones.
    struct Place {
        uint32_t memory = 0;
        uint64_t first = 0; ///< element
        bool partial = false;
    };

    uint64_t bytesOf(const Place& place, bool input) const {
        return place.partial ? mSource.partialBytes : input ? mInBytes : mOutBytes;
    }
    uint64_t maxElements(uint64_t bytes) const { return mTraits.maxViewBytes / bytes; }

    View view(const Place& place, uint64_t elements, bool input) const {
        const uint64_t bytes = bytesOf(place, input);
        View view;
        view.memory = place.memory;
        view.offset = place.first * bytes;
        view.bytes = elements * bytes;
        view.elementBytes = static_cast<uint32_t>(bytes);
        view.use = input ? View::Use::eRead : View::Use::eWrite;
        view.bindings = input && !place.partial ? 2 : 1;
        return view;
    }

    /// Returns a view of the input, or of any memory if it has no elements.
    View inputView(const Place& place, uint64_t elements) {
        if (elements > 0)
            return view(place, elements, true);
        if (!mEmpty)
            mEmpty = mPlan.addScratch(16);
        View nothing;
        nothing.memory = *mEmpty;
        nothing.bytes = 16;
        nothing.elementBytes = 4;
        nothing.bindings = place.partial ? 1 : 2;
        return nothing;
    }

    uint32_t kernel(bool rows, bool fromPartials, bool final, bool segmented);

    struct Rows {
        Place in;
        Place out;
        uint64_t rows = 1;
        uint64_t length = 0; ///< of a row
        uint64_t chunks = 1; ///< per row
        uint32_t lanes = 1;
        uint64_t base = 0;  ///< see the shader
        uint64_t count = 0; ///< elements of a whole row; of the input with segments
        uint64_t offset = 0;
    };
    void addRows(const Rows& rows);

    struct Columns {
        Place in;
        Place out;
        uint64_t slabs = 1;
        uint64_t length = 0;
        uint64_t columns = 1;
        uint64_t stride = 1;
        uint64_t chunks = 1;
        uint64_t base = 0;
        uint64_t count = 0;
    };
    void addColumns(const Columns& columns, bool segmented);

    void planRows();
    void planLongRow(uint64_t row);
    void planColumns();
    void planSegments();
    void planColumnBlock(uint64_t slab, uint64_t slabs, uint64_t column, uint64_t columns);

    uint32_t lanesFor(uint64_t length) const {
        const uint64_t wanted = divideUp(length * mInBytes, mRules.bytesPerLane);
        return static_cast<uint32_t>(
            std::min<uint64_t>(mRules.groupSize, std::bit_ceil(std::max<uint64_t>(1, wanted))));
    }
    uint32_t columnLanes(uint64_t columns) const {
        return static_cast<uint32_t>(
            std::min<uint64_t>({mRules.groupSize, 64, std::bit_ceil(columns)}));
    }
    /// Returns the parts that each of @p groups should be cut into, none smaller than @p least.
    uint64_t chunksFor(uint64_t groups, uint64_t length, uint64_t least) const {
        const uint64_t wanted =
            std::max<uint64_t>(1, mRules.groups / std::max<uint64_t>(1, groups));
        return std::max<uint64_t>(1, std::min(wanted, length / std::max<uint64_t>(1, least)));
    }

    const ReduceProblem& mProblem;
    const DeviceTraits& mTraits;
    ReduceRules mRules;
    ReduceSource mSource;
    Plan mPlan;
    uint64_t mInBytes;
    uint64_t mOutBytes;
    std::optional<uint32_t> mEmpty;
    std::vector<std::pair<std::array<bool, 4>, uint32_t>> mKernels;
};

uint32_t ReducePlanner::kernel(bool rows, bool fromPartials, bool final, bool segmented) {
    const std::array<bool, 4> key = {rows, fromPartials, final, segmented};
    for (const auto& [known, number] : mKernels)
        if (known == key)
            return number;
    std::string macros = mSource.macros;
    uint32_t bindings = rows && !fromPartials ? 2 : 1;
    if (fromPartials)
        macros += "#define FROM_PARTIALS\n";
    if (final)
        macros += "#define FINAL\n";
    if (segmented)
        macros += "#define SEGMENTED\n" + offsetMacros(*mProblem.segments, bindings++);
    macros += formatted("#define OUT_BINDING {}\n", bindings);
    if (!rows)
        macros += formatted("#define FOURS {}u\n",
                            std::clamp<uint64_t>(mRules.columnBytes / mInBytes / 4, 1, 4));
    const bool subgroups = rows && mTraits.subgroups && mRules.groupSize >= mTraits.maxSubgroupSize;
    Kernel made;
    made.name = rows ? "OpReduce of rows" : "OpReduce of columns";
    made.source = composeSource(
        macros, mSource.functions,
        std::string(WIDE_GLSL) + std::string(segmented ? OFFSETS_GLSL : "") +
            std::string(REDUCE_GLSL) + std::string(rows ? REDUCEROWS_GLSL : REDUCECOLUMNS_GLSL),
        subgroups);
    made.constants = {mRules.groupSize};
    made.subgroups = subgroups;
    made.userTexts = operatorTexts(mProblem.combine);
    mKernels.emplace_back(key, mPlan.addKernel(std::move(made)));
    return mKernels.back().second;
}

void ReducePlanner::addRows(const Rows& rows) {
    const bool segmented = mProblem.segments.has_value();
    Dispatch dispatch;
    dispatch.kernel = kernel(true, rows.in.partial, !rows.out.partial, segmented);
    dispatch.views.push_back(inputView(rows.in, segmented ? rows.length : rows.rows * rows.length));
    if (segmented) {
        const uint64_t bytes = mProblem.segments->wide ? 8 : 4;
        dispatch.views.push_back({kReduceOffsets, rows.offset * bytes, (rows.rows + 1) * bytes,
                                  static_cast<uint32_t>(bytes)});
    }
    dispatch.views.push_back(view(rows.out, rows.rows * rows.chunks, false));
    dispatch.setPush(ReduceRowsPush{.lanes = rows.lanes,
                                    .rows = lowWord(rows.rows),
                                    .length = lowWord(rows.length),
                                    .chunks = lowWord(rows.chunks),
                                    .baseLow = lowWord(rows.base),
                                    .baseHigh = highWord(rows.base),
                                    .countLow = lowWord(rows.count),
                                    .countHigh = highWord(rows.count)});
    dispatch.groups = divideUp(rows.rows, mRules.groupSize / rows.lanes) * rows.chunks;
    mPlan.steps.push_back(std::move(dispatch));
}

void ReducePlanner::addColumns(const Columns& columns, bool segmented) {
    const uint32_t lanes = columnLanes(columns.columns);
    Dispatch dispatch;
    dispatch.kernel = kernel(false, columns.in.partial, !columns.out.partial, segmented);
    const uint64_t elements =
        columns.length == 0
            ? 0
            : (columns.slabs * columns.length - 1) * columns.stride + columns.columns;
    View in = inputView(columns.in, elements);
    in.bindings = 1;
    dispatch.views.push_back(in);
    if (segmented) {
        const uint64_t bytes = mProblem.segments->wide ? 8 : 4;
        dispatch.views.push_back({kReduceOffsets, columns.out.first * bytes,
                                  (columns.columns + 1) * bytes, static_cast<uint32_t>(bytes)});
    }
    dispatch.views.push_back(
        view(columns.out, columns.slabs * columns.chunks * columns.columns, false));
    dispatch.setPush(
        ReduceColumnsPush{.lanes = lanes,
                          .slabs = lowWord(columns.slabs),
                          .length = lowWord(columns.length),
                          .columns = lowWord(columns.columns),
                          .stride = lowWord(columns.stride),
                          .chunks = lowWord(columns.chunks),
                          .chunkLength = lowWord(divideUp(columns.length, columns.chunks)),
                          .baseLow = lowWord(columns.base),
                          .baseHigh = highWord(columns.base),
                          .countLow = lowWord(columns.count),
                          .countHigh = highWord(columns.count)});
    dispatch.groups = columns.slabs * columns.chunks * divideUp(columns.columns, lanes);
    mPlan.steps.push_back(std::move(dispatch));
}

void ReducePlanner::planRows() {
    const uint64_t length = mProblem.length;
    if (length > maxElements(mInBytes)) {
        for (uint64_t row = 0; row < mProblem.outer; ++row)
            planLongRow(row);
        return;
    }
    const uint32_t lanes = lanesFor(length);
    const uint64_t rowsPerGroup = mRules.groupSize / lanes;
    const uint64_t chunks = lanes < mRules.groupSize
                                ? 1
                                : chunksFor(divideUp(mProblem.outer, rowsPerGroup), length,
                                            mRules.minChunkBytes / mInBytes);
    const uint64_t bytesPerRow =
        std::max({length * mInBytes, chunks * mSource.partialBytes, mOutBytes});
    const uint64_t most = std::min<uint64_t>(mTraits.maxViewBytes / bytesPerRow, UINT32_MAX);
    std::optional<uint32_t> partials;
    if (chunks > 1)
        partials = mPlan.addScratch(std::min(most, mProblem.outer) * chunks * mSource.partialBytes);
    for (uint64_t row = 0; row < mProblem.outer; row += most) {
        const uint64_t rows = std::min(most, mProblem.outer - row);
        const Place in{kReduceIn, row * length, false};
        const Place out{kReduceOut, row, false};
        if (!partials) {
            addRows({in, out, rows, length, 1, lanes, 0, length});
            continue;
        }
        const Place between{*partials, 0, true};
        addRows({in, between, rows, length, chunks, lanes, 0, length});
        addRows({between, out, rows, chunks, 1,
                 std::min(mRules.groupSize, std::bit_ceil(lowWord(chunks))), 0, length});
    }
}

/// A row that no view can hold.
void ReducePlanner::planLongRow(uint64_t row) {
    const uint64_t length = mProblem.length;
    const uint64_t blockElements = 16 / mInBytes;
    const uint64_t pieceLength = maxElements(mInBytes) / blockElements * blockElements;
    const uint64_t chunks = mRules.groups;
    const uint64_t pieces = divideUp(length, pieceLength);
    const uint32_t partials = mPlan.addScratch(pieces * chunks * mSource.partialBytes);
    for (uint64_t piece = 0; piece < pieces; ++piece) {
        const uint64_t first = piece * pieceLength;
        addRows({{kReduceIn, row * length + first, false},
                 {partials, piece * chunks, true},
                 1,
                 std::min(pieceLength, length - first),
                 chunks,
                 mRules.groupSize,
                 first,
                 length});
    }
    addRows({{partials, 0, true},
             {kReduceOut, row, false},
             1,
             pieces * chunks,
             1,
             mRules.groupSize,
             0,
             length});
}

void ReducePlanner::planColumns() {
    const uint64_t slabElements = mProblem.length * mProblem.inner;
    const uint64_t most = maxElements(std::max<uint64_t>({mInBytes, mOutBytes, 4}));
    if (slabElements <= most && mProblem.inner <= most) {
        const uint64_t slabs = most / std::max(slabElements, mProblem.inner);
        for (uint64_t slab = 0; slab < mProblem.outer; slab += slabs)
            planColumnBlock(slab, std::min(slabs, mProblem.outer - slab), 0, mProblem.inner);
        return;
    }
    // Few columns at a time, so that several rows of them fit.
    const uint64_t columns = std::min(mProblem.inner, most / 4);
    for (uint64_t slab = 0; slab < mProblem.outer; ++slab)
        for (uint64_t column = 0; column < mProblem.inner; column += columns)
            planColumnBlock(slab, 1, column, std::min(columns, mProblem.inner - column));
}

/// Some columns of some slabs; of one slab if these have more rows or columns than a view holds.
void ReducePlanner::planColumnBlock(uint64_t slab, uint64_t slabs, uint64_t column,
                                    uint64_t columns) {
    const uint64_t length = mProblem.length;
    const uint64_t inner = mProblem.inner;
    const uint64_t most = maxElements(std::max<uint64_t>({mInBytes, mOutBytes, 4}));
    // Rows whose columns lie within one view: (rows - 1) * inner + columns <= most.
    const uint64_t pieceLength = length == 0 ? 0 : std::min(length, (most - columns) / inner + 1);
    const uint64_t pieces = length == 0 ? 1 : divideUp(length, pieceLength);
    const uint32_t lanes = columnLanes(columns);
    const uint64_t strips = mRules.groupSize / lanes;
    uint64_t chunks = chunksFor(slabs * divideUp(columns, lanes), pieceLength, strips * 8);
    const uint64_t partialsMost = maxElements(mSource.partialBytes) / columns / slabs;
    chunks = std::max<uint64_t>(1, std::min(chunks, partialsMost / pieces));
    const Place out{kReduceOut, slab * inner + column, false};
    const auto at = [&](uint64_t row) {
        return Place{kReduceIn, (slab * length + row) * inner + column, false};
    };
    if (pieces * chunks == 1) {
        addColumns({at(0), out, slabs, length, columns, inner, 1, 0, length}, false);
        return;
    }
    const uint32_t partials =
        mPlan.addScratch(slabs * pieces * chunks * columns * mSource.partialBytes);
    for (uint64_t piece = 0; piece < pieces; ++piece) {
        const uint64_t row = piece * pieceLength;
        addColumns({at(row),
                    {partials, piece * chunks * columns, true},
                    slabs,
                    std::min(pieceLength, length - row),
                    columns,
                    inner,
                    chunks,
                    row,
                    length},
                   false);
    }
    addColumns({{partials, 0, true}, out, slabs, pieces * chunks, columns, columns, 1, 0, length},
               false);
}

void ReducePlanner::planSegments() {
    const uint64_t length = mProblem.length;
    const uint64_t segments = mProblem.segments->count;
    const uint32_t lanes = lanesFor(divideUp(length, segments));
    const uint64_t pieceLength = maxElements(mInBytes);
    const uint64_t pieces = std::max<uint64_t>(1, divideUp(length, pieceLength));
    // Several groups for each of a few segments, as for rows: one segment may be the whole input.
    const uint64_t chunks =
        lanes < mRules.groupSize
            ? 1
            : chunksFor(segments, divideUp(length, segments), mRules.minChunkBytes / mInBytes);
    const uint64_t bytesPerSegment =
        std::max<uint64_t>({8, mOutBytes, pieces * chunks * mSource.partialBytes});
    const uint64_t most = mTraits.maxViewBytes / bytesPerSegment - 1;
    std::optional<uint32_t> partials;
    if (pieces * chunks > 1)
        partials =
            mPlan.addScratch(std::min(most, segments) * pieces * chunks * mSource.partialBytes);
    for (uint64_t segment = 0; segment < segments; segment += most) {
        const uint64_t count = std::min(most, segments - segment);
        const Place out{kReduceOut, segment, false};
        for (uint64_t piece = 0; piece < pieces; ++piece) {
            const uint64_t first = piece * pieceLength;
            Rows rows;
            rows.in = {kReduceIn, first, false};
            rows.out = partials ? Place{*partials, piece * chunks * count, true} : out;
            rows.rows = count;
            rows.length = std::min(pieceLength, length - first);
            rows.chunks = chunks;
            rows.lanes = lanes;
            rows.base = first;
            rows.count = length;
            rows.offset = segment;
            addRows(rows);
        }
        if (partials)
            addColumns({{*partials, 0, true}, out, 1, pieces * chunks, count, count, 1, 0, length},
                       true);
    }
}

} // namespace

DataTypes reduceType(const ReduceProblem& problem) {
    const Operator& combine = problem.combine;
    const DataTypes in = problem.in;
    const DataTypes out = problem.out;
    const auto refuse = [&](const char* wanted) {
        refuseOutput(combine, in, out, wanted, "OpReduce");
    };
    const DataTypes computedIn = glslTypeOf(in, "reduced").computed;
    const DataTypes computed = glslTypeOf(out, "results").computed;
    if (combine.isExpression() || combine.operation <= ReduceOperation::eXor)
        return operatorType(combine, in, out, "OpReduce");
    switch (combine.operation) {
    case ReduceOperation::eMean:
        if (!isFloatingPoint(out))
            refuse("a floating-point type");
        return computed;
    case ReduceOperation::eArgMinimum:
    case ReduceOperation::eArgMaximum:
        if (isFloatingPoint(out) || Memory::dataTypeMemorySize(out) < 4)
            refuse("eUnsignedInt, eInt, eUnsignedLong or eLong");
        if (problem.length > (out == DataTypes::eInt ? uint64_t{INT32_MAX} : UINT32_MAX) &&
            Memory::dataTypeMemorySize(out) == 4)
            refuse("64-bit integers, since there are so many elements,");
        if (problem.length == 0 && problem.results() > 0)
            fail<InvalidArgument>("OpReduce: {} needs at least one element",
                                  nameOf(combine.operation));
        return computedIn;
    case ReduceOperation::eAny:
    case ReduceOperation::eAll:
        if (isFloatingPoint(out))
            refuse("eBool or an integer type");
        return DataTypes::eUnsignedInt;
    default:
        nameOf(combine.operation); // throws if there is no such operation
        if (isFloatingPoint(out))
            refuse("an integer type");
        return computed;
    }
}

Plan planReduce(const ReduceProblem& problem, const DeviceTraits& traits) {
    return ReducePlanner(problem, traits).plan();
}

} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#include "primitives/scan/ScanPlan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <LookBack.glsl.hpp>
#include <Offsets.glsl.hpp>
#include <Scan.glsl.hpp>
#include <ScanColumns.glsl.hpp>
#include <ScanHeads.glsl.hpp>
#include <ScanTile.glsl.hpp>
#include <ScanTiles.glsl.hpp>
#include <Wide.glsl.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/scan/ScanRules.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/OperatorSource.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

constexpr uint32_t kScanIn = 0;
constexpr uint32_t kScanOut = 1;
constexpr uint32_t kScanOffsets = 2;
constexpr uint32_t kBlockBytes = 16;

/// Adds the steps of one scan to a plan.
class ScanPlanner {
public:
    ScanPlanner(const ScanProblem& problem, const DeviceTraits& traits)
        : mProblem(problem), mTraits(traits), mRules(ScanRules::of(traits)),
          mTerm(termType(problem.combine,
                         operatorType(problem.combine, problem.in, problem.out, "OpScan"),
                         traits.int64)),
          mInBytes(Memory::dataTypeMemorySize(problem.in)),
          mOutBytes(Memory::dataTypeMemorySize(problem.out)),
          mTermBytes(Memory::dataTypeMemorySize(mTerm)), mPlan(problem.segments ? 3 : 2),
          mPadding(perLane()) {
        if (!hasOwnTiles())
            return;
        if (problem.inUnit == kBlockBytes && problem.length * mInBytes % kBlockBytes == 0)
            mPadding = 0;
        fitTilesToRows();
    }

    Plan plan() {
        if (mProblem.outer * mProblem.length * mProblem.inner == 0)
            return std::move(mPlan);
        if (areLikeColumns())
            planRowsAsColumns();
        else if (hasOwnTiles())
            planRows();
        else if (mProblem.inner == 1)
            planTiles();
        else
            planColumns();
        return std::move(mPlan);
    }

private:
    std::string typeMacros() const {
        return glslTypeMacros("IN", mProblem.in) + glslTypeMacros("OUT", mProblem.out) +
               glslTypeMacros("ACCUMULATOR", mTerm) +
               (mProblem.exclusive ? "#define EXCLUSIVE\n" : "");
    }

    // Neighbouring elements.

    struct Piece {
        uint64_t first = 0;
        uint64_t count = 0;
    };
    void planTiles();
    uint32_t tileKernel(bool single, bool carry);
    void addTiles(const Piece& piece, uint64_t number, uint64_t pieces);
    std::vector<View> inAndOut(const Piece& piece) const;
    void planRows();
    void fitTilesToRows();
    void addHeads(const Piece& piece);
    uint32_t perLane() const {
        return static_cast<uint32_t>(kBlockBytes / std::min(mInBytes, mOutBytes));
    }
    uint32_t rows() const {
        if (mRowsOfTile != 0)
            return mRowsOfTile;
        uint32_t bytes = hasLaneScans() ? mRules.bytesPerInvocation : mRules.bytesOfOthers;
        const uint64_t all = mProblem.outer * mProblem.length * mTermBytes;
        // One group needs no look back.
        const bool isOneTile = all <= uint64_t{mRules.tileGroupSize} * mRules.bytesOfOthers;
        if (isOneTile)
            bytes = mRules.bytesOfOthers;
        else if (all <= mRules.fewBytes)
            bytes = mRules.bytesOfFew;
        else if (all <= mRules.manyBytes)
            bytes = std::min(bytes, mRules.bytesOfMany);
        return std::max(1u, bytes / static_cast<uint32_t>(mTermBytes) / perLane());
    }
    bool hasSubgroups() const {
        return mTraits.subgroups && mRules.tileGroupSize >= mTraits.maxSubgroupSize;
    }
    /// The device itself scans over lanes.
    bool hasLaneScans() const {
        return !isSegmented() && hasSubgroups() &&
               (isInteger64() ? mTraits.subgroupInt64 : mTraits.subgroupArithmetic) &&
               (mTerm != DataTypes::eDouble || mTraits.float64) &&
               !laneOperation(mProblem.combine, mTerm).empty();
    }
    bool isInteger64() const {
        return mTerm == DataTypes::eLong || mTerm == DataTypes::eUnsignedLong;
    }
    /// The groups do without states. In place, others would overwrite their input.
    bool readsBefore() const {
        return hasLaneScans() && !hasOwnTiles() && !mProblem.inPlace &&
               mProblem.silentGroups == 0 && tilesOf(mProblem.length) <= mRules.readTiles;
    }
    uint64_t tileElements() const { return uint64_t{mRules.tileGroupSize} * perLane() * rows(); }
    uint64_t tilesOf(uint64_t count) const { return divideUp(count + mPadding, tileElements()); }
    /// See LookBack.glsl. Items are stored in halves of words.
    uint64_t stateBytes(uint64_t count) const {
        const uint64_t chunkTiles = mTraits.subgroups ? std::min(mTraits.minSubgroupSize, 32u) : 32;
        const uint64_t items = tilesOf(count) + 2 * (tilesOf(count) / chunkTiles + 1);
        return items * 2 * mTermBytes;
    }
    bool areLikeColumns() const {
        return mRules.rowsAsColumns && mProblem.inner == 1 && !mProblem.segments &&
               mProblem.silentGroups == 0 && (mProblem.outer == 1 || mProblem.length <= inView());
    }
    /// Elements of a view of the input or the results.
    uint64_t inView() const { return mTraits.maxViewBytes / std::max(mInBytes, mOutBytes); }
    bool isSegmented() const { return mProblem.segments || (mProblem.outer > 1 && !hasOwnTiles()); }
    /// There are rows, each scanned separately.
    bool hasOwnTiles() const {
        return mProblem.outer > 1 && mProblem.inner == 1 &&
               mProblem.length >= uint64_t{mRules.minRowLanes} * perLane() &&
               mProblem.length * std::max(mInBytes, mOutBytes) <= mTraits.maxViewBytes;
    }

    // Columns.

    struct ColumnBlock {
        uint64_t slab = 0;
        uint64_t slabs = 1;
        uint64_t column = 0;
        uint64_t columns = 1;
        uint64_t rowStep = 1; ///< elements from row to row
        uint64_t columnStep = 1;
    };
    void planColumns();
    void planRowsAsColumns();
    void planColumnBlock(const ColumnBlock& block);
    uint32_t columnKernel(bool totals, bool chunked);

    const ScanProblem& mProblem;
    const DeviceTraits& mTraits;
    ScanRules mRules;
    DataTypes mTerm;
    uint64_t mInBytes;
    uint64_t mOutBytes;
    uint64_t mTermBytes;
    Plan mPlan;
    uint64_t mPadding; ///< the most elements between the start of a block and the first element
    uint32_t mRowsOfTile = 0; ///< if not 0, rows() of tiles that fit rows of the array
    std::optional<uint32_t> mTileKernel;
    std::optional<uint32_t> mHeadKernel;
    std::optional<uint32_t> mColumnKernels[2][2];
    bool mSingle = false; ///< no tile waits for another one
    uint32_t mStates = 0; ///< memories of the plan
    uint32_t mCarries = 0;
    uint32_t mHeads = 0;
};

uint32_t ScanPlanner::tileKernel(bool single, bool carry) {
    std::string macros = typeMacros();
    uint32_t bindings = single ? 4 : 5;
    if (single)
        macros += "#define SINGLE\n";
    if (carry) {
        macros += "#define CARRY\n";
        ++bindings;
    }
    if (isSegmented())
        macros += "#define SEGMENTED\n";
    if (hasOwnTiles())
        macros += "#define EACH_ROW\n";
    if (mProblem.segments)
        macros += formatted("#define HEAD_BITS {}\n", bindings);
    if (mProblem.inPlace)
        macros += "#define IN_PLACE\n";
    macros += formatted("#define PER_LANE {}u\n#define ROWS {}u\n#define T_WORDS {}\n"
                        "#define SPINS {}u\n",
                        perLane(), rows(), mTermBytes / 4, mRules.spins);
    const bool subgroups = hasSubgroups();
    std::vector<std::string> extensions;
    if (single && readsBefore())
        macros += "#define READS_BEFORE\n";
    if (hasLaneScans()) {
        const std::string operation = laneOperation(mProblem.combine, mTerm);
        macros += "#define LANES_INCLUSIVE subgroupInclusive" + operation +
                  "\n#define LANES_ALL subgroup" + operation + '\n';
        extensions.emplace_back("GL_KHR_shader_subgroup_arithmetic");
        if (isInteger64())
            extensions.emplace_back("GL_EXT_shader_subgroup_extended_types_int64");
    }
    Kernel kernel;
    kernel.name = "OpScan of tiles";
    kernel.source =
        composeSource(macros, operatorSource(mProblem.combine, mProblem.out, mTraits.int64),
                      std::string(SCAN_GLSL) + std::string(SCANTILE_GLSL) +
                          std::string(single ? "" : LOOKBACK_GLSL) + std::string(SCANTILES_GLSL),
                      subgroups, mTraits.memoryModel && !single, extensions);
    kernel.constants = {mRules.tileGroupSize, mProblem.silentGroups};
    kernel.subgroups = subgroups;
    kernel.userTexts = operatorTexts(mProblem.combine);
    return mPlan.addKernel(std::move(kernel));
}

void ScanPlanner::addHeads(const Piece& piece) {
    const uint64_t offsetBytes = mProblem.segments->wide ? 8 : 4;
    const uint64_t bytes = (piece.count / 32 + 2) * 4;
    mPlan.steps.push_back(Fill{mHeads, 0, bytes, 0});
    if (!mHeadKernel) {
        Kernel kernel;
        kernel.name = "OpScan of segments";
        kernel.source = composeSource(offsetMacros(*mProblem.segments, 0), "",
                                      std::string(WIDE_GLSL) + std::string(OFFSETS_GLSL) +
                                          std::string(SCANHEADS_GLSL),
                                      false);
        kernel.constants = {mRules.groupSize};
        mHeadKernel = mPlan.addKernel(std::move(kernel));
    }
    const uint64_t most = mTraits.maxViewBytes / offsetBytes;
    const uint64_t offsets = mProblem.segments->count + 1;
    for (uint64_t first = 0; first < offsets; first += most) {
        const uint64_t count = std::min(most, offsets - first);
        Dispatch dispatch;
        dispatch.kernel = *mHeadKernel;
        dispatch.views = {{kScanOffsets, first * offsetBytes, count * offsetBytes,
                           static_cast<uint32_t>(offsetBytes)},
                          {mHeads, 0, bytes, 4, View::Use::eReadWrite}};
        dispatch.setPush(ScanHeadsPush{.segments = lowWord(count),
                                       .count = lowWord(piece.count),
                                       .baseLow = lowWord(piece.first),
                                       .baseHigh = highWord(piece.first)});
        dispatch.groups = divideUp(count, mRules.groupSize);
        mPlan.steps.push_back(std::move(dispatch));
    }
}

std::vector<View> ScanPlanner::inAndOut(const Piece& piece) const {
    View in{kScanIn, piece.first * mInBytes, piece.count * mInBytes,
            static_cast<uint32_t>(mInBytes)};
    in.bindings = 2;
    View out{kScanOut, piece.first * mOutBytes, piece.count * mOutBytes,
             static_cast<uint32_t>(mOutBytes), View::Use::eWrite};
    out.bindings = 2;
    return {in, out};
}

void ScanPlanner::addTiles(const Piece& piece, uint64_t number, uint64_t pieces) {
    Dispatch dispatch;
    dispatch.kernel = *mTileKernel;
    dispatch.views = inAndOut(piece);
    if (!mSingle)
        dispatch.views.push_back({mStates, 0, stateBytes(piece.count), 4, View::Use::eReadWrite});
    if (pieces > 1)
        dispatch.views.push_back({mCarries, 0, (pieces + 1) * 16, 4, View::Use::eReadWrite});
    if (mProblem.segments)
        dispatch.views.push_back({mHeads, 0, (piece.count / 32 + 2) * 4, 4});
    // Rows start at multiples of their length.
    const uint64_t length = mProblem.length;
    const uint64_t headFirst = (length - piece.first % length) % length;
    dispatch.setPush(ScanTilePush{.count = lowWord(piece.count),
                                  .headFirst = lowWord(std::min(headFirst, piece.count)),
                                  .headEvery = lowWord(std::min<uint64_t>(length, UINT32_MAX)),
                                  .piece = lowWord(number),
                                  .pieces = lowWord(pieces)});
    dispatch.groups = tilesOf(piece.count);
    mPlan.steps.push_back(std::move(dispatch));
}

/// Chooses a tile that a row fills, or tiles of one size if the row is longer than the largest
/// tile.
void ScanPlanner::fitTilesToRows() {
    const uint64_t lanes = divideUp(mProblem.length + mPadding, perLane());
    const auto lanesOf = [&](uint64_t groupSize, uint64_t bytes) {
        return groupSize * std::max<uint64_t>(1, bytes / mTermBytes / perLane());
    };
    // Up to 5/4 of other arrays' tiles, because no tile waits for another one then.
    const uint64_t mostAlone = lanesOf(mRules.tileGroupSize, mRules.bytesOfOthers * 5 / 4);
    uint64_t most = mRules.tileGroupSize * uint64_t{rows()};
    if (lanes > mostAlone && mInBytes >= 4) {
        const bool isWide = mTermBytes == 8;
        mRules.tileGroupSize =
            std::min(mRules.tileGroupSize, isWide ? mRules.wideRowGroupSize : mRules.rowGroupSize);
        most = lanesOf(mRules.tileGroupSize, isWide ? mRules.wideRowBytes : mRules.rowBytes);
    }
    const uint64_t tiles = lanes <= mostAlone ? 1 : divideUp(lanes, most);
    const uint64_t lanesOfTile = divideUp(lanes, tiles);
    const uint32_t least = std::min(
        mRules.tileGroupSize, std::max(mTraits.subgroups ? mTraits.maxSubgroupSize : 1u, 32u));
    uint64_t fewest = UINT32_MAX;
    // The largest work group, unless another one leaves clearly fewer invocations without elements.
    for (uint32_t size = mRules.tileGroupSize; size >= least; size /= 2) {
        const uint64_t needed = divideUp(lanesOfTile, size);
        if (needed < mRules.minRowsOfTile && size > least)
            continue;
        // Each number is a shader of its own, so there are four to an octave.
        const uint64_t step = std::max<uint64_t>(1, std::bit_floor(needed) / 4);
        const uint64_t rowsOfTile = divideUp(needed, step) * step;
        if (size * rowsOfTile * 5 > fewest * 4)
            continue;
        fewest = size * rowsOfTile;
        mRules.tileGroupSize = size;
        mRowsOfTile = static_cast<uint32_t>(rowsOfTile);
    }
}

void ScanPlanner::planRows() {
    const uint64_t length = mProblem.length;
    const uint64_t most = std::min<uint64_t>(
        mTraits.maxViewBytes / (length * std::max(mInBytes, mOutBytes)), mProblem.outer);
    mSingle = tilesOf(length) == 1;
    mTileKernel = tileKernel(mSingle, false);
    const uint64_t statesPerRow = stateBytes(length);
    const uint64_t together =
        mSingle ? most : std::min(most, std::max<uint64_t>(1, mTraits.maxViewBytes / statesPerRow));
    if (!mSingle)
        mStates = mPlan.addScratch(together * statesPerRow);
    for (uint64_t row = 0; row < mProblem.outer; row += together) {
        const uint64_t rows = std::min(together, mProblem.outer - row);
        Dispatch dispatch;
        dispatch.kernel = *mTileKernel;
        dispatch.views = inAndOut({row * length, rows * length});
        if (!mSingle) {
            mPlan.steps.push_back(Fill{mStates, 0, rows * statesPerRow, 0});
            dispatch.views.push_back({mStates, 0, rows * statesPerRow, 4, View::Use::eReadWrite});
        }
        dispatch.setPush(ScanTilePushOfRows{.count = lowWord(length),
                                            .rows = lowWord(rows),
                                            .tilesPerRow = lowWord(tilesOf(length)),
                                            .statesPerRow = lowWord(statesPerRow / 4)});
        dispatch.groups = rows * tilesOf(length);
        mPlan.steps.push_back(std::move(dispatch));
    }
}

void ScanPlanner::planTiles() {
    const uint64_t count = mProblem.outer * mProblem.length;
    const uint64_t most = mTraits.maxViewBytes / std::max(mInBytes, mOutBytes) / 32 * 32;
    const uint64_t pieces = divideUp(count, most);
    mSingle = pieces == 1 && (tilesOf(count) == 1 || readsBefore());
    mTileKernel = tileKernel(mSingle, pieces > 1);
    const uint64_t mostStates = stateBytes(std::min(count, most));
    if (!mSingle)
        mStates = mPlan.addScratch(mostStates);
    if (pieces > 1)
        mCarries = mPlan.addScratch((pieces + 1) * 16);
    if (mProblem.segments)
        mHeads = mPlan.addScratch((std::min(count, most) / 32 + 2) * 4);
    for (uint64_t number = 0; number < pieces; ++number) {
        const Piece piece{number * most, std::min(most, count - number * most)};
        if (!mSingle)
            mPlan.steps.push_back(Fill{mStates, 0, mostStates, 0});
        if (mProblem.segments)
            addHeads(piece);
        addTiles(piece, number, pieces);
    }
}

uint32_t ScanPlanner::columnKernel(bool totals, bool chunked) {
    std::optional<uint32_t>& known = mColumnKernels[totals][chunked];
    if (known)
        return *known;
    std::string macros = typeMacros();
    if (totals)
        macros += "#define TOTALS\n";
    if (chunked)
        macros += "#define CHUNKED\n";
    macros += formatted("#define BATCH {}u\n",
                        std::min<uint64_t>(mRules.batchRows, mRules.batchBytes / mInBytes));
    Kernel kernel;
    kernel.name = "OpScan of columns";
    kernel.source =
        composeSource(macros, operatorSource(mProblem.combine, mProblem.out, mTraits.int64),
                      std::string(SCAN_GLSL) + std::string(SCANCOLUMNS_GLSL), false);
    kernel.constants = {mRules.groupSize};
    kernel.userTexts = operatorTexts(mProblem.combine);
    known = mPlan.addKernel(std::move(kernel));
    return *known;
}

void ScanPlanner::planColumns() {
    const uint64_t inner = mProblem.inner;
    const uint64_t slabElements = mProblem.length * inner;
    if (slabElements <= inView()) {
        const uint64_t slabs = inView() / slabElements;
        for (uint64_t slab = 0; slab < mProblem.outer; slab += slabs)
            planColumnBlock({slab, std::min(slabs, mProblem.outer - slab), 0, inner, inner, 1});
        return;
    }
    // Few columns at a time, so that several rows of them fit.
    const uint64_t columns = std::min(inner, inView() / 4);
    for (uint64_t slab = 0; slab < mProblem.outer; ++slab)
        for (uint64_t column = 0; column < inner; column += columns)
            planColumnBlock({slab, 1, column, std::min(columns, inner - column), inner, 1});
}

void ScanPlanner::planRowsAsColumns() {
    const uint64_t length = mProblem.length;
    const uint64_t rows = std::max<uint64_t>(1, inView() / length);
    for (uint64_t row = 0; row < mProblem.outer; row += rows)
        planColumnBlock({0, 1, row, std::min(rows, mProblem.outer - row), 1, length});
}

/// Some columns of some slabs; of one slab if these have more rows or columns than a view holds.
void ScanPlanner::planColumnBlock(const ColumnBlock& block) {
    const uint64_t length = mProblem.length;
    // Rows whose columns lie within one view.
    const uint64_t between = (block.columns - 1) * block.columnStep;
    const uint64_t pieceLength =
        block.columns == 1 || block.columnStep < length
            ? std::min(length, (inView() - between - 1) / block.rowStep + 1)
            : length;
    const uint64_t pieces = divideUp(length, pieceLength);
    // Each invocation folds the totals before its chunk: no more chunks than rows in them.
    const uint64_t wanted = divideUp(mRules.invocations, block.slabs * block.columns);
    const auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(pieceLength)));
    const uint64_t room =
        mTraits.maxViewBytes / mTermBytes / (block.slabs * block.columns * pieces);
    const uint64_t chunks = std::max<uint64_t>(1, std::min({wanted, root, room}));
    const uint64_t chunkLength = divideUp(pieceLength, chunks);
    const bool chunked = pieces * chunks > 1;
    const auto lanes =
        static_cast<uint32_t>(std::min<uint64_t>(mRules.groupSize, std::bit_ceil(block.columns)));

    uint32_t totals = 0;
    const uint64_t totalBytes = block.slabs * block.columns * pieces * chunks * mTermBytes;
    if (chunked)
        totals = mPlan.addScratch(totalBytes);
    for (const bool isFirst : {true, false}) {
        if (isFirst && !chunked)
            continue;
        for (uint64_t piece = 0; piece < pieces; ++piece) {
            const uint64_t row = piece * pieceLength;
            const uint64_t rows = std::min(pieceLength, length - row);
            const uint64_t first =
                (block.slab * length + row) * block.rowStep + block.column * block.columnStep;
            const uint64_t elements =
                ((block.slabs - 1) * length + rows - 1) * block.rowStep + between + 1;
            Dispatch dispatch;
            dispatch.kernel = columnKernel(isFirst, chunked);
            dispatch.views = {
                {kScanIn, first * mInBytes, elements * mInBytes, static_cast<uint32_t>(mInBytes)}};
            const View sums{totals, 0, totalBytes, static_cast<uint32_t>(mTermBytes),
                            isFirst ? View::Use::eWrite : View::Use::eRead};
            if (!isFirst)
                dispatch.views.push_back({kScanOut, first * mOutBytes, elements * mOutBytes,
                                          static_cast<uint32_t>(mOutBytes), View::Use::eWrite});
            if (chunked)
                dispatch.views.push_back(sums);
            dispatch.setPush(ScanColumnsPush{.lanes = lanes,
                                             .slabs = lowWord(block.slabs),
                                             .length = lowWord(rows),
                                             .columns = lowWord(block.columns),
                                             .stride = lowWord(block.rowStep),
                                             .columnStep = lowWord(block.columnStep),
                                             .chunkLength = lowWord(chunkLength),
                                             .chunks = lowWord(chunks),
                                             .chunkBase = lowWord(piece * chunks),
                                             .allChunks = lowWord(pieces * chunks)});
            dispatch.groups = block.slabs * divideUp(block.columns, lanes) *
                              divideUp(chunks, mRules.groupSize / lanes);
            mPlan.steps.push_back(std::move(dispatch));
        }
    }
}

} // namespace

Plan planScan(const ScanProblem& problem, const DeviceTraits& traits) {
    return ScanPlanner(problem, traits).plan();
}

} // namespace kp::primitives

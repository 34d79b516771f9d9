// SPDX-License-Identifier: Apache-2.0
#include "primitives/SelectPlan.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <SelectMark.glsl.hpp>
#include <SelectMove.glsl.hpp>
#include <SelectScan.glsl.hpp>
#include <Units.glsl.hpp>
#include <Wide.glsl.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/Division.hpp"
#include "primitives/MoveUnit.hpp"
#include "primitives/Source.hpp"

namespace kp::primitives {
namespace {

using Choice = SelectProblem::Choice;

/// Three dispatches (mark and count, scan the counts of tiles, move) work on every device: no work
/// group waits for another one. They read the input once, or twice for a predicate and for heads.
struct SelectRules {
    /// Enough subgroups to hide latencies, and few enough for several groups per core.
    uint32_t groupSize = 256;
    /// Accesses in flight per invocation. 16 of 4 bytes make a tile of 4,096 elements, so that the
    /// counts of 2^28 elements are scanned in 4 rounds; larger elements would take more registers
    /// than that is worth. A CPU driver gains nothing from it, and compiles long loops slowly.
    uint32_t items = 16;
    uint32_t itemsOfLargeUnits = 8; ///< more than 4 bytes
    /// One work group scans the counts, so it should be large.
    uint32_t scanGroupSize = 1024;
    uint32_t scanItems = 16;
};

class SelectPlanner {
public:
    SelectPlanner(const SelectProblem& problem, const DeviceTraits& traits)
        : mProblem(problem), mTraits(traits), mPlan(problem.arguments) {
        if (traits.isCpu)
            mRules.items = mRules.itemsOfLargeUnits = mRules.scanItems = 4;
        const uint32_t most = std::bit_floor(traits.maxGroupSize);
        mRules.groupSize = std::min(mRules.groupSize, most);
        mRules.scanGroupSize =
            std::min({mRules.scanGroupSize, most,
                      std::bit_floor(traits.sharedBytes / static_cast<uint32_t>(kTileBytes))});
        mUnit = moveUnit(problem.elementBytes | problem.inUnit | problem.outUnit);
        mItems = mUnit <= 4 ? mRules.items : mRules.itemsOfLargeUnits;
        mTile = uint64_t{mRules.groupSize} * mItems;
    }

    Plan plan() {
        if (mProblem.count == 0) {
            planNothing();
            return std::move(mPlan);
        }
        cut();
        mMarks =
            mPlan.addScratch(mPieces.back().firstMark * 4 + divideUp(mPieces.back().count, 32) * 4);
        mTiles = mPlan.addScratch((mPieces.back().firstTile + mPieces.back().tiles) * kTileBytes);
        mStates = mPlan.addScratch((mPieces.size() + 1) * kStateBytes);
        mPlan.steps.emplace_back(Fill{mStates, 0, kStateBytes, 0});
        addKernels();
        for (size_t i = 0; i < mPieces.size(); ++i)
            mark(mPieces[i]);
        for (size_t i = 0; i < mPieces.size(); ++i)
            scan(i);
        for (size_t i = 0; i < mPieces.size(); ++i)
            move(i);
        return std::move(mPlan);
    }

private:
    static constexpr uint64_t kTileBytes = 8;
    static constexpr uint64_t kStateBytes = 16;

    /// A part of the input that views can hold.
    struct InputPiece {
        uint64_t first = 0;
        uint64_t count = 0;
        uint64_t firstMark = 0;
        uint64_t firstTile = 0;
        uint64_t tiles = 0;
    };

    void planNothing() {
        if (mProblem.number)
            mPlan.steps.emplace_back(
                Fill{*mProblem.number, 0, mProblem.wideNumber ? uint64_t{8} : 4, 0});
        if (mProblem.dispatch) {
            mPlan.steps.emplace_back(Fill{*mProblem.dispatch, 0, 4, 0});
            mPlan.steps.emplace_back(Fill{*mProblem.dispatch, 4, 8, 1});
        }
    }

    uint64_t lengthBytes() const { return mProblem.wideLengths ? 8 : 4; }
    uint64_t inverseBytes() const { return mProblem.wideInverse ? 8 : 4; }

    void cut() {
        uint64_t bytes = mProblem.elementBytes;
        if (mProblem.choice == Choice::eFlags)
            bytes = std::max<uint64_t>(bytes, Memory::dataTypeMemorySize(mProblem.flagType));
        if (mProblem.inverse)
            bytes = std::max(bytes, inverseBytes());
        // Heads need the element before.
        uint64_t most = std::max<uint64_t>(1, mTraits.maxViewBytes / bytes - 1);
        if (most >= mTile)
            most = most / mTile * mTile;
        uint64_t mark = 0;
        uint64_t tile = 0;
        for (uint64_t first = 0; first < mProblem.count; first += most) {
            InputPiece piece;
            piece.first = first;
            piece.count = std::min(most, mProblem.count - first);
            piece.firstMark = mark;
            piece.firstTile = tile;
            piece.tiles = divideUp(piece.count, mTile);
            mark += divideUp(piece.count, 32);
            tile += piece.tiles;
            mPieces.push_back(piece);
        }
    }

    void addKernels() {
        addMarkKernel();
        mScanKernel = addScanKernel(false);
        mLastScanKernel = addScanKernel(true);
        if (mProblem.out || mProblem.lengths || mProblem.inverse)
            addMoveKernel();
    }

    void addMarkKernel() {
        std::string macros = formatted("#define ITEMS {}u\n", mItems);
        std::string functions;
        Kernel kernel;
        if (mProblem.choice == Choice::eFlags) {
            macros += "#define FLAGS\n" + glslTypeMacros("FLAG", mProblem.flagType);
        } else if (mProblem.choice == Choice::ePredicate) {
            macros += "#define PREDICATE\n" + glslTypeMacros("IN", mProblem.type);
            functions = formatted("#define T {}\n"
                                  "bool predicate(T x) {{ return bool(\n"
                                  "#include \"predicate\"\n); }}\n",
                                  glslComputedName(mProblem.type));
            kernel.userTexts = {{"predicate", mProblem.predicate}};
        } else if (mProblem.type == Memory::DataTypes::eCustom) {
            macros +=
                formatted("#define HEADS\n#define UNITS {}u\n", mProblem.elementBytes / mUnit) +
                unitMacros(mUnit);
        } else {
            macros += "#define HEADS\n" + glslTypeMacros("IN", mProblem.type);
        }
        kernel.subgroups = mTraits.subgroups && mRules.groupSize >= mTraits.maxSubgroupSize;
        kernel.name = "marking elements";
        kernel.source = composeSource(macros, functions, SELECTMARK_GLSL, kernel.subgroups);
        kernel.constants = {mRules.groupSize};
        mMarkKernel = mPlan.addKernel(std::move(kernel));
    }

    uint32_t addScanKernel(bool last) {
        Kernel kernel;
        kernel.name = "counting elements";
        const int words = !last || !mProblem.number ? 0 : mProblem.wideNumber ? 2 : 1;
        kernel.source = composeSource(
            formatted("#define ITEMS {}u\n#define COUNT_WORDS {}\n{}", mRules.scanItems, words,
                      last && mProblem.dispatch ? "#define DISPATCH\n" : ""),
            std::string(WIDE_GLSL), SELECTSCAN_GLSL, false);
        kernel.constants = {mRules.scanGroupSize};
        return mPlan.addKernel(std::move(kernel));
    }

    void addMoveKernel() {
        Kernel kernel;
        kernel.name = "moving elements";
        const auto words = [](bool present, bool wide) { return !present ? 0 : wide ? 2 : 1; };
        kernel.source = composeSource(
            unitMacros(mUnit) +
                formatted("#define ITEMS {}u\n#define UNITS {}\n#define LENGTH_WORDS {}\n"
                          "#define INVERSE_WORDS {}\n{}",
                          mItems, mProblem.elementBytes / mUnit,
                          words(mProblem.lengths.has_value(), mProblem.wideLengths),
                          words(mProblem.inverse.has_value(), mProblem.wideInverse),
                          mProblem.partition ? "#define PARTITION\n" : ""),
            std::string(UNITS_GLSL) + std::string(WIDE_GLSL), SELECTMOVE_GLSL, false);
        kernel.constants = {mRules.groupSize};
        mMoveKernel = mPlan.addKernel(std::move(kernel));
    }

    View marksOf(const InputPiece& piece, View::Use use) const {
        return {mMarks, piece.firstMark * 4, divideUp(piece.count, 32) * 4, 4, use};
    }
    View tilesOf(const InputPiece& piece, View::Use use) const {
        return {mTiles, piece.firstTile * kTileBytes, piece.tiles * kTileBytes,
                static_cast<uint32_t>(kTileBytes), use};
    }
    View states(View::Use use) const {
        return {mStates, 0, (mPieces.size() + 1) * kStateBytes, 4, use};
    }

    void mark(const InputPiece& piece) {
        const uint64_t before =
            mProblem.choice == Choice::eHeads && piece.first > 0 ? uint64_t{1} : 0;
        View in;
        in.memory = mProblem.choice == Choice::eFlags ? *mProblem.flags : mProblem.in;
        const bool units =
            mProblem.choice == Choice::eHeads && mProblem.type == Memory::DataTypes::eCustom;
        const uint64_t bytes = mProblem.choice == Choice::eFlags
                                   ? Memory::dataTypeMemorySize(mProblem.flagType)
                                   : mProblem.elementBytes;
        in.offset = (piece.first - before) * bytes;
        in.bytes = (piece.count + before) * bytes;
        in.elementBytes = units ? mUnit : static_cast<uint32_t>(bytes);
        Dispatch dispatch;
        dispatch.kernel = mMarkKernel;
        dispatch.views = {in, marksOf(piece, View::Use::eWrite), tilesOf(piece, View::Use::eWrite)};
        dispatch.push = {lowWord(piece.count), lowWord(before)};
        dispatch.groups = piece.tiles;
        mPlan.steps.emplace_back(std::move(dispatch));
    }

    void scan(size_t number) {
        const InputPiece& piece = mPieces[number];
        const bool last = number + 1 == mPieces.size();
        Dispatch dispatch;
        dispatch.kernel = last ? mLastScanKernel : mScanKernel;
        dispatch.views = {tilesOf(piece, View::Use::eReadWrite), states(View::Use::eReadWrite)};
        if (last && mProblem.number) {
            const uint32_t bytes = mProblem.wideNumber ? 8 : 4;
            dispatch.views.push_back({*mProblem.number, 0, bytes, bytes, View::Use::eWrite});
        }
        if (last && mProblem.dispatch)
            dispatch.views.push_back({*mProblem.dispatch, 0, 12, 4, View::Use::eWrite});
        dispatch.push = {lowWord(piece.tiles), static_cast<uint32_t>(number),
                         lowWord(piece.first), highWord(piece.first),
                         mProblem.groupSize,   mTraits.maxGroupCount};
        mPlan.steps.emplace_back(std::move(dispatch));
    }

    /// Adds a dispatch per window of the outputs that elements of a piece may move to.
    void move(size_t number) {
        const InputPiece& piece = mPieces[number];
        uint64_t bytes = mProblem.elementBytes;
        if (mProblem.lengths)
            bytes = std::max(bytes, lengthBytes());
        const uint64_t window = mTraits.maxViewBytes / bytes;
        const uint64_t outputs = std::max(mProblem.outCount, mProblem.lengthCount);
        // Chosen elements move towards the start. The others of a partition may move anywhere.
        const uint64_t end =
            mProblem.partition ? outputs : std::min(outputs, piece.first + piece.count);
        for (uint64_t first = 0; first < end; first += window)
            addMove(number, first, std::min(window, outputs - first));
        if (end == 0 && mProblem.inverse)
            addMove(number, 0, 0);
    }

    /// Returns a view of some elements of an output, or of anything if there are none.
    View window(std::optional<uint32_t> memory, uint64_t first, uint64_t count, uint64_t bytes,
                uint32_t unit) {
        if (memory && count > 0)
            return {*memory, first * bytes, count * bytes, unit, View::Use::eWrite};
        if (!mUnused)
            mUnused = mPlan.addScratch(16);
        return {*mUnused, 0, 16, 4, View::Use::eWrite};
    }

    void addMove(size_t number, uint64_t first, uint64_t count) {
        const InputPiece& piece = mPieces[number];
        const auto rest = [&](uint64_t all) {
            return all > first ? std::min(count, all - first) : 0;
        };
        const uint64_t elements = rest(mProblem.outCount);
        const uint64_t lengths = rest(mProblem.lengthCount);
        Dispatch dispatch;
        dispatch.kernel = mMoveKernel;
        dispatch.views = {{mProblem.in, piece.first * mProblem.elementBytes,
                           piece.count * mProblem.elementBytes, mUnit},
                          marksOf(piece, View::Use::eRead),
                          tilesOf(piece, View::Use::eRead),
                          states(View::Use::eRead),
                          window(mProblem.out, first, elements, mProblem.elementBytes, mUnit)};
        if (mProblem.lengths)
            dispatch.views.push_back(window(mProblem.lengths, first, lengths, lengthBytes(),
                                            static_cast<uint32_t>(lengthBytes())));
        if (mProblem.inverse)
            dispatch.views.push_back({*mProblem.inverse, piece.first * inverseBytes(),
                                      piece.count * inverseBytes(),
                                      static_cast<uint32_t>(inverseBytes()), View::Use::eWrite});
        dispatch.push = {lowWord(piece.count),
                         static_cast<uint32_t>(number),
                         static_cast<uint32_t>(mPieces.size()),
                         lowWord(piece.first),
                         highWord(piece.first),
                         lowWord(first),
                         highWord(first),
                         lowWord(elements),
                         lowWord(lengths)};
        dispatch.groups = piece.tiles;
        mPlan.steps.emplace_back(std::move(dispatch));
    }

    const SelectProblem& mProblem;
    const DeviceTraits& mTraits;
    SelectRules mRules;
    Plan mPlan;
    uint32_t mUnit = 4;
    uint32_t mItems = 16;
    uint64_t mTile = 0;
    std::vector<InputPiece> mPieces;
    uint32_t mMarks = 0;
    uint32_t mTiles = 0;
    uint32_t mStates = 0;
    std::optional<uint32_t> mUnused;
    uint32_t mMarkKernel = 0;
    uint32_t mScanKernel = 0;
    uint32_t mLastScanKernel = 0;
    uint32_t mMoveKernel = 0;
};

} // namespace

Plan planSelect(const SelectProblem& problem, const DeviceTraits& traits) {
    return SelectPlanner(problem, traits).plan();
}

} // namespace kp::primitives

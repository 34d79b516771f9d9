// SPDX-License-Identifier: Apache-2.0
#include "primitives/select/SelectPlan.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <LookBack.glsl.hpp>
#include <SelectGroups.glsl.hpp>
#include <SelectMark.glsl.hpp>
#include <SelectMove.glsl.hpp>
#include <SelectScan.glsl.hpp>
#include <SelectTile.glsl.hpp>
#include <SelectTiles.glsl.hpp>
#include <Units.glsl.hpp>
#include <Wide.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/select/SelectAlone.hpp"
#include "primitives/select/SelectSource.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

using Choice = SelectProblem::Choice;

constexpr uint32_t kTileBytes = 8;
// One of a state's 32 bits is a flag.
constexpr uint64_t kMostInLookBack = uint64_t{1} << 31;
constexpr SelectTile kTileOfFew{512, 8, 4};

/// Neighbours that an invocation reads: a block of 16 bytes, or four flags, which are read one by
/// one.
uint32_t neighboursOf(const SelectProblem& problem) {
    return problem.choice == Choice::eFlags ? 4 : static_cast<uint32_t>(16 / unitOf(problem));
}

/// Rows of a tile whose places are in shared memory at a time, as few as keep invocations busy.
uint32_t rowsAtOnce(const SelectProblem& problem) {
    return neighboursOf(problem) < 8 ? 2 : 1;
}

class SelectPlanner {
public:
    SelectPlanner(const SelectProblem& problem, const DeviceTraits& traits,
                  const SelectRules& rules)
        : mProblem(problem), mTraits(traits), mRules(rules), mPlan(problem.arguments),
          mUnit(unitOf(problem)),
          mItems(mUnit <= 4 ? mRules.tile.items : mRules.tile.itemsOfLargeUnits),
          mTile(rules.strip > 0 ? rules.strip : uint64_t{mRules.tile.groupSize} * mItems) {}

    Plan plan() {
        if (mProblem.count == 0) {
            planNothing();
            return std::move(mPlan);
        }
        if (mRules.way == SelectWay::eAlone)
            return planSelectAlone(mProblem, mTraits);
        if (mRules.way == SelectWay::eLookBack) {
            planLookBack();
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

    void planLookBack() {
        const bool flags = mProblem.choice == Choice::eFlags;
        const uint32_t perLane = neighboursOf(mProblem);
        // The first element need not start a block.
        const uint64_t padding = flags ? 0 : perLane - 1;
        const uint64_t laneItems = std::max(1u, mItems / perLane) * uint64_t{perLane};
        const uint64_t tiles =
            divideUp(mProblem.count + padding, mRules.tile.groupSize * laneItems);
        const uint64_t items = tiles + 2 * (tiles / mTraits.minSubgroupSize + 1);
        const uint64_t stateBytes = items * (mProblem.lengths ? 8 : 4);
        mStates = mPlan.addScratch(stateBytes);
        mPlan.steps.emplace_back(Fill{mStates, 0, stateBytes, 0});

        Kernel kernel;
        std::string functions = std::string(WIDE_GLSL) + std::string(SELECTGROUPS_GLSL);
        std::string macros = unitMacros(mUnit);
        macros += choiceMacros(mProblem, kernel, functions);
        const auto rows = static_cast<uint32_t>(laneItems / perLane);
        const auto words = [](bool present, bool wide) { return !present ? 0 : wide ? 2 : 1; };
        macros += formatted("#define ITEMS {}u\n#define PER_LANE {}u\n#define LOADED_ROWS {}u\n"
                            "#define ROWS_AT_ONCE {}\n#define PLACE {}\n"
                            "#define UNIT_BYTES {}\n#define LENGTH_WORDS {}\n"
                            "#define INVERSE_WORDS {}\n#define COUNT_WORDS {}\n"
                            "#define SPINS {}u\n#define PAUSE {}u\n{}{}{}",
                            laneItems, perLane, mRules.ahead ? divideUp(rows, 2) : rows,
                            rowsAtOnce(mProblem), mTraits.int16 ? "uint16_t" : "uint", mUnit,
                            words(mProblem.lengths.has_value(), mProblem.wideLengths),
                            words(mProblem.inverse.has_value(), mProblem.wideInverse),
                            words(mProblem.number.has_value(), mProblem.wideNumber), mRules.spins,
                            mRules.pause, mRules.ahead ? "#define AHEAD\n" : "",
                            mProblem.out ? "#define OUT\n" : "",
                            mProblem.dispatch ? "#define DISPATCH\n" : "");
        kernel.name = "selecting elements";
        kernel.subgroups = true;
        std::vector<std::string> extensions;
        if (mTraits.int16)
            extensions.emplace_back("GL_EXT_shader_explicit_arithmetic_types_int16");
        kernel.source = composeSource(macros, functions,
                                      std::string(SELECTTILE_GLSL) + std::string(LOOKBACK_GLSL) +
                                          std::string(SELECTTILES_GLSL),
                                      true, true, extensions);
        kernel.constants = {mRules.tile.groupSize, mRules.silentGroups};

        const auto bytes = static_cast<uint32_t>(mProblem.elementBytes);
        const auto output = [&](std::optional<uint32_t> memory, uint64_t count, uint32_t unit) {
            return window(memory, 0, count, unit, unit);
        };
        Dispatch dispatch;
        dispatch.kernel = mPlan.addKernel(std::move(kernel));
        View in{mProblem.in, 0, mProblem.count * bytes, bytes};
        if (flags) {
            const uint32_t flagBytes = Memory::dataTypeMemorySize(mProblem.flagType);
            dispatch.views = {in, {*mProblem.flags, 0, mProblem.count * flagBytes, flagBytes}};
        } else {
            in.bindings = 3;
            dispatch.views = {in};
        }
        dispatch.views.push_back({mStates, 0, stateBytes, 4, View::Use::eReadWrite});
        dispatch.views.push_back(output(mProblem.out, mProblem.outCount, bytes));
        dispatch.views.push_back(
            output(mProblem.lengths, mProblem.lengthCount, static_cast<uint32_t>(lengthBytes())));
        dispatch.views.push_back(
            output(mProblem.inverse, mProblem.count, static_cast<uint32_t>(inverseBytes())));
        dispatch.views.push_back(output(mProblem.number, 1, mProblem.wideNumber ? 8 : 4));
        dispatch.views.push_back(output(mProblem.dispatch, 3, 4));
        dispatch.setPush(SelectTilePush{.count = lowWord(mProblem.count),
                                        .outCount = lowWord(mProblem.outCount),
                                        .lengthCount = lowWord(mProblem.lengthCount),
                                        .perGroup = mProblem.groupSize,
                                        .maxGroups = mTraits.maxGroupCount});
        dispatch.groups = tiles;
        mPlan.steps.emplace_back(std::move(dispatch));
    }

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

    std::string tileMacros() const {
        return mRules.strip > 0 ? "#define STRIPS\n" : formatted("#define ITEMS {}u\n", mItems);
    }
    /// Sets the groups of a dispatch over the tiles of a piece, whose shader has tileMacros().
    void setTiles(Dispatch& dispatch, const InputPiece& piece) const {
        dispatch.groups =
            mRules.strip == 0 ? piece.tiles : divideUp(piece.tiles, mRules.tile.groupSize);
    }

    void addMarkKernel() {
        Kernel kernel;
        std::string functions;
        const std::string macros = tileMacros() + choiceMacros(mProblem, kernel, functions);
        kernel.subgroups = mRules.strip == 0 && mTraits.subgroups &&
                           mRules.tile.groupSize >= mTraits.maxSubgroupSize;
        kernel.name = "marking elements";
        kernel.source = composeSource(macros, functions, SELECTMARK_GLSL, kernel.subgroups);
        kernel.constants = {mRules.tile.groupSize};
        mMarkKernel = mPlan.addKernel(std::move(kernel));
    }

    uint32_t addScanKernel(bool last) {
        Kernel kernel;
        kernel.name = "counting elements";
        const int words = !last || !mProblem.number ? 0 : mProblem.wideNumber ? 2 : 1;
        kernel.source = composeSource(
            formatted("#define ITEMS {}u\n#define COUNT_WORDS {}\n{}{}", mRules.scanItems, words,
                      mRules.scanGroupSize == 1 ? "#define ALONE\n" : "",
                      last && mProblem.dispatch ? "#define DISPATCH\n" : ""),
            std::string(WIDE_GLSL) + std::string(SELECTGROUPS_GLSL), SELECTSCAN_GLSL, false);
        kernel.constants = {mRules.scanGroupSize};
        return mPlan.addKernel(std::move(kernel));
    }

    void addMoveKernel() {
        Kernel kernel;
        kernel.name = "moving elements";
        const auto words = [](bool present, bool wide) { return !present ? 0 : wide ? 2 : 1; };
        kernel.source =
            composeSource(unitMacros(mUnit) + tileMacros() +
                              formatted("#define UNITS {}\n#define LENGTH_WORDS {}\n"
                                        "#define INVERSE_WORDS {}\n{}",
                                        mProblem.elementBytes / mUnit,
                                        words(mProblem.lengths.has_value(), mProblem.wideLengths),
                                        words(mProblem.inverse.has_value(), mProblem.wideInverse),
                                        mProblem.partition ? "#define PARTITION\n" : ""),
                          std::string(UNITS_GLSL) + std::string(WIDE_GLSL), SELECTMOVE_GLSL, false);
        kernel.constants = {mRules.tile.groupSize};
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
        dispatch.setPush(SelectMarkPush{.count = lowWord(piece.count),
                                        .before = lowWord(before),
                                        .tileElements = lowWord(mRules.strip)});
        setTiles(dispatch, piece);
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
        dispatch.setPush(SelectScanPush{.count = lowWord(piece.tiles),
                                        .piece = static_cast<uint32_t>(number),
                                        .baseLow = lowWord(piece.first),
                                        .baseHigh = highWord(piece.first),
                                        .perGroup = mProblem.groupSize,
                                        .maxGroups = mTraits.maxGroupCount});
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

    /// Returns a view of some elements of an output, or of any memory if there are none.
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
        dispatch.setPush(SelectMovePush{.count = lowWord(piece.count),
                                        .piece = static_cast<uint32_t>(number),
                                        .pieces = static_cast<uint32_t>(mPieces.size()),
                                        .baseLow = lowWord(piece.first),
                                        .baseHigh = highWord(piece.first),
                                        .windowLow = lowWord(first),
                                        .windowHigh = highWord(first),
                                        .windowCount = lowWord(elements),
                                        .lengthCount = lowWord(lengths),
                                        .tileElements = lowWord(mRules.strip)});
        setTiles(dispatch, piece);
        mPlan.steps.emplace_back(std::move(dispatch));
    }

    const SelectProblem& mProblem;
    const DeviceTraits& mTraits;
    const SelectRules& mRules;
    Plan mPlan;
    uint32_t mUnit;
    uint32_t mItems;
    uint64_t mTile;
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

SelectRules SelectRules::of(const SelectProblem& problem, const DeviceTraits& traits) {
    SelectRules rules;
    const uint32_t most = std::bit_floor(traits.maxGroupSize);
    rules.scanGroupSize =
        std::min({rules.scanGroupSize, most, std::bit_floor(traits.sharedBytes / kTileBytes)});

    const uint32_t unit = unitOf(problem);
    uint64_t bytes = problem.elementBytes;
    if (problem.choice == Choice::eFlags)
        bytes = std::max<uint64_t>(bytes, Memory::dataTypeMemorySize(problem.flagType));
    if ((problem.inverse && problem.wideInverse) || (problem.lengths && problem.wideLengths))
        bytes = std::max<uint64_t>(bytes, 8);
    if (traits.isCpu) {
        // Few strips, whose counts one invocation adds up, and not so long that old drivers end
        // their loops (device notes).
        rules.strip =
            std::clamp<uint64_t>(divideUp(divideUp(problem.count, 256), 32) * 32, 1024, 32768);
        rules.scanItems = 1;
        rules.scanGroupSize = 1;
    }
    rules.way = SelectWay::eThreeDispatches;
    if (problem.partition)
        rules.reason = "the number of chosen elements determines where the others begin";
    else if (traits.isCpu && problem.count <= rules.strip &&
             problem.count * bytes <= traits.maxViewBytes) {
        rules.way = SelectWay::eAlone;
        rules.reason = "one invocation has all elements anyway";
    } else if (traits.isCpu)
        rules.reason = "a waiting work group occupies a core of a CPU";
    else if (!traits.memoryModel)
        rules.reason = "look-back needs vulkanMemoryModelDeviceScope";
    else if (!traits.subgroups || std::min(256u, most) < traits.maxSubgroupSize)
        rules.reason = "look-back is written for subgroups";
    else if (unit != problem.elementBytes ||
             (problem.choice == Choice::eHeads && problem.type == Memory::DataTypes::eCustom))
        rules.reason = "elements are moved in several accesses";
    else if (std::max(problem.count, std::max(problem.outCount, problem.lengthCount)) * bytes >
             traits.maxViewBytes)
        rules.reason = "the elements are larger than a storage buffer's range";
    else if (problem.count >= kMostInLookBack)
        rules.reason = "a number of elements and a flag are one word";
    else {
        rules.way = SelectWay::eLookBack;
        rules.reason = "it reads the elements once";
        if (problem.count > rules.few) {
            rules.ahead = unit == 4 && problem.choice != Choice::eHeads && problem.out;
            if (traits.isNvidia && !rules.ahead)
                rules.pause = 300;
        }
    }
    // The places of some rows' elements, and a few words.
    const auto fits = [&](const SelectTile& tile) {
        const uint64_t placeBytes = traits.int16 ? 2 : 4;
        const uint64_t places = rowsAtOnce(problem) * neighboursOf(problem);
        return tile.groupSize <= most &&
               tile.groupSize * places * placeBytes + 4096 <= traits.sharedBytes;
    };
    if (rules.strip > 0)
        rules.tile.groupSize = std::min(32u, most);
    else if (rules.way == SelectWay::eThreeDispatches)
        rules.tile = SelectTile{std::min(256u, most), 16, 8};
    else if (problem.count <= rules.few && fits(kTileOfFew))
        rules.tile = kTileOfFew;
    else if (!fits(rules.tile))
        rules.tile = {std::min(256u, most), 8, 4};
    return rules;
}

Plan planSelect(const SelectProblem& problem, const DeviceTraits& traits,
                const SelectRules& rules) {
    return SelectPlanner(problem, traits, rules).plan();
}

Plan planSelect(const SelectProblem& problem, const DeviceTraits& traits) {
    return planSelect(problem, traits, SelectRules::of(problem, traits));
}

} // namespace kp::primitives

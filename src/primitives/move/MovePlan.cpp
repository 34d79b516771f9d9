// SPDX-License-Identifier: Apache-2.0
#include "primitives/move/MovePlan.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include <Move.glsl.hpp>
#include <MoveNarrowTiles.glsl.hpp>
#include <MoveTile.glsl.hpp>
#include <MoveTiles.glsl.hpp>
#include <Units.glsl.hpp>

#include "base/Divider.hpp"
#include "base/Text.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

constexpr uint32_t kWordBytes = 4;

struct MoveRules {
    /// Enough subgroups to hide latencies, and few enough for several groups per core.
    uint32_t groupSize = 256;
    /// Loads in flight per invocation.
    uint32_t perInvocation = 4;
    /// Contiguous runs of this many bytes are moved without a tile: GPUs access memory in sectors
    /// of 32 bytes.
    uint64_t minRunBytes = 32;
    struct TileSides {
        uint64_t a; ///< elements
        uint64_t b;
    };
    /// With 4 bytes, 32 x 32, whose rows are cache lines of 128 bytes. With one or two bytes, the
    /// input's rows are such lines, and the output's are two sectors or more.
    static TileSides tileSides(uint64_t elementBytes) {
        if (elementBytes == 1)
            return {128, 64};
        const uint64_t side = elementBytes == 2 ? 64 : elementBytes <= 12 ? 32 : 16;
        return {side, side};
    }

    static MoveRules of(const DeviceTraits& traits) {
        MoveRules rules;
        rules.groupSize = std::min(rules.groupSize, std::bit_floor(traits.maxGroupSize));
        return rules;
    }
};

uint64_t magnitude(int64_t stride) {
    return static_cast<uint64_t>(stride < 0 ? -stride : stride);
}

/// A part of the array, the elements of which are runs of contiguous bytes.
struct MoveBlock {
    std::vector<MoveAxis> axes;
    uint64_t inOffset = 0;
    uint64_t outOffset = 0;
};

class MovePlanner {
public:
    MovePlanner(Plan& plan, const MoveProblem& problem, const DeviceTraits& traits)
        : mPlan(plan), mProblem(problem), mTraits(traits), mRules(MoveRules::of(traits)) {}

    void add() {
        MoveBlock block{{}, mProblem.inOffset, mProblem.outOffset};
        mRun = mProblem.elementBytes;
        for (const MoveAxis& axis : mProblem.axes) {
            if (axis.extent == 0)
                return;
            if (axis.extent > 1)
                block.axes.push_back(axis);
        }
        merge(block);
        uint64_t divided =
            mRun | mProblem.inUnit | mProblem.outUnit | block.inOffset | block.outOffset;
        for (const MoveAxis& axis : block.axes)
            divided |= magnitude(axis.in) | axis.out;
        mUnit = moveUnit(divided);
        if (!findTile(block)) {
            const uint64_t units = mRun / mUnit;
            if (units > 1 || block.axes.empty())
                block.axes.push_back({units, static_cast<int64_t>(mUnit), mUnit});
            mRun = mUnit;
        }
        split(block);
    }

private:
    void merge(MoveBlock& block) {
        std::vector<MoveAxis> merged; // the innermost first
        for (size_t i = block.axes.size(); i-- > 0;) {
            const MoveAxis axis = block.axes[i];
            if (merged.empty() && axis.in == static_cast<int64_t>(mRun) && axis.out == mRun)
                mRun *= axis.extent;
            else if (!merged.empty() &&
                     axis.in == merged.back().in * static_cast<int64_t>(merged.back().extent) &&
                     axis.out == merged.back().out * merged.back().extent)
                merged.back().extent *= axis.extent;
            else
                merged.push_back(axis);
        }
        std::reverse(merged.begin(), merged.end());
        block.axes = std::move(merged);
    }

    /// Chooses the kernel. Sets mA and mB for the kernel of tiles.
    bool findTile(const MoveBlock& block) {
        const bool isReversed =
            std::ranges::any_of(block.axes, [](const MoveAxis& axis) { return axis.in < 0; });
        if (mRun >= mRules.minRunBytes || block.axes.size() < 2 || isReversed ||
            block.axes.back().out != mRun)
            return false;
        for (size_t i = 0; i + 1 < block.axes.size(); ++i)
            if (block.axes[i].in == static_cast<int64_t>(mRun))
                mA = i;
        if (!mA)
            return false;
        mB = block.axes.size() - 1;
        const MoveRules::TileSides sides = MoveRules::tileSides(mRun);
        uint64_t elements = sides.a * sides.b;
        mPack = mUnit == mRun && mRun <= 2 ? kWordBytes / mRun : 1;
        const uint64_t extentA = std::max(block.axes[*mA].extent, mPack);
        const uint64_t extentB = std::max(block.axes[mB].extent, mPack);
        const uint64_t stored =
            mPack > 1 ? mRun : std::max<uint64_t>(kWordBytes, mUnit) * mRun / mUnit;
        // Of a narrow array a tile takes more rows.
        const auto shape = [&] {
            mTileA = std::min(sides.a, std::bit_ceil(extentA));
            mTileB = std::min(elements / mTileA, std::bit_ceil(extentB));
            mTileA = std::min(elements / mTileB, std::bit_ceil(extentA));
        };
        shape();
        while ((mTileA + 1) * (mTileB + 1) * stored > mTraits.sharedBytes) {
            elements /= 2;
            shape();
        }
        if (mPack > 1) {
            mInvocations = std::min<uint64_t>(mRules.groupSize, mTileA * mTileB / (mPack * mPack));
            return true;
        }
        // Whole rounds of all invocations; the product of powers of two and an odd factor.
        const uint64_t units = mTileA * mTileB * (mRun / mUnit);
        mInvocations = std::min<uint64_t>(mRules.groupSize, units & (~units + 1));
        return true;
    }

    /// Returns the bytes that a kernel of narrow elements takes at a time of rows along an axis: a
    /// word if they begin and end at words.
    /// @param place  of the block, and a divisor of all places of the argument
    template <typename Stride>
    uint32_t unitOfRows(uint64_t place, const MoveBlock& block, size_t along,
                        Stride&& strideOf) const {
        if (mPack == 1)
            return mUnit;
        uint64_t bytes = place | block.axes[along].extent * mRun;
        for (size_t i = 0; i < block.axes.size(); ++i)
            if (i != along)
                bytes |= strideOf(block.axes[i]);
        return bytes % kWordBytes == 0 ? kWordBytes : mUnit;
    }

    /// Adds blocks whose input and output fit into a view each.
    void split(const MoveBlock& block) {
        const auto span = [&](auto strideOf) {
            uint64_t bytes = mRun;
            for (const MoveAxis& axis : block.axes)
                bytes += (axis.extent - 1) * strideOf(axis);
            return bytes;
        };
        const auto inStride = [](const MoveAxis& axis) { return magnitude(axis.in); };
        const auto outStride = [](const MoveAxis& axis) { return axis.out; };
        const uint64_t inBytes = span(inStride);
        const uint64_t outBytes = span(outStride);
        if (inBytes <= mTraits.maxViewBytes && outBytes <= mTraits.maxViewBytes) {
            addDispatch(block, inBytes, outBytes);
            return;
        }
        const bool byInput = inBytes > outBytes;
        const auto extentOf = [&](const MoveAxis& axis) {
            return (axis.extent - 1) * (byInput ? inStride(axis) : outStride(axis));
        };
        const auto longest = std::max_element(
            block.axes.begin(), block.axes.end(),
            [&](const auto& a, const auto& b) { return extentOf(a) < extentOf(b); });
        const auto at = static_cast<size_t>(longest - block.axes.begin());
        // Powers of two, so that runs stay aligned.
        const uint64_t half = std::bit_ceil(longest->extent) / 2;
        MoveBlock first = block;
        first.axes[at].extent = half;
        split(first);
        MoveBlock second = block;
        second.axes[at].extent -= half;
        second.inOffset = static_cast<uint64_t>(static_cast<int64_t>(second.inOffset) +
                                                second.axes[at].in * static_cast<int64_t>(half));
        second.outOffset += second.axes[at].out * half;
        split(second);
    }

    void addDispatch(const MoveBlock& block, uint64_t inBytes, uint64_t outBytes) {
        uint64_t backwards = 0; // bytes of the input before index 0
        for (const MoveAxis& axis : block.axes)
            if (axis.in < 0)
                backwards += (axis.extent - 1) * magnitude(axis.in);
        Dispatch dispatch;
        dispatch.views = {
            {mProblem.inMemory, block.inOffset - backwards, inBytes, mUnit, View::Use::eRead},
            {mProblem.outMemory, block.outOffset, outBytes, mUnit, View::Use::eWrite}};
        if (mA)
            addTiles(block, dispatch);
        else
            addStrided(block, dispatch, backwards);
        mPlan.steps.push_back(std::move(dispatch));
    }

    void addStrided(const MoveBlock& block, Dispatch& dispatch, uint64_t backwards) {
        uint64_t count = 1;
        for (const MoveAxis& axis : block.axes)
            count *= axis.extent;
        dispatch.setPush(MovePush{.count = lowWord(count), .inOffset = lowWord(backwards / mUnit)});
        for (size_t i = block.axes.size(); i-- > 0;) {
            const MoveAxis& axis = block.axes[i];
            const int64_t inStride = axis.in / static_cast<int64_t>(mUnit);
            appendWords(dispatch.push,
                        MovePush::Axis{.extent = Divider::of(lowWord(axis.extent)),
                                       .inStride = lowWord(static_cast<uint64_t>(inStride)),
                                       .outStride = lowWord(axis.out / mUnit)});
        }
        dispatch.groups = divideUp(count, uint64_t{mRules.groupSize} * mRules.perInvocation);
        dispatch.kernel = kernel("strided copy",
                                 formatted("#define AXES {}\n#define PER_INVOCATION {}\n",
                                           block.axes.size(), mRules.perInvocation),
                                 MOVE_GLSL, mRules.groupSize);
    }

    void addTiles(const MoveBlock& block, Dispatch& dispatch) {
        const MoveAxis& a = block.axes[*mA];
        const MoveAxis& b = block.axes[mB];
        MoveAxis outer;
        MoveAxis inner;
        for (size_t i = 0; i + 1 < block.axes.size(); ++i)
            if (i != *mA)
                outer = std::exchange(inner, block.axes[i]);
        const uint32_t inUnit =
            unitOfRows(mProblem.inUnit | block.inOffset, block, *mA,
                       [](const MoveAxis& axis) { return static_cast<uint64_t>(axis.in); });
        const uint32_t outUnit = unitOfRows(mProblem.outUnit | block.outOffset, block, mB,
                                            [](const MoveAxis& axis) { return axis.out; });
        dispatch.views[0].elementBytes = inUnit;
        dispatch.views[1].elementBytes = outUnit;
        const auto in = [&](const MoveAxis& axis) {
            return lowWord(static_cast<uint64_t>(axis.in) / inUnit);
        };
        const auto out = [&](const MoveAxis& axis) { return lowWord(axis.out / outUnit); };
        const uint64_t tilesA = divideUp(a.extent, mTileA);
        const uint64_t tilesB = divideUp(b.extent, mTileB);
        const uint64_t batches = outer.extent * inner.extent;
        dispatch.setPush(MoveTilePush{.extentA = lowWord(a.extent),
                                      .extentB = lowWord(b.extent),
                                      .inStrideB = in(b),
                                      .outStrideA = out(a),
                                      .tilesA = lowWord(tilesA),
                                      .tilesB = lowWord(tilesB),
                                      .batches = lowWord(batches),
                                      .inner = lowWord(inner.extent),
                                      .inInner = in(inner),
                                      .outInner = out(inner),
                                      .inOuter = in(outer),
                                      .outOuter = out(outer)});
        dispatch.groups = batches * tilesA * tilesB;
        std::string macros = formatted("#define TILE_A {}u\n#define TILE_B {}u\n"
                                       "#define INVOCATIONS {}u\n",
                                       mTileA, mTileB, mInvocations);
        if (mPack > 1)
            macros += formatted("#define PACK {}\n{}{}", mPack,
                                inUnit > mUnit ? "#define IN_WORDS\n" : "",
                                outUnit > mUnit ? "#define OUT_WORDS\n" : "");
        else
            macros += formatted("#define UNITS {}u\n", mRun / mUnit);
        dispatch.kernel = kernel("transposed copy", macros,
                                 std::string(MOVETILE_GLSL) +
                                     std::string(mPack > 1 ? MOVENARROWTILES_GLSL : MOVETILES_GLSL),
                                 static_cast<uint32_t>(mInvocations));
    }

    uint32_t kernel(const char* name, const std::string& macros, std::string_view text,
                    uint32_t groupSize) {
        Kernel made;
        made.name = name;
        made.source =
            composeSource(unitMacros(mUnit) + macros, std::string(UNITS_GLSL), text, false);
        made.constants = {groupSize};
        for (uint32_t i = 0; i < mPlan.kernels.size(); ++i)
            if (mPlan.kernels[i].source == made.source)
                return i;
        return mPlan.addKernel(std::move(made));
    }

    Plan& mPlan;
    const MoveProblem& mProblem;
    const DeviceTraits& mTraits;
    MoveRules mRules;
    uint64_t mRun = 0; ///< bytes that are contiguous in input and output
    uint32_t mUnit = 0;
    std::optional<size_t> mA;
    size_t mB = 0;
    uint64_t mTileA = 0;
    uint64_t mTileB = 0;
    uint64_t mInvocations = 0;
    uint64_t mPack = 1; ///< elements of a word, with tiles of narrow elements
};

} // namespace

void planMove(Plan& plan, const MoveProblem& problem, const DeviceTraits& traits) {
    MovePlanner(plan, problem, traits).add();
}

} // namespace kp::primitives

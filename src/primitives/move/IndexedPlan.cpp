// SPDX-License-Identifier: Apache-2.0
#include "primitives/move/IndexedPlan.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <Indexed.glsl.hpp>
#include <Units.glsl.hpp>

#include "base/Divider.hpp"
#include "base/Text.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

struct IndexedRules {
    /// Enough subgroups to hide latencies, and few enough for several groups per core.
    uint32_t groupSize = 256;
    /// Accesses in flight per invocation: scattered ones have the full latency of the memory.
    uint32_t perInvocation = 4;
};

/// Part `first` to `first + count` of something.
struct Piece {
    uint64_t first = 0;
    uint64_t count = 0;
};

/// Calls visit(piece) for pieces of at most @p most.
template <typename Visit>
void forEachPiece(uint64_t count, uint64_t most, const Visit& visit) {
    for (uint64_t first = 0; first < count; first += most)
        visit(Piece{first, std::min(most, count - first)});
}

class IndexedPlanner {
public:
    IndexedPlanner(const IndexedProblem& problem, const DeviceTraits& traits)
        : mProblem(problem), mTraits(traits), mRowBytes(problem.array.inner * problem.elementBytes),
          mUnit(moveUnit(mRowBytes | problem.inUnit | problem.outUnit)) {
        mRules.groupSize = std::min(mRules.groupSize, std::bit_floor(traits.maxGroupSize));
    }

    Plan plan() {
        const AxisExtents& array = mProblem.array;
        if (mProblem.indices == 0 || array.length == 0 || array.outer == 0 || array.inner == 0)
            return std::move(mPlan);
        addKernel();
        const uint64_t listBytes = mProblem.indices * mRowBytes;
        const uint64_t placeBytes = array.length * mRowBytes;
        const uint64_t most = mTraits.maxViewBytes;
        const uint64_t mostIndices = most / indexBytes();
        if (std::max(listBytes, placeBytes) <= most && mProblem.indices <= mostIndices) {
            const uint64_t outerMost = most / std::max(listBytes, placeBytes);
            forEachPiece(array.outer, outerMost, [&](Piece outer) {
                add(outer, {0, mProblem.indices}, {0, array.length}, {0, mRowBytes});
            });
            return std::move(mPlan);
        }
        // One of `outer` at a time, some indices, some places, and of long rows a part.
        const uint64_t partMost = std::min(mRowBytes, most / mUnit * mUnit);
        const uint64_t rowsMost = 1 + (most - partMost) / mRowBytes;
        forEachPiece(array.outer, 1, [&](Piece outer) {
            forEachPiece(mRowBytes, partMost, [&](Piece part) {
                forEachPiece(mProblem.indices, std::min(rowsMost, mostIndices), [&](Piece list) {
                    forEachPiece(array.length, rowsMost,
                                 [&](Piece places) { add(outer, list, places, part); });
                });
            });
        });
        return std::move(mPlan);
    }

private:
    uint64_t indexBytes() const { return mProblem.wideIndices ? 8 : 4; }

    void addKernel() {
        std::string macros = unitMacros(mUnit);
        macros += formatted("#define PER_INVOCATION {}\n#define INDEX_WORDS {}\n",
                            mRules.perInvocation, mProblem.wideIndices ? 2 : 1);
        if (mProblem.scatter)
            macros += "#define SCATTER\n";
        if (mProblem.signedIndices)
            macros += "#define INDEX_SIGNED\n";
        Kernel kernel;
        kernel.name = mProblem.scatter ? "OpScatter" : "OpGather";
        kernel.source = composeSource(macros, std::string(UNITS_GLSL), INDEXED_GLSL, false);
        kernel.constants = {mRules.groupSize};
        mPlan.addKernel(std::move(kernel));
    }

    /// Returns a view of some rows of an array with @p length rows.
    View view(uint32_t memory, Piece outer, uint64_t length, Piece rows, Piece part) const {
        View view;
        view.memory = memory;
        view.offset = (outer.first * length + rows.first) * mRowBytes + part.first;
        view.bytes = ((outer.count - 1) * length + rows.count - 1) * mRowBytes + part.count;
        view.elementBytes = mUnit;
        return view;
    }

    /// @param part  bytes of each row
    void add(Piece outer, Piece list, Piece places, Piece part) {
        View rows = view(mProblem.scatter ? 0 : 2, outer, mProblem.indices, list, part);
        View indexed = view(mProblem.scatter ? 2 : 0, outer, mProblem.array.length, places, part);
        View& out = mProblem.scatter ? indexed : rows;
        out.use = View::Use::eWrite;
        const uint64_t bytes = indexBytes();
        const View indices{1, list.first * bytes, list.count * bytes, static_cast<uint32_t>(bytes)};
        const uint64_t units = part.count / mUnit;
        const uint64_t count = outer.count * list.count * units;
        Dispatch dispatch;
        dispatch.views = {mProblem.scatter ? rows : indexed, indices, out};
        dispatch.setPush(
            IndexedPush{.count = lowWord(count),
                        .row = Divider::of(lowWord(units)),
                        .rows = Divider::of(lowWord(list.count)),
                        .rowStride = lowWord(mRowBytes / mUnit),
                        .listStride = lowWord(mProblem.indices * mRowBytes / mUnit),
                        .placeStride = lowWord(mProblem.array.length * mRowBytes / mUnit),
                        .places = lowWord(places.count),
                        .firstPlaceLow = lowWord(places.first),
                        .firstPlaceHigh = highWord(places.first)});
        dispatch.groups = divideUp(count, uint64_t{mRules.groupSize} * mRules.perInvocation);
        mPlan.steps.push_back(std::move(dispatch));
    }

    const IndexedProblem& mProblem;
    const DeviceTraits& mTraits;
    IndexedRules mRules;
    uint64_t mRowBytes;
    uint32_t mUnit;
    Plan mPlan{3};
};

} // namespace

Plan planIndexed(const IndexedProblem& problem, const DeviceTraits& traits) {
    return IndexedPlanner(problem, traits).plan();
}

} // namespace kp::primitives

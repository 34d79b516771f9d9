// SPDX-License-Identifier: Apache-2.0
#include "primitives/spectral/SvdPlan.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <Jacobi.glsl.hpp>
#include <SvdBasis.glsl.hpp>
#include <SvdLengths.glsl.hpp>
#include <SvdWhole.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/dense/DensePlanner.hpp"
#include "primitives/dense/DenseScale.hpp"
#include "primitives/dense/QrPlan.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/spectral/JacobiSteps.hpp"

namespace kp::primitives {
namespace {

/// Vectors of the largest matrices that a work group decomposes alone.
constexpr uint64_t kMaxVectors = 64;

/// Rotates the rows of wide matrices or the columns of tall ones, the vectors, until they are
/// orthogonal: their lengths are the singular values then, and they and the product of the
/// rotations the bases.
class SvdPlanner {
public:
    SvdPlanner(const SvdProblem& problem, const DeviceTraits& traits)
        : mProblem(problem), mTall(problem.rows > problem.columns),
          mCount(std::min(problem.rows, problem.columns)),
          mLength(std::max(problem.rows, problem.columns)),
          mAll(problem.full && problem.vectors ? mLength : mCount),
          mDense(problem.type, problem.batches, problem.vectors ? 4 : 2, traits) {}

    Plan plan() {
        const uint64_t most = mAll * mLength;
        if (mCount == 0) {
            if (mProblem.full && mProblem.vectors && mLength > 0)
                mDense.forEachPass(most, [&](uint64_t first) { addIdentity(first); });
        } else if (isWhole()) {
            mDense.forEachPass(most, [&](uint64_t first) { addWhole(first); });
        } else {
            JacobiSteps steps(mDense, mCount, mLength, false, mProblem.vectors);
            mDense.forEachPass(std::max(most, steps.mostElements()),
                               [&](uint64_t first) { addBlocks(steps, first); });
        }
        return std::move(mDense.plan);
    }

private:
    DenseBlock given(uint64_t first) const {
        return {0, first * mCount * mLength, mProblem.columns, mCount * mLength};
    }
    DenseBlock values(uint64_t first) const { return {1, first * mCount, mCount, mCount}; }
    /// The vectors themselves, of length 1: columns of U or rows of V^T.
    DenseBlock vectors(uint64_t first) const {
        return {mTall ? 2u : 3u, first * mAll * mLength, mTall ? mAll : mLength, mAll * mLength};
    }
    /// The rotations: rows of V^T or columns of U.
    DenseBlock rotations(uint64_t first) const {
        return {mTall ? 3u : 2u, first * mCount * mCount, mCount, mCount * mCount};
    }

    void addIdentity(uint64_t first) { mDense.identity(vectors(first), mLength, mLength); }

    uint64_t even() const { return mCount + mCount % 2; }
    uint32_t wholeGroup() const {
        const uint64_t pairs = std::bit_ceil(even() / 2);
        return static_cast<uint32_t>(std::clamp<uint64_t>(
            pairs * 8, 32, std::min<uint64_t>(256, std::bit_floor(mDense.traits.maxGroupSize))));
    }
    bool isWhole() const {
        const uint64_t places = std::max(even(), mAll);
        uint64_t elements = places * (mLength | 1) + 3 * wholeGroup() + places;
        if (mProblem.vectors)
            elements += even() * (even() | 1) + places;
        return mCount <= kMaxVectors &&
               elements * mDense.elementBytes() + places * sizeof(uint32_t) + 16 <=
                   mDense.traits.sharedBytes;
    }

    void addWhole(uint64_t first) {
        const uint32_t group = wholeGroup();
        const JacobiRules rules = JacobiRules::of(mDense.elementBytes(), mDense.traits);
        std::string macros = formatted(
            "#define COUNT {}u\n#define LENGTH {}u\n#define EVEN {}u\n#define ALL {}u\n"
            "#define LANES {}u\n#define SWEEPS {}u\n#define LATE {}u\n#define TOLERANCE {}\n",
            mCount, mLength, even(), mAll, group / std::bit_ceil(even() / 2), rules.sweeps,
            rules.late, JacobiSteps::tolerance(mLength));
        if (mTall)
            macros += "#define TRANSPOSED\n";
        if (mProblem.vectors)
            macros += "#define VECTORS\n";
        Dispatch dispatch;
        dispatch.kernel = mDense.kernel("OpSvd of small matrices", macros,
                                        scaledText({JACOBI_GLSL, SVDWHOLE_GLSL}), group);
        dispatch.views = {
            mDense.view(given(first), mProblem.rows, mProblem.columns, View::Use::eRead),
            mDense.view(values(first), 1, mCount, View::Use::eWrite)};
        if (mProblem.vectors) {
            const View own = mDense.view(vectors(first), mTall ? mLength : mAll,
                                         mTall ? mAll : mLength, View::Use::eWrite);
            const View other = mDense.view(rotations(first), mCount, mCount, View::Use::eWrite);
            dispatch.views.push_back(mTall ? own : other);
            dispatch.views.push_back(mTall ? other : own);
        }
        dispatch.setPush(SvdWholePush{.batches = lowWord(mDense.batches)});
        dispatch.groups = mDense.batches;
        mDense.add(std::move(dispatch));
    }

    void addBlocks(JacobiSteps& steps, uint64_t first) {
        if (!std::exchange(mHasMemory, true)) {
            const uint64_t bytes = mDense.batches * mDense.elementBytes();
            mLengths = mDense.plan.addScratch(mCount * bytes);
            if (mProblem.vectors) {
                mSorted = mDense.plan.addScratch(mLength * mCount * bytes);
                mBasis = mDense.plan.addScratch(mLength * mAll * bytes);
                mTriangle = mDense.plan.addScratch(mAll * mCount * bytes);
            }
        }
        steps.beginPass();
        steps.load(given(first), mTall ? "TRANSPOSED" : "");
        steps.sweep();
        const DenseBlock lengths{mLengths, 0, mCount, mCount};
        Dispatch dispatch;
        dispatch.kernel =
            steps.kernel("lengths of vectors", "", SVDLENGTHS_GLSL, steps.rules().groupSize);
        dispatch.views = {
            mDense.view(steps.matrix(), steps.allRows(), mLength, View::Use::eReadWrite),
            mDense.view(lengths, 1, mCount, View::Use::eWrite)};
        dispatch.setPush(SvdLengthsPush{.count = lowWord(mCount),
                                        .allRows = lowWord(steps.allRows()),
                                        .width = lowWord(mLength),
                                        .batches = lowWord(mDense.batches)});
        dispatch.groups = mCount * mDense.batches;
        mDense.add(std::move(dispatch));
        steps.sort(lengths, 1, values(first), true);
        if (!mProblem.vectors)
            return;
        steps.place(steps.turned(), mCount, rotations(first), !mTall);
        addBasis(steps, first);
    }

    /// Writes the vectors, and others to complete the basis if some are 0 or if all of it is
    /// wanted: by QR factors, which hardly change vectors that are orthogonal.
    void addBasis(JacobiSteps& steps, uint64_t first) {
        steps.place(steps.matrix(), mLength, {mSorted, 0, mCount, mCount * mLength}, true);
        QrProblem problem;
        problem.type = mProblem.type;
        problem.rows = mLength;
        problem.columns = mCount;
        problem.batches = mDense.batches;
        problem.triangleRows = problem.basisColumns = mAll;
        mDense.plan.append(planQr(problem, mDense.traits),
                           std::vector<uint32_t>{mSorted, mTriangle, mBasis});
        Dispatch dispatch;
        dispatch.kernel = steps.kernel("basis of vectors", mTall ? "" : "#define TRANSPOSED\n",
                                       SVDBASIS_GLSL, steps.rules().groupSize);
        dispatch.views = {
            mDense.view({mBasis, 0, mAll, mAll * mLength}, mLength, mAll, View::Use::eRead),
            mDense.view({mTriangle, 0, mCount, mAll * mCount}, mAll, mCount, View::Use::eRead),
            mDense.view(vectors(first), 1, mAll * mLength, View::Use::eWrite)};
        dispatch.setPush(SvdBasisPush{.rows = lowWord(mLength),
                                      .columns = lowWord(mAll),
                                      .count = lowWord(mCount),
                                      .batches = lowWord(mDense.batches)});
        dispatch.groups = divideUp(mLength * mAll * mDense.batches, steps.rules().groupSize);
        mDense.add(std::move(dispatch));
    }

    const SvdProblem& mProblem;
    bool mTall;
    uint64_t mCount;  ///< of the vectors
    uint64_t mLength; ///< of a vector
    uint64_t mAll;    ///< with those that complete the basis
    DensePlanner mDense;
    bool mHasMemory = false;
    uint32_t mLengths = 0;
    uint32_t mSorted = 0;
    uint32_t mBasis = 0;
    uint32_t mTriangle = 0;
};

} // namespace

Plan planSvd(const SvdProblem& problem, const DeviceTraits& traits) {
    return SvdPlanner(problem, traits).plan();
}

} // namespace kp::primitives

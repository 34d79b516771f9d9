// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/CholeskyPlan.hpp"

#include <algorithm>
#include <utility>

#include <Cholesky.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/source/Division.hpp"

namespace kp::primitives {
namespace {

/// Invocations of a work group that factors several small matrices.
constexpr uint32_t kSmallGroup = 64;
constexpr const char* kLower = "row >= column ? given[from] : REAL(0)";

class CholeskyPlanner {
public:
    CholeskyPlanner(const CholeskyProblem& problem, const DeviceTraits& traits)
        : mSize(problem.size), mRules(CholeskyRules::of(traits)),
          mDense(problem.type, problem.batches, 3, traits), mGiven{0, 0, mSize, mSize * mSize, 1},
          mFactor{1, 0, mSize, mSize * mSize, problem.alignment}, mInPlace(problem.inPlace) {}

    Plan plan() {
        if (mSize == 0)
            mDense.fill(2, mDense.batches);
        else
            mDense.forEachPass(mSize * mSize, [&](uint64_t first) { add(first); });
        return std::move(mDense.plan);
    }

private:
    void add(uint64_t first) {
        mFirst = first;
        mGiven.first = mFactor.first = first * mSize * mSize;
        if (mSize <= mRules.block) {
            factorBlock(mGiven, 0, mSize);
            return;
        }
        if (!mInPlace)
            mDense.copy(mGiven, mFactor, mSize, mSize, kLower);
        for (uint64_t start = 0; start < mSize; start += mRules.panel)
            factorPanel(start, std::min(mRules.panel, mSize - start));
        mDense.copy(mFactor, mFactor, mSize, mSize, kLower);
    }

    void factorPanel(uint64_t start, uint64_t width) {
        const uint64_t end = start + width;
        for (uint64_t k = start; k < end; k += mRules.block) {
            const uint64_t next = std::min(end, k + mRules.block);
            factorBlock(mFactor.at(k, k), k, next - k);
            DenseTriangle below; // X L^T = A
            below.triangle = mFactor.at(k, k);
            below.side = mFactor.at(next, k);
            below.size = next - k;
            below.columns = mSize - next;
            below.sideTransposed = true;
            mDense.solve(below);
            update(next, k, end - next);
        }
        update(end, start, mSize - end);
    }

    /// Subtracts products of the columns from `start` to `end` from the `count` columns after them.
    void update(uint64_t end, uint64_t start, uint64_t count) {
        DenseProduct product;
        product.a = product.b = mFactor.at(end, start);
        product.c = mFactor.at(end, end);
        product.transposeB = true;
        product.rows = count > 0 ? mSize - end : 0;
        product.columns = count;
        product.inner = end - start;
        product.onlyLower = true;
        mDense.multiply(product);
    }

    /// @param order  the block's first column
    void factorBlock(const DenseBlock& from, uint64_t order, uint64_t size) {
        const uint32_t side = size <= 16 ? 4 : size <= 32 ? 8 : 16;
        const uint32_t teams = std::max(1u, kSmallGroup / (side * side));
        Dispatch dispatch;
        dispatch.kernel = mDense.kernel(
            "OpCholesky of blocks", formatted("#define SIDE {}u\n#define TEAMS {}u\n", side, teams),
            CHOLESKY_GLSL, teams * side * side);
        dispatch.views = {
            mDense.view(from, size, size, View::Use::eRead),
            mDense.view(mFactor.at(order, order), size, size,
                        order == 0 && mSize == size ? View::Use::eWrite : View::Use::eReadWrite),
            {2, mFirst * sizeof(uint32_t), mDense.batches * sizeof(uint32_t), sizeof(uint32_t),
             order == 0 ? View::Use::eWrite : View::Use::eReadWrite}};
        dispatch.setPush(CholeskyPush{.size = lowWord(size),
                                      .stride = lowWord(mFactor.stride),
                                      .batchStride = lowWord(mFactor.batchStride),
                                      .batches = lowWord(mDense.batches),
                                      .order = lowWord(order)});
        dispatch.groups = divideUp(mDense.batches, teams);
        mDense.add(std::move(dispatch));
    }

    uint64_t mSize;
    CholeskyRules mRules;
    DensePlanner mDense;
    DenseBlock mGiven;
    DenseBlock mFactor;
    bool mInPlace;
    uint64_t mFirst = 0; ///< matrix of this pass
};

} // namespace

CholeskyRules CholeskyRules::of(const DeviceTraits& traits) {
    CholeskyRules rules;
    if (traits.maxGroupSize < 256)
        rules.block = 32;
    return rules;
}

Plan planCholesky(const CholeskyProblem& problem, const DeviceTraits& traits) {
    return CholeskyPlanner(problem, traits).plan();
}

} // namespace kp::primitives

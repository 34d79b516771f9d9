// SPDX-License-Identifier: Apache-2.0
#include "primitives/spectral/JacobiSteps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <Jacobi.glsl.hpp>
#include <JacobiGram.glsl.hpp>
#include <JacobiOrder.glsl.hpp>
#include <JacobiPairs.glsl.hpp>
#include <JacobiPlace.glsl.hpp>
#include <JacobiRows.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/dense/DenseScale.hpp"
#include "primitives/source/Division.hpp"

namespace kp::primitives {

uint64_t JacobiRules::sharedBytes(uint64_t side, uint32_t elementBytes) {
    // Two matrices, sines and tangents, and words.
    return (2 * side * (side + 1) + side) * elementBytes + 16 + side * sizeof(uint32_t);
}

JacobiRules JacobiRules::of(uint32_t elementBytes, const DeviceTraits& traits) {
    JacobiRules rules;
    if (elementBytes == 8)
        rules.late = 22;
    while (rules.side > 16 && sharedBytes(rules.side, elementBytes) > traits.sharedBytes)
        rules.side /= 2;
    while (rules.groupSize > traits.maxGroupSize)
        rules.groupSize /= 2;
    return rules;
}

JacobiSteps::JacobiSteps(DensePlanner& dense, uint64_t rows, uint64_t columns, bool symmetric,
                         bool vectors)
    : mDense(dense), mRules(JacobiRules::of(dense.elementBytes(), dense.traits)), mRows(rows),
      mColumns(columns), mSymmetric(symmetric), mVectors(vectors),
      mBlocks(divideUp(divideUp(rows, mRules.side / 2), 2) * 2) {
    // The products of rows are as far apart as the squares of singular values.
    if (!symmetric) {
        mRules.sweeps = 40;
        mRules.late = 28;
        // Enough work groups for large devices, if rows are long enough.
        mSlices = std::clamp<uint64_t>(256 / pairs(), 1, divideUp(columns, mRules.side * 2));
    }
}

std::string JacobiSteps::tolerance(uint64_t length) {
    return formatted("{}.0", static_cast<uint64_t>(std::sqrt(static_cast<double>(length)) + 1));
}

std::string JacobiSteps::macros(bool rotates) const {
    std::string text = formatted(
        "#define SWEEPS {}u\n#define LATE {}u\n#define DOWN {}u\n#define TOLERANCE {}\n",
        mRules.sweeps, mRules.late, mRules.down(), mSymmetric ? "1.0" : tolerance(mColumns));
    if (rotates)
        text += formatted("#define SIDE {}u\n#define TURNS\n#define IS_LARGE(off, first, second) "
                          "{}\n",
                          mRules.side,
                          mSymmetric ? "(abs(off) > threshold)"
                                     : "IS_SKEW(off, first, second, EPSILON)");
    return text;
}

uint32_t JacobiSteps::kernel(const char* name, const std::string& macros, std::string_view text,
                             uint32_t groupSize) const {
    return mDense.kernel(name, macros, scaledText({JACOBI_GLSL, text}), groupSize);
}

View JacobiSteps::states(View::Use use) const {
    return {mState, 0, mDense.batches * stateWords() * sizeof(uint32_t), sizeof(uint32_t), use};
}

uint64_t JacobiSteps::mostElements() const {
    return std::max(
        {allRows() * width(), mVectors ? allRows() * allRows() : 0, squares() * mSlices});
}

void JacobiSteps::makeKernels() {
    const std::string tiles = macros(false) + formatted("#define TILE_SIDE {}u\n", mRules.side);
    mPairsKernel =
        kernel("rotations of pairs of blocks", macros(true) + (mSymmetric ? "" : "#define GRAM\n"),
               JACOBIPAIRS_GLSL, mRules.groupSize);
    if (!mSymmetric)
        mGramKernel =
            kernel("products of blocks of rows", tiles, JACOBIGRAM_GLSL, mRules.groupSize);
    if (!mSymmetric || mVectors)
        mRowsKernel = kernel("rotated blocks", tiles, JACOBIROWS_GLSL, mRules.groupSize);
    if (mSymmetric && pairs() > 1)
        mBothKernel =
            kernel("rotated blocks", tiles + "#define BOTH\n", JACOBIROWS_GLSL, mRules.groupSize);
}

void JacobiSteps::beginPass() {
    if (!std::exchange(mHasMemory, true)) {
        makeKernels();
        const uint64_t bytes = mDense.batches * mDense.elementBytes();
        mState = mDense.plan.addScratch(mDense.batches * stateWords() * sizeof(uint32_t));
        mMatrix = mDense.plan.addScratch(allRows() * width() * bytes);
        if (mVectors)
            mTurned = mDense.plan.addScratch(allRows() * allRows() * bytes);
        mTurns = mDense.plan.addScratch(squares() * bytes);
        mOrder = mDense.plan.addScratch(mRows * mDense.batches * sizeof(uint32_t));
        if (!mSymmetric)
            mGram = mDense.plan.addScratch(squares() * mSlices * bytes);
    }
    mDense.fill(mState, mDense.batches * stateWords());
}

void JacobiSteps::load(const DenseBlock& given, const std::string& part) {
    ScaledCopy copy;
    copy.given = given;
    copy.rows = mRows;
    copy.columns = mSymmetric ? mRows : mColumns;
    copy.part = part;
    copy.state = mState;
    copy.stateWords = stateWords();
    copy.to = matrix();
    copy.toRows = allRows();
    copy.asZero = true;
    addScaledCopy(mDense, copy);
}

void JacobiSteps::addGram(uint64_t round, uint64_t sweep) {
    const uint64_t length =
        divideUp(divideUp(mColumns, mSlices), uint64_t{mRules.side}) * mRules.side;
    Dispatch dispatch;
    dispatch.kernel = mGramKernel;
    dispatch.views = {mDense.view(matrix(), allRows(), width(), View::Use::eRead),
                      states(View::Use::eRead),
                      {mGram, 0, mDense.batches * squares() * mSlices * mDense.elementBytes(),
                       mDense.elementBytes(), View::Use::eWrite}};
    dispatch.setPush(JacobiGramPush{.batches = lowWord(mDense.batches),
                                    .blocks = lowWord(mBlocks),
                                    .round = lowWord(round),
                                    .sweep = lowWord(sweep),
                                    .width = lowWord(width()),
                                    .slices = lowWord(mSlices),
                                    .length = lowWord(length)});
    dispatch.groups = pairs() * mSlices * mDense.batches;
    mDense.add(std::move(dispatch));
}

void JacobiSteps::addPairs(uint64_t round, uint64_t sweep) {
    const uint64_t bytes = mDense.batches * squares() * mDense.elementBytes();
    Dispatch dispatch;
    dispatch.kernel = mPairsKernel;
    dispatch.views = {
        mSymmetric ? mDense.view(matrix(), allRows(), width(), View::Use::eReadWrite)
                   : View{mGram, 0, bytes * mSlices, mDense.elementBytes(), View::Use::eRead},
        {mTurns, 0, bytes, mDense.elementBytes(), View::Use::eWrite},
        states(View::Use::eReadWrite)};
    dispatch.setPush(JacobiPairsPush{.batches = lowWord(mDense.batches),
                                     .blocks = lowWord(mBlocks),
                                     .round = lowWord(round),
                                     .sweep = lowWord(sweep),
                                     .slices = lowWord(mSlices)});
    dispatch.groups = pairs() * mDense.batches;
    mDense.add(std::move(dispatch));
}

void JacobiSteps::addRows(const DenseBlock& rows, uint64_t round, bool both) {
    const uint64_t parts = both ? pairs() : divideUp(rows.stride, uint64_t{mRules.side});
    Dispatch dispatch;
    dispatch.kernel = both ? mBothKernel : mRowsKernel;
    dispatch.views = {mDense.view(rows, allRows(), rows.stride, View::Use::eReadWrite),
                      {mTurns, 0, mDense.batches * squares() * mDense.elementBytes(),
                       mDense.elementBytes(), View::Use::eRead},
                      states(View::Use::eRead)};
    dispatch.setPush(JacobiRowsPush{.batches = lowWord(mDense.batches),
                                    .blocks = lowWord(mBlocks),
                                    .round = lowWord(round),
                                    .width = lowWord(rows.stride),
                                    .parts = lowWord(parts)});
    dispatch.groups = pairs() * parts * mDense.batches;
    mDense.add(std::move(dispatch));
}

void JacobiSteps::sweep() {
    if (mVectors)
        mDense.identity(turned(), allRows(), allRows());
    for (uint64_t sweep = 0; sweep < mRules.sweeps; ++sweep)
        for (uint64_t round = 0; round < mBlocks - 1; ++round) {
            if (!mSymmetric)
                addGram(round, sweep);
            addPairs(round, sweep);
            if (!mSymmetric || pairs() > 1)
                addRows(matrix(), round, mSymmetric);
            if (mVectors)
                addRows(turned(), round, false);
        }
}

void JacobiSteps::sort(const DenseBlock& keys, uint64_t keyStride, const DenseBlock& values,
                       bool descending) {
    Dispatch dispatch;
    dispatch.kernel =
        kernel("sorted values", macros(false) + (descending ? "#define DESCENDING\n" : ""),
               JACOBIORDER_GLSL, mRules.groupSize);
    dispatch.views = {mDense.view(keys, 1, (mRows - 1) * keyStride + 1, View::Use::eRead),
                      states(View::Use::eRead),
                      mDense.view(values, 1, mRows, View::Use::eWrite),
                      {mOrder, 0, mDense.batches * mRows * sizeof(uint32_t), sizeof(uint32_t),
                       View::Use::eWrite}};
    dispatch.setPush(JacobiOrderPush{.count = lowWord(mRows),
                                     .batches = lowWord(mDense.batches),
                                     .stateWords = lowWord(stateWords()),
                                     .keyStride = lowWord(keyStride),
                                     .keyBatch = lowWord(keys.batchStride)});
    dispatch.groups = divideUp(mRows * mDense.batches, mRules.groupSize);
    mDense.add(std::move(dispatch));
}

void JacobiSteps::place(const DenseBlock& from, uint64_t length, const DenseBlock& to,
                        bool transposed) {
    Dispatch dispatch;
    dispatch.kernel = kernel("sorted vectors", transposed ? "#define TRANSPOSED\n" : "",
                             JACOBIPLACE_GLSL, mRules.groupSize);
    dispatch.views = {
        mDense.view(from, mRows, length, View::Use::eRead),
        {mOrder, 0, mDense.batches * mRows * sizeof(uint32_t), sizeof(uint32_t), View::Use::eRead},
        mDense.view(to, 1, mRows * length, View::Use::eWrite)};
    dispatch.setPush(JacobiPlacePush{.count = lowWord(mRows),
                                     .length = lowWord(length),
                                     .batches = lowWord(mDense.batches),
                                     .rowStride = lowWord(from.stride),
                                     .rowBatch = lowWord(from.batchStride)});
    dispatch.groups = divideUp(mRows * length * mDense.batches, mRules.groupSize);
    mDense.add(std::move(dispatch));
}

} // namespace kp::primitives

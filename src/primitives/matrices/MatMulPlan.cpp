// SPDX-License-Identifier: Apache-2.0
#include "primitives/matrices/MatMulPlan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <MatMul.glsl.hpp>
#include <MatMulFinish.glsl.hpp>
#include <MatMulParts.glsl.hpp>
#include <MatMulTiles.glsl.hpp>
#include <MatMulVector.glsl.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/matrices/MatMulCooperative.hpp"
#include "primitives/matrices/MatMulPanels.hpp"
#include "primitives/matrices/MatMulSource.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

std::array<uint32_t, 2> wordsOf(double value, DataTypes sum) {
    uint64_t bits = 0;
    if (sum == DataTypes::eFloat)
        bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    else if (sum == DataTypes::eDouble)
        bits = std::bit_cast<uint64_t>(value);
    else
        bits = value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                         : static_cast<uint64_t>(value);
    return {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
}

/// Drivers write out each operation of emulated doubles, so invocations multiply short parts.
MatMulRules rulesOf(const MatMulProblem& problem, const DeviceTraits& traits) {
    MatMulRules rules = MatMulRules::of(traits);
    if (matMulSumType(problem.in) == DataTypes::eDouble && !traits.float64)
        rules.partsInvocations = 64;
    return rules;
}

/// Adds the steps of a product to a plan.
class MatMulPlanner {
public:
    MatMulPlanner(const MatMulProblem& problem, const DeviceTraits& traits,
                  const MatMulChoice* choice)
        : mProblem(problem), mTraits(traits), mRules(rulesOf(problem, traits)), mChoice(choice),
          mSum(matMulSumType(problem.in)), mSumBytes(Memory::dataTypeMemorySize(mSum)),
          mInBytes(Memory::dataTypeMemorySize(problem.in)),
          mOutBytes(Memory::dataTypeMemorySize(problem.out)), mPlan(problem.hasBias ? 4 : 3) {}

    Plan plan() {
        if (mProblem.rows == 0 || mProblem.columns == 0 || mProblem.batches == 0)
            return std::move(mPlan);
        mPanels = MatMulPanels::of(mProblem, mTraits);
        chooseWork();
        for (uint64_t batch = 0; batch < mProblem.batches; batch += mPanels.batches)
            for (uint64_t row = 0; row < mProblem.rows; row += mPanels.rows)
                for (uint64_t column = 0; column < mProblem.columns; column += mPanels.columns)
                    addPanel(batch, row, column);
        return std::move(mPlan);
    }

private:
    enum class Kind { eTiles, eCooperative, eVector, eFinish };

    /// Some rows, columns and products of C, such that all their memory fits the views.
    struct Panel {
        uint64_t batch = 0;
        uint64_t row = 0;
        uint64_t column = 0;
        uint64_t batches = 1;
        uint64_t rows = 1;
        uint64_t columns = 1;
    };
    /// A part of `inner`.
    struct Slices {
        uint64_t first = 0; ///< element
        uint64_t inner = 0;
        uint64_t count = 1;
        uint64_t length = 0;
        uint64_t number = 0; ///< of the first one among all
    };

    void chooseWork();
    void addPanel(uint64_t batch, uint64_t row, uint64_t column);
    void addProduct(const Panel& panel, const Slices& slices, bool final);
    void addFinish(const Panel& panel, uint64_t slices);
    std::vector<Slices> slices() const;
    /// Whether a panel is at least as large as a tile.
    struct Whole {
        bool rows = false;
        bool columns = false;
        bool inner = false;
        auto operator<=>(const Whole&) const = default;
    };
    uint32_t kernel(Kind kind, bool final, Whole whole);
    std::string macrosOf(Kind kind, bool final, Whole whole) const;

    bool isVector() const { return mProblem.rows == 1 || mProblem.columns == 1; }
    /// A product with a row takes B as its matrix.
    bool hasRowResult() const { return mProblem.columns != 1; }
    /// True if rows of A (or B) are stored along `inner`.
    bool aAlongInner() const { return !mProblem.transposeA; }
    bool bAlongInner() const { return mProblem.transposeB; }
    /// True if the stored rows of an operand consist of vectors of four.
    bool hasFours(bool isA) const {
        const bool alongInner = isA ? aAlongInner() : bAlongInner();
        const uint64_t extent = alongInner ? mProblem.inner
                                : isA      ? mProblem.rows
                                           : mProblem.columns;
        return mPanels.isAligned(isA ? mProblem.a : mProblem.b) && extent % 4 == 0;
    }
    /// True if the vectors read from an operand are aligned. In a last tile that begins earlier,
    /// they are if rows consist of vectors.
    bool isAlignedOperand(bool isA, Whole whole) const {
        const bool alongInner = isA ? aAlongInner() : bAlongInner();
        const bool mayBeginEarlier = alongInner ? whole.inner : isA ? whole.rows : whole.columns;
        return mayBeginEarlier ? hasFours(isA) : mPanels.isAligned(isA ? mProblem.a : mProblem.b);
    }
    /// Checks that the tiles of a panel do not need: see MatMulTiles.glsl.
    Whole wholeOf(const Panel& panel, const Slices& slices) const {
        if (isVector() || isCooperative() || mRules.partsInvocations > 0 ||
            slices.inner < mTile.depth)
            return {};
        return {panel.rows >= mTile.rows, panel.columns >= mTile.columns, true};
    }
    bool isCooperative() const { return !isVector() && mTile.method != MatMulMethod::eTiles; }

    View operandView(bool isA, const Panel& panel, const Slices& slices) const;
    void addResultViews(Dispatch& dispatch, const Panel& panel) const;
    View partialView(const Panel& panel, uint64_t slices, View::Use use) const;
    void addPush(Dispatch& dispatch, const Panel& panel, const Slices& slices, bool swapped) const;

    const MatMulProblem& mProblem;
    const DeviceTraits& mTraits;
    MatMulRules mRules;
    const MatMulChoice* mChoice;
    DataTypes mSum;
    uint32_t mSumBytes;
    uint32_t mInBytes;
    uint32_t mOutBytes;
    Plan mPlan;
    std::vector<std::pair<std::tuple<Kind, bool, Whole>, uint32_t>> mKernels;
    MatMulTile mTile{};
    uint32_t mLanes = 1;
    uint64_t mSliceCount = 1;
    MatMulPanels mPanels;
    std::optional<uint32_t> mPartials;
};

std::string MatMulPlanner::macrosOf(Kind kind, bool final, Whole whole) const {
    std::string macros = glslTypeMacros("A", mProblem.in) + glslTypeMacros("B", mProblem.in) +
                         glslTypeMacros("C", mProblem.out) + glslTypeMacros("SUM", mSum) +
                         glslVectorMacros("A", mProblem.in) + glslVectorMacros("B", mProblem.in) +
                         glslVectorMacros("C", mProblem.out);
    const std::string four = glslComputedVector(mSum);
    macros += formatted("#define ACC {}\n#define FOUR {}\n", glslComputedName(mSum), four);
    if (mSumBytes == 8)
        macros += formatted("#define PLANES\n#define TWO {}2\n", four.substr(0, four.size() - 1));
    const auto define = [&](bool condition, const char* name) {
        if (condition)
            macros += formatted("#define {}\n", name);
    };
    uint32_t binding = 0;
    bool matrixAlongInner = aAlongInner();
    bool matrixAligned = isAlignedOperand(true, whole);
    if (kind == Kind::eTiles) {
        macros += "#define A_BINDING 0\n#define B_BINDING 2\n";
        macros += mRules.partsInvocations == 0
                      ? matMulTileMacros(mTile, mTraits)
                      : formatted("#define PART_ROWS {}u\n", mRules.partRows(mProblem));
        define(bAlongInner(), "B_ALONG_INNER");
        define(isAlignedOperand(false, whole), "B_ALIGNED");
        define(hasFours(true), "A_FOURS");
        define(hasFours(false), "B_FOURS");
        define(mRules.partsInvocations > 0 && mProblem.inner % 4 == 0 && mPanels.inner % 4 == 0,
               "INNER_FOURS");
        define(whole.rows, "A_WHOLE");
        define(whole.columns, "B_WHOLE");
        define(whole.inner, "INNER_WHOLE");
        define(mProblem.onlyLower, "ONLY_LOWER");
        const uint32_t turn = matMulTurn(mTile, mTraits);
        define(whole.inner && (mProblem.inner % turn != 0 ||
                               (mPanels.inner < mProblem.inner && mPanels.inner % turn != 0)),
               "CUT");
        binding = 4;
    } else if (kind == Kind::eVector) {
        macros += "#define A_BINDING 0\n#define B_BINDING 2\n";
        if (hasRowResult()) {
            macros += "#define ROW_RESULT\n";
            matrixAlongInner = bAlongInner();
            matrixAligned = isAlignedOperand(false, whole);
        }
        binding = 3;
    }
    if (kind != Kind::eFinish) {
        macros += "#define OPERANDS\n";
        define(matrixAlongInner, "A_ALONG_INNER");
        define(matrixAligned, "A_ALIGNED");
    }
    if (kind == Kind::eFinish || !final) {
        macros += formatted("#define PARTIALS\n#define PARTIAL_BINDING {}\n", binding);
        ++binding;
    }
    if (final) {
        macros += formatted("#define RESULT\n#define C_BINDING {}\n#define BIAS_BINDING {}\n",
                            binding, binding + 2);
        define(mProblem.beta != 0, "READS_C");
        define(mProblem.hasBias, "BIAS");
        define(mProblem.biasOfRows, "BIAS_OF_ROWS");
        define(mPanels.isAligned(mProblem.c), "C_ALIGNED");
    }
    return macros;
}

uint32_t MatMulPlanner::kernel(Kind kind, bool final, Whole whole) {
    const std::tuple wanted(kind, final, whole);
    for (const auto& [key, number] : mKernels)
        if (key == wanted)
            return number;
    if (kind == Kind::eCooperative) {
        mKernels.push_back({wanted, mPlan.addKernel(cooperativeMatMul(
                                        mProblem, mTraits, mPanels, {mTile, mSliceCount}, final))});
        return mKernels.back().second;
    }
    std::string text(MATMUL_GLSL);
    Kernel made;
    if (kind == Kind::eTiles && mRules.partsInvocations > 0) {
        made.name = "OpMatMul by parts";
        text += matMulOperandText("A") + matMulOperandText("B") + std::string(MATMULPARTS_GLSL);
        made.constants = {mRules.partsInvocations};
    } else if (kind == Kind::eTiles) {
        made.name = "OpMatMul by tiles";
        text += matMulOperandText("A") + matMulOperandText("B") + std::string(MATMULTILES_GLSL);
        made.constants = {mTile.threads(mTraits)};
    } else if (kind == Kind::eVector) {
        made.name = "OpMatMul with a vector";
        text += matMulOperandText("A") + std::string(MATMULVECTOR_GLSL);
        made.constants = {mRules.vectorGroupSize};
    } else {
        made.name = "OpMatMul of slices";
        text += MATMULFINISH_GLSL;
        made.constants = {mRules.vectorGroupSize};
    }
    made.source = composeSource(macrosOf(kind, final, whole), "", text, false);
    if (final)
        made.userTexts = {{"epilogue", !mProblem.epilogue.empty() ? mProblem.epilogue
                                       : mProblem.hasBias         ? "c + bias"
                                                                  : "c"}};
    mKernels.push_back({wanted, mPlan.addKernel(std::move(made))});
    return mKernels.back().second;
}

/// Chooses how panels are divided among work groups.
void MatMulPlanner::chooseWork() {
    if (isVector() && mProblem.inner > 0) {
        const uint64_t outer = std::max(mPanels.rows, mPanels.columns);
        const bool along = hasRowResult() ? bAlongInner() : aAlongInner();
        uint64_t perGroup = 128;
        if (along) {
            const uint64_t wanted = divideUp(mPanels.inner, mRules.vectorElements);
            mLanes = static_cast<uint32_t>(
                std::min<uint64_t>(mRules.vectorGroupSize, std::bit_ceil(wanted)));
            perGroup = mRules.vectorGroupSize / mLanes;
        }
        const uint64_t groups = divideUp(outer, perGroup) * mPanels.batches;
        const uint64_t least = along ? mRules.minVectorSlice : mRules.minSliceLength;
        mSliceCount = std::clamp<uint64_t>(
            std::min(mRules.vectorGroups / std::max<uint64_t>(1, groups), mPanels.inner / least), 1,
            mRules.maxSlices);
    } else {
        const MatMulChoice choice = mChoice ? *mChoice : chooseMatMulTile(mProblem, mTraits);
        mTile = choice.tile;
        mSliceCount = choice.slices;
    }
    // The sums must fit a view.
    const uint64_t elements = mPanels.rows * mPanels.columns * mPanels.batches * mPanels.pieces;
    const uint64_t most = mTraits.maxViewBytes / std::max(mOutBytes, mSumBytes);
    mSliceCount = std::max<uint64_t>(1, std::min(mSliceCount, most / elements));
}

std::vector<MatMulPlanner::Slices> MatMulPlanner::slices() const {
    std::vector<Slices> all;
    uint64_t number = 0;
    for (uint64_t first = 0; first < mProblem.inner; first += mPanels.inner) {
        Slices slices;
        slices.first = first;
        slices.inner = std::min(mPanels.inner, mProblem.inner - first);
        const uint64_t multiple = std::max<uint64_t>(
            16, mTile.method == MatMulMethod::eTiles ? matMulTurn(mTile, mTraits) : mTile.depth);
        slices.length = divideUp(divideUp(slices.inner, mSliceCount), multiple) * multiple;
        slices.count = divideUp(slices.inner, slices.length);
        slices.number = number;
        number += slices.count;
        all.push_back(slices);
    }
    return all;
}

void MatMulPlanner::addPanel(uint64_t batch, uint64_t row, uint64_t column) {
    Panel panel;
    panel.batch = batch;
    panel.row = row;
    panel.column = column;
    panel.batches = std::min(mPanels.batches, mProblem.batches - batch);
    panel.rows = std::min(mPanels.rows, mProblem.rows - row);
    panel.columns = std::min(mPanels.columns, mProblem.columns - column);
    const std::vector<Slices> all = slices();
    const uint64_t count = all.empty() ? 0 : all.back().number + all.back().count;
    const bool isFinal = !isCooperative() || !needsFinish(mTile, mProblem);
    if (count == 1 && isFinal) {
        addProduct(panel, all.front(), true);
        return;
    }
    if (!mPartials) { // the first panel is the largest
        mPartials = mPlan.addScratch(
            std::max<uint64_t>(16, count * panel.batches * panel.rows * panel.columns * mSumBytes));
    }
    for (const Slices& part : all)
        addProduct(panel, part, false);
    addFinish(panel, count);
}

View MatMulPlanner::operandView(bool isA, const Panel& panel, const Slices& slices) const {
    const StoredMatrix& matrix = isA ? mProblem.a : mProblem.b;
    const bool alongInner = isA ? aAlongInner() : bAlongInner();
    const uint64_t outer = isA ? panel.row : panel.column;
    const uint64_t outers = isA ? panel.rows : panel.columns;
    const uint64_t first =
        alongInner ? outer * matrix.stride + slices.first : slices.first * matrix.stride + outer;
    const uint64_t span = alongInner ? storedElements(outers, slices.inner, matrix.stride)
                                     : storedElements(slices.inner, outers, matrix.stride);
    View view;
    view.memory = isA ? 0 : 1;
    view.offset = (panel.batch * matrix.batchStride + first) * mInBytes;
    view.bytes = ((panel.batches - 1) * matrix.batchStride + span) * mInBytes;
    view.elementBytes = mInBytes;
    view.bindings = 2;
    return view;
}

void MatMulPlanner::addResultViews(Dispatch& dispatch, const Panel& panel) const {
    View view;
    view.memory = 2;
    view.offset =
        (panel.batch * mProblem.c.batchStride + panel.row * mProblem.c.stride + panel.column) *
        mOutBytes;
    view.bytes = ((panel.batches - 1) * mProblem.c.batchStride +
                  storedElements(panel.rows, panel.columns, mProblem.c.stride)) *
                 mOutBytes;
    view.elementBytes = mOutBytes;
    view.use = mProblem.beta != 0 ? View::Use::eReadWrite : View::Use::eWrite;
    view.bindings = 2;
    dispatch.views.push_back(view);
    if (mProblem.hasBias)
        dispatch.views.push_back({3, (mProblem.biasOfRows ? panel.row : panel.column) * mOutBytes,
                                  (mProblem.biasOfRows ? panel.rows : panel.columns) * mOutBytes,
                                  mOutBytes});
}

View MatMulPlanner::partialView(const Panel& panel, uint64_t slices, View::Use use) const {
    View view;
    view.memory = *mPartials;
    view.bytes =
        std::max<uint64_t>(16, slices * panel.batches * panel.rows * panel.columns * mSumBytes);
    view.elementBytes = mSumBytes;
    view.use = use;
    return view;
}

void MatMulPlanner::addPush(Dispatch& dispatch, const Panel& panel, const Slices& slices,
                            bool swapped) const {
    const StoredMatrix& a = swapped ? mProblem.b : mProblem.a;
    const StoredMatrix& b = swapped ? mProblem.a : mProblem.b;
    // Strides may be larger than words only where all indices are 0.
    const auto word = [](uint64_t value) { return static_cast<uint32_t>(value); };
    uint64_t vectorStride = b.stride;
    if (isVector()) // of the vector's elements
        vectorStride = (swapped ? aAlongInner() : bAlongInner()) ? 1 : b.stride;
    const bool tiled = !isVector();
    dispatch.setPush(MatMulPush{
        .rows = word(panel.rows),
        .columns = word(panel.columns),
        .inner = word(slices.inner),
        .batches = word(panel.batches),
        .strideA = word(a.stride),
        .strideB = word(vectorStride),
        .strideC = word(mProblem.c.stride),
        .batchStrideA = word(a.batchStride),
        .batchStrideB = word(b.batchStride),
        .batchStrideC = word(mProblem.c.batchStride),
        .tileRows = tiled && mTile.rows ? word(divideUp(panel.rows, mTile.rows)) : 1u,
        .tileColumns = tiled && mTile.columns ? word(divideUp(panel.columns, mTile.columns)) : 1u,
        .slices = word(slices.count),
        .sliceLength = word(slices.length),
        .firstSlice = word(slices.number),
        .rowOffset = word(panel.row),
        .columnOffset = word(panel.column),
        .batchOffset = word(panel.batch),
        .lanes = mLanes,
        .alphaWords = wordsOf(mProblem.alpha, mSum),
        .betaWords = wordsOf(mProblem.beta, mSum)});
}

void MatMulPlanner::addProduct(const Panel& panel, const Slices& slices, bool final) {
    const bool swapped = isVector() && hasRowResult();
    Dispatch dispatch;
    dispatch.kernel = kernel(isVector()        ? Kind::eVector
                             : isCooperative() ? Kind::eCooperative
                                               : Kind::eTiles,
                             final, wholeOf(panel, slices));
    dispatch.views = {operandView(!swapped, panel, slices), operandView(swapped, panel, slices)};
    if (isVector())
        dispatch.views[1].bindings = 1;
    if (final)
        addResultViews(dispatch, panel);
    else
        dispatch.views.push_back(
            partialView(panel, slices.number + slices.count, View::Use::eWrite));
    if (isCooperative()) { // four bindings, regardless of the product
        if (dispatch.views.size() < 4)
            dispatch.views.push_back(dispatch.views[0]);
        for (View& view : dispatch.views)
            view.bindings = 1;
    }
    addPush(dispatch, panel, slices, swapped);
    uint64_t tiles = 0;
    if (isVector()) {
        const bool along = hasRowResult() ? bAlongInner() : aAlongInner();
        tiles = divideUp(std::max(panel.rows, panel.columns),
                         along ? mRules.vectorGroupSize / mLanes : 128);
    } else {
        tiles = divideUp(panel.rows, mTile.rows) * divideUp(panel.columns, mTile.columns);
    }
    dispatch.groups = tiles * slices.count * panel.batches;
    if (!isVector() && !isCooperative() && mRules.partsInvocations > 0)
        dispatch.groups = divideUp(divideUp(panel.rows, mRules.partRows(mProblem)) *
                                       divideUp(panel.columns, 4) * slices.count * panel.batches,
                                   mRules.partsInvocations);
    mPlan.steps.push_back(std::move(dispatch));
}

void MatMulPlanner::addFinish(const Panel& panel, uint64_t count) {
    Slices slices;
    slices.count = count;
    Dispatch dispatch;
    dispatch.kernel = kernel(Kind::eFinish, true, {});
    dispatch.views = {partialView(panel, count, View::Use::eRead)};
    addResultViews(dispatch, panel);
    addPush(dispatch, panel, slices, false);
    dispatch.groups = divideUp(panel.batches * panel.rows * panel.columns, mRules.vectorGroupSize);
    mPlan.steps.push_back(std::move(dispatch));
}

} // namespace

Plan planMatMul(const MatMulProblem& problem, const DeviceTraits& traits) {
    return planMatMul(problem, traits, nullptr);
}

Plan planMatMul(const MatMulProblem& problem, const DeviceTraits& traits,
                const MatMulChoice* choice) {
    return MatMulPlanner(problem, traits, choice).plan();
}

} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/QrPlan.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <QrColumn.glsl.hpp>
#include <QrFactor.glsl.hpp>
#include <QrTriangle.glsl.hpp>
#include <QrWhole.glsl.hpp>
#include <Reflection.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/dense/DensePlanner.hpp"
#include "primitives/dense/DenseScale.hpp"
#include "primitives/source/Division.hpp"

namespace kp::primitives {
namespace {

/// The choices of OpQr. One table, with the reason of each number.
struct QrRules {
    /// Columns that are reflected one by one, a dispatch each, before the rest of the matrix is, by
    /// products. An invocation has elements of one of them.
    uint32_t panel = 32;
    uint32_t groupSize = 256;
    /// Rows of an invocation: few, so that more work groups share them, but if there are many rows,
    /// each work group adds up the parts of all others.
    uint32_t rowsEach = 16;
    uint32_t manyRowsEach = 64;
    uint64_t manyRows = 8192;
    /// Extents of the largest matrices that a work group factors alone.
    uint64_t maxWhole = 128;
    uint32_t wholeGroups = 8; ///< of rows

    static QrRules of(const DeviceTraits& traits) {
        QrRules rules;
        rules.groupSize = std::min(rules.groupSize, std::bit_floor(traits.maxGroupSize));
        return rules;
    }
};

class QrPlanner {
public:
    QrPlanner(const QrProblem& problem, const DeviceTraits& traits)
        : mProblem(problem), mRules(QrRules::of(traits)), mRows(problem.rows),
          mColumns(problem.columns), mReflections(std::min(problem.rows, problem.columns)),
          mDense(problem.type, problem.batches, problem.basisColumns > 0 ? 3 : 2, traits) {
        if (mRows > mRules.manyRows)
            mRules.rowsEach = mRules.manyRowsEach;
    }

    Plan plan() {
        const uint64_t most = std::max(mColumns, mProblem.basisColumns) * mRows;
        if (mRows > 0 && mReflections == 0)
            mDense.forEachPass(most, [&](uint64_t first) { addIdentity(first); });
        else if (mReflections > 0 && isWhole())
            mDense.forEachPass(most, [&](uint64_t first) { addWhole(first); });
        else if (mReflections > 0)
            mDense.forEachPass(std::max(most, scratchElements()),
                               [&](uint64_t first) { addBlocks(first); });
        return std::move(mDense.plan);
    }

private:
    /// Elements of a row in shared memory, an odd number.
    uint64_t wholeWidth() const { return std::max(mColumns, mProblem.basisColumns) | 1; }
    bool isWhole() const {
        const uint64_t elements =
            (mRows + mRules.wholeGroups + 1) * wholeWidth() + 2 * mReflections;
        return mRows <= mRules.maxWhole && wholeWidth() <= mRules.maxWhole + 1 &&
               elements * mDense.elementBytes() + 16 <= mDense.traits.sharedBytes;
    }
    DenseBlock given(uint64_t first) const {
        return {0, first * mRows * mColumns, mColumns, mRows * mColumns};
    }
    DenseBlock triangle(uint64_t first) const {
        return {1, first * mProblem.triangleRows * mColumns, mColumns,
                mProblem.triangleRows * mColumns};
    }
    DenseBlock basis(uint64_t first) const {
        return {2, first * mRows * mProblem.basisColumns, mProblem.basisColumns,
                mRows * mProblem.basisColumns, mProblem.alignment};
    }

    /// Of matrices without columns, a complete Q is the identity.
    void addIdentity(uint64_t first) {
        if (mProblem.basisColumns > 0)
            mDense.identity(basis(first), mRows, mProblem.basisColumns);
    }

    void addWhole(uint64_t first) {
        const uint64_t wanted = std::bit_ceil(mRows * wholeWidth() / 4);
        const auto group = static_cast<uint32_t>(
            std::clamp<uint64_t>(wanted, std::min(32u, mRules.groupSize), mRules.groupSize));
        const std::string macros = formatted(
            "#define ROWS {}u\n#define COLUMNS {}u\n#define R_ROWS {}u\n#define Q_COLUMNS {}\n"
            "#define WIDTH {}u\n#define GROUPS {}u\n",
            mRows, mColumns, mProblem.triangleRows, mProblem.basisColumns, wholeWidth(),
            mRules.wholeGroups);
        Dispatch dispatch;
        dispatch.kernel = mDense.kernel("OpQr of small matrices", macros,
                                        scaledText({REFLECTION_GLSL, QRWHOLE_GLSL}), group);
        dispatch.views = {
            mDense.view(given(first), mRows, mColumns, View::Use::eRead),
            mDense.view(triangle(first), mProblem.triangleRows, mColumns, View::Use::eWrite)};
        if (mProblem.basisColumns > 0)
            dispatch.views.push_back(
                mDense.view(basis(first), mRows, mProblem.basisColumns, View::Use::eWrite));
        dispatch.setPush(QrWholePush{.batches = lowWord(mDense.batches)});
        dispatch.groups = mDense.batches;
        mDense.add(std::move(dispatch));
    }

    uint64_t panels() const { return divideUp(mReflections, mRules.panel); }
    uint64_t panelWidth(uint64_t start) const {
        return std::min<uint64_t>(mRules.panel, mReflections - start);
    }
    uint32_t groupRows() const { return mRules.groupSize / mRules.panel * mRules.rowsEach; }
    DenseBlock work() const { return {mWork, 0, mColumns, mRows * mColumns}; }
    DenseBlock reflectors() const { return {mVectors, 0, mReflections, mRows * mReflections}; }
    /// The factor T of the panel that starts at a column.
    DenseBlock factor(uint64_t start) const {
        return {mTriangles, start * mRules.panel, mRules.panel, triangleElements()};
    }

    void addBlocks(uint64_t first) {
        if (!std::exchange(mHasMemory, true))
            takeMemory();
        mDense.fill(mScales, mDense.batches);
        ScaledCopy copy;
        copy.given = given(first);
        copy.rows = copy.toRows = mRows;
        copy.columns = mColumns;
        copy.state = mScales;
        copy.to = work();
        addScaledCopy(mDense, copy);
        for (uint64_t start = 0; start < mReflections; start += mRules.panel) {
            addPanel(start);
            reflect(start, work().at(start, start + panelWidth(start)),
                    mColumns - start - panelWidth(start), true);
        }
        addTriangle(first);
        if (mProblem.basisColumns == 0)
            return;
        addIdentity(first);
        for (uint64_t panel = panels(); panel > 0; --panel) {
            const uint64_t start = (panel - 1) * mRules.panel;
            reflect(start, basis(first).at(start, start), mProblem.basisColumns - start, false);
        }
    }

    /// The maximum that a matrix takes in a memory besides the input and the results.
    uint64_t scratchElements() const {
        return std::max(
            {triangleElements(), productElements(), partElements(divideUp(mRows, groupRows()))});
    }
    uint64_t triangleElements() const { return panels() * mRules.panel * mRules.panel; }
    uint64_t productElements() const {
        return mRules.panel * std::max({mColumns, mProblem.basisColumns, uint64_t{mRules.panel}});
    }
    /// Sums of work groups, for each turn of two, and the row of the pivot.
    uint64_t partElements(uint64_t groups) const { return 2 * (groups + 1) * mRules.panel; }

    void takeMemory() {
        const uint64_t bytes = mDense.batches * mDense.elementBytes();
        mScales = mDense.plan.addScratch(mDense.batches * sizeof(uint32_t));
        mWork = mDense.plan.addScratch(mRows * mColumns * bytes);
        mVectors = mDense.plan.addScratch(mRows * mReflections * bytes);
        mTriangles = mDense.plan.addScratch(triangleElements() * bytes);
        mFactors = mDense.plan.addScratch(mReflections * bytes);
        mParts = mDense.plan.addScratch(partElements(divideUp(mRows, groupRows())) * bytes);
        for (uint32_t& products : mProducts)
            products = mDense.plan.addScratch(productElements() * bytes);
    }

    /// Finds the reflections of a panel, and their T.
    void addPanel(uint64_t start) {
        const uint64_t width = panelWidth(start);
        const uint64_t groups = divideUp(mRows - start, groupRows());
        const uint32_t kernel = mDense.kernel(
            "reflected columns",
            formatted("#define PANEL {}u\n#define GROUPS {}u\n#define ROWS_EACH {}u\n",
                      mRules.panel, mRules.groupSize / mRules.panel, mRules.rowsEach),
            scaledText({REFLECTION_GLSL, QRCOLUMN_GLSL}), mRules.groupSize);
        for (uint64_t step = 0; step <= width; ++step) {
            Dispatch dispatch;
            dispatch.kernel = kernel;
            dispatch.views = {mDense.view(work(), mRows, mColumns, View::Use::eReadWrite),
                              mDense.view(reflectors(), mRows, mReflections, View::Use::eWrite),
                              {mParts, 0,
                               mDense.batches * partElements(groups) * mDense.elementBytes(),
                               mDense.elementBytes(), View::Use::eReadWrite},
                              {mFactors, 0, mDense.batches * mReflections * mDense.elementBytes(),
                               mDense.elementBytes(), View::Use::eWrite}};
            dispatch.setPush(QrColumnPush{.rows = lowWord(mRows),
                                          .stride = lowWord(mColumns),
                                          .reflections = lowWord(mReflections),
                                          .start = lowWord(start),
                                          .width = lowWord(width),
                                          .step = lowWord(step),
                                          .groups = lowWord(groups),
                                          .batches = lowWord(mDense.batches)});
            dispatch.groups = groups * mDense.batches;
            mDense.add(std::move(dispatch));
        }
        const DenseBlock square{mProducts[0], 0, width, width * width};
        DenseProduct products;
        products.a = products.b = reflectors().at(start, start);
        products.c = square;
        products.rows = products.columns = width;
        products.inner = mRows - start;
        products.transposeA = true;
        products.alpha = 1;
        products.beta = 0;
        mDense.multiply(products);
        Dispatch dispatch;
        dispatch.kernel =
            mDense.kernel("products of reflections", formatted("#define PANEL {}u\n", mRules.panel),
                          QRFACTOR_GLSL, mRules.panel);
        dispatch.views = {mDense.view(square, width, width, View::Use::eRead),
                          {mFactors, 0, mDense.batches * mReflections * mDense.elementBytes(),
                           mDense.elementBytes(), View::Use::eRead},
                          mDense.view(factor(start), width, width, View::Use::eWrite)};
        dispatch.setPush(QrFactorPush{.width = lowWord(width),
                                      .reflections = lowWord(mReflections),
                                      .start = lowWord(start),
                                      .batches = lowWord(mDense.batches),
                                      .triangleBatch = lowWord(factor(start).batchStride)});
        dispatch.groups = mDense.batches;
        mDense.add(std::move(dispatch));
    }

    /// Multiplies a block, whose first row is `start`, by 1 - V T V^T.
    /// @param transposed  by its transpose, 1 - V T^T V^T
    void reflect(uint64_t start, const DenseBlock& block, uint64_t columns, bool transposed) {
        const uint64_t width = panelWidth(start);
        DenseProduct first; // V^T C
        first.a = reflectors().at(start, start);
        first.transposeA = true;
        first.b = block;
        first.c = {mProducts[0], 0, columns, width * columns};
        first.rows = width;
        first.columns = columns;
        first.inner = mRows - start;
        first.alpha = 1;
        first.beta = 0;
        mDense.multiply(first);
        DenseProduct second = first; // T V^T C
        second.a = factor(start);
        second.transposeA = transposed;
        second.b = first.c;
        second.c.memory = mProducts[1];
        second.inner = width;
        mDense.multiply(second);
        DenseProduct last;
        last.a = reflectors().at(start, start);
        last.b = second.c;
        last.c = block;
        last.rows = mRows - start;
        last.columns = columns;
        last.inner = width;
        mDense.multiply(last);
    }

    void addTriangle(uint64_t first) {
        Dispatch dispatch;
        dispatch.kernel =
            mDense.kernel("triangles", "", scaledText({QRTRIANGLE_GLSL}), mRules.groupSize);
        dispatch.views = {
            mDense.view(work(), mRows, mColumns, View::Use::eRead),
            {mScales, 0, mDense.batches * sizeof(uint32_t), sizeof(uint32_t), View::Use::eRead},
            mDense.view(triangle(first), mProblem.triangleRows, mColumns, View::Use::eWrite)};
        dispatch.setPush(QrTrianglePush{.workRows = lowWord(mRows),
                                        .rows = lowWord(mProblem.triangleRows),
                                        .columns = lowWord(mColumns),
                                        .batches = lowWord(mDense.batches)});
        dispatch.groups =
            divideUp(mProblem.triangleRows * mColumns * mDense.batches, mRules.groupSize);
        mDense.add(std::move(dispatch));
    }

    const QrProblem& mProblem;
    QrRules mRules;
    uint64_t mRows;
    uint64_t mColumns;
    uint64_t mReflections;
    DensePlanner mDense;
    bool mHasMemory = false;
    uint32_t mScales = 0;
    uint32_t mWork = 0;
    uint32_t mVectors = 0;
    uint32_t mTriangles = 0;
    uint32_t mFactors = 0;
    uint32_t mParts = 0;
    uint32_t mProducts[2] = {};
};

} // namespace

Plan planQr(const QrProblem& problem, const DeviceTraits& traits) {
    return QrPlanner(problem, traits).plan();
}

} // namespace kp::primitives

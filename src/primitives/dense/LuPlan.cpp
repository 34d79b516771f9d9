// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/LuPlan.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <LuExchange.glsl.hpp>
#include <LuPanel.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/source/Division.hpp"

namespace kp::primitives {
namespace {

using Use = View::Use;

constexpr uint32_t kExchangeGroup = 128;
constexpr uint32_t kExchangeLanes = 32;

class LuPlanner {
public:
    LuPlanner(DensePlanner& dense, const LuFactoring& factoring)
        : mDense(dense), mFactoring(factoring), mRules(LuRules::of(dense.traits)),
          mFactors(factoring.factors.block), mRows(factoring.rows), mColumns(factoring.columns),
          mSteps(std::min(mRows, mColumns)) {}

    void add() {
        if (isSmallLu(mRows, mColumns, mDense.elementBytes(), mDense.traits)) {
            factorPanel(0, mColumns, true);
            return;
        }
        for (uint64_t start = 0; start < mSteps; start += mRules.block) {
            const uint64_t end = std::min(mSteps, start + mRules.block);
            for (uint64_t begin = start; begin < end; begin += mRules.panel) {
                const uint64_t next = std::min(end, begin + mRules.panel);
                factorPanel(begin, next - begin, false);
                exchange(begin, next - begin);
                update(begin, next, next, end);
            }
            update(start, end, end, mColumns);
        }
    }

private:
    /// The part of the stored factors from a row and a column of A on.
    DenseBlock at(uint64_t row, uint64_t column) const { return mFactors.at(column, row); }

    View integers(const DenseIntegers& values, uint64_t first, uint64_t count, Use use) const {
        constexpr uint64_t kBytes = sizeof(uint32_t);
        return {values.memory, (values.first + first) * kBytes,
                ((mDense.batches - 1) * values.batchStride + count) * kBytes, kBytes, use};
    }

    void factorPanel(uint64_t begin, uint64_t width, bool apart) {
        const uint64_t rows = mRows - begin;
        const LuPanelShape shape =
            LuPanelShape::of(rows, width, mDense.elementBytes(), mDense.traits);
        std::string macros =
            formatted("#define THREADS {}u\n#define ROWS {}u\n#define COLUMNS {}u\n#define "
                      "SMALLEST {}\n",
                      shape.threads, shape.rows, shape.columns,
                      mDense.elementBytes() == 8 ? "2.2250738585072014e-308lf" : "1.17549435e-38");
        if (apart)
            macros += "#define APART\n";
        if (mFactoring.order)
            macros += "#define ORDER\n";
        Dispatch dispatch;
        dispatch.kernel = mDense.kernel("OpLu of panels", macros, LUPANEL_GLSL, shape.threads,
                                        mDense.traits.subgroups &&
                                            shape.threads >= mDense.traits.maxSubgroupSize);
        const bool isFirst = begin == 0;
        const auto matrix = [&](const DenseBlock& block, bool transposed, Use use) {
            return mDense.view(block, transposed ? width : rows, transposed ? rows : width, use);
        };
        const bool transposed = mFactoring.factors.transposed;
        if (apart)
            dispatch.views.push_back(
                matrix(mFactoring.given, mFactoring.givenTransposed, Use::eRead));
        dispatch.views.push_back(
            matrix(at(begin, begin), transposed, apart ? Use::eWrite : Use::eReadWrite));
        dispatch.views.push_back(integers(mFactoring.pivots, begin, width, Use::eWrite));
        dispatch.views.push_back(
            integers(mFactoring.info, 0, 1, isFirst ? Use::eWrite : Use::eReadWrite));
        if (mFactoring.order)
            dispatch.views.push_back(
                integers(*mFactoring.order, begin, rows, isFirst ? Use::eWrite : Use::eReadWrite));
        const DenseBlock& from = mFactoring.given;
        const bool fromColumns = mFactoring.givenTransposed;
        const DenseBlock& to = mFactors;
        dispatch.setPush(LuPanelPush{
            .rows = lowWord(rows),
            .width = lowWord(width),
            .begin = lowWord(begin),
            .batches = lowWord(mDense.batches),
            .givenRowStride = lowWord(fromColumns ? 1 : from.stride),
            .givenColumnStride = lowWord(fromColumns ? from.stride : 1),
            .givenBatchStride = lowWord(from.batchStride),
            .rowStride = lowWord(transposed ? 1 : to.stride),
            .columnStride = lowWord(transposed ? to.stride : 1),
            .batchStride = lowWord(to.batchStride),
            .pivotStride = lowWord(mFactoring.pivots.batchStride),
            .orderStride = lowWord(mFactoring.order ? mFactoring.order->batchStride : 0)});
        dispatch.groups = mDense.batches;
        mDense.add(std::move(dispatch));
    }

    /// Exchanges the rows of the other columns as a panel did.
    void exchange(uint64_t begin, uint64_t width) {
        const uint64_t columns = mColumns - width;
        if (columns == 0)
            return;
        Dispatch dispatch;
        dispatch.kernel = mDense.kernel("OpLu of exchanges", "", LUEXCHANGE_GLSL, kExchangeGroup);
        dispatch.views = {integers(mFactoring.pivots, 0, mSteps, Use::eRead),
                          mDense.view(mFactors, mColumns, mRows, Use::eReadWrite)};
        const uint64_t groups = divideUp(columns, kExchangeGroup / kExchangeLanes);
        dispatch.setPush(LuExchangePush{.width = lowWord(width),
                                        .begin = lowWord(begin),
                                        .columns = lowWord(columns),
                                        .groups = lowWord(groups),
                                        .batches = lowWord(mDense.batches),
                                        .rowStride = 1u,
                                        .columnStride = lowWord(mFactors.stride),
                                        .batchStride = lowWord(mFactors.batchStride),
                                        .pivotStride = lowWord(mFactoring.pivots.batchStride)});
        dispatch.groups = groups * mDense.batches;
        mDense.add(std::move(dispatch));
    }

    /// Finishes the rows from `begin` to `next` of the columns from `first` to `last`, and
    /// subtracts their products from the rows below.
    void update(uint64_t begin, uint64_t next, uint64_t first, uint64_t last) {
        if (first >= last)
            return;
        LuFactors factors = mFactoring.factors;
        factors.block = at(begin, begin);
        DenseTriangle rows = factors.triangle(true, next - begin);
        rows.side = at(begin, first);
        rows.sideTransposed = true;
        rows.columns = last - first;
        mDense.solve(rows);
        DenseProduct product; // of the stored matrices, which are transposed
        product.a = at(begin, first);
        product.b = at(next, begin);
        product.c = at(next, first);
        product.rows = last - first;
        product.columns = mRows - next;
        product.inner = next - begin;
        mDense.multiply(product);
    }

    DensePlanner& mDense;
    const LuFactoring& mFactoring;
    LuRules mRules;
    DenseBlock mFactors;
    uint64_t mRows;
    uint64_t mColumns;
    uint64_t mSteps;
};

} // namespace

LuRules LuRules::of(const DeviceTraits& traits) {
    LuRules rules;
    if (traits.isCpu)
        rules.mostThreads = 64; // a core runs all of a work group's invocations in turn
    rules.mostThreads = std::min(rules.mostThreads, std::bit_floor(traits.maxGroupSize));
    // 16 bytes of shared memory for each, beside the rows of pivots.
    while (rules.mostThreads > 32 && rules.mostThreads * 16 + 12 * 1024 > traits.sharedBytes)
        rules.mostThreads /= 2;
    return rules;
}

LuPanelShape LuPanelShape::of(uint64_t rows, uint64_t columns, uint32_t elementBytes,
                              const DeviceTraits& traits) {
    const LuRules rules = LuRules::of(traits);
    LuPanelShape shape;
    const uint64_t least = std::max<uint64_t>(32, traits.maxSubgroupSize);
    shape.threads = static_cast<uint32_t>(
        std::min<uint64_t>(rules.mostThreads, std::bit_ceil(std::max(least, rows))));
    shape.rows = static_cast<uint32_t>(divideUp(rows, shape.threads));
    const uint64_t elements = rules.words * sizeof(uint32_t) / elementBytes;
    shape.columns = static_cast<uint32_t>(
        std::min({std::bit_ceil(columns), rules.panel,
                  std::max<uint64_t>(1, elements / std::bit_ceil(uint64_t{shape.rows}))}));
    return shape;
}

DenseTriangle LuFactors::triangle(bool lower, uint64_t size) const {
    DenseTriangle triangle;
    triangle.triangle = block;
    triangle.size = size;
    triangle.upper = lower == transposed;
    triangle.transposed = transposed;
    triangle.unit = lower;
    return triangle;
}

bool isSmallLu(uint64_t rows, uint64_t columns, uint32_t elementBytes, const DeviceTraits& traits) {
    return columns <= LuRules::of(traits).panel && columns <= rows &&
           columns <= LuPanelShape::of(rows, columns, elementBytes, traits).columns;
}

void addLu(DensePlanner& planner, const LuFactoring& factoring) {
    if (factoring.rows == 0 || factoring.columns == 0 || planner.batches == 0)
        return;
    LuPlanner(planner, factoring).add();
}

Plan planLu(const LuProblem& problem, const DeviceTraits& traits) {
    const uint64_t size = problem.rows * problem.columns;
    DensePlanner dense(problem.type, problem.batches, 4, traits);
    const uint64_t steps = std::min(problem.rows, problem.columns);
    if (size == 0) {
        dense.fill(3, problem.batches);
        return std::move(dense.plan);
    }
    const bool isSmall = isSmallLu(problem.rows, problem.columns, dense.elementBytes(), traits);
    const uint64_t stride = problem.transposed ? problem.rows : problem.columns;
    const DenseBlock a{0, 0, stride, size, problem.givenAlignment};
    const DenseBlock out{1, 0, stride, size, problem.alignment};
    // Columns of A are rows of the factored matrix.
    DenseBlock columns = out;
    if (!isSmall && !problem.transposed)
        columns = {dense.plan.addScratch(size * problem.batches * dense.elementBytes()), 0,
                   problem.rows, size, 8};
    dense.forEachPass(size, [&](uint64_t first) {
        LuFactoring factoring;
        factoring.given = a;
        factoring.givenTransposed = problem.transposed;
        factoring.rows = problem.rows;
        factoring.columns = problem.columns;
        factoring.factors = {isSmall ? out : columns, problem.transposed || !isSmall};
        factoring.pivots = {2, first * steps, steps};
        factoring.info = {3, first, 1};
        factoring.given.first = factoring.factors.block.first = first * size;
        DenseBlock passOut = out;
        passOut.first = first * size;
        if (!isSmall && !problem.transposed)
            dense.transpose(factoring.given, factoring.factors.block, problem.columns,
                            problem.rows);
        else if (!isSmall && !problem.inPlace)
            dense.copy(factoring.given, passOut, problem.columns, problem.rows);
        addLu(dense, factoring);
        if (!isSmall && !problem.transposed)
            dense.transpose(factoring.factors.block, passOut, problem.rows, problem.columns);
    });
    return std::move(dense.plan);
}

} // namespace kp::primitives

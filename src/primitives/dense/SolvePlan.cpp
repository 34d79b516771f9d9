// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/SolvePlan.hpp"

#include <algorithm>
#include <utility>

#include <PermuteRows.glsl.hpp>

#include "primitives/dense/DensePlanner.hpp"
#include "primitives/dense/LuPlan.hpp"
#include "primitives/source/Division.hpp"

namespace kp::primitives {
namespace {

constexpr uint32_t kPermuteGroup = 256;

/// Writes the rows of B in an order to X.
void addPermutation(DensePlanner& dense, const SolveProblem& problem, const DenseIntegers& order,
                    uint64_t first) {
    const uint64_t side = problem.size * problem.columns;
    const DenseBlock x{1, first * side, problem.columns, side, problem.resultAlignment};
    constexpr uint64_t kBytes = sizeof(uint32_t);
    const uint32_t group = std::min(kPermuteGroup, dense.traits.maxGroupSize);
    Dispatch dispatch;
    dispatch.kernel = dense.kernel("OpSolve of rows", problem.inverse ? "#define IDENTITY\n" : "",
                                   PERMUTEROWS_GLSL, group);
    dispatch.views = {{order.memory, order.first * kBytes, dense.batches * problem.size * kBytes,
                       kBytes, View::Use::eRead},
                      dense.view(x, problem.size, problem.columns, View::Use::eWrite)};
    if (!problem.inverse) {
        DenseBlock b = x;
        b.memory = 3;
        dispatch.views.push_back(dense.view(b, problem.size, problem.columns, View::Use::eRead));
    }
    dispatch.setPush(PermuteRowsPush{.rows = lowWord(problem.size),
                                     .columns = lowWord(problem.columns),
                                     .batches = lowWord(dense.batches),
                                     .orderStride = lowWord(problem.size)});
    dispatch.groups = divideUp(side * dense.batches, group);
    dense.add(std::move(dispatch));
}

} // namespace

Plan planSolve(const SolveProblem& problem, const DeviceTraits& traits) {
    DensePlanner dense(problem.type, problem.batches, problem.inverse ? 3 : 4, traits);
    const uint64_t n = problem.size;
    const uint64_t size = n * n;
    if (problem.batches == 0)
        return std::move(dense.plan);
    if (n == 0) {
        dense.fill(2, problem.batches);
        return std::move(dense.plan);
    }
    const bool isSmall = isSmallLu(n, n, dense.elementBytes(), traits);
    const DenseBlock a{0, 0, n, size, problem.matrixAlignment};
    const DenseBlock factors{dense.plan.addScratch(size * problem.batches * dense.elementBytes()),
                             0, n, size, 8};
    const uint32_t integers = dense.plan.addScratch(2 * n * problem.batches * sizeof(uint32_t));
    dense.forEachPass(std::max(size, n * problem.columns), [&](uint64_t first) {
        LuFactoring lu;
        lu.given = a;
        lu.given.first = first * size;
        lu.rows = lu.columns = n;
        lu.factors = {factors, !isSmall};
        lu.factors.block.first = first * size;
        lu.pivots = {integers, first * n, n};
        lu.order = DenseIntegers{integers, (problem.batches + first) * n, n};
        lu.info = {2, first, 1};
        if (!isSmall)
            dense.transpose(lu.given, lu.factors.block, n, n);
        addLu(dense, lu);
        if (problem.columns == 0)
            return;
        addPermutation(dense, problem, *lu.order, first);
        for (const bool lower : {true, false}) {
            DenseTriangle triangle = lu.factors.triangle(lower, n);
            triangle.side = {1, first * n * problem.columns, problem.columns, n * problem.columns,
                             problem.resultAlignment};
            triangle.columns = problem.columns;
            dense.solve(triangle);
        }
    });
    return std::move(dense.plan);
}

Plan planTriangularSolve(const TriangularSolveProblem& problem, const DeviceTraits& traits) {
    DensePlanner dense(problem.type, problem.batches, 3, traits);
    const uint64_t n = problem.size;
    const uint64_t side = n * problem.columns;
    if (side == 0)
        return std::move(dense.plan);
    dense.forEachPass(std::max(n * n, side), [&](uint64_t first) {
        DenseTriangle triangle;
        triangle.triangle = {0, first * n * n, n, n * n, problem.matrixAlignment};
        triangle.side = {2, first * side, problem.columns, side, problem.resultAlignment};
        triangle.size = n;
        triangle.columns = problem.columns;
        triangle.upper = problem.upper;
        triangle.transposed = problem.transposed;
        triangle.unit = problem.unit;
        if (!problem.inPlace) {
            DenseBlock b = triangle.side;
            b.memory = 1;
            dense.copy(b, triangle.side, n, problem.columns);
        }
        dense.solve(triangle);
    });
    return std::move(dense.plan);
}

} // namespace kp::primitives

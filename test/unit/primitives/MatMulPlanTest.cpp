// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include <gtest/gtest.h>

#include "primitives/MatMulPlan.hpp"

namespace kp::primitives {
namespace {

DeviceTraits largeGpu() {
    DeviceTraits traits;
    traits.maxViewBytes = (uint64_t{1} << 31) - 256;
    traits.maxGroupSize = 1024;
    traits.maxGroupCount = 65535;
    traits.sharedBytes = 48 * 1024;
    return traits;
}

MatMulProblem product(uint64_t rows, uint64_t columns, uint64_t inner) {
    MatMulProblem problem;
    problem.rows = rows;
    problem.columns = columns;
    problem.inner = inner;
    problem.a = {inner, rows * inner};
    problem.b = {columns, inner * columns};
    problem.c = {columns, rows * columns};
    return problem;
}

TEST(MatMulPlan, LargeProductsTakeTheLargestTile) {
    const MatMulChoice choice = chooseMatMulTile(product(4096, 4096, 4096), largeGpu());
    EXPECT_EQ(choice.tile.rows, 128u);
    EXPECT_EQ(choice.tile.columns, 128u);
    EXPECT_EQ(choice.tile.depth, 16u);
    EXPECT_EQ(choice.slices, 1u);
}

TEST(MatMulPlan, TallProductsAreCutIntoSlices) {
    EXPECT_GT(chooseMatMulTile(product(128, 128, 1 << 20), largeGpu()).slices, 16u);
    EXPECT_EQ(chooseMatMulTile(product(128, 128, 64), largeGpu()).slices, 1u);
    const MatMulChoice narrow = chooseMatMulTile(product(1 << 16, 16, 512), largeGpu());
    EXPECT_EQ(narrow.tile.columns, 32u);
}

TEST(MatMulPlan, TilesFitTheDevice) {
    DeviceTraits traits = largeGpu();
    traits.sharedBytes = 16 * 1024;
    MatMulProblem problem = product(4096, 4096, 4096);
    for (const auto type : {Memory::DataTypes::eFloat, Memory::DataTypes::eDouble}) {
        problem.in = problem.out = type;
        const MatMulTile tile = chooseMatMulTile(problem, traits).tile;
        EXPECT_LE(tile.sharedBytes(Memory::dataTypeMemorySize(type)), traits.sharedBytes);
    }
}

TEST(MatMulPlan, EveryViewFitsTheDevice) {
    DeviceTraits traits = largeGpu();
    traits.maxViewBytes = 1 << 20;
    for (const auto& [rows, columns, inner] : {std::tuple(3000, 2000, 1000),
                                               {1, 1'000'000, 50},
                                               {1'000'000, 1, 50},
                                               {10, 10, 1'000'000},
                                               {1, 1, 3'000'000}})
        for (const bool transposed : {false, true}) {
            MatMulProblem problem =
                product(static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
                        static_cast<uint64_t>(inner));
            problem.transposeA = problem.transposeB = transposed;
            if (transposed) {
                problem.a.stride = problem.rows;
                problem.b.stride = problem.inner;
            }
            problem.batches = 3;
            const Plan plan = planMatMul(problem, traits);
            EXPECT_FALSE(plan.steps.empty());
            for (const Step& step : plan.steps)
                for (const View& view : std::get<Dispatch>(step).views) {
                    EXPECT_LE(view.bytes, traits.maxViewBytes);
                    EXPECT_GT(view.bytes, 0u);
                }
            for (const uint64_t bytes : plan.scratch)
                EXPECT_LE(bytes, traits.maxViewBytes);
        }
}

} // namespace
} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <variant>

#include <gtest/gtest.h>

#include "primitives/matrices/MatMulPlan.hpp"

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

/// A GPU with cooperative matrices of subgroups and of work groups, in half and bfloat16.
DeviceTraits matrixGpu() {
    DeviceTraits traits = largeGpu();
    traits.subgroups = true;
    traits.minSubgroupSize = traits.maxSubgroupSize = 32;
    for (const VkComponentTypeKHR type :
         {VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_BFLOAT16_KHR}) {
        traits.cooperative.shapes.push_back({type, VK_COMPONENT_TYPE_FLOAT32_KHR, 16, 8, 16, 0});
        traits.cooperative.shapes.push_back({type, VK_COMPONENT_TYPE_FLOAT32_KHR, 16, 16, 16, 0});
        for (const uint32_t threads : {64u, 128u, 256u, 512u})
            traits.cooperative.shapes.push_back(
                {type, VK_COMPONENT_TYPE_FLOAT32_KHR, 32, 32, 16, threads});
    }
    traits.cooperative.maxDimension = 1024;
    return traits;
}

MatMulProblem halfProduct(uint64_t rows, uint64_t columns, uint64_t inner) {
    MatMulProblem problem = product(rows, columns, inner);
    problem.in = Memory::DataTypes::eHalf;
    return problem;
}

MatMulMethod methodOf(const MatMulProblem& problem, const DeviceTraits& traits) {
    return chooseMatMulTile(problem, traits).tile.method;
}

const Dispatch& dispatchOf(const Plan& plan, size_t step) {
    return std::get<Dispatch>(plan.steps[step]);
}

/// Specialization constant 4 of a kernel with cooperative matrices.
uint32_t flagsOf(const Plan& plan) {
    return plan.kernels[dispatchOf(plan, 0).kernel].constants[4];
}

TEST(MatMulPlan, LargeProductsTakeALargeTile) {
    const MatMulChoice choice = chooseMatMulTile(product(4096, 4096, 4096), largeGpu());
    EXPECT_EQ(choice.tile, (MatMulTile{64, 128, 8, 8, 8}));
    EXPECT_EQ(choice.slices, 1u);
}

TEST(MatMulPlan, SmallProductsTakeTilesForAllCores) {
    const auto tileOf = [](uint64_t n) {
        const MatMulChoice choice = chooseMatMulTile(product(n, n, n), largeGpu());
        EXPECT_EQ(choice.slices, 1u);
        return choice.tile;
    };
    EXPECT_EQ(tileOf(1024), (MatMulTile{64, 64, 16, 4, 8}));
    EXPECT_EQ(tileOf(512), (MatMulTile{32, 64, 16, 4, 4}));
}

TEST(MatMulPlan, ManyRegistersHoldMoreSums) {
    DeviceTraits nvidia = largeGpu();
    nvidia.isNvidia = true;
    constexpr MatMulTile kMany{128, 128, 8, 8, 16};
    MatMulProblem problem = product(4096, 4096, 4096);
    EXPECT_EQ(chooseMatMulTile(problem, nvidia).tile, kMany);
    EXPECT_FALSE(fits(kMany, problem, largeGpu()));
    for (const bool transposed : {false, true}) {
        problem.transposeA = transposed;
        problem.transposeB = !transposed;
        EXPECT_EQ(chooseMatMulTile(problem, nvidia).tile, kMany);
    }
    EXPECT_EQ(chooseMatMulTile(product(8191, 8190, 8193), nvidia).tile, kMany);
    problem.in = problem.out = Memory::DataTypes::eDouble;
    EXPECT_FALSE(fits(kMany, problem, nvidia));
    EXPECT_EQ(chooseMatMulTile(problem, nvidia).tile, (MatMulTile{128, 128, 8, 8, 8}));
    EXPECT_FALSE(fits({128, 128, 8, 8, 8}, problem, largeGpu()));
}

/// True if the kernel of the first step reads an operand, "A" or "B", without checks.
bool readsWithoutChecks(const std::string& operand, const MatMulProblem& problem,
                        const MatMulTile& tile) {
    const MatMulChoice choice{tile, 1};
    const Plan plan = planMatMul(problem, largeGpu(), &choice);
    return plan.kernels[dispatchOf(plan, 0).kernel].source.find("#define " + operand +
                                                                "_WHOLE\n") != std::string::npos;
}

TEST(MatMulPlan, AnOperandIsCheckedOnlyIfItIsSmallerThanATile) {
    constexpr MatMulTile kTile{64, 128, 8, 8, 8};
    const auto expect = [&](const MatMulProblem& problem, bool a, bool b) {
        EXPECT_EQ(readsWithoutChecks("A", problem, kTile), a);
        EXPECT_EQ(readsWithoutChecks("B", problem, kTile), b);
    };
    expect(product(64, 128, 8), true, true);
    expect(product(65, 131, 9), true, true);
    expect(product(63, 128, 8), false, true);
    expect(product(64, 127, 8), true, false);
    expect(product(64, 128, 7), false, false);
}

TEST(MatMulPlan, PanelsThatAreSmallerThanATileHaveAKernelOfTheirOwn) {
    DeviceTraits traits = largeGpu();
    traits.maxViewBytes = 64 * 128 * 4;
    const MatMulChoice choice{{32, 32, 8, 4, 4}, 1};
    const Plan plan = planMatMul(product(130, 64, 64), traits, &choice);
    std::set<uint32_t> kernels;
    for (const Step& step : plan.steps)
        kernels.insert(std::get<Dispatch>(step).kernel);
    EXPECT_EQ(kernels.size(), 2u);
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
        EXPECT_LE(tile.sharedBytes(problem), traits.sharedBytes);
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

TEST(MatMulPlan, CooperativeMatricesAreTakenWhereTheDeviceHasThem) {
    const MatMulProblem half = halfProduct(4096, 4096, 4096);
    MatMulProblem bfloat16 = half;
    bfloat16.in = Memory::DataTypes::eBFloat16;
    const DeviceTraits gpu = matrixGpu();
    EXPECT_EQ(methodOf(half, gpu), MatMulMethod::eSubgroups);
    EXPECT_EQ(methodOf(bfloat16, gpu), MatMulMethod::eSubgroups);
    DeviceTraits workgroups = gpu;
    std::erase_if(workgroups.cooperative.shapes,
                  [](const auto& shape) { return shape.groupSize == 0; });
    EXPECT_EQ(methodOf(half, workgroups), MatMulMethod::eWorkgroups);
    EXPECT_EQ(methodOf(bfloat16, workgroups), MatMulMethod::eWorkgroups);
    DeviceTraits onlyHalf = gpu;
    std::erase_if(onlyHalf.cooperative.shapes,
                  [](const auto& shape) { return shape.type == VK_COMPONENT_TYPE_BFLOAT16_KHR; });
    EXPECT_EQ(methodOf(half, onlyHalf), MatMulMethod::eSubgroups);
    EXPECT_EQ(methodOf(bfloat16, onlyHalf), MatMulMethod::eTiles);
    EXPECT_EQ(methodOf(half, largeGpu()), MatMulMethod::eTiles);
}

TEST(MatMulPlan, SmallProductsTakeSmallCooperativeTiles) {
    const auto tileOf = [](uint64_t n) {
        const MatMulChoice choice = chooseMatMulTile(halfProduct(n, n, n), matrixGpu());
        EXPECT_EQ(choice.tile.method, MatMulMethod::eSubgroups);
        EXPECT_EQ(choice.slices, 1u);
        return std::pair(choice.tile.rows, choice.tile.columns);
    };
    EXPECT_EQ(tileOf(2048), std::pair(128u, 128u));
    EXPECT_EQ(tileOf(1024), std::pair(64u, 128u));
    EXPECT_EQ(tileOf(512), std::pair(64u, 64u));
    EXPECT_EQ(tileOf(256), std::pair(64u, 64u));
}

TEST(MatMulPlan, EdgesAndUnalignedRowsTakeTheMatricesOfWorkGroups) {
    MatMulProblem problem = halfProduct(4095, 4097, 4093);
    EXPECT_EQ(methodOf(problem, matrixGpu()), MatMulMethod::eWorkgroups);
    EXPECT_EQ(methodOf(halfProduct(4088, 4096, 4096), matrixGpu()), MatMulMethod::eWorkgroups);
    problem = halfProduct(4096, 4096, 4096);
    problem.b.stride = 4097;
    EXPECT_EQ(methodOf(problem, matrixGpu()), MatMulMethod::eWorkgroups);
}

TEST(MatMulPlan, OtherTypesTakeTiles) {
    for (const auto type : {Memory::DataTypes::eFloat, Memory::DataTypes::eDouble,
                            Memory::DataTypes::eInt, Memory::DataTypes::eChar}) {
        MatMulProblem problem = product(4096, 4096, 4096);
        problem.in = problem.out = type;
        EXPECT_EQ(methodOf(problem, matrixGpu()), MatMulMethod::eTiles);
    }
}

TEST(MatMulPlan, MatricesOfTheWrongShapeAreNotTaken) {
    const MatMulProblem problem = halfProduct(4096, 4096, 4096);
    const auto with = [&](auto&& change) {
        DeviceTraits traits = matrixGpu();
        for (auto& shape : traits.cooperative.shapes)
            change(traits, shape);
        return methodOf(problem, traits);
    };
    EXPECT_EQ(with([](auto& traits, auto&) { traits.cooperative.maxDimension = 32; }),
              MatMulMethod::eSubgroups);
    EXPECT_EQ(with([](auto& traits, auto&) { traits.subgroups = false; }),
              MatMulMethod::eWorkgroups);
    EXPECT_EQ(with([](auto&, auto& shape) { shape.inner = 48; }), MatMulMethod::eTiles);
    EXPECT_EQ(with([](auto&, auto& shape) { shape.sum = shape.type; }), MatMulMethod::eTiles);
    EXPECT_EQ(with([](auto& traits, auto& shape) {
                  shape.groupSize = shape.groupSize ? 96 : 0;
                  traits.subgroups = false;
              }),
              MatMulMethod::eTiles);
}

TEST(MatMulPlan, CooperativeKernelsBindFourBuffersAndPushAsManyWords) {
    const DeviceTraits gpu = matrixGpu();
    for (const bool hasBias : {false, true})
        for (const uint64_t inner : {1024, 1 << 20}) {
            MatMulProblem problem = halfProduct(1024, 1024, inner);
            problem.hasBias = hasBias;
            const Plan plan = planMatMul(problem, gpu);
            const Dispatch& first = dispatchOf(plan, 0);
            ASSERT_FALSE(plan.kernels[first.kernel].spirv.empty());
            ASSERT_EQ(first.views.size(), 4u);
            for (const View& view : first.views)
                EXPECT_EQ(view.bindings, 1u);
            EXPECT_EQ(first.push.size(), 23u);
        }
}

TEST(MatMulPlan, AnEpilogueRunsInThePassThatAddsSlices) {
    MatMulProblem problem = halfProduct(4096, 4096, 4096);
    const Plan without = planMatMul(problem, matrixGpu());
    EXPECT_EQ(without.steps.size(), 1u);
    EXPECT_EQ(flagsOf(without) & 32u, 0u);
    problem.epilogue = "max(c, 0.0)";
    problem.hasBias = true;
    const Plan with = planMatMul(problem, matrixGpu());
    ASSERT_EQ(with.steps.size(), 2u);
    EXPECT_EQ(flagsOf(with) & (32u | 256u), 32u);
    const Kernel& last = with.kernels[dispatchOf(with, 1).kernel];
    ASSERT_EQ(last.userTexts.size(), 1u);
    EXPECT_EQ(last.userTexts[0].text, problem.epilogue);
}

TEST(MatMulPlan, FlagsSayHowMatricesAreStored) {
    const auto flags = [](auto&& change) {
        MatMulProblem problem = halfProduct(4096, 4096, 4096);
        change(problem);
        return flagsOf(planMatMul(problem, matrixGpu()));
    };
    const auto same = [](auto&) {};
    constexpr uint32_t kAligned = 4 | 8 | 16 | 2048 | 4096; // and a grid without surplus
    EXPECT_EQ(flags(same), kAligned);
    EXPECT_EQ(flags([](auto& problem) { problem.a.alignment = 4; }), kAligned & ~4u);
    EXPECT_EQ(flags([](auto& problem) { problem.b.stride = 4100; }), kAligned & ~8u);
    EXPECT_EQ(flags([](auto& problem) { problem.c.alignment = 2; }), kAligned & ~16u);
    EXPECT_EQ(flags([](auto& problem) { problem.transposeA = true; }), kAligned | 1u);
    EXPECT_EQ(flags([](auto& problem) { problem.transposeB = true; }), kAligned | 2u);
    // Subgroups leave other types than float, and a bias, to the pass that adds slices.
    EXPECT_EQ(flags([](auto& problem) { problem.out = problem.in; }), kAligned | 32u | 64u);
    EXPECT_EQ(flags([](auto& problem) { problem.beta = 2; }), kAligned | 128u);
    EXPECT_EQ(flags([](auto& problem) { problem.hasBias = true; }), kAligned | 32u);
    // Work groups do not.
    EXPECT_EQ(flags([](auto& problem) {
                  problem.rows = 4088;
                  problem.hasBias = problem.biasOfRows = true;
              }),
              kAligned | 256u | 512u | 1024u);
    for (uint64_t MatMulProblem::*extent :
         {&MatMulProblem::rows, &MatMulProblem::columns, &MatMulProblem::inner})
        EXPECT_EQ(flags([&](auto& problem) { problem.*extent = 4088; }), kAligned | 1024u);
}

} // namespace
} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#include <kompute/Error.hpp>

#include "primitives/dense/CholeskyPlan.hpp"
#include "primitives/dense/LuPlan.hpp"
#include "primitives/dense/QrPlan.hpp"
#include "primitives/dense/SolvePlan.hpp"
#include "primitives/spectral/SvdPlan.hpp"
#include "unit/primitives/PlanSupport.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

constexpr uint64_t kSizes[] = {1, 16, 33, 64, 65, 128, 257, 1000, 2048};

DeviceTraits smallDevice() {
    DeviceTraits traits = largeDevice();
    traits.maxViewBytes = uint64_t{1} << 27;
    traits.maxGroupSize = 128;
    traits.sharedBytes = 16 * 1024;
    traits.subgroups = false;
    traits.isNvidia = false;
    return traits;
}

template <typename Problem>
Problem problemOf(DataTypes type, uint64_t batches) {
    Problem problem;
    problem.type = type;
    problem.batches = batches;
    return problem;
}

TEST(DensePlan, IsSoundForEverySize) {
    for (const DeviceTraits& traits : {largeDevice(), smallDevice()})
        for (const DataTypes type : {DataTypes::eFloat, DataTypes::eDouble})
            for (const uint64_t batches : {1, 5})
                for (const uint64_t size : kSizes) {
                    auto cholesky = problemOf<CholeskyProblem>(type, batches);
                    cholesky.size = size;
                    expectSound(planCholesky(cholesky, traits), traits);
                    auto lu = problemOf<LuProblem>(type, batches);
                    lu.rows = size;
                    for (const uint64_t columns : {uint64_t{7}, size, 2 * size}) {
                        lu.columns = columns;
                        expectSound(planLu(lu, traits), traits);
                    }
                    auto solve = problemOf<SolveProblem>(type, batches);
                    solve.size = size;
                    solve.columns = 3;
                    expectSound(planSolve(solve, traits), traits);
                    auto triangle = problemOf<TriangularSolveProblem>(type, batches);
                    triangle.size = size;
                    triangle.columns = 40;
                    triangle.upper = batches == 1;
                    expectSound(planTriangularSolve(triangle, traits), traits);
                }
}

TEST(DensePlan, TakesManySmallMatricesInOneDispatch) {
    auto cholesky = problemOf<CholeskyProblem>(DataTypes::eFloat, 4096);
    cholesky.size = 16;
    EXPECT_EQ(dispatchesOf(planCholesky(cholesky, largeDevice())).size(), 1u);
    auto lu = problemOf<LuProblem>(DataTypes::eFloat, 4096);
    lu.rows = lu.columns = 16;
    EXPECT_EQ(dispatchesOf(planLu(lu, largeDevice())).size(), 1u);
}

TEST(DensePlan, TakesStacksThatAreLargerThanAViewInPasses) {
    DeviceTraits traits = largeDevice();
    traits.maxViewBytes = 10 * 16 * 16 * 4;
    auto cholesky = problemOf<CholeskyProblem>(DataTypes::eFloat, 25);
    cholesky.size = 16;
    const Plan plan = planCholesky(cholesky, traits);
    EXPECT_EQ(dispatchesOf(plan).size(), 3u);
    expectSound(plan, traits);
    expectCoversOnce(plan, 1, 25 * 16 * 16 * 4);
    expectCoversOnce(plan, 2, 25 * 4);
    cholesky.size = 100;
    EXPECT_THROW(static_cast<void>(planCholesky(cholesky, traits)), Unsupported);
}

TEST(DensePlan, PassesFitTheScratchMemoryOfFactorsToo) {
    DeviceTraits traits = largeDevice();
    traits.maxViewBytes = uint64_t{1} << 20;
    auto qr = problemOf<QrProblem>(DataTypes::eFloat, 4000);
    qr.rows = 2; // a panel's factor has more elements than the matrix
    qr.columns = 200;
    qr.triangleRows = qr.basisColumns = 2;
    expectSound(planQr(qr, traits), traits);
    auto svd = problemOf<SvdProblem>(DataTypes::eFloat, 60);
    svd.rows = svd.columns = 100; // blocks have 128 rows
    svd.vectors = true;
    expectSound(planSvd(svd, traits), traits);
}

TEST(DensePlan, OfNothingOnlySaysThatNothingFailed) {
    auto cholesky = problemOf<CholeskyProblem>(DataTypes::eFloat, 3);
    ASSERT_EQ(planCholesky(cholesky, largeDevice()).steps.size(), 1u);
    EXPECT_EQ(std::get<Fill>(planCholesky(cholesky, largeDevice()).steps[0]).bytes, 12u);
    cholesky = problemOf<CholeskyProblem>(DataTypes::eFloat, 0);
    EXPECT_TRUE(planCholesky(cholesky, largeDevice()).steps.empty());
}

TEST(LuPanelShape, KeepsPanelsInRegistersUpToThirtyThousandRows) {
    for (const uint64_t rows : {1, 16, 100, 1024, 1025, 4096, 5000, 32768}) {
        const LuPanelShape shape = LuPanelShape::of(rows, 32, 4, largeDevice());
        EXPECT_GE(uint64_t{shape.threads} * shape.rows, rows);
        EXPECT_LE(shape.rows * shape.columns, 32u) << rows;
    }
    EXPECT_EQ(LuPanelShape::of(4096, 32, 4, largeDevice()).columns, 8u);
    EXPECT_EQ(LuPanelShape::of(4096, 32, 8, largeDevice()).columns, 4u);
    EXPECT_EQ(LuPanelShape::of(100000, 32, 4, largeDevice()).columns, 1u);
}

} // namespace
} // namespace kp::primitives

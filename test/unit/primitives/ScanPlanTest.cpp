// SPDX-License-Identifier: Apache-2.0
#include "primitives/scan/ScanPlan.hpp"
#include "unit/primitives/PlanSupport.hpp"

namespace kp::primitives {
namespace {

ScanProblem scanOf(uint64_t outer, uint64_t length, uint64_t inner = 1) {
    ScanProblem problem;
    problem.outer = outer;
    problem.length = length;
    problem.inner = inner;
    return problem;
}

TEST(ScanPlan, OneTileNeedsNoScratchMemory) {
    const Plan plan = planScan(scanOf(1, 1000), largeDevice());
    expectSound(plan, largeDevice());
    EXPECT_EQ(plan.steps.size(), 1u);
    EXPECT_TRUE(plan.scratch.empty());
}

TEST(ScanPlan, ManyElementsAreReadAndWrittenOnce) {
    const Plan plan = planScan(scanOf(1, uint64_t{1} << 28), largeDevice());
    expectSound(plan, largeDevice());
    expectCoversOnce(plan, 0, uint64_t{4} << 28);
    expectCoversOnce(plan, 1, uint64_t{4} << 28);
    EXPECT_EQ(dispatchesOf(plan).size(), 1u);
    uint64_t scratch = 0;
    for (const uint64_t bytes : plan.scratch)
        scratch += bytes;
    EXPECT_LT(scratch, uint64_t{4} << 20);
}

TEST(ScanPlan, NoElementsTakeNoDispatch) {
    EXPECT_TRUE(planScan(scanOf(1, 0), largeDevice()).steps.empty());
    EXPECT_TRUE(planScan(scanOf(4, 0, 3), largeDevice()).steps.empty());
}

TEST(ScanPlan, CutsInputsOverTheLimitOfAView) {
    for (const ScanProblem& problem :
         {scanOf(1, uint64_t{5} << 30), scanOf(3, uint64_t{1} << 30), scanOf(100000, 50000)}) {
        const Plan plan = planScan(problem, largeDevice());
        expectSound(plan, largeDevice());
        const uint64_t bytes = problem.outer * problem.length * 4;
        expectCoversOnce(plan, 0, bytes);
        expectCoversOnce(plan, 1, bytes);
    }
}

TEST(ScanPlan, RowsThatATileHoldsWaitForNoOther) {
    for (const uint64_t length : {128u, 1000u, 1024u, 8192u, 20000u}) {
        const Plan plan = planScan(scanOf(1000, length), largeDevice());
        expectSound(plan, largeDevice());
        EXPECT_EQ(plan.steps.size(), 1u) << length;
        EXPECT_TRUE(plan.scratch.empty()) << length;
    }
}

TEST(ScanPlan, LongRowsHaveSeveralTilesEach) {
    const Plan plan = planScan(scanOf(10, 1000000), largeDevice());
    expectSound(plan, largeDevice());
    expectCoversOnce(plan, 0, uint64_t{4} * 10 * 1000000);
    ASSERT_EQ(dispatchesOf(plan).size(), 1u);
    EXPECT_GT(dispatchesOf(plan)[0].groups, 10u);
}

TEST(ScanPlan, CutsColumnsOverTheLimitOfAView) {
    for (const ScanProblem& problem :
         {scanOf(1, 2, uint64_t{1} << 31), scanOf(1, uint64_t{1} << 31, 2), scanOf(5, 3, 1 << 30),
          scanOf(1 << 20, 1 << 10, 1 << 3)})
        expectSound(planScan(problem, largeDevice()), largeDevice());
}

TEST(ScanPlan, SegmentsTakeABitPerElement) {
    ScanProblem problem = scanOf(1, uint64_t{1} << 30);
    problem.segments = Segments{uint64_t{1} << 20, true};
    const Plan plan = planScan(problem, largeDevice());
    expectSound(plan, largeDevice());
    EXPECT_GE(plan.scratch.back(), (uint64_t{1} << 29) / 8);
}

} // namespace
} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#include "primitives/sort/TopKPlan.hpp"
#include "unit/primitives/PlanSupport.hpp"

namespace kp::primitives {
namespace {

TopKProblem firstOf(uint64_t rows, uint64_t length, uint64_t k) {
    TopKProblem problem;
    problem.array = {rows, length, 1};
    problem.k = k;
    problem.indexBytes = 4;
    return problem;
}

size_t dispatchCount(uint64_t rows, uint64_t length, uint64_t k) {
    return dispatchesOf(planTopK(firstOf(rows, length, k), largeDevice())).size();
}

TEST(TopKPlan, SortsShortRowsInOneDispatch) {
    EXPECT_EQ(dispatchCount(1, 1, 1), 1u);
    EXPECT_EQ(dispatchCount(1000, 4096, 100), 1u);
    EXPECT_EQ(dispatchCount(1000, 4096, 4096), 1u);
}

TEST(TopKPlan, SelectsFromLongRowsInRounds) {
    EXPECT_EQ(dispatchCount(10, 5000, 100), 2u);                 // to 100 each
    EXPECT_EQ(dispatchCount(1, uint64_t{1} << 20, 10), 2u);      // to 1,280
    EXPECT_EQ(dispatchCount(1, uint64_t{1} << 28, 100), 3u);     // to 52,800 first
    EXPECT_EQ(dispatchCount(1, uint64_t{1} << 24, 1 << 22), 8u); // select, count, sort, two copies
}

TEST(TopKPlan, OfNothingHasNoSteps) {
    EXPECT_TRUE(planTopK(firstOf(10, 100, 0), largeDevice()).steps.empty());
    EXPECT_TRUE(planTopK(firstOf(0, 100, 10), largeDevice()).steps.empty());
}

TEST(TopKPlan, IsSoundForEverySize) {
    for (const uint64_t inner : {1, 3})
        for (const uint64_t k : {1, 1000, 1 << 20})
            for (const uint64_t length : {uint64_t{1} << 20, (uint64_t{1} << 30) + 7}) {
                TopKProblem problem = firstOf(2, length, k);
                problem.array.inner = inner;
                problem.indexBytes = 8;
                expectSound(planTopK(problem, largeDevice()), largeDevice());
                problem.values = false;
                expectSound(planTopK(problem, largeDevice()), largeDevice());
            }
}

} // namespace
} // namespace kp::primitives

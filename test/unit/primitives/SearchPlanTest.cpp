// SPDX-License-Identifier: Apache-2.0
#include "primitives/sort/SearchPlan.hpp"
#include "unit/primitives/PlanSupport.hpp"

namespace kp::primitives {
namespace {

TEST(SearchPlan, TakesOneDispatch) {
    SearchProblem problem;
    problem.sorted = 1000;
    problem.needles = 100000;
    const Plan plan = planSearch(problem, largeDevice());
    EXPECT_EQ(plan.steps.size(), 1u);
    expectSound(plan, largeDevice());
}

TEST(SearchPlan, OfNoNeedlesHasNoSteps) {
    SearchProblem problem;
    problem.sorted = 1000;
    EXPECT_TRUE(planSearch(problem, largeDevice()).steps.empty());
}

TEST(SearchPlan, AmongNothingFillsThePlaces) {
    SearchProblem problem;
    problem.needles = 10;
    problem.placeBytes = 8;
    const Plan plan = planSearch(problem, largeDevice());
    ASSERT_EQ(plan.steps.size(), 1u);
    EXPECT_EQ(std::get<Fill>(plan.steps[0]).bytes, 80u);
}

TEST(SearchPlan, CutsWhatNoViewCanHold) {
    SearchProblem problem;
    problem.type = Memory::DataTypes::eDouble;
    problem.sorted = (uint64_t{1} << 32) + 5;
    problem.needles = (uint64_t{1} << 29) + 3;
    problem.placeBytes = 8;
    const DeviceTraits traits = largeDevice();
    const Plan plan = planSearch(problem, traits);
    expectSound(plan, traits);
    uint64_t last = 0;
    for (const Dispatch& dispatch : dispatchesOf(plan)) {
        const uint64_t base = dispatch.push[2] | uint64_t{dispatch.push[3]} << 32;
        EXPECT_EQ(dispatch.views[0].offset, base * 8);
        EXPECT_GE(base, last); // in order: later parts overwrite earlier ones
        last = base;
        EXPECT_LE(dispatch.views[0].offset + dispatch.views[0].bytes, problem.sorted * 8);
        EXPECT_LE(dispatch.views[2].offset + dispatch.views[2].bytes, problem.needles * 8);
    }
    EXPECT_EQ(dispatchesOf(plan).size(), 17u * 3);
}

} // namespace
} // namespace kp::primitives

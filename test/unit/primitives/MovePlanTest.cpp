// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "primitives/move/MovePlan.hpp"

namespace kp::test {
namespace {

using primitives::Dispatch;

primitives::DeviceTraits inventedTraits() {
    primitives::DeviceTraits traits;
    traits.maxViewBytes = (uint64_t{1} << 31) - 256;
    traits.maxGroupSize = 1024;
    traits.maxGroupCount = 65535;
    traits.sharedBytes = 49152;
    return traits;
}

primitives::Plan planned(const primitives::MoveProblem& problem) {
    primitives::Plan plan(2);
    primitives::planMove(plan, problem, inventedTraits());
    return plan;
}

TEST(MovePlan, CopiesContiguousMemoryInTheLargestUnits) {
    primitives::MoveProblem problem;
    problem.axes = {{16, 400, 400}, {100, 4, 4}};
    const primitives::Plan plan = planned(problem);
    ASSERT_EQ(plan.steps.size(), 1u);
    const auto& dispatch = std::get<Dispatch>(plan.steps[0]);
    EXPECT_EQ(dispatch.views[0].elementBytes, 16u);
    EXPECT_EQ(dispatch.push[0], 400u);
    problem.inUnit = 2;
    EXPECT_EQ(std::get<Dispatch>(planned(problem).steps[0]).views[1].elementBytes, 2u);
}

TEST(MovePlan, ChoosesTilesOnlyIfNeighboursPart) {
    primitives::MoveProblem problem;
    problem.axes = {{300, 4, 800}, {200, 1200, 4}};
    EXPECT_EQ(planned(problem).kernels[0].name, "transposed copy");
    problem.elementBytes = 32;
    problem.axes = {{300, 32, 6400}, {200, 9600, 32}};
    EXPECT_EQ(planned(problem).kernels[0].name, "strided copy");
}

TEST(MovePlan, CutsMatricesThatNoViewHolds) {
    primitives::MoveProblem problem;
    constexpr uint64_t kSide = 70000;
    problem.axes = {{kSide, 4, kSide * 4}, {kSide, kSide * 4, 4}};
    const primitives::Plan plan = planned(problem);
    uint64_t elements = 0;
    for (const primitives::Step& step : plan.steps) {
        const auto& dispatch = std::get<Dispatch>(step);
        elements += uint64_t{dispatch.push[0]} * dispatch.push[1];
        for (const primitives::View& view : dispatch.views) {
            EXPECT_LE(view.bytes, inventedTraits().maxViewBytes);
            EXPECT_LE(view.offset + view.bytes, kSide * kSide * 4);
        }
    }
    EXPECT_EQ(elements, kSide * kSide);
    EXPECT_EQ(plan.kernels.size(), 1u);
}

} // namespace
} // namespace kp::test

// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include <gtest/gtest.h>

#include "primitives/random/RandomPlan.hpp"

namespace kp::primitives {
namespace {

DeviceTraits smallDevice() {
    DeviceTraits traits;
    traits.maxViewBytes = 1000;
    traits.maxGroupSize = 1024;
    traits.maxGroupCount = 65535;
    return traits;
}

TEST(RandomPlan, CutsOutputsThatNoViewCanHold) {
    RandomProblem problem;
    problem.out = Memory::DataTypes::eDouble;
    problem.distribution = Distribution::uniform();
    problem.state.counter = UINT32_MAX;
    problem.count = 300;
    const Plan plan = planRandom(problem, smallDevice());
    ASSERT_EQ(plan.steps.size(), 3u);
    uint64_t next = 0;
    for (const Step& step : plan.steps) {
        const auto& dispatch = std::get<Dispatch>(step);
        EXPECT_EQ(dispatch.views[0].offset, next);
        EXPECT_LE(dispatch.views[0].bytes, 1000u);
        next += dispatch.views[0].bytes;
        const uint64_t number = dispatch.push[1] | uint64_t{dispatch.push[2]} << 32;
        EXPECT_EQ(number, UINT32_MAX + dispatch.views[0].offset / 8);
        EXPECT_LE((dispatch.push.size() + 1) * sizeof(uint32_t), 128u);
    }
    EXPECT_EQ(next, 300u * 8);
}

TEST(RandomPlan, OfNothingHasNoSteps) {
    RandomProblem problem;
    problem.distribution = Distribution::uniform();
    EXPECT_TRUE(planRandom(problem, smallDevice()).steps.empty());
}

} // namespace
} // namespace kp::primitives

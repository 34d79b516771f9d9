// SPDX-License-Identifier: Apache-2.0
#include "primitives/random/PermutationPlan.hpp"
#include "unit/primitives/PlanSupport.hpp"

namespace kp::primitives {
namespace {

TEST(Plan, AppendsThePlanOfAnotherPrimitive) {
    Plan other(2);
    const uint32_t scratch = other.addScratch(64);
    Kernel kernel;
    kernel.name = "another";
    other.addKernel(kernel);
    other.steps.emplace_back(Fill{scratch, 0, 64, 1});
    Dispatch dispatch;
    dispatch.views = {{0, 0, 16}, {1, 0, 16}, {scratch, 0, 16}};
    dispatch.countsMemory = 1;
    other.steps.emplace_back(dispatch);
    other.steps.emplace_back(Copy{scratch, 0, 1, 0, 16});

    Plan plan(3);
    const uint32_t own = plan.addScratch(32);
    plan.addKernel({});
    plan.append(other, {2, own});
    EXPECT_EQ(plan.scratch, (std::vector<uint64_t>{32, 64}));
    ASSERT_EQ(plan.kernels.size(), 2u);
    ASSERT_EQ(plan.steps.size(), 3u);
    EXPECT_EQ(std::get<Fill>(plan.steps[0]).memory, 4u);
    const auto& moved = std::get<Dispatch>(plan.steps[1]);
    EXPECT_EQ(moved.kernel, 1u);
    EXPECT_EQ(moved.views[0].memory, 2u);
    EXPECT_EQ(moved.views[1].memory, own);
    EXPECT_EQ(moved.views[2].memory, 4u);
    EXPECT_EQ(moved.countsMemory, own);
    EXPECT_EQ(std::get<Copy>(plan.steps[2]).source, 4u);
    EXPECT_EQ(std::get<Copy>(plan.steps[2]).destination, own);
}

TEST(Plan, SharesEqualKernelsOfAppendedPlans) {
    Plan other(1);
    other.addKernel({});
    Dispatch dispatch;
    dispatch.views = {{0, 16, 16}};
    other.steps.emplace_back(dispatch);
    other.steps.emplace_back(Fill{0, 8, 4, 1});
    Plan plan(1);
    plan.appendAt(other, {{0, 0}});
    plan.appendAt(other, {{0, 256}});
    EXPECT_EQ(plan.kernels.size(), 1u);
    ASSERT_EQ(plan.steps.size(), 4u);
    EXPECT_EQ(std::get<Dispatch>(plan.steps[2]).kernel, 0u);
    EXPECT_EQ(std::get<Dispatch>(plan.steps[2]).views[0].offset, 272u);
    EXPECT_EQ(std::get<Fill>(plan.steps[3]).offset, 264u);
}

TEST(PermutationPlan, IsSoundForAnyNumberOfIndices) {
    EXPECT_TRUE(planPermutation(0, 4, {}, largeDevice()).steps.empty());
    for (const uint64_t count : {uint64_t{1}, uint64_t{70000}, uint64_t{1} << 31})
        expectSound(planPermutation(count, 8, {}, largeDevice()), largeDevice());
}

} // namespace
} // namespace kp::primitives

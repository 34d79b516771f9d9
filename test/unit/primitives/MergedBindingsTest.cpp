// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/MergedBindings.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <kompute/Shader.hpp>

#include "shader/module/ModuleEditor.hpp"

namespace kp::primitives {
namespace {

using Use = View::Use;

constexpr BindingLimits kFour{4, 1 << 20};

/// A plan of two arguments, which are read and written, and three scratch memories.
Plan planOf(std::vector<View> views) {
    Plan plan(3);
    for (const uint64_t bytes : {100, 1000, 512})
        plan.addScratch(bytes);
    plan.addKernel({});
    Dispatch dispatch;
    dispatch.views = std::move(views);
    plan.steps.push_back(dispatch);
    return plan;
}

const Dispatch& dispatchOf(const Plan& plan) {
    return std::get<Dispatch>(plan.steps[0]);
}

TEST(MergedBindings, KeepAPlanThatFits) {
    const Plan plan = mergeBindings(planOf({{0, 0, 64}, {3, 0, 100}, {4, 0, 1000}}), kFour);
    EXPECT_TRUE(dispatchOf(plan).slots.empty());
    EXPECT_EQ(plan.scratch.size(), 3U);
}

TEST(MergedBindings, ShareOneOfAllScratchMemory) {
    const Plan plan = mergeBindings(planOf({{0, 0, 64},
                                            {3, 0, 100, 4, Use::eReadWrite},
                                            {4, 8, 500, 4, Use::eReadWrite},
                                            {5, 0, 512},
                                            {1, 0, 64, 4, Use::eWrite, 2}}),
                                    kFour);
    const Dispatch& dispatch = dispatchOf(plan);
    EXPECT_EQ(dispatch.slots, (std::vector<uint32_t>{0, 1, 1, 1, 2}));
    EXPECT_TRUE(dispatch.copies.empty());
    ASSERT_EQ(plan.scratch.size(), 1U);
    EXPECT_GE(plan.scratch[0], 100U + 1000U + 512U);
    for (size_t i = 1; i < 4; ++i)
        EXPECT_EQ(dispatch.views[i].memory, 3U);
    EXPECT_GE(dispatch.views[2].offset, 108U);
    EXPECT_EQ(dispatch.views[2].offset % 256, 8U);
    EXPECT_GE(dispatch.views[3].offset, dispatch.views[2].offset + 992);
    EXPECT_EQ(plan.kernels[dispatch.kernel].slots, (std::vector<uint32_t>{0, 1, 1, 1, 2, 2}));
}

TEST(MergedBindings, CopyTheSmallestArgumentThatIsReadIfSharingIsNotEnough) {
    Plan plan(5);
    const uint32_t scratch = plan.addScratch(64);
    plan.addKernel({});
    Dispatch dispatch;
    dispatch.joined = true;
    dispatch.views = {{0, 0, 400},
                      {1, 0, 400, 4, Use::eWrite},
                      {2, 12, 80},
                      {3, 0, 8, 4, Use::eWrite},
                      {scratch, 0, 64}};
    plan.steps = {dispatch, dispatch};
    const Plan merged = mergeBindings(std::move(plan), kFour);
    const Dispatch& made = std::get<Dispatch>(merged.steps[1]);
    ASSERT_EQ(made.copies.size(), 1U);
    EXPECT_EQ(made.copies[0].source, 2U);
    EXPECT_EQ(made.copies[0].sourceOffset, 12U);
    EXPECT_EQ(made.copies[0].bytes, 80U);
    EXPECT_EQ(made.views[2].memory, scratch);
    EXPECT_EQ(made.views[2].offset, made.copies[0].destinationOffset);
    EXPECT_GE(made.views[2].offset, 64U);
    EXPECT_GE(merged.scratch[0], made.views[2].offset + 80);
    EXPECT_EQ(made.slots, (std::vector<uint32_t>{0, 1, 2, 3, 2}));
    EXPECT_FALSE(made.joined) << "it has to wait for the copy";
    EXPECT_EQ(made.kernel, std::get<Dispatch>(merged.steps[0]).kernel) << "one kernel for both";
}

TEST(MergedBindings, MoveFillsCopiesAndCountsToTheSharedMemory) {
    Plan plan = planOf({{0, 0, 64}, {1, 0, 64}, {2, 0, 64}, {3, 0, 100}, {4, 0, 100}});
    auto& dispatch = std::get<Dispatch>(plan.steps[0]);
    dispatch.countsMemory = 4;
    dispatch.countsOffset = 16;
    plan.steps.push_back(Fill{5, 4, 8, 7});
    plan.steps.push_back(Copy{4, 0, 0, 0, 32});
    const Plan merged = mergeBindings(std::move(plan), kFour);
    const Dispatch& made = dispatchOf(merged);
    EXPECT_EQ(made.countsMemory, 3U);
    EXPECT_EQ(made.countsOffset, made.views[4].offset + 16);
    EXPECT_EQ(std::get<Fill>(merged.steps[1]).memory, 3U);
    EXPECT_EQ(std::get<Fill>(merged.steps[1]).offset % 256, 4U);
    EXPECT_EQ(std::get<Copy>(merged.steps[2]).source, 3U);
    EXPECT_EQ(std::get<Copy>(merged.steps[2]).sourceOffset, made.views[4].offset);
    EXPECT_EQ(std::get<Copy>(merged.steps[2]).destination, 0U);
}

TEST(MergedBindings, LeaveADispatchWhoseScratchMemoryIsTooLargeForOneBinding) {
    const Plan plan = mergeBindings(
        planOf({{0, 0, 64}, {1, 0, 64}, {2, 0, 64}, {3, 0, 100}, {5, 0, 512}}), {4, 1000});
    EXPECT_TRUE(dispatchOf(plan).slots.empty());
}

TEST(MergedBindings, NumberTheVariablesOfAModule) {
    const std::vector<uint32_t> spirv = kp::compile("#version 450\nlayout(local_size_x = 1) in;\n"
                                                    "layout(binding = 0) buffer A { uint a[]; };\n"
                                                    "layout(binding = 1) buffer B { uvec4 b[]; };\n"
                                                    "layout(binding = 2) buffer C { uint c[]; };\n"
                                                    "void main() { a[0] = b[0].x + c[0]; }\n");
    const shader::ModuleEditor editor(rebound(spirv, {0, 1, 1}));
    std::vector<uint32_t> bindings;
    size_t aliased = 0;
    for (const shader::Node& node : editor.decorations) {
        if (node.opcode != spv::OpDecorate)
            continue;
        if (node.operand(1) == spv::DecorationBinding)
            bindings.push_back(node.operand(2));
        aliased += node.operand(1) == spv::DecorationAliased;
    }
    std::ranges::sort(bindings);
    EXPECT_EQ(bindings, (std::vector<uint32_t>{0, 1, 1}));
    EXPECT_EQ(aliased, 2U);
}

} // namespace
} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>
#include <kompute/Launch.hpp>

#include "device/DocsSupport.hpp"
#include "device/TestSupport.hpp"
#include "device/check/CheckSupport.hpp"

namespace kp::test {
namespace {

/// Writes element k of the only buffer.
constexpr const char* kWrites = R"(#version 450
layout(binding = 0) buffer Y { float y[]; };
layout(push_constant) uniform P { int k; };
void main() { y[k] = 7; }
)";

TEST(CheckMode, RunsTheCodeOfThePage) {
    testing::internal::CaptureStderr();
    // clang-format off
kp::ManagerOptions options;
options.check = "bounds";
kp::Manager manager(options);
auto y = manager.tensor({0, 0});
auto shift = manager.algorithm({y}, manager.compile(R"(#version 450
layout(binding = 0) buffer Y { float y[]; };
void main() { y[gl_GlobalInvocationID.x + 1] = 7; }
)"));
try {
    manager.sequence()->eval<kp::OpAlgoDispatch>(shift);
} catch (const kp::CheckFailed& error) {
    for (const kp::CheckFault& fault : error.faults())
        std::fprintf(stderr, "%s:%u: %s\n", fault.file.c_str(), fault.line, fault.text.c_str());
}
    // clang-format on
    EXPECT_NE(testing::internal::GetCapturedStderr().find("y[gl_GlobalInvocationID.x + 1] = 7"),
              std::string::npos);
    expectCodeOfPage("docs/guides/debugging.md", "test/device/check/CheckModeTest.cpp", 1);
}

TEST(CheckMode, FollowsTheManager) {
    ManagerOptions options;
    options.check = "bounds";
    Manager manager(options);
    const auto y = manager.tensor({0, 0});
    const auto spirv = manager.compile(kWrites);
    const auto wrong =
        manager.algorithm({y}, spirv, {1, 1, 1}, std::vector<float>{}, std::vector<int>{2});
    const auto faults = faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(wrong); });
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].line, 4u) << "Manager::compile() keeps lines";
    const auto unchecked = manager.algorithm({y}, spirv, {1, 1, 1}, std::vector<float>{},
                                             std::vector<int>{1}, checkedOptions("off"));
    EXPECT_NO_THROW(manager.sequence()->eval<OpAlgoDispatch>(unchecked));
}

TEST(CheckMode, FollowsTheScopeOfTheThread) {
    Manager manager;
    const auto y = manager.tensor({0, 0});
    {
        const CheckScope scope;
        EXPECT_EQ(currentChecks(), "bounds,arithmetic");
        const CheckScope inner("off");
        EXPECT_EQ(currentChecks(), "");
    }
    const CheckScope scope("bounds");
    const auto wrong = manager.algorithm({y}, manager.compile(kWrites), {1, 1, 1},
                                         std::vector<float>{}, std::vector<int>{2});
    EXPECT_THROW(manager.sequence()->eval<OpAlgoDispatch>(wrong), CheckFailed);
}

TEST(CheckMode, RefusesUnknownWords) {
    EXPECT_ERROR(InvalidArgument, "bonds", CheckScope("bonds"));
    EXPECT_ERROR(InvalidArgument, "steps=0", CheckScope("steps=0"));
    EXPECT_ERROR(InvalidArgument, "'off' contradicts the others", CheckScope("bounds,off"));
    EXPECT_ERROR(InvalidArgument, "steps=5 and steps=7", CheckScope("steps=5,steps=7"));
}

TEST(CheckMode, FailsTheEventOfALaunch) {
    Manager manager;
    const auto y = manager.tensor({0, 0});
    const auto wrong =
        manager.algorithm({y}, spirvWithLines(kWrites), {1, 1, 1}, std::vector<float>{},
                          std::vector<int>{9}, checkedOptions());
    const auto sequence = manager.sequence();
    sequence->record<OpAlgoDispatch>(wrong)->evalAsync();
    const Event event = sequence->event();
    EXPECT_THROW(sequence->evalAwait(), CheckFailed);
    EXPECT_EQ(event.status(), EventStatus::eError);
    EXPECT_THROW(event.wait(), CheckFailed) << "as each wait for failed work";
    EXPECT_NO_THROW(sequence->eval<OpSyncLocal>({y})) << "the sequence works on";
}

TEST(CheckMode, ReachesReadsOfTensorsWithoutAnEvent) {
    Manager manager;
    const auto y = manager.tensor({0, 0}, Memory::MemoryTypes::eStorage);
    AlgorithmOptions options = checkedOptions();
    KernelOptions size;
    size.globalSize = WorkSize{1, 1, 1};
    KernelLauncher launcher("writes", Kernel(manager, spirvWithLines(kWrites), options),
                            {y, int32_t{5}}, size);
    launcher.launch();
    std::vector<float> read(2);
    EXPECT_THROW(y->download(read.data(), 8), CheckFailed);
}

TEST(CheckMode, ChecksKernelsInAScope) {
    Manager manager;
    const auto y = manager.tensor({0, 0});
    KernelOptions size;
    size.globalSize = WorkSize{1, 1, 1};
    KernelLauncher launcher("writes", Kernel(manager, compile(kWrites)), {y, int32_t{1}}, size);
    EXPECT_NO_THROW(launcher.launch().wait());
    KernelLauncher wrong("writes", Kernel(manager, compile(kWrites)), {y, int32_t{2}}, size);
    const CheckScope scope;
    EXPECT_NO_THROW(launcher.launch().wait());
    EXPECT_THROW(wrong.launch().wait(), CheckFailed);
}

TEST(CheckMode, CompilesTheTextOfAKernelForTheChecksOfALaunch) {
    Manager manager;
    const auto y = manager.tensor({0, 0});
    KernelOptions size;
    size.globalSize = WorkSize{1, 1, 1};
    const Arguments wrong{y, int32_t{2}};
    const auto lineOf = [&](const Kernel& kernel) {
        KernelLauncher launcher("writes", kernel, wrong, size);
        const auto faults = faultsOf([&] { launcher.launch().wait(); });
        return faults.empty() ? 0u : faults.front().line;
    };
    EXPECT_EQ(lineOf(Kernel(manager, kWrites, checkedOptions())), 4u);

    int compiled = 0;
    const Kernel kernel(manager, [&] {
        ++compiled;
        return compile(kWrites);
    });
    KernelLauncher inside("writes", kernel, {y, int32_t{1}}, size);
    EXPECT_NO_THROW(inside.launch().wait());
    EXPECT_EQ(compiled, 1);
    {
        const CheckScope scope;
        EXPECT_EQ(lineOf(kernel), 4u);
        EXPECT_EQ(lineOf(kernel), 4u);
    }
    {
        const CheckScope scope("bounds");
        EXPECT_EQ(lineOf(kernel), 4u);
    }
    EXPECT_NO_THROW(inside.launch().wait());
    EXPECT_EQ(compiled, 2) << "once for all checks";
    EXPECT_THROW(Kernel(manager, std::function<std::vector<uint32_t>()>()), InvalidArgument);
}

TEST(CheckMode, RefusesAKernelWhoseAssertionsNeedOtherArguments) {
    Manager manager;
    const auto y = manager.tensor({0, 0});
    KernelOptions size;
    size.globalSize = WorkSize{1, 1, 1};
    const Kernel kernel(manager, R"(#version 450
#include <kompute/check.glsl>
layout(binding = 0) buffer Y { float y[]; };
layout(binding = 1) buffer Z { float z[]; };
void main() { y[0] = 7; kp_assert(z[0] > 0, "z is positive", z[0]); }
)");
    KernelLauncher launcher("asserts", kernel, {y}, size);
    EXPECT_NO_THROW(launcher.launch().wait());
    const CheckScope scope;
    EXPECT_ERROR(InvalidArgument, "make the kernel with the same checks as its launches",
                 launcher.launch());
}

TEST(CheckMode, ChecksEachEvaluationOfARecording) {
    Manager manager;
    const auto y = manager.tensor({0, 0});
    const auto wrong =
        manager.algorithm({y}, spirvWithLines(kWrites), {1, 1, 1}, std::vector<float>{},
                          std::vector<int>{2}, checkedOptions());
    const auto sequence = manager.sequence();
    sequence->record<OpAlgoDispatch>(wrong);
    for (int i = 0; i < 3; ++i)
        EXPECT_THROW(sequence->eval(), CheckFailed) << i;
}

TEST(CheckMode, LogsWhatNobodyWaitedFor) {
    {
        Manager manager;
        const auto y = manager.tensor({0, 0});
        const auto wrong =
            manager.algorithm({y}, spirvWithLines(kWrites), {1, 1, 1}, std::vector<float>{},
                              std::vector<int>{2}, checkedOptions());
        manager.sequence()->record<OpAlgoDispatch>(wrong)->evalAsync();
    }
    EXPECT_NE(logText().find("element 2 of y was written"), std::string::npos) << logText();
}

TEST(CheckMode, FindsNumbersThatAreNotFinite) {
    Manager manager;
    const auto y = manager.tensor({0, -4, 3e38f, 1});
    const auto run = [&](const std::string& expression) {
        const auto algorithm = manager.algorithm(
            {y},
            spirvWithLines("#version 450\nlayout(binding = 0) buffer Y { float y[]; };\n"
                           "void main() {\n    y[3] = " +
                           expression + ";\n}\n"),
            {1, 1, 1}, {}, {}, checkedOptions("nan"));
        return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    };
    const auto quotient = run("y[1] / y[0]");
    ASSERT_EQ(quotient.size(), 1u);
    EXPECT_EQ(quotient[0].message, "a quotient of -4 and 0 is -inf");
    EXPECT_EQ(quotient[0].line, 4u);
    EXPECT_EQ(run("sqrt(y[1])").size(), 1u);
    EXPECT_EQ(run("y[2] * y[2]").size(), 1u);
    EXPECT_EQ(run("(y[2] * y[2]) * 2").size(), 1u) << "only where it is made";
    EXPECT_EQ(run("y[2] + y[1]").size(), 0u);
}

TEST(CheckMode, EndsLoopsThatHaveTooManySteps) {
    Manager manager;
    const auto y = manager.tensor({1, 1});
    const auto spirv = spirvWithLines(R"(#version 450
layout(binding = 0) buffer Y { float y[]; };
void main() {
    uint i = 0u;
    while (y[0] > 0)
        ++i;
    for (uint k = 0u; k < 10u; ++k)
        y[1] += 1;
}
)");
    const auto algorithm =
        manager.algorithm({y}, spirv, {1, 1, 1}, {}, {}, checkedOptions("steps=1000"));
    const auto faults = faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "steps");
    EXPECT_EQ(faults[0].line, 5u);
    EXPECT_EQ(faults[0].extent, 1000u);
}

class CheckedAssertion : public ::testing::TestWithParam<ShaderLanguage> {};

TEST_P(CheckedAssertion, ReportsItsTextAndValue) {
    Manager manager;
    const auto y = manager.tensor({1, -2});
    const bool glsl = GetParam() == ShaderLanguage::eGlsl;
    const std::string source = glsl ? R"(#version 450
#include <kompute/check.glsl>
layout(binding = 0) buffer Y { float y[]; };
void main() {
    kp_assert(y[0] > 0, "y is positive", y[0]);
    kp_assert(y[1] > 0, "y is positive", y[1]);
}
)"
                                    : R"(
#include <kompute/check.glsl>
RWStructuredBuffer<float> y : register(u0);
[numthreads(1, 1, 1)] void main() {
    kp_assert(y[0] > 0, "y is positive", y[0]);
    kp_assert(y[1] > 0, "y is positive", y[1]);
}
)";
    CompileOptions options;
    options.language = GetParam();
    const std::vector<uint32_t> plain = compile(source, options);
    const CheckScope scope;
    const auto algorithm = manager.algorithm({y}, compile(source, options), {1, 1, 1});
    const auto faults = faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "assert");
    EXPECT_EQ(faults[0].message, "y is positive");
    EXPECT_EQ(faults[0].value, "-2");
    EXPECT_EQ(faults[0].line, 6u);
    const auto unchecked = manager.algorithm({y}, plain, {1, 1, 1}, {}, {}, checkedOptions("off"));
    EXPECT_NO_THROW(manager.sequence()->eval<OpAlgoDispatch>(unchecked));
}

INSTANTIATE_TEST_SUITE_P(Languages, CheckedAssertion,
                         ::testing::Values(ShaderLanguage::eGlsl, ShaderLanguage::eHlsl));

TEST(CheckMode, EachWaitHasTheFaultsOfItsOwnWork) {
    Manager manager;
    const auto x = manager.tensor(std::vector<float>(8));
    const auto spirv = compile("#version 450\nlayout(binding = 0) buffer X { float x[]; };\n"
                               "layout(push_constant) uniform P { int k; };\n"
                               "void main() { x[k] = 7.0; }\n");
    const auto algorithm = manager.algorithm({x}, spirv, {1, 1, 1}, std::vector<float>{},
                                             std::vector<int>{0}, checkedOptions("1"));
    std::vector<std::shared_ptr<Sequence>> sequences;
    const std::vector<int> indices{8, 2, 9, 3};
    while (sequences.size() < indices.size())
        sequences.push_back(manager.sequence());
    for (size_t i = 0; i < indices.size(); ++i) // each twice, in turns
        for (int turn = 0; turn < 2; ++turn)
            sequences[i]->record<OpAlgoDispatch>(algorithm, std::vector<int>{indices[i]});
    for (int round = 0; round < 2; ++round) {
        for (const auto& sequence : sequences)
            sequence->evalAsync();
        for (size_t i = indices.size(); i-- > 0;) {
            const auto faults = faultsOf([&] { sequences[i]->evalAwait(); });
            ASSERT_EQ(faults.empty(), indices[i] < 8) << indices[i];
            for (const CheckFault& fault : faults)
                EXPECT_EQ(fault.index, indices[i]);
        }
    }
}

} // namespace
} // namespace kp::test

// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/autotuning.md. Each block of that page is a part of this file, apart from
// whitespace.
#include <kompute/Launch.hpp>

#include "device/DocsSupport.hpp"
#include "device/launch/AutotunerSupport.hpp"
#include "unit/ScopedEnvironment.hpp"
#include "unit/TestFiles.hpp"

namespace kp::test {
namespace {

TEST(AutotuningDocsTest, RunsTheCodeOnTuning) {
    const TemporaryFolder folder; // for the times
    const ScopedEnvironment cache("KOMPUTE_CACHE_DIR", folder.path().string().c_str());
    kp::Manager manager;
    const uint32_t width = 64, height = 32;
    auto input = manager.tensorT<float>(std::vector<float>(width * height, 2));
    auto output = manager.tensorT<float>(std::vector<float>(width * height, 0));
    const std::vector<float> reference(width * height, 6);
    const std::vector<uint32_t> constants = {width, height};
    const auto spirv = manager.compile(R"(#version 450
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint radius_unroll = 1;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
layout(push_constant) uniform P { uint width; uint height; };
void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= width || at.y >= height) return;
    float sum = 0;
    for (uint i = 0; i < 12; i += radius_unroll)
        for (uint j = i; j < i + radius_unroll; ++j)
            sum += a[at.y * width + (at.x + j) % width];
    b[at.y * width + at.x] = sum / 4;
})");
    // clang-format off
kp::TunableKernel blur("blur", spirv);              // layout(local_size_x_id = 0, local_size_y_id = 1) in;
blur.localSize({8, 16, 32, 64}, {1, 4, 8, 16})      // every x with every y
    .specialization(2, "radius_unroll", std::vector<int64_t>{1, 2, 4})
    .constraint("at most 512 invocations", [](const kp::TuningConfiguration& c) {
        return c.localSize()[0] * c.localSize()[1] <= 512;
    });

kp::TuningArguments arguments({input, output}, {width, height, 1});   // invocations in x, y, z
arguments.pushConstants(constants);
arguments.expect(output, reference);                // refuse what gives other results

kp::AutotunerOptions options;
options.budgetSeconds = 10;
options.progress = kp::consoleProgress();
kp::Autotuner tuner(manager, options);

kp::TuningResult result = tuner.tune(blur, arguments);
manager.sequence()->eval<kp::OpAlgoDispatch>(result.algorithm);
    // clang-format on
    EXPECT_EQ(output->vector(), reference);
    const kp::Workgroup local = result.configuration.localSize();
    EXPECT_LE(local[0] * local[1], 512u);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "tuning"));
}

class AutotuningFirstUseDocsTest : public AutotunerFixture {};

TEST_F(AutotuningFirstUseDocsTest, RunsTheCodeOnAlgorithms) {
    auto options = AutotunerFixture::options();
    const kp::TunableKernel kernel = wasteful({20, 2});
    const kp::TuningArguments arguments = AutotunerFixture::arguments();
    auto sequence = manager.sequence();
    // clang-format off
auto tuner = std::make_shared<kp::Autotuner>(manager, options);
kp::TunedAlgorithm matmul(tuner, kernel);

auto algorithm = matmul.algorithm(arguments);   // tunes if problem size and key are new
sequence->record<kp::OpAlgoDispatch>(algorithm);
    // clang-format on
    EXPECT_TRUE(matmul.isTuned(arguments));
    sequence->eval();
    EXPECT_EQ(onDevice<uint32_t>(*sums), expectedSums());
}

TEST_F(AutotuningFirstUseDocsTest, RunsTheCodeOnLaunchers) {
    const kp::TunableKernel kernel = [&] {
        kp::TunableKernel described("step", manager.compile(R"(#version 450
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer S { uint s[]; };
layout(push_constant) uniform P { float dt; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < a.length()) s[i] += uint(dt * a[i]);
})"));
        return described.localSize({32, 64});
    }();
    auto tuner = std::make_shared<kp::Autotuner>(manager, AutotunerFixture::options());
    kp::TuningArguments arguments = AutotunerFixture::arguments();
    arguments.pushConstants(std::vector<float>{1});
    auto queue = manager.queue();
    kp::KernelListLauncher list("list");
    // clang-format off
kp::TunedKernelOptions options;
options.queue = queue;
options.parametersMap = {{"dt", "dt"}};          // push constants that change from call to call
auto step = std::make_shared<kp::TunedKernelLauncher>(
    "step", std::make_shared<kp::TunedAlgorithm>(tuner, kernel), arguments, options);
list += step;
    // clang-format on
    list(queue, {}, {{"dt", 2.0f}}).wait();
    EXPECT_TRUE(step->isTuned());
    EXPECT_EQ(onDevice<uint32_t>(*sums)[100], 1000u + 100 + 2 * 100);
}

TEST(AutotuningDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/autotuning.md", "test/device/launch/AutotuningDocsTest.cpp", 3);
}

} // namespace
} // namespace kp::test

// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/launchers.md. Each block of that page is a part of this file, apart from
// whitespace.
#include <cassert>
#include <cstdio>

#include "device/DocsSupport.hpp"
#include "device/launch/LaunchSupport.hpp"

namespace kp::test {
namespace {

using LaunchDocsTest = DeviceTest;

TEST_F(LaunchDocsTest, RunsTheCodeOfThePage) {
    // clang-format off
auto x = manager.tensorT<float>({1, 2, 3, 4}, kp::Memory::MemoryTypes::eHost);
kp::Kernel scaling(manager, R"(#version 450
    layout(local_size_x = 1) in;
    layout(binding = 0) buffer X { float x[]; };
    layout(push_constant) uniform P { float factor; };
    void main() { x[gl_GlobalInvocationID.x] *= factor; })");
kp::KernelOptions sized;
sized.globalSize = kp::WorkSize(x->size());        // work items, not groups

auto twice = std::make_shared<kp::KernelLauncher>(
    "twice", scaling, kp::Arguments{x, 2.0f}, sized);
twice->launch().wait();                            // on the manager's default queue

auto scale = std::make_shared<kp::ParametrizedKernelLauncher>(
    "scale", scaling, kp::ParametersMap{{"factor", "factor"}}, kp::Arguments{{0, x}}, sized);
for (int i = 0; i < 10; ++i)
    scale->launch({{"factor", 0.5f}});             // returns at once
scale->launch({{"factor", 512.0f}}).wait();        // x is 1, 2, 3, 4 again
    // clang-format on
    EXPECT_EQ(x->vector(), (std::vector<float>{1, 2, 3, 4}));

    auto field = manager.tensorT<float>(std::vector<float>(128, 1.0f));
    field->upload(std::vector<float>(128, 1.0f).data(), 128 * sizeof(float));
    std::vector<float> result(128);
    int written = 0;
    // clang-format off
kp::Kernel kernel(manager, R"(#version 450
    layout(local_size_x_id = 0) in;
    layout(binding = 0) buffer V { float v[]; };
    layout(push_constant) uniform P { float dt; float rate; };
    void main() { v[gl_GlobalInvocationID.x] *= 1.0 - rate * dt; })");

kp::KernelOptions options;
options.globalSize = kp::WorkSize(field->size());  // work items, not groups
options.localSize = kp::WorkSize(64);

auto decay = std::make_shared<kp::ParametrizedKernelLauncher>(
    "decay", kernel,
    kp::ParametersMap{{"dt", "dt"}},               // given with each call
    kp::Arguments{{0, field}, {"rate", 0.5f}},     // known already
    options);
auto output = std::make_shared<kp::HostLauncher>("output", [&] { ++written; });

kp::KernelListLauncher step("step");
step += decay;
step += decay;
step.pushCopyDeviceToHost("field", field, result);
step += output;

auto queue = manager.queue(0, /*inOrder=*/true, /*profiling=*/true);
kp::Event last;
for (int i = 0; i < 10; ++i)
    last = step(queue, {}, {{"dt", 0.1f}});        // returns at once
last.wait();
std::puts(kp::toTable(step.statistics()).c_str());
    // clang-format on
    EXPECT_EQ(written, 10);
    EXPECT_NEAR(result[127], 0.3585, 1e-3);

    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncLocal>({field});
    // clang-format off
kp::UserEvent data;                                   // set by the host
kp::Event first = decay->launch(queue, {{"dt", 0.1f}}, {data});
sequence->evalAsync({first});                         // sequences wait for events, too
kp::Event log = queue->hostFunction([&] { ++written; }, {sequence->event()});
assert(first.status() == kp::EventStatus::eQueued);
data.set();
log.wait();
if (auto profile = first.profile()) {                 // where the queue profiles
    std::printf("%llu ns\n", static_cast<unsigned long long>(profile->duration()));
}
    // clang-format on
    EXPECT_EQ(written, 11);
    sequence->evalAwait();
    EXPECT_NEAR(field->vector()[0], 0.3406, 1e-3);
}

TEST_F(LaunchDocsTest, MatchesTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/launchers.md", "test/device/launch/LaunchDocsTest.cpp", 3);
}

} // namespace
} // namespace kp::test

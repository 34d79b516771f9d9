// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/profiling.md. Each block of that page is a part of this file, apart from
// whitespace.
#include <cstdio>
#include <filesystem>

#include <kompute/Array.hpp>
#include <kompute/Launch.hpp>

#include "device/DocsSupport.hpp"
#include "device/TestSupport.hpp"
#include "unit/TestFiles.hpp"

namespace kp::test {
namespace {

class ProfilingDocsTest : public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<float>> a = manager.tensorT<float>({1, 2, 3, 4});
    std::shared_ptr<kp::TensorT<float>> b = manager.tensorT<float>({5, 6, 7, 8});
};

TEST_F(ProfilingDocsTest, RunsTheCodeOnScopesAndSpans) {
    if (!manager.deviceInfo().timestamps)
        GTEST_SKIP() << "the device has no timestamps";
    const TemporaryFolder folder;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    const int steps = 3;
    const auto exchange = [] {};
    auto sequence = manager.sequence(0, 2);
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({a}, incrementFloats()))
        ->record<kp::OpAlgoDispatch>(manager.algorithm({b}, incrementFloats()));
    testing::internal::CaptureStdout();
    // clang-format off
kp::Profiler profiler("solver");
profiler.calibrate("gpu 0", manager);           // relates the device's clock to the host's

for (int step = 0; step < steps; ++step) {
    auto scope = profiler.scope("step");        // ends with the block
    {
        auto inner = profiler.scope("boundary");
        exchange();                             // some work of the host
    }
    const uint64_t submitted = kp::Profiler::hostNow();
    sequence->eval();                           // made with manager.sequence(0, 2)
    const auto times = sequence->getTimestampsNs();
    profiler.addDeviceSpan({"advect", "gpu 0", "queue 0", times[0], times[1], submitted});
    profiler.addDeviceSpan({"diffuse", "gpu 0", "queue 0", times[1], times[2], submitted});
}
std::fputs(profiler.table().c_str(), stdout);
profiler.writeTrace("solver.json");
    // clang-format on
    std::filesystem::current_path(before);
    const std::string table = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(std::filesystem::exists(folder.path("solver.json")));
    for (const char* part :
         {"\n  step ", "\n    boundary ", "\ngpu 0, queue 0\n", "\n  advect ", "\n  diffuse "})
        EXPECT_NE(table.find(part), std::string::npos) << part << " is missing in\n" << table;
    EXPECT_EQ(a->vector(), (std::vector<float>{4, 5, 6, 7}));
}

TEST_F(ProfilingDocsTest, RunsTheCodeOnLaunches) {
    const kp::Kernel kernel(
        manager, shader(buffer(0, "", "float", "a") + buffer(1, "readonly", "float", "b") +
                            "layout(push_constant) uniform P { float factor; };",
                        "a[i] += factor * b[i];"));
    // clang-format off
auto profiler = std::make_shared<kp::Profiler>("solver");
kp::KernelOptions options;
options.profiler = profiler;                     // launches on a queue that profiles
options.globalSize = kp::WorkSize(a->size());
kp::KernelLauncher add("add", kernel, {a, b, 2.0f}, options);
    // clang-format on
    kp::LaunchOptions timed;
    timed.queue = manager.queue(0, true, true);
    add(timed)->wait();
    EXPECT_EQ(a->vector(), (std::vector<float>{11, 14, 17, 20}));
    EXPECT_EQ(add.statistics().count(), manager.deviceInfo().timestamps ? 1u : 0u);
    if (manager.deviceInfo().timestamps) {
        EXPECT_NE(profiler->table().find("\n  add "), std::string::npos) << profiler->table();
    }
}

TEST_F(ProfilingDocsTest, RunsTheCodeOnArrays) {
    const kp::Array x = kp::Array::of(std::vector<float>{1, 2, 3}, &manager);
    const auto profiler = std::make_shared<kp::Profiler>("solver");
    // clang-format off
{
    const kp::LaunchProfile launches(manager.defaultQueue(), profiler);
    sqrt(x * x + 1).evaluate();
}
    // clang-format on
    if (manager.deviceInfo().timestamps) {
        EXPECT_NE(profiler->table().find("\n  multiply, add, sqrt "), std::string::npos)
            << profiler->table();
    }
}

TEST_F(ProfilingDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/profiling.md", "test/device/launch/ProfilingDocsTest.cpp", 3);
}

} // namespace
} // namespace kp::test

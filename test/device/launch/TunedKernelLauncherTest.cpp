// SPDX-License-Identifier: Apache-2.0
//
// Launchers that tune themselves, alone and in lists.
#include <thread>

#include <kompute/launch/HostLauncher.hpp>
#include <kompute/launch/KernelListLauncher.hpp>
#include <kompute/launch/Profiler.hpp>
#include <kompute/launch/TunedKernelLauncher.hpp>

#include "device/launch/AutotunerSupport.hpp"

namespace kp::test {
namespace {

class TunedKernelLauncherTest : public AutotunerFixture {
protected:
    std::shared_ptr<kp::Queue> queue = manager.queue();
    std::shared_ptr<kp::Autotuner> tuner = std::make_shared<kp::Autotuner>(manager, options());
    std::shared_ptr<kp::TunedAlgorithm> kernel =
        std::make_shared<kp::TunedAlgorithm>(tuner, wasteful({20, 2}));

    std::shared_ptr<kp::TunedKernelLauncher>
    makeLauncher(const kp::TunedKernelOptions& options = {}) {
        return std::make_shared<kp::TunedKernelLauncher>("wasteful", kernel, arguments(), options);
    }
    kp::LaunchOptions on(const std::shared_ptr<kp::Queue>& used,
                         std::vector<kp::Event> waitFor = {}) const {
        kp::LaunchOptions options;
        options.queue = used;
        options.waitFor = std::move(waitFor);
        return options;
    }
    /// The expected sums after @p runs of the kernel.
    std::vector<uint32_t> sumsAfter(uint32_t runs) const {
        std::vector<uint32_t> expected(kElements);
        for (uint32_t i = 0; i < kElements; ++i)
            expected[i] = 1000 + i + runs * i;
        return expected;
    }
};

TEST_F(TunedKernelLauncherTest, TunesOnFirstUse) {
    auto launcher = makeLauncher();
    EXPECT_TRUE(launcher->globalSizeConfigured());
    EXPECT_FALSE(launcher->queueConfigured());
    EXPECT_FALSE(launcher->isTuned());
    (*launcher)()->wait(); // on the manager's queue
    EXPECT_TRUE(launcher->isTuned());
    EXPECT_EQ(onDevice<uint32_t>(*sums), sumsAfter(1));
    EXPECT_EQ(launcher->tune().configuration.integer("waste"), 2);
    (*launcher)(on(queue));
    (*launcher)(on(queue))->wait();
    EXPECT_EQ(onDevice<uint32_t>(*sums), sumsAfter(3));
}

TEST_F(TunedKernelLauncherTest, TunesBeforeTheStepsOfAList) {
    auto launcher = makeLauncher();
    auto copied = manager.tensorT<uint32_t>(std::vector<uint32_t>(kElements));
    int calls = 0;
    kp::KernelListLauncher list("list");
    list += launcher;
    list += std::make_shared<kp::HostLauncher>("count", [&] { ++calls; });
    list += launcher;
    list.pushCopyDeviceToDevice("copy", sums, copied);
    for (uint32_t call = 1; call <= 2; ++call) {
        list(queue).wait();
        EXPECT_EQ(onDevice<uint32_t>(*copied), sumsAfter(2 * call));
    }
    EXPECT_EQ(calls, 2);
    launcher->asListLauncher("alone")->operator()(queue).wait();
    EXPECT_EQ(onDevice<uint32_t>(*sums), sumsAfter(5));
}

TEST_F(TunedKernelLauncherTest, TunesAfterEarlierWritesToItsMemory) {
    // An earlier host function of the queue writes it, and another thread sets the event.
    auto launcher = makeLauncher();
    kp::UserEvent gate;
    queue->hostFunction([&] {
        // Long enough that tuning would begin meanwhile if it did not wait.
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        std::vector<uint32_t> zeros(kElements);
        sums->upload(zeros.data(), zeros.size() * sizeof(uint32_t));
    });
    std::thread setter([gate]() mutable { gate.set(); });
    (*launcher)(on(queue, {gate}))->wait();
    setter.join();
    EXPECT_EQ(onDevice<uint32_t>(*sums), ascending<uint32_t>(kElements));
}

TEST_F(TunedKernelLauncherTest, FailsWithTheEventItWaitsFor) {
    auto launcher = makeLauncher();
    kp::UserEvent gate;
    gate.fail(std::domain_error("planted"));
    const kp::Event event = *(*launcher)(on(queue, {gate}));
    EXPECT_THROW(event.wait(), std::domain_error);
    expectUnchanged();
}

TEST_F(TunedKernelLauncherTest, TunesEachGlobalSizeSeparately) {
    auto launcher = makeLauncher();
    kp::LaunchOptions options = on(queue);
    options.globalSize = kp::WorkSize(kElements / 2);
    (*launcher)(options)->wait();
    EXPECT_FALSE(launcher->isTuned());
    std::vector<uint32_t> expected = sumsAfter(1);
    for (uint32_t i = kElements / 2; i < kElements; ++i)
        expected[i] = 1000 + i;
    EXPECT_EQ(onDevice<uint32_t>(*sums), expected);
}

TEST_F(TunedKernelLauncherTest, TakesParameters) {
    kp::TunableKernel scale("scale", manager.compile(R"(#version 450
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer S { uint s[]; };
layout(push_constant) uniform P { uint times; uint plus; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < a.length()) s[i] = a[i] * times + plus;
})"));
    scale.localSize({32, 64});
    kp::TuningArguments given = arguments();
    given.pushConstants(std::vector<uint32_t>{1, 7});
    kp::TunedKernelOptions options;
    options.queue = queue;
    options.parametersMap = {{"times", "times"}};
    auto launcher = std::make_shared<kp::TunedKernelLauncher>(
        "scale", std::make_shared<kp::TunedAlgorithm>(tuner, scale), given, options);
    ASSERT_EQ(launcher->parameters().size(), 1u);
    for (uint32_t times = 2; times < 4; ++times) {
        (*launcher)({queue, {}, {}, {}, {{"times", times}}, true})->wait();
        EXPECT_EQ(onDevice<uint32_t>(*sums)[100], 100 * times + 7);
    }
    EXPECT_THROW((*launcher)(), kp::InvalidArgument);
    EXPECT_THROW((*launcher)({queue, {}, {}, {}, {{"time", 1u}}, true}), kp::InvalidArgument);
    EXPECT_THROW((*launcher)({queue, {}, {}, {}, {{"times", 1.0f}}, true}), kp::InvalidArgument);
}

TEST_F(TunedKernelLauncherTest, RejectsWrongCalls) {
    EXPECT_THROW(kp::TunedKernelLauncher("none", nullptr, arguments()), kp::InvalidArgument);
    for (const kp::ParameterTarget& target : {kp::ParameterTarget("S"), kp::ParameterTarget(1)}) {
        kp::TunedKernelOptions twice;
        twice.parametersMap = {{"a", target}, {"b", target}};
        EXPECT_ERROR(kp::InvalidArgument, "parameters 'a' and 'b' both stand for argument",
                     makeLauncher(twice));
    }
    auto launcher = makeLauncher();
    kp::LaunchOptions sized = on(queue);
    sized.localSize = kp::WorkSize(64);
    EXPECT_THROW((*launcher)(sized), kp::InvalidArgument);
    auto unsized = std::make_shared<kp::TunedKernelLauncher>("unsized", kernel,
                                                             kp::TuningArguments({input, sums}));
    EXPECT_FALSE(unsized->globalSizeConfigured());
    EXPECT_THROW((*unsized)(on(queue)), kp::InvalidArgument);
    kp::KernelListLauncher list("list");
    EXPECT_THROW(list += unsized, kp::InvalidArgument);
    EXPECT_FALSE(launcher->isTuned());
    expectUnchanged();
}

TEST_F(TunedKernelLauncherTest, IsProfiledUnderItsName) {
    auto timed = manager.queue(0, true, true);
    if (!timed->profiling())
        GTEST_SKIP() << "the device has no timestamps";
    auto profiler = std::make_shared<kp::Profiler>();
    kp::TunedKernelOptions options;
    options.profiler = profiler;
    auto launcher = makeLauncher(options);
    for (int i = 0; i < 3; ++i)
        (*launcher)(on(timed))->wait();
    EXPECT_EQ(launcher->events().size(), 3u);
    EXPECT_EQ(launcher->statistics().count(), 3u);
    ASSERT_EQ(profiler->entries().size(), 1u);
    EXPECT_EQ(profiler->entries()[0].name, "wasteful");
    EXPECT_EQ(profiler->entries()[0].count, 3u);
}

} // namespace
} // namespace kp::test

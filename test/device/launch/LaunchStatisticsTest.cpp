// SPDX-License-Identifier: Apache-2.0
//
// Events, statistics and traces of launchers.
#include <string>

#include <kompute/launch/Trace.hpp>

#include "core/queue/QueueImpl.hpp"
#include "device/CallCounter.hpp"
#include "device/launch/LaunchSupport.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

class LaunchStatisticsTest : public LaunchTest {
protected:
    std::shared_ptr<kp::Queue> timed = manager.queue(0, true, true);

    void SetUp() override {
        if (!timed->profiling())
            GTEST_SKIP() << "the device has no timestamps";
    }
};

TEST_F(LaunchStatisticsTest, IgnoresLaunchesOnUnprofiledQueues) {
    auto launcher = fixed("x2", floats({1}), 2, 0);
    const kp::Event event = *(*launcher)(on(queue));
    event.wait();
    EXPECT_EQ(event.profile(), std::nullopt);
    EXPECT_TRUE(launcher->events().empty());
    EXPECT_EQ(launcher->statistics().count(), 0u);
}

TEST_F(LaunchStatisticsTest, ReturnsEventsSinceTheLastFetch) {
    auto launcher = fixed("x2", floats({1}), 2, 0);
    for (int i = 0; i < 3; ++i)
        (*launcher)(on(timed))->wait();
    EXPECT_EQ(launcher->events().size(), 3u);
    EXPECT_EQ(launcher->statistics().count(), 3u);
    EXPECT_TRUE(launcher->events().empty());
    kp::UserEvent gate;
    (*launcher)(on(timed))->wait();
    const kp::Event held = *(*launcher)(on(timed, {gate}));
    EXPECT_EQ(launcher->statistics().count(), 4u);
    EXPECT_EQ(launcher->events().size(), 1u);
    gate.set();
    held.wait();
    EXPECT_EQ(launcher->statistics().count(), 5u);
    EXPECT_TRUE(launcher->events().empty());
    launcher->clearStatistics();
    EXPECT_EQ(launcher->statistics().count(), 0u);
}

TEST_F(LaunchStatisticsTest, NotifiesTheProfilerOfEachLaunchOnce) {
    auto ofKernel = std::make_shared<kp::FunctionProfiler>("kernel");
    auto ofList = std::make_shared<kp::FunctionProfiler>("list");
    kp::KernelOptions options = sized(1);
    options.profiler = ofKernel;
    auto kernel = std::make_shared<kp::KernelLauncher>(
        "k", scale, kp::Arguments{floats({1}), 1.0f, 1.0f}, options);
    kp::KernelListLauncher list("list", ofList);
    list.pushKernels(kernel);
    kp::UserEvent gate;
    list(timed).wait();
    const kp::Event held = list(timed, {gate});
    for (int i = 0; i < 2; ++i) {
        kernel->notifyProfiler();
        list.notifyProfiler();
        EXPECT_EQ(ofKernel->calls(), 1u);
        EXPECT_EQ(ofList->calls(), 1u);
    }
    EXPECT_EQ(kernel->events().size(), 2u);
    gate.set();
    held.wait();
    EXPECT_EQ(kernel->statistics().count(), 2u);
    EXPECT_EQ(list.statistics().at("k").count(), 2u);
    EXPECT_EQ(ofKernel->calls(), 2u);
    EXPECT_EQ(ofList->calls(), 2u);
}

TEST_F(LaunchStatisticsTest, DoesNotWaitForHeldLaunches) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    list.pushKernels(fixed("a", tensor, 2, 0), fixed("b", tensor, 1, 1));
    kp::UserEvent gate;
    const kp::Event event = list(timed, {gate});
    // Only this thread sets the event, so a wait would never end.
    EXPECT_EQ(list.statistics().at("a").count(), 0u);
    EXPECT_EQ(list.events().size(), 2u);
    EXPECT_EQ(event.profile(), std::nullopt);
    gate.set();
    event.wait();
    EXPECT_EQ(list.statistics().at("a").count(), 1u);
    EXPECT_EQ(list.statistics().at("b").count(), 1u);
}

TEST_F(LaunchStatisticsTest, MatchesTheProfilesOfTheEvents) {
    auto launcher = parametrized("step", floats(std::vector<float>(1000, 1)));
    std::vector<uint64_t> durations;
    for (int i = 0; i < 5; ++i)
        (*launcher)(on(timed, {}, {{"scale", 1.0f}, {"offset", static_cast<float>(i)}}));
    timed->finish();
    for (const kp::Event& event : launcher->events()) {
        const std::optional<kp::EventProfile> profile = event.profile();
        ASSERT_TRUE(profile.has_value());
        EXPECT_LE(profile->start, profile->end);
        EXPECT_LE(profile->queued, profile->submitted);
        EXPECT_EQ(event.queueName(), "queue 0");
        durations.push_back(profile->duration());
    }
    const kp::KernelStatistics statistics = launcher->statistics();
    ASSERT_EQ(durations.size(), 5u);
    kp::KernelStatistics expected;
    for (const uint64_t duration : durations)
        expected.add(duration);
    EXPECT_EQ(statistics.count(), 5u);
    EXPECT_EQ(statistics.total(), expected.total());
    EXPECT_EQ(statistics.min(), expected.min());
    EXPECT_EQ(statistics.max(), expected.max());
    EXPECT_DOUBLE_EQ(statistics.variance(), expected.variance());
    EXPECT_GT(statistics.total(), 0u);
}

TEST_F(LaunchStatisticsTest, CountsByNameInLists) {
    auto tensor = floats(std::vector<float>(256, 1));
    auto other = floats(std::vector<float>(256, 1));
    auto doubled = fixed("x2", tensor, 2, 0);
    auto host = std::make_shared<kp::HostLauncher>("host", [] {});
    kp::KernelListLauncher list("list");
    list.pushKernels(doubled, fixed("x2", other, 2, 0), host, fixed("+1", tensor, 1, 1));
    list.pushCopyDeviceToDevice("copy", tensor, other);
    for (int i = 0; i < 3; ++i)
        list(timed).wait();
    const kp::StatisticsByName statistics = list.statistics();
    EXPECT_EQ(statistics.size(), 4u);
    EXPECT_EQ(statistics.at("x2").count(), 6u);
    EXPECT_EQ(statistics.at("+1").count(), 3u);
    EXPECT_EQ(statistics.at("host").count(), 3u);
    EXPECT_EQ(statistics.at("copy").bytes(), 3 * 1024u);
    EXPECT_GT(statistics.at("copy").bytesPerSecond(), 0.0);
    EXPECT_EQ(doubled->statistics().count(), 3u);
    const std::string table = kp::toTable(statistics);
    EXPECT_NE(table.find("copy"), std::string::npos);
    EXPECT_NE(table.find("GB/s"), std::string::npos);
}

/// While it exists, notes after how many submissions times were read.
class ReadWatch {
public:
    explicit ReadWatch(const kp::Manager& manager) : mCalls(manager), mDevice(deviceOf(manager)) {
        sCalls = &mCalls;
        sReads.clear();
        sOriginal = mDevice->vk().vkGetQueryPoolResults;
        mDevice->mutableTable().vkGetQueryPoolResults = read;
    }
    ~ReadWatch() { mDevice->mutableTable().vkGetQueryPoolResults = sOriginal; }

    const CallCounter& calls() const { return mCalls; }
    const std::vector<uint64_t>& reads() const { return sReads; }

private:
    static VKAPI_ATTR VkResult VKAPI_CALL read(VkDevice device, VkQueryPool pool, uint32_t first,
                                               uint32_t count, size_t bytes, void* data,
                                               VkDeviceSize stride, VkQueryResultFlags flags) {
        sReads.push_back(sCalls->submits());
        return sOriginal(device, pool, first, count, bytes, data, stride, flags);
    }

    static inline const CallCounter* sCalls = nullptr;
    static inline std::vector<uint64_t> sReads;
    static inline PFN_vkGetQueryPoolResults sOriginal = nullptr;

    CallCounter mCalls;
    std::shared_ptr<vulkan::Device> mDevice;
};

TEST_F(LaunchStatisticsTest, ReadsTimesBeforeOrAfterTheNextSubmission) {
    const auto step = parametrized("step", floats({1}));
    const auto device = deviceOf(manager);
    for (const bool later : {false, true})
        for (const bool changes : {false, true}) {
            SCOPED_TRACE(testing::Message() << "later " << later << ", changes " << changes);
            kp::LaunchRules rules;
            rules.readTimesLater = later;
            const auto ruled = kp::Internals::make<kp::Queue>(
                std::make_shared<kp::Queue::Impl>(device, device->queue(0), rules, true));
            ruled->setProfiling(true);
            kp::KernelListLauncher list("list");
            list.pushKernels(step, step);
            const ReadWatch watch(manager);
            for (int i = 0; i < 5; ++i)
                list(ruled, {},
                     {{"scale", 1.0f}, {"offset", changes ? static_cast<float>(i) : 1.0f}})
                    .wait();
            EXPECT_EQ(watch.calls().submits(), 5u);
            const std::vector<uint64_t> before{1, 2, 3, 4};
            const std::vector<uint64_t> after{2, 3, 4, 5};
            EXPECT_EQ(watch.reads(), later ? after : before);
            EXPECT_EQ(watch.calls().of("vkBeginCommandBuffer"), changes ? 5u : later ? 2u : 1u);
            EXPECT_EQ(list.statistics().at("step").count(), 10u);
            EXPECT_EQ(watch.reads().size(), 5u) << "the times of the last launch were fetched";
        }
}

TEST_F(LaunchStatisticsTest, FollowsTheProfilingSwitchOfTheQueue) {
    auto launcher = fixed("x2", floats({1}), 2, 0);
    timed->setProfiling(false);
    (*launcher)(on(timed))->wait();
    EXPECT_TRUE(launcher->events().empty());
    timed->setProfiling(true);
    (*launcher)(on(timed))->wait();
    EXPECT_EQ(launcher->events().size(), 1u);
}

TEST_F(LaunchStatisticsTest, DoesNotCountFailedLaunches) {
    auto launcher = fixed("x2", floats({1}), 2, 0);
    kp::UserEvent gate;
    const kp::Event event = *(*launcher)(on(timed, {gate}));
    gate.fail(std::domain_error("planted"));
    EXPECT_THROW(event.wait(), std::domain_error);
    EXPECT_EQ(launcher->statistics().count(), 0u);
    EXPECT_EQ(launcher->statistics().unprofiled(), 0u);
    EXPECT_TRUE(launcher->events().empty());
}

TEST_F(LaunchStatisticsTest, ReportsLaunchesToTheProfiler) {
    auto profiler = std::make_shared<kp::FunctionProfiler>("steps");
    kp::KernelOptions options = sized(1);
    options.profiler = profiler;
    kp::KernelLauncher launcher("x2", scale, {floats({1}), 2.0f, 0.0f}, options);
    for (int i = 0; i < 3; ++i)
        launcher(on(timed))->wait();
    const uint64_t total = launcher.statistics().total();
    EXPECT_EQ(profiler->calls(), 3u);
    EXPECT_NEAR(profiler->totalTime(), static_cast<double>(total) * 1e-9, 1e-9);
}

TEST_F(LaunchStatisticsTest, AccumulatesProfiledKernels) {
    const kp::TraceOptions before = kp::traceOptions();
    auto launcher = fixed("x2", floats({1}), 2, 0);
    kp::FunctionProfiler profiler("kernels");
    const kp::Event event = *(*launcher)(on(timed));
    kp::setTraceOptions({});
    kp::profileKernel("x2", event, &profiler);
    EXPECT_EQ(profiler.calls(), 0u);
    kp::TraceOptions options;
    options.profileKernels = true;
    kp::setTraceOptions(options);
    kp::profileKernel("x2", event, &profiler);
    kp::profileKernel("x2", event, &profiler);
    kp::profileKernel("x2", event, nullptr);
    EXPECT_EQ(profiler.calls(), 2u);
    EXPECT_NEAR(profiler.totalTime(), 2e-9 * static_cast<double>(event.profile()->duration()),
                1e-12);
    kp::setTraceOptions(before);
}

// The filters have unit tests.
TEST_F(LaunchStatisticsTest, TracesLaunches) {
    const kp::TraceOptions before = kp::traceOptions();
    std::vector<std::string> lines;
    kp::setTraceOutput([&](const std::string& line) { lines.push_back(line); });
    kp::TraceOptions options;
    options.traceKernels = true;
    kp::setTraceOptions(options);
    auto tensor = floats({1, 2});
    auto other = floats({1, 2});
    kp::KernelListLauncher list("list");
    list += fixed("scale", tensor, 2, 0);
    list.pushCopyDeviceToDevice("field", tensor, other);
    list(queue).wait();
    EXPECT_EQ(lines, (std::vector<std::string>{"scale<<<[2,1,1], [1,1,1]>>>",
                                               "enqueue_copy field: tensor to tensor, 8 bytes"}));
    options.noCopy = true;
    kp::setTraceOptions(options);
    list(queue).wait();
    EXPECT_EQ(lines.size(), 3u);
    kp::setTraceOptions(before);
    kp::setTraceOutput({});
    list(queue).wait();
    EXPECT_EQ(lines.size(), 3u);
}

TEST_F(LaunchStatisticsTest, KeepsMemoryFlatOverManyProfiledLaunches) {
    const int count = slowed() ? 2'000 : 30'000;
    auto launcher = parametrized("count", floats({0}));
    const auto run = [&](int launches) {
        for (int i = 0; i < launches; ++i)
            (*launcher)(on(timed, {}, {{"scale", 1.0f}, {"offset", 1.0f}}));
        timed->finish();
    };
    run(count / 10 + 2 * static_cast<int>(kp::Launcher::kMaxEvents) / (slowed() ? 100 : 1));
    const uint64_t before = residentBytes();
    const size_t kept = launcher->events().size();
    EXPECT_LE(kept, kp::Launcher::kMaxEvents + 64);
    run(count);
    const uint64_t after = residentBytes();
    if (!slowed()) {
        EXPECT_LT(after, before + (8u << 20));
    }
    EXPECT_LE(launcher->events().size(), kp::Launcher::kMaxEvents + 64);
    EXPECT_GE(launcher->statistics().count(), static_cast<uint64_t>(count));
}

} // namespace
} // namespace kp::test

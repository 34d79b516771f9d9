// SPDX-License-Identifier: Apache-2.0
//
// Launches in the table and the trace of a profiler.
#include <algorithm>

#include <kompute/launch/HostLauncher.hpp>
#include <kompute/launch/KernelListLauncher.hpp>
#include <kompute/launch/Profiler.hpp>

#include "device/launch/LaunchSupport.hpp"

namespace kp::test {
namespace {

class ProfilerLaunchTest : public LaunchTest {
protected:
    std::shared_ptr<kp::Queue> timed = manager.queue(0, true, true);
    std::shared_ptr<kp::Profiler> profiler = std::make_shared<kp::Profiler>();

    void SetUp() override {
        if (!timed->profiling())
            GTEST_SKIP() << "the device has no timestamps";
    }
    std::shared_ptr<kp::KernelLauncher> profiled(const std::string& name) {
        kp::KernelOptions options = sized(1);
        options.profiler = profiler;
        return std::make_shared<kp::KernelLauncher>(
            name, scale, kp::Arguments{floats({1}), 2.0f, 0.0f}, options);
    }
    kp::ProfileEntry entry(const std::string& name, const std::string& track) const {
        for (const kp::ProfileEntry& each : profiler->entries())
            if (each.name == name && each.track == track)
                return each;
        ADD_FAILURE() << "no entry of " << name << " on " << track << "\n" << profiler->table();
        return {};
    }
    std::string device() const { return manager.deviceInfo().name; }
    size_t countInTrace(const std::string& text) const {
        const std::string trace = profiler->trace();
        size_t count = 0;
        for (size_t at = trace.find(text); at != std::string::npos; at = trace.find(text, at + 1))
            ++count;
        return count;
    }
};

TEST_F(ProfilerLaunchTest, HasOneTrackPerQueue) {
    auto other = manager.queue(1, true, true);
    auto launcher = profiled("x2");
    uint64_t total = 0;
    for (int i = 0; i < 3; ++i) {
        const kp::Event event = *(*launcher)(on(timed));
        event.wait();
        total += event.profile()->duration();
    }
    (*launcher)(on(other))->wait();
    EXPECT_TRUE(profiler->entries().empty()); // the statistics were not fetched yet
    launcher->statistics();
    const kp::ProfileEntry first = entry("x2", device() + ", queue 0");
    EXPECT_EQ(first.count, 3u);
    EXPECT_EQ(first.totalNs, total);
    EXPECT_EQ(entry("x2", device() + ", " + other->name()).count, 1u);
    EXPECT_EQ(countInTrace("\"name\":\"x2\""), 4u);
    EXPECT_EQ(countInTrace("\"name\":\"" + other->name() + "\""), 1u);
    launcher->statistics();
    EXPECT_EQ(profiler->spanCount(), 4u);
}

TEST_F(ProfilerLaunchTest, ProfilesListsWithHostFunctionsAndCopies) {
    auto tensor = floats({1, 2});
    auto copy = floats({0, 0});
    kp::KernelListLauncher list("list", profiler);
    list += fixed("x2", tensor, 2, 0);
    list += std::make_shared<kp::HostLauncher>("count", [] {});
    list.pushCopyDeviceToDevice("copy", tensor, copy);
    const uint64_t before = kp::Profiler::hostNow();
    for (int i = 0; i < 2; ++i)
        list(timed).wait();
    const uint64_t after = kp::Profiler::hostNow();
    list.statistics();
    EXPECT_EQ(entry("x2", device() + ", queue 0").count, 2u);
    EXPECT_EQ(entry("copy", device() + ", queue 0").count, 2u);
    const kp::ProfileEntry host = entry("count", "host functions, queue 0");
    EXPECT_EQ(host.count, 2u);
    EXPECT_LE(host.totalNs, after - before);
    EXPECT_EQ(countInTrace("not related to the host's clock"), 0u);
}

TEST_F(ProfilerLaunchTest, UsesTheCalibratedNameOfADevice) {
    profiler->calibrate("gpu 0", manager);
    auto launcher = profiled("x2");
    (*launcher)(on(timed))->wait();
    launcher->statistics();
    EXPECT_EQ(entry("x2", "gpu 0, queue 0").count, 1u);
}

TEST_F(ProfilerLaunchTest, KeepsTheSpansOfDestroyedLaunchers) {
    auto launcher = profiled("x2");
    (*launcher)(on(timed))->wait();
    launcher.reset();
    EXPECT_EQ(entry("x2", device() + ", queue 0").count, 1u);
}

} // namespace
} // namespace kp::test

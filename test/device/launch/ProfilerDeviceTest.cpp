// SPDX-License-Identifier: Apache-2.0
//
// The profiler with a device's clock, and in several threads. Also run under the thread sanitizer.
#include <atomic>
#include <thread>

#include <kompute/launch/Profiler.hpp>

#include "device/TestSupport.hpp"
#include "device/Threads.hpp"
#include "vulkan/device/ClockCalibration.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

using ProfilerDevice = DeviceTest;

TEST_F(ProfilerDevice, PlacesSpansBetweenSubmissionAndCompletion) {
    ClockCalibration calibration;
    const bool offered = deviceOf(manager)->plan().hasExtension("VK_KHR_calibrated_timestamps") ||
                         deviceOf(manager)->plan().hasExtension("VK_EXT_calibrated_timestamps");
    if (!calibrateClock(manager, calibration) || !manager.deviceInfo().timestamps) {
        Profiler profiler;
        EXPECT_FALSE(profiler.calibrate("gpu", manager));
        GTEST_SKIP() << "the device's clock cannot be calibrated"
                     << (offered ? ", although the extension exists" : "");
    }
    EXPECT_TRUE(offered);
    EXPECT_LT(calibration.deviationNs, 1'000'000'000u);

    auto t = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence(0, 1);
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)));
    const uint64_t before = Profiler::hostNow();
    sq->eval();
    const uint64_t after = Profiler::hostNow();
    const auto times = sq->getTimestampsNs();
    const auto toHost = [&](uint64_t deviceNs) {
        return static_cast<int64_t>(deviceNs - calibration.deviceNs + calibration.hostNs);
    };
    // The deviation of the two readings, and a drift of 1 % during the test.
    const auto slack = static_cast<int64_t>(calibration.deviationNs + (after - before) / 100 +
                                            (before - calibration.hostNs) / 100 + 10'000);
    EXPECT_GE(toHost(times[0]), static_cast<int64_t>(before) - slack);
    EXPECT_LE(toHost(times[1]), static_cast<int64_t>(after) + slack);
}

TEST_F(ProfilerDevice, CalibratesMonotonically) {
    ClockCalibration first;
    ClockCalibration second;
    if (!calibrateClock(manager, first))
        GTEST_SKIP() << "the device's clock cannot be calibrated";
    ASSERT_TRUE(calibrateClock(manager, second));
    EXPECT_GT(second.hostNs, first.hostNs);
    EXPECT_GE(second.deviceNs, first.deviceNs);
}

TEST(ProfilerConcurrency, CanBeUsedFromSeveralThreads) {
    constexpr int kThreads = 4;
    constexpr int kRounds = 200;
    Profiler profiler;
    Profiler other;
    std::atomic<int> ready{0};
    inThreads(kThreads, [&](int number) {
        profiler.nameThread("worker " + std::to_string(number));
        for (++ready; ready < kThreads;)
            std::this_thread::yield();
        for (uint64_t round = 0; round < kRounds; ++round) {
            const auto outer = profiler.scope("outer");
            {
                const auto inner = profiler.scope("inner");
                profiler.addDeviceSpan({"k", "gpu", "q", round, round + 1, round});
            }
            other.addHostSpan("host", round, round + 1);
            if (round % 50 == 0) {
                profiler.addCalibration("gpu", {round, round, 1});
                EXPECT_FALSE(profiler.table().empty());
                EXPECT_FALSE(profiler.trace().empty());
                if (number == 0)
                    profiler.merge(other);
                if (number == 1)
                    other.clear();
            }
        }
    });
    uint64_t inner = 0;
    for (const ProfileEntry& entry : profiler.entries())
        if (entry.name == "inner") {
            EXPECT_EQ(entry.depth, 1u);
            inner += entry.count;
        }
    EXPECT_EQ(inner, uint64_t{kThreads} * kRounds);
}

} // namespace
} // namespace kp::test

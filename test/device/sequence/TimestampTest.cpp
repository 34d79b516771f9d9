// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "../CallCounter.hpp"
#include "../FaultyDriver.hpp"
#include "../HostVulkan.hpp"
#include "../TestSupport.hpp"
#include "unit/ScopedEnvironment.hpp"

#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

class TimestampTest : public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<uint32_t>> t = manager.tensorT<uint32_t>({0, 0, 0});

    void SetUp() override {
        if (!manager.deviceInfo().timestamps) {
            EXPECT_THROW(manager.sequence(0, 5), kp::Unsupported);
            GTEST_SKIP() << "the device has no timestamps";
        }
    }
};

TEST_F(TimestampTest, HasOneAtTheStartAndOneAfterEachOperation) {
    auto algorithm = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence(0, 100);
    sq->record<kp::OpSyncDevice>({t});
    for (int i = 0; i < 3; ++i)
        sq->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpSyncLocal>({t})->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 6u);
    const auto ns = sq->getTimestampsNs();
    EXPECT_EQ(ns.size(), 6u);
    EXPECT_TRUE(std::is_sorted(ns.begin(), ns.end()));
    EXPECT_EQ(t->vector()[0], 3u);
}

TEST_F(TimestampTest, ResetsAtEachEvaluation) {
    auto sq = manager.sequence(0, 2);
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)));
    uint64_t last = 0;
    for (int round = 0; round < 5; ++round) {
        sq->eval();
        const auto ticks = sq->getTimestamps();
        ASSERT_EQ(ticks.size(), 3u);
        EXPECT_TRUE(std::is_sorted(ticks.begin(), ticks.end()));
        EXPECT_GT(ticks.front(), last) << "these are timestamps of an earlier evaluation";
        last = ticks.back();
    }
}

TEST_F(TimestampTest, AreResetByTheHostIfTheDeviceCan) {
    if (!hasFeature(manager, "hostQueryReset"))
        GTEST_SKIP() << "the device has no hostQueryReset";
    const CallCounter calls(manager);
    auto sq = manager.sequence(0, 2);
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)));
    for (uint64_t round = 1; round <= 3; ++round) {
        sq->eval();
        EXPECT_EQ(calls.of("vkResetQueryPool"), round);
    }
    EXPECT_EQ(calls.of("vkCmdResetQueryPool"), 0u);
    manager.sequence()->eval<kp::OpSyncDevice>({t});
    EXPECT_EQ(calls.of("vkResetQueryPool"), 3u) << "nothing is timed here";
}

TEST_F(TimestampTest, AreResetByTheDeviceIfTheHostCannot) {
    HostVulkan bare(manager, HostVulkan::Kind::eBare);
    kp::Manager wrapped(bare.description());
    const CallCounter calls(wrapped);
    const auto counter = wrapped.tensorT<uint32_t>({0});
    auto sq = wrapped.sequence(0, 1);
    sq->record<kp::OpAlgoDispatch>(wrapped.algorithm({counter}, addShader(1)));
    uint64_t last = 0;
    for (int round = 0; round < 3; ++round) {
        sq->eval();
        const auto ticks = sq->getTimestamps();
        ASSERT_EQ(ticks.size(), 2u);
        EXPECT_GT(ticks.front(), last);
        last = ticks.back();
    }
    EXPECT_EQ(calls.of("vkResetQueryPool"), 0u);
    EXPECT_EQ(calls.of("vkCmdResetQueryPool"), 1u) << "it is in the recording";
}

TEST_F(TimestampTest, AreLostIfAnEvaluationFails) {
    FaultyDriver driver;
    {
        const auto faulty = driver.manager();
        const auto counter = faulty->tensorT<uint32_t>({0});
        auto sq = faulty->sequence(0, 1);
        sq->record<kp::OpAlgoDispatch>(faulty->algorithm({counter}, addShader(1)))->eval();
        EXPECT_EQ(sq->getTimestamps().size(), 2u);
        driver.fail("vkQueueSubmit", 1, VK_ERROR_OUT_OF_HOST_MEMORY, FaultyDriver::Often::eOnce);
        EXPECT_THROW(sq->eval(), kp::OutOfMemory);
        if (hasFeature(manager, "hostQueryReset")) {
            EXPECT_THROW(sq->getTimestamps(), kp::InvalidArgument);
        }
        sq->eval();
        EXPECT_EQ(sq->getTimestamps().size(), 2u);
    }
    driver.works();
}

TEST_F(TimestampTest, MeasuresTheWork) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence(0, 5000);
    sq->record<kp::OpSyncDevice>({counter});
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->eval();
    const auto ns = sq->getTimestampsNs();
    EXPECT_EQ(ns.size(), steps + 2u);
    EXPECT_GT(ns.back() - ns.front(), 1'000'000u);
    EXPECT_LT(ns.back() - ns.front(), 60'000'000'000u);
}

TEST_F(TimestampTest, CoversOnlyTheNewestRecording) {
    auto algorithm = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence(0, 4);
    sq->record<kp::OpAlgoDispatch>(algorithm)->record<kp::OpAlgoDispatch>(algorithm)->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 3u);
    sq->record<kp::OpAlgoDispatch>(algorithm)->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 2u);
}

TEST_F(TimestampTest, ThrowsBeforeANewRecordingRuns) {
    auto algorithm = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence(0, 8);
    sq->record<kp::OpAlgoDispatch>(algorithm)->eval();
    sq->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpAlgoDispatch>(algorithm)->record<kp::OpAlgoDispatch>(algorithm);
    EXPECT_THROW(sq->getTimestamps(), kp::InvalidArgument);
    sq->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 4u);
}

TEST_F(TimestampTest, AttributesTheTimeToTheSlowKernel) {
    const auto data = manager.tensorT<uint32_t>(std::vector<uint32_t>(1 << 14, 1));
    const auto work = manager.algorithm<uint32_t, uint32_t>(
        {data},
        spirv(shader(buffer(0, "", "uint", "v") + "layout(push_constant) uniform P { uint n; };",
                     "uint x = v[i]; for (uint k = 0u; k < n; ++k) x = x * 1664525u + 1013904223u;"
                     "v[i] = x;")),
        {1 << 14, 1, 1}, {}, {0});
    const std::vector<uint32_t> iterations{1, 30'000, 1, 1, 10'000, 1};
    const auto sq = manager.sequence(0, 10);
    sq->record<kp::OpSyncDevice>({data});
    for (const uint32_t n : iterations)
        sq->record<kp::OpAlgoDispatch>(work, std::vector<uint32_t>{n});
    // The shortest of several times: a busy machine interrupts a kernel now and then.
    std::vector<uint64_t> shortest(iterations.size(), UINT64_MAX);
    for (int round = 0; round < 4; ++round) {
        sq->eval();
        const auto ns = sq->getTimestampsNs();
        ASSERT_EQ(ns.size(), iterations.size() + 2);
        for (size_t i = 0; i < shortest.size(); ++i)
            shortest[i] = std::min<uint64_t>(shortest[i], ns[i + 2] - ns[i + 1]);
    }
    const auto duration = [&](size_t kernel) { return shortest[kernel]; };
    for (size_t i = 0; i < iterations.size(); ++i) {
        if (i != 1) {
            EXPECT_GT(duration(1), duration(i)) << i;
        }
        if (i != 1 && i != 4) {
            EXPECT_GT(duration(4), duration(i)) << i;
        }
    }
}

TEST_F(TimestampTest, StaysSortedIfLaunchesAreTimed) {
    const ScopedEnvironment timestamps("KOMPUTE_TIMESTAMPS", "launch");
    kp::ManagerOptions options;
    options.shareDevice = false;
    kp::Manager timed(options);
    ASSERT_TRUE(deviceOf(timed)->plan().launchTimestamps);
    const auto a = timed.tensorT<uint32_t>({0, 0, 0});
    const auto b = timed.tensorT<uint32_t>({0, 0, 0});
    const auto addToA = timed.algorithm({a}, addShader(1));
    const auto addToB = timed.algorithm({b}, addShader(1));
    const auto sq = timed.sequence(0, 20);
    sq->record<kp::OpAlgoDispatch>(addToA)
        ->record<kp::OpAlgoDispatch>(addToA) // waits for the dispatch before it
        ->record<kp::OpAlgoDispatch>(addToB) // does not
        ->record<kp::OpAlgoDispatch>(addToB)
        ->record<kp::OpCopy>({a, b})
        ->record<kp::OpFill>({a}, 7u)
        ->record<kp::OpAlgoDispatch>(addToB)
        ->record<kp::OpAlgoDispatch>(addToA);
    for (int round = 0; round < 3; ++round) {
        sq->eval();
        const auto ns = sq->getTimestampsNs();
        EXPECT_EQ(ns.size(), 9u);
        EXPECT_TRUE(std::is_sorted(ns.begin(), ns.end()));
        EXPECT_EQ(onDevice<uint32_t>(*a)[0], 8u);
    }
    // A recording with more operations than timestamps still has none.
    const auto few = timed.sequence(0, 1);
    few->record<kp::OpAlgoDispatch>(addToA)->record<kp::OpAlgoDispatch>(addToA)->eval();
    EXPECT_THROW(few->getTimestamps(), kp::InvalidArgument);
}

TEST_F(TimestampTest, ThrowsIfNoneWereRequested) {
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({t});
    EXPECT_ERROR(kp::InvalidArgument, "timestamp", sq->getTimestamps());
    EXPECT_THROW(sq->getTimestampsNs(), std::runtime_error);
}

TEST_F(TimestampTest, ThrowsIfTheRecordingHasMoreOperations) {
    auto algorithm = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence(0, 1);
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(algorithm)->record<kp::OpAlgoDispatch>(algorithm);
    sq->eval(); // the work itself succeeds
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 2u);
    EXPECT_THROW(sq->getTimestamps(), kp::InvalidArgument);
}

TEST_F(TimestampTest, DoesNotHangBeforeAnEvaluationOrAfterATimeout) {
    auto sq = manager.sequence(0, 5000);
    // Without a completed evaluation there is an error or no timestamps, but never a hang.
    try {
        EXPECT_TRUE(sq->getTimestamps().empty());
    } catch (const kp::InvalidArgument&) {
    }
    auto counter = manager.tensorT<uint32_t>({0});
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    sq->evalAwait(1000);
    try {
        EXPECT_TRUE(sq->getTimestamps().empty());
    } catch (const kp::InvalidArgument&) {
    }
}

} // namespace
} // namespace kp::test

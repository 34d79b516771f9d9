// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <functional>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kompute/queue/Queue.hpp>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "vulkan/memory/SharedScratch.hpp"

namespace kp::test {
namespace {

using Tensors = std::vector<std::shared_ptr<kp::TensorT<float>>>;

std::shared_ptr<kp::TensorT<float>> numbers(kp::Manager& manager, size_t count, float first = 1) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), first);
    return manager.tensorT<float>(values);
}

/// A device's activity during a call.
kp::Activity during(const kp::Manager& manager, const std::function<void()>& call) {
    const kp::Activity before = manager.activity();
    call();
    const kp::Activity after = manager.activity();
    return {after.launches - before.launches, after.submissions - before.submissions,
            after.waits - before.waits};
}

class QueueLaunch : public ::testing::Test {
protected:
    kp::Manager manager;
    const std::shared_ptr<kp::Queue> queue = manager.defaultQueue();
};

TEST_F(QueueLaunch, RunsPrimitivesWithoutWaiting) {
    const auto in = numbers(manager, 1000);
    const auto sums = manager.tensorT<float>(std::vector<float>(1000));
    const auto order = manager.tensorT<float>(std::vector<float>(1000));
    const auto scan = std::make_shared<kp::OpScan>(in, sums, kp::ReduceOperation::eSum);
    const auto reverse = std::make_shared<kp::OpReverse>(sums, order);
    const auto launchBoth = [&] {
        queue->launch(scan);
        queue->launch(reverse);
    };
    launchBoth(); // the first launch fills memory of its own, which some devices wait for
    queue->finish();
    const kp::Activity done = during(manager, launchBoth);
    EXPECT_EQ(done.launches, 2u);
    EXPECT_LE(done.submissions, 2u);
    EXPECT_EQ(done.waits, 0u);
    EXPECT_EQ(order->vector()[0], 500500.0f);
    EXPECT_EQ(order->vector()[999], 1.0f);
    EXPECT_GE(manager.activity().waits, 1u);
}

TEST_F(QueueLaunch, RunsSeveralOperationsInOneSubmission) {
    const auto in = numbers(manager, 100);
    const auto sums = manager.tensorT<float>(std::vector<float>(100));
    const auto total = manager.tensorT<float>({0});
    queue->finish();
    const kp::Activity done = during(manager, [&] {
        queue->launch({std::make_shared<kp::OpScan>(in, sums, kp::ReduceOperation::eSum),
                       std::make_shared<kp::OpReduce>(sums, total, kp::ReduceOperation::eMaximum)});
    });
    EXPECT_EQ(done.launches, 1u);
    EXPECT_EQ(done.submissions, 1u);
    EXPECT_EQ(total->vector()[0], 5050.0f);
}

TEST_F(QueueLaunch, RefusesNull) {
    EXPECT_THROW(queue->launch(std::shared_ptr<kp::OpBase>()), kp::InvalidArgument);
    EXPECT_TRUE(queue->launch(std::vector<std::shared_ptr<kp::OpBase>>()).done());
}

TEST_F(QueueLaunch, WaitsForEventsOfTheHost) {
    const auto in = numbers(manager, 64);
    const auto sums = manager.tensorT<float>(std::vector<float>(64));
    kp::UserEvent event;
    const kp::Event scanned =
        queue->launch(std::make_shared<kp::OpScan>(in, sums, kp::ReduceOperation::eSum), {event});
    EXPECT_EQ(scanned.status(), kp::EventStatus::eQueued);
    event.set();
    scanned.wait();
    EXPECT_EQ(sums->vector()[63], 2080.0f);
}

TEST_F(QueueLaunch, KeepsWhatTheDeviceUses) {
    std::vector<std::shared_ptr<kp::TensorT<float>>> results;
    for (int i = 0; i < 50; ++i) {
        const auto in = numbers(manager, 5000, static_cast<float>(i));
        const auto between = manager.tensorT<float>(std::vector<float>(5000));
        results.push_back(manager.tensorT<float>(std::vector<float>(5000)));
        queue->launch(std::make_shared<kp::OpReverse>(in, between));
        queue->launch(std::make_shared<kp::OpSort>(between, kp::TensorRange(), [&] {
            kp::SortOptions options;
            options.sortedKeys = results.back();
            return options;
        }()));
    }
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(results[i]->vector()[0], static_cast<float>(i));
        EXPECT_EQ(results[i]->vector()[4999], static_cast<float>(i + 4999));
    }
}

TEST_F(QueueLaunch, SharesScratchMemoryBetweenLaunches) {
    const auto keys = numbers(manager, 100'000);
    const auto sorted = manager.tensorT<float>(std::vector<float>(100'000));
    kp::SortOptions options;
    options.sortedKeys = sorted;
    const auto launch = [&] {
        queue->launch(std::make_shared<kp::OpSort>(keys, kp::TensorRange(), options));
    };
    // A function that has not returned lets all launches wait for it.
    std::promise<void> go;
    const kp::Event held =
        queue->hostFunction([&, ready = go.get_future().share()] { ready.wait(); });
    for (int i = 0; i < 3; ++i)
        launch();
    go.set_value();
    queue->finish();
    const uint64_t once = deviceOf(manager)->sharedScratch().bytes();
    for (int i = 0; i < 40; ++i)
        launch();
    queue->finish();
    EXPECT_EQ(deviceOf(manager)->sharedScratch().bytes(), once);
    EXPECT_EQ(sorted->vector()[99'999], 100'000.0f);
    if (once != 0) {
        EXPECT_TRUE(deviceOf(manager)->clearBufferPools());
    }
    EXPECT_EQ(deviceOf(manager)->sharedScratch().bytes(), 0u);
}

TEST_F(QueueLaunch, IsThreadSafe) {
    constexpr int kThreads = 4;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int number = 0; number < kThreads; ++number)
        threads.emplace_back([&, number] {
            for (int i = 0; i < 25; ++i) {
                const auto in = numbers(manager, 3000, static_cast<float>(number));
                const auto out = manager.tensorT<float>(std::vector<float>(3000));
                kp::SortOptions options;
                options.descending = true;
                options.sortedKeys = out;
                queue->launch(std::make_shared<kp::OpSort>(in, kp::TensorRange(), options));
                wrong += out->vector()[0] != static_cast<float>(number + 2999);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(QueueLaunch, GivesTimesOnAProfilingQueue) {
    const auto profiled = manager.queue(0, true, true);
    if (!profiled->profiling())
        GTEST_SKIP() << "no timestamps";
    const auto in = numbers(manager, 1000);
    const auto out = manager.tensorT<float>(std::vector<float>(1000));
    const kp::Event event = profiled->launch(std::make_shared<kp::OpReverse>(in, out));
    event.wait();
    EXPECT_TRUE(event.profile().has_value());
    EXPECT_EQ(out->vector()[0], 1000.0f);
}

TEST_F(QueueLaunch, OperationsThatAreAlikeShareTheirPlan) {
    const auto device = deviceOf(manager);
    kp::primitives::KnownPlans& known = kp::primitives::KnownPlans::of(*device);
    struct Problem {
        int number;
        bool operator==(const Problem&) const = default;
    };
    int made = 0;
    const auto plan = [&](int number) {
        return known.get(Problem{number}, {}, [&] {
            ++made;
            return kp::primitives::PreparedPlan(device, kp::primitives::Plan(1), {});
        });
    };
    const auto first = plan(1);
    EXPECT_EQ(plan(1), first);
    EXPECT_NE(plan(2), first);
    EXPECT_EQ(made, 2);
    for (int i = 0; i < static_cast<int>(kp::primitives::KnownPlans::kMaxPlans); ++i)
        plan(i + 2); // the first one is forgotten
    EXPECT_NE(plan(1), first);
    device->clearBufferPools();
    made = 0;
    plan(2);
    EXPECT_EQ(made, 1);
}

TEST_F(QueueLaunch, ASecondSeedNeedsNoOtherPlan) {
    const auto first = manager.tensorT<uint32_t>(std::vector<uint32_t>(100));
    const auto second = manager.tensorT<uint32_t>(std::vector<uint32_t>(100));
    const auto again = manager.tensorT<uint32_t>(std::vector<uint32_t>(100));
    const auto fill = [&](const auto& out, uint64_t seed) {
        queue->launch(std::make_shared<kp::OpRandom>(out, kp::Distribution::bits(),
                                                     kp::RandomState{seed, 5, 7}));
    };
    fill(first, 1);
    fill(second, 2);
    fill(again, 1);
    EXPECT_EQ(first->vector(), again->vector());
    EXPECT_NE(first->vector(), second->vector());
}

} // namespace
} // namespace kp::test

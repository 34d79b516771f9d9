// SPDX-License-Identifier: Apache-2.0
//
// Timeouts, events, and destroying objects while the device uses them.
#include <chrono>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

class WaitTest : public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<uint32_t>> counter = manager.tensorT<uint32_t>({0});

    void SetUp() override { manager.sequence()->eval<kp::OpSyncDevice>({counter}); }
    uint32_t value() { return onDevice<uint32_t>(*counter)[0]; }
};

/// Counts the calls of its hooks.
struct CountingOp : kp::OpBase {
    int pre = 0, post = 0;
    kp::Accesses accesses() override { return {}; }
    void record(const vk::CommandBuffer&) override {}
    void preEval(const vk::CommandBuffer&) override { ++pre; }
    void postEval(const vk::CommandBuffer&) override { ++post; }
};

TEST_F(WaitTest, ReusesASequenceRightAfterATimeout) {
    auto sq = manager.sequence();
    const auto op = std::make_shared<CountingOp>();
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->record(op);
    sq->evalAsync();
    sq->evalAwait(1000);
    EXPECT_FALSE(sq->isRunning());
    EXPECT_FALSE(sq->event().done()) << "the work was too fast for this test";
    EXPECT_EQ(op->post, 0);

    sq->evalAsync(); // the same recording, while its first run is not finished
    EXPECT_TRUE(sq->isRunning());
    sq->evalAwait(1000);
    EXPECT_FALSE(sq->isRunning());
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({counter}, addShader(5)));
    sq->eval();
    EXPECT_EQ(value(), 2 * steps + 5);
    EXPECT_EQ(op->pre, 2);
    EXPECT_EQ(op->post, 0);
}

TEST_F(WaitTest, TellsWhetherItTimedOut) {
    auto sq = manager.sequence();
    EXPECT_FALSE(sq->timedOut());
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->evalAsync()->evalAwait(1000);
    EXPECT_TRUE(sq->timedOut());
    sq->evalAsync();
    EXPECT_FALSE(sq->timedOut());
    sq->evalAwait();
    EXPECT_FALSE(sq->timedOut());
    EXPECT_EQ(value(), 2 * steps);
}

TEST_F(WaitTest, FinishesWorkWhoseWaitTimedOut) {
    auto sq = manager.sequence();
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->evalAsync()->evalAwait(1000);
    EXPECT_TRUE(manager.finish());
    EXPECT_TRUE(sq->event().done());
    EXPECT_EQ(value(), steps);
}

TEST_F(WaitTest, DropsASequenceWhoseWaitTimedOutAtOnce) {
    for (const bool drops : {false, true}) {
        auto sq = manager.sequence();
        recordSlowWork(manager, *sq, counter);
        sq->evalAsync();
        const kp::Event event = sq->event();
        sq->evalAwait(1000);
        if (drops)
            sq.reset();
        else
            sq->destroy();
        EXPECT_FALSE(event.done()) << "it waited, or the work was too fast for this test";
        event.wait();
    }
}

TEST_F(WaitTest, SaysThatCancelledWorkWasCancelled) {
    const kp::UserEvent never;
    auto sq = manager.sequence()->record<kp::OpFill>({counter}, 1u);
    sq->evalAsync({never});
    const kp::Event event = sq->event();
    sq.reset();
    try {
        event.wait();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const kp::Cancelled& error) {
        EXPECT_EQ(error.code(), kp::ErrorCode::eCancelled);
        EXPECT_NE(std::string(error.what()).find("cancelled"), std::string::npos);
    }
}

TEST_F(WaitTest, CancelsOneSequence) {
    const kp::UserEvent never;
    auto sq = manager.sequence()->record<kp::OpFill>({counter}, 1u);
    auto other =
        manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({counter}, addShader(5)));
    EXPECT_FALSE(sq->cancel()) << "nothing was evaluated";
    sq->evalAsync({never});
    kp::UserEvent soon;
    other->evalAsync({soon});
    const kp::Event event = sq->event();
    EXPECT_TRUE(sq->cancel());
    EXPECT_FALSE(sq->cancel());
    EXPECT_FALSE(sq->isRunning());
    EXPECT_EQ(event.status(), kp::EventStatus::eError);
    EXPECT_ERROR(kp::Cancelled, "its sequence was cancelled", event.wait());
    soon.set();
    other->evalAwait();
    EXPECT_EQ(value(), 5u);
    sq->eval(); // at once
    EXPECT_EQ(value(), 1u);
}

TEST_F(WaitTest, CancelsASequenceWhoseWaitTimedOut) {
    kp::UserEvent later;
    auto sq = manager.sequence()->record<kp::OpFill>({counter}, 1u);
    sq->evalAsync({later})->evalAwait(1000);
    EXPECT_TRUE(sq->timedOut());
    EXPECT_TRUE(sq->cancel());
    later.set();
    manager.waitIdle();
    EXPECT_EQ(value(), 0u);
}

TEST_F(WaitTest, DoesNotCancelWhatTheDeviceHas) {
    auto sq = manager.sequence();
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    EXPECT_FALSE(sq->cancel());
    EXPECT_TRUE(sq->isRunning());
    sq->evalAwait();
    EXPECT_EQ(value(), steps);
    EXPECT_FALSE(sq->cancel());
}

TEST_F(WaitTest, RerecordsClearsAndDestroysASequenceAfterTimeouts) {
    auto sq = manager.sequence();
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    sq->evalAwait(1000);
    sq->rerecord();
    sq->evalAsync();
    sq->evalAwait(1000);
    sq->clear();
    sq->destroy();
    EXPECT_EQ(value(), 2 * steps);
}

TEST_F(WaitTest, AcceptsAZeroTimeout) {
    auto sq = manager.sequence();
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    sq->evalAwait(0);
    EXPECT_FALSE(sq->isRunning());
    EXPECT_EQ(value(), steps);
}

TEST_F(WaitTest, MeasuresTimeoutsInNanoseconds) {
    auto sq = manager.sequence();
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    const auto start = std::chrono::steady_clock::now();
    sq->evalAwait(2'000'000);
    const auto waited = std::chrono::steady_clock::now() - start;
    EXPECT_GE(waited, std::chrono::milliseconds(1));
    EXPECT_FALSE(sq->event().done()) << "the work was too fast for this test";
}

TEST_F(WaitTest, DestroysARunningSequence) {
    uint32_t steps = 0;
    {
        auto sq = manager.sequence();
        steps = recordSlowWork(manager, *sq, counter);
        sq->evalAsync();
    }
    EXPECT_EQ(value(), steps);
    auto sq = manager.sequence();
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    const kp::Event event = sq->event();
    sq->destroy();
    EXPECT_TRUE(event.done());
    EXPECT_FALSE(sq->isRunning());
}

TEST_F(WaitTest, DestroysAManagerWithARunningSequence) {
    auto other = std::make_unique<kp::Manager>();
    auto mine = other->tensorT<uint32_t>({0});
    auto sq = other->sequence();
    sq->record<kp::OpSyncDevice>({mine});
    recordSlowWork(*other, *sq, mine);
    sq->evalAsync();
    const kp::Event event = sq->event();
    other.reset();
    EXPECT_TRUE(event.wait());
    EXPECT_FALSE(sq->isInit());
    EXPECT_FALSE(mine->isInit());
}

TEST_F(WaitTest, KeepsTheAlgorithmsOfARunningSequence) {
    auto sq = manager.sequence();
    const uint32_t steps =
        recordSlowWork(manager, *sq, counter); // only the sequence keeps its algorithm
    sq->evalAsync();
    sq->evalAwait();
    EXPECT_EQ(value(), steps);
}

TEST_F(WaitTest, SignalsTheEventOfASequence) {
    auto sq = manager.sequence();
    EXPECT_TRUE(sq->event().done()); // nothing submitted yet
    EXPECT_TRUE(sq->event().wait(0));
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    const kp::Event event = sq->event();
    EXPECT_FALSE(event.done());
    EXPECT_FALSE(event.wait(1000));
    EXPECT_GT(event.value(), 0u);
    EXPECT_TRUE(event.wait());
    EXPECT_TRUE(event.done());
    EXPECT_TRUE(sq->isRunning()); // until evalAwait()
    sq->evalAwait();
    sq->eval();
    EXPECT_GT(sq->event().value(), event.value());
}

TEST_F(WaitTest, KeepsEventsAfterTheirSequenceAndManager) {
    kp::Event event;
    EXPECT_TRUE(event.done());
    EXPECT_TRUE(event.wait());
    EXPECT_EQ(event.value(), 0u);
    {
        kp::Manager other;
        auto mine = other.tensorT<uint32_t>({0});
        auto sq = other.sequence();
        recordSlowWork(other, *sq, mine);
        sq->evalAsync();
        event = sq->event();
    }
    EXPECT_TRUE(event.wait());
    const kp::Event copy = event;
    EXPECT_TRUE(copy.done());
    EXPECT_EQ(copy.value(), event.value());
}

TEST_F(WaitTest, WaitsForEventsOfOtherSequences) {
    auto first = manager.sequence();
    auto second = manager.sequence(manager.queueCount() - 1);
    const uint32_t steps = recordSlowWork(manager, *first, counter);
    auto result = manager.tensorT<uint32_t>({0});
    second->record<kp::OpAlgoDispatch>(manager.algorithm({counter, result}, copyShader()));
    second->record<kp::OpSyncLocal>({result});
    first->evalAsync();
    second->evalAsync({first->event(), kp::Event()});
    second->evalAwait();
    EXPECT_TRUE(first->event().done());
    EXPECT_EQ(result->vector()[0], steps);
    first->evalAwait();
}

TEST_F(WaitTest, RunsManySubmissionsInFlight) {
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    auto algorithm = manager.algorithm({counter}, addShader(1));
    for (int i = 0; i < 100; ++i) {
        sequences.push_back(manager.sequence());
        sequences.back()->record<kp::OpAlgoDispatch>(algorithm);
    }
    for (int round = 0; round < 5; ++round) {
        for (const auto& sq : sequences)
            sq->evalAsync();
        for (const auto& sq : sequences)
            sq->evalAwait();
    }
    EXPECT_EQ(value(), 500u);
}

TEST_F(WaitTest, WaitsToTheEndWithEveryPolicy) {
    for (const auto policy : {kp::WaitPolicy::eAuto, kp::WaitPolicy::eSpin, kp::WaitPolicy::eHybrid,
                              kp::WaitPolicy::eBlock}) {
        kp::ManagerOptions options;
        options.waitPolicy = policy;
        kp::Manager other(options);
        auto mine = other.tensorT<uint32_t>({0});
        auto sq = other.sequence();
        sq->record<kp::OpSyncDevice>({mine});
        const uint32_t steps = recordSlowWork(other, *sq, mine);
        sq->record<kp::OpSyncLocal>({mine})->eval();
        EXPECT_EQ(mine->vector()[0], steps);
        sq->evalAsync();
        sq->evalAwait(1000);
        EXPECT_FALSE(sq->isRunning());
    }
}

} // namespace
} // namespace kp::test

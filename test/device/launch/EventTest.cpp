// SPDX-License-Identifier: Apache-2.0
//
// Events, user events and queues.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "device/CallCounter.hpp"
#include "device/launch/LaunchSupport.hpp"

namespace kp::test {
namespace {

using EventTest = LaunchTest;

constexpr uint64_t kShort = 1'000'000; // 1 ms

TEST_F(EventTest, UserEventIsDoneWhenItIsSet) {
    kp::UserEvent event;
    EXPECT_FALSE(event.done());
    EXPECT_EQ(event.status(), kp::EventStatus::eQueued);
    EXPECT_FALSE(event.wait(kShort));
    event.set();
    EXPECT_TRUE(event.done());
    EXPECT_TRUE(event.wait());
    EXPECT_EQ(event.status(), kp::EventStatus::eComplete);
    EXPECT_ERROR(InvalidArgument, "once only", event.set());
}

TEST_F(EventTest, RefusesAnEmptyCallback) {
    kp::UserEvent event;
    EXPECT_ERROR(kp::InvalidArgument, "empty function", kp::whenDone(event, {}));
    event.set();
    EXPECT_ERROR(kp::InvalidArgument, "empty function", kp::whenDone(event, nullptr));
    EXPECT_ERROR(kp::InvalidArgument, "empty function",
                 kp::whenDone(event, std::function<void()>()));
    void (*const none)() = nullptr;
    EXPECT_ERROR(kp::InvalidArgument, "empty function", kp::whenDone(event, none));
}

TEST_F(EventTest, CallsAnyKindOfCallback) {
    static std::atomic<int> calls{0};
    calls = 0;
    struct Counter {
        std::unique_ptr<int> owned = std::make_unique<int>(1); // cannot be copied
        void operator()() { calls += *owned; }
    };
    void (*const pointer)() = [] { ++calls; };
    kp::UserEvent event;
    kp::Callback named = [] { ++calls; };
    const kp::Callback copy = named; // NOLINT(performance-unnecessary-copy-initialization)
    kp::whenDone(event, Counter());
    kp::whenDone(event, pointer);
    kp::whenDone(event, named);
    kp::whenDone(event, copy);
    kp::whenDone(event, std::function<void()>([] { ++calls; }));
    kp::whenDone(event, [state = 0]() mutable { calls += ++state; });
    EXPECT_EQ(calls, 0);
    event.set();
    for (int i = 0; i < 10'000 && calls < 6; ++i) // called in a thread of the library
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(calls, 6);
    EXPECT_FALSE(static_cast<bool>(kp::Callback()));
}

TEST_F(EventTest, FailedUserEventThrowsItsError) {
    kp::UserEvent event;
    event.fail(std::domain_error("planted"));
    EXPECT_EQ(event.status(), kp::EventStatus::eError);
    EXPECT_TRUE(event.done());
    EXPECT_THROW(event.wait(), std::domain_error);
}

TEST_F(EventTest, AbandonedUserEventFails) {
    kp::Event event;
    {
        kp::UserEvent abandoned;
        event = abandoned;
    }
    EXPECT_ERROR(InvalidArgument, "given up", event.wait());
}

TEST_F(EventTest, SequenceWaitsForAUserEvent) {
    auto tensor = manager.tensorT<uint32_t>({1, 2, 3});
    auto algorithm = manager.algorithm({tensor}, addShader(5));
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({tensor})
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->record<kp::OpSyncLocal>({tensor});
    kp::UserEvent gate;
    sequence->evalAsync({gate});
    const kp::Event event = sequence->event();
    EXPECT_EQ(event.status(), kp::EventStatus::eQueued);
    EXPECT_TRUE(sequence->isRunning());
    EXPECT_FALSE(event.wait(kShort));
    gate.set();
    sequence->evalAwait();
    EXPECT_TRUE(event.done());
    EXPECT_EQ(tensor->vector(), (std::vector<uint32_t>{6, 7, 8}));
    sequence->eval();
    EXPECT_EQ(tensor->vector(), (std::vector<uint32_t>{11, 12, 13}));
}

TEST_F(EventTest, SequenceFailsWithTheEventItWaitsFor) {
    auto tensor = manager.tensorT<uint32_t>({1});
    auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, addShader(5)));
    kp::UserEvent gate;
    sequence->evalAsync({gate});
    gate.fail(std::domain_error("planted"));
    EXPECT_THROW(sequence->evalAwait(), std::domain_error);
    EXPECT_FALSE(sequence->isRunning());
    EXPECT_THROW(sequence->evalAsync({gate}), std::domain_error);
    EXPECT_FALSE(sequence->isRunning());
    EXPECT_NO_THROW(sequence->eval());
}

TEST_F(EventTest, SequenceIsUsableAfterATimeoutBeforeItsSubmission) {
    auto tensor = manager.tensorT<uint32_t>({1}, kp::Memory::MemoryTypes::eHost);
    auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, addShader(5)));
    kp::UserEvent gate;
    sequence->evalAsync({gate});
    const kp::Event first = sequence->event();
    sequence->evalAwait(kShort);
    EXPECT_FALSE(sequence->isRunning());
    sequence->eval();
    EXPECT_EQ(tensor->vector()[0], 6u);
    gate.set();
    first.wait();
    EXPECT_EQ(tensor->vector()[0], 11u);
}

TEST_F(EventTest, DestroyedSequenceIsCancelled) {
    auto tensor = manager.tensorT<uint32_t>({1}, kp::Memory::MemoryTypes::eHost);
    kp::UserEvent gate;
    kp::Event event;
    {
        auto sequence = manager.sequence();
        sequence->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, addShader(5)));
        sequence->evalAsync({gate});
        event = sequence->event();
    }
    EXPECT_ERROR(Cancelled, "cancelled before", event.wait());
    gate.set();
    manager.waitIdle();
    EXPECT_EQ(tensor->vector()[0], 1u);
}

TEST_F(EventTest, SequenceWaitsForAnUnsubmittedSequence) {
    auto tensor = manager.tensorT<uint32_t>({1}, kp::Memory::MemoryTypes::eHost);
    auto first = manager.sequence();
    auto second = manager.sequence();
    first->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, addShader(5)));
    second->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, addShader(100)));
    kp::UserEvent gate;
    first->evalAsync({gate});
    second->evalAsync({first->event()});
    EXPECT_FALSE(second->event().done());
    gate.set();
    second->evalAwait();
    first->evalAwait();
    EXPECT_EQ(tensor->vector()[0], 106u);
}

TEST_F(EventTest, WaitsForAllOrAnyEvents) {
    kp::UserEvent a;
    kp::UserEvent b;
    EXPECT_FALSE(kp::Event::waitAll({a, b}, kShort));
    EXPECT_EQ(kp::Event::waitAny({a, b}, kShort), std::nullopt);
    std::thread later([&] { b.set(); });
    EXPECT_EQ(kp::Event::waitAny({a, b}), std::optional<size_t>(1));
    later.join();
    a.fail(std::domain_error("planted"));
    EXPECT_THROW(kp::Event::waitAll({b, a}), std::domain_error);
    EXPECT_THROW(kp::Event::waitAny({a, b}), std::domain_error);
    EXPECT_EQ(kp::Event::waitAny({b, a}), std::optional<size_t>(0));
    EXPECT_TRUE(kp::Event::waitAll({}));
    EXPECT_ERROR(InvalidArgument, "no events", kp::Event::waitAny({}));
}

TEST_F(EventTest, WaitAnyReturnsFinishedDeviceWork) {
    auto tensor = floats({1});
    auto launcher = fixed("x2", tensor, 2, 0);
    kp::UserEvent never;
    const kp::Event event = *(*launcher)(on(queue));
    EXPECT_EQ(kp::Event::waitAny({never, event}), std::optional<size_t>(1));
}

TEST_F(EventTest, HostFunctionsOfAQueueRunInOrder) {
    std::vector<int> order;
    kp::UserEvent gate;
    queue->hostFunction([&] { order.push_back(1); }, {gate});
    const kp::Event last = queue->hostFunction([&] { order.push_back(2); });
    EXPECT_FALSE(last.done());
    gate.set();
    last.wait();
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
    EXPECT_ERROR(InvalidArgument, "empty", queue->hostFunction(nullptr));
}

TEST_F(EventTest, FailureDoesNotStopTheQueue) {
    const kp::Event failed = queue->hostFunction([] { throw std::domain_error("planted"); });
    std::atomic<bool> ran{false};
    const kp::Event dependent = queue->hostFunction([&] { ran = true; }, {failed});
    const kp::Event next = queue->hostFunction([] {});
    EXPECT_THROW(dependent.wait(), std::domain_error);
    EXPECT_FALSE(ran);
    EXPECT_NO_THROW(next.wait());
    EXPECT_NO_THROW(queue->finish());
    EXPECT_THROW(failed.wait(), std::domain_error);
}

TEST_F(EventTest, UnobservedFailureIsLogged) {
    queue->hostFunction([] { throw std::domain_error("planted and left"); });
    queue->finish();
    queue->hostFunction([] {}).wait();
    for (int i = 0; i < 1000 && logText().find("planted and left") == std::string::npos; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_NE(logText().find("planted and left"), std::string::npos);
}

TEST_F(EventTest, OutOfOrderQueueOvertakesWaitingWork) {
    const auto outOfOrder = manager.queue(0, false);
    EXPECT_FALSE(outOfOrder->inOrder());
    kp::UserEvent gate;
    const kp::Event held = outOfOrder->hostFunction([] {}, {gate});
    const kp::Event free = outOfOrder->hostFunction([] {});
    free.wait();
    EXPECT_FALSE(held.done());
    const kp::Event barrier = outOfOrder->barrier();
    const kp::Event after = outOfOrder->hostFunction([] {});
    EXPECT_FALSE(barrier.wait(kShort));
    EXPECT_FALSE(after.done());
    gate.set();
    after.wait();
    EXPECT_TRUE(held.done());
    EXPECT_TRUE(barrier.done());
}

TEST_F(EventTest, BarrierWaitsForEventsAndFailsWithThem) {
    kp::UserEvent gate;
    const kp::Event barrier = queue->barrier({gate});
    EXPECT_FALSE(barrier.done());
    gate.fail(std::domain_error("planted"));
    EXPECT_THROW(barrier.wait(), std::domain_error);
    EXPECT_TRUE(queue->barrier().wait());
    EXPECT_THROW(queue->barrier({gate}).wait(), std::domain_error);
}

TEST_F(EventTest, QueuesPastTheLastAreVirtual) {
    const uint32_t count = manager.queueCount();
    EXPECT_FALSE(queue->isVirtual());
    EXPECT_EQ(queue->name(), "queue 0");
    const auto more = manager.queue(count + 2);
    EXPECT_TRUE(more->isVirtual());
    EXPECT_NE(more->name().find("virtual"), std::string::npos);
    EXPECT_EQ(more->index(), count + 2);
    auto tensor = floats({1});
    auto launcher = fixed("x2", tensor, 2, 0);
    (*launcher)(on(more))->wait();
    EXPECT_EQ(tensor->vector()[0], 2.0f);
}

TEST_F(EventTest, LaunchWaitsForEventsOfAnotherDevice) {
    kp::ManagerOptions options;
    options.timelineSemaphores = false; // another VkDevice, unless all managers use fences
    kp::Manager other(options);
    auto theirs = other.queue();
    kp::UserEvent gate;
    std::atomic<bool> first{false};
    const kp::Event before = theirs->hostFunction([&] { first = true; }, {gate});
    kp::Kernel kernel(other, std::string(kScaleShader));
    auto tensor = other.tensorT<float>({3}, kp::Memory::MemoryTypes::eHost);
    auto launcher = std::make_shared<kp::KernelLauncher>(
        "theirs", kernel, kp::Arguments{tensor, 2.0f, 0.0f}, sized(1));
    const kp::Event device = *(*launcher)(on(theirs));
    auto mine = floats({1});
    auto own = fixed("own", mine, 5, 0);
    const kp::Event event = *(*own)(on(queue, {before, device}));
    EXPECT_FALSE(event.done());
    gate.set();
    event.wait();
    EXPECT_TRUE(first);
    EXPECT_TRUE(device.done());
    EXPECT_EQ(mine->vector()[0], 5.0f);
}

TEST_F(EventTest, EventsAndQueuesOutliveTheManager) {
    kp::Event event;
    std::shared_ptr<kp::Queue> kept;
    {
        kp::Manager own;
        kept = own.queue(0, true, true);
        kp::Kernel kernel(own, std::string(kScaleShader));
        auto tensor = own.tensorT<float>({3}, kp::Memory::MemoryTypes::eHost);
        kp::KernelLauncher launcher("short", kernel, {tensor, 2.0f, 0.0f}, sized(1));
        event = *launcher(on(kept));
    }
    EXPECT_TRUE(event.wait());
    EXPECT_TRUE(kept->barrier().wait());
    event.profile();
}

TEST_F(EventTest, LongBarrierChainDoesNotOverflowTheStack) {
    kp::UserEvent gate;
    constexpr int kBarriers = 20'000;
    auto tensor = floats({0});
    auto launcher = fixed("one more", tensor, 1, 1);
    kp::Event last = gate;
    for (int i = 0; i < kBarriers; ++i)
        last = queue->barrier({last});
    const kp::Event end = *(*launcher)(on(queue, {last}));
    CallCounter calls(manager);
    gate.set();
    end.wait();
    EXPECT_EQ(calls.submits(), 1u) << "barriers of one queue need no submission";
    EXPECT_EQ(tensor->vector()[0], 1.0f);
}

TEST(EventsWithoutTimelines, KeepTheOrderByMemoryOfWhatWaitsForAnotherQueue) {
    kp::ManagerOptions options;
    options.timelineSemaphores = false;
    const std::vector<uint32_t> queues = kp::Manager().deviceInfo().computeQueues;
    for (uint32_t family = 0; family < queues.size(); ++family)
        options.queueFamilies.insert(options.queueFamilies.end(), std::min(queues[family], 2u),
                                     family);
    if (options.queueFamilies.size() < 2)
        GTEST_SKIP() << "the device has one queue";
    kp::Manager manager(options);
    const auto counter = manager.tensorT<uint32_t>({0});
    const auto slow = manager.sequence(0);
    recordSlowWork(manager, *slow, counter);
    slow->evalAsync();
    const auto source = manager.tensorT<uint32_t>({1, 1}, kp::Memory::MemoryTypes::eStorage);
    const auto copy = manager.tensorT<uint32_t>(2, kp::Memory::MemoryTypes::eStorage);
    const auto copying = manager.sequence(1);
    copying->record<kp::OpCopy>({source, copy})->evalAsync({slow->event()});
    manager.sequence(1)->eval<kp::OpFill>({source}, 2u);
    copying->evalAwait();
    std::vector<uint32_t> values(2);
    copy->download(values);
    EXPECT_EQ(values, (std::vector<uint32_t>{1, 1}));
}

} // namespace
} // namespace kp::test

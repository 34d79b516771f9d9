// SPDX-License-Identifier: Apache-2.0
//
// What several threads may do at the same time with queues, events and launchers. Also run under
// the thread sanitizer.
#include <atomic>

#include "device/Threads.hpp"
#include "device/launch/LaunchSupport.hpp"

namespace kp::test {
namespace {

class LaunchThreadsTest : public LaunchTest {
protected:
    static constexpr int kThreads = 4;
};

TEST_F(LaunchThreadsTest, ThreadsShareAQueue) {
    constexpr int kLaunches = 30;
    for (const bool profiling : {false, true}) {
        const auto shared = manager.queue(0, true, profiling);
        std::vector<std::shared_ptr<kp::TensorT<float>>> tensors;
        std::vector<std::shared_ptr<kp::KernelListLauncher>> lists;
        std::atomic<int> hostRuns{0};
        for (int i = 0; i < kThreads; ++i) {
            tensors.push_back(floats({0}));
            auto list = std::make_shared<kp::KernelListLauncher>("list");
            *list += parametrized("add", tensors.back());
            *list += std::make_shared<kp::HostLauncher>("host", [&] { ++hostRuns; });
            *list += fixed("+1", tensors.back(), 1, 1);
            lists.push_back(std::move(list));
        }
        inThreads(kThreads, [&](int number) {
            for (int i = 0; i < kLaunches; ++i)
                (*lists[static_cast<size_t>(number)])(shared, {},
                                                      {{"scale", 1.0f}, {"offset", 1.0f}});
        });
        shared->finish();
        EXPECT_EQ(hostRuns, kThreads * kLaunches);
        for (int i = 0; i < kThreads; ++i) {
            EXPECT_EQ(tensors[static_cast<size_t>(i)]->vector()[0], 2.0f * kLaunches);
            const kp::StatisticsByName statistics = lists[static_cast<size_t>(i)]->statistics();
            EXPECT_EQ(statistics.at("add").count(),
                      profiling && shared->profiling() ? uint64_t{kLaunches} : 0u);
        }
    }
}

TEST_F(LaunchThreadsTest, ThreadsWaitForOneUserEvent) {
    kp::UserEvent gate;
    auto tensor = floats({1});
    auto launcher = fixed("x2", tensor, 2, 0);
    const kp::Event launched = *(*launcher)(on(queue, {gate}));
    std::atomic<int> seen{0};
    inThreads(kThreads, [&](int number) {
        if (number == 0)
            gate.set();
        launched.wait();
        if (launched.done() && launched.status() == kp::EventStatus::eComplete)
            ++seen;
    });
    EXPECT_EQ(seen, kThreads);
}

TEST_F(LaunchThreadsTest, EventsCanBeFetchedWhileAnotherThreadLaunches) {
    const auto timed = manager.queue(0, true, true);
    auto launcher = fixed("x1", floats({1}), 1, 0);
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        while (!stop)
            for (const kp::Event& event : launcher->events())
                event.profile();
    });
    for (int i = 0; i < 100; ++i)
        (*launcher)(on(timed));
    timed->finish();
    stop = true;
    reader.join();
    if (timed->profiling()) {
        EXPECT_EQ(launcher->statistics().count(), 100u);
    }
}

TEST_F(LaunchThreadsTest, SequencesWaitForEventsSetInOtherThreads) {
    auto tensor = manager.tensorT<uint32_t>({0}, kp::Memory::MemoryTypes::eHost);
    std::vector<kp::UserEvent> gates(kThreads);
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    std::vector<kp::Event> last;
    for (int i = 0; i < kThreads; ++i) {
        auto sequence = manager.sequence();
        sequence->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, addShader(1)));
        std::vector<kp::Event> waits = last;
        waits.push_back(gates[static_cast<size_t>(i)]);
        sequence->evalAsync(waits);
        last = {sequence->event()};
        sequences.push_back(std::move(sequence));
    }
    inThreads(kThreads, [&](int number) { gates[static_cast<size_t>(number)].set(); });
    for (const auto& sequence : sequences)
        sequence->evalAwait();
    EXPECT_EQ(tensor->vector()[0], uint32_t{kThreads});
}

} // namespace
} // namespace kp::test

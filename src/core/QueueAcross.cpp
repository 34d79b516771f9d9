// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <utility>

#include "core/HostWorkers.hpp"
#include "core/QueueImpl.hpp"

namespace kp {
namespace {

/// What a launch on several queues is until its function has run.
class Across : public std::enable_shared_from_this<Across> {
public:
    using Function = std::function<void(std::vector<vulkan::TimelinePoint>&)>;

    Across(std::vector<std::shared_ptr<Queue>> queues, Function function,
           std::vector<std::shared_ptr<EventState>> states)
        : mQueues(std::move(queues)), mFunction(std::move(function)), mStates(std::move(states)) {}

    /// @param before  states of the queues that are to be resolved first
    void start(const std::vector<std::shared_ptr<EventState>>& before, Dependencies&& waits) {
        mRemaining.store(before.size() + 1, std::memory_order_relaxed);
        for (const std::shared_ptr<EventState>& state : before)
            state->whenResolved([self = shared_from_this()] { self->arrive(); });
        std::move(waits).then(
            [self = shared_from_this()](const std::exception_ptr& failure, Dependencies::Points&&) {
                self->mFailure = failure;
                self->arrive();
            });
    }

private:
    void arrive() {
        if (mRemaining.fetch_sub(1, std::memory_order_acq_rel) != 1)
            return;
        HostWorkers::instance().post([self = shared_from_this()] { self->run(); });
    }

    void run() {
        if (mFailure) {
            for (const std::shared_ptr<EventState>& state : mStates)
                state->fail(mFailure, true);
            return;
        }
        std::vector<vulkan::TimelinePoint> ends(mQueues.size());
        for (const std::shared_ptr<EventState>& state : mStates)
            state->setRunning();
        try {
            mFunction(ends);
        } catch (...) {
            // Whoever waits for one of them hears of it; the others need not be logged.
            for (size_t i = 0; i < mStates.size(); ++i)
                mStates[i]->fail(std::current_exception(), i > 0);
            return;
        }
        mFunction = nullptr;
        for (size_t i = 0; i < mStates.size(); ++i) {
            if (ends[i].queue)
                mStates[i]->submitted(ends[i]);
            else
                mStates[i]->complete();
        }
    }

    const std::vector<std::shared_ptr<Queue>> mQueues; ///< keep the devices
    Function mFunction;
    const std::vector<std::shared_ptr<EventState>> mStates;
    std::atomic<size_t> mRemaining{0};
    std::exception_ptr mFailure;
};

} // namespace

std::vector<Event>
Queue::Impl::launchAcross(const std::vector<std::shared_ptr<Queue>>& queues,
                          const std::vector<Event>& waitFor,
                          std::function<void(std::vector<vulkan::TimelinePoint>&)> function) {
    Dependencies waits(nullptr, nullptr);
    for (const Event& event : waitFor)
        waits.add(event);
    std::vector<std::shared_ptr<EventState>> states;
    std::vector<Event> events;
    std::vector<Impl*> impls;
    for (const std::shared_ptr<Queue>& queue : queues) {
        states.push_back(queue->impl().newState(false));
        events.emplace_back(states.back());
        impls.push_back(&queue->impl());
    }
    // All at once, in an order that is the same for everyone: were two launches to enter two queues
    // in different orders, they would wait for each other.
    std::vector<size_t> order(impls.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return std::less<>()(impls[a], impls[b]); });
    std::vector<std::shared_ptr<EventState>> before;
    {
        std::vector<std::unique_lock<std::mutex>> locks;
        for (const size_t i : order)
            locks.emplace_back(impls[i]->mMutex);
        for (size_t i = 0; i < impls.size(); ++i) {
            if (impls[i]->mTail && !impls[i]->mTail->resolved())
                before.push_back(impls[i]->mTail);
            impls[i]->noteUnresolved(states[i]);
        }
    }
    std::make_shared<Across>(queues, std::move(function), std::move(states))
        ->start(before, std::move(waits));
    return events;
}

bool Queue::Impl::settled() {
    const std::lock_guard lock(mMutex);
    if (mTail && !mTail->resolved())
        return false;
    return std::all_of(mUnresolved.begin(), mUnresolved.end(),
                       [](const auto& state) { return state->resolved(); });
}

} // namespace kp

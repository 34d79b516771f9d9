// SPDX-License-Identifier: Apache-2.0
#include "core/queue/QueueImpl.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include <kompute/queue/WaitLimit.hpp>

#include "base/Process.hpp"
#include "core/queue/HostWorkers.hpp"
#include "core/queue/LaunchCapture.hpp"
#include "vulkan/queue/Submission.hpp"

namespace kp {
namespace {

/// A launch on several queues whose function has not run yet.
class Across : public std::enable_shared_from_this<Across> {
public:
    using Function = std::function<void(std::vector<vulkan::TimelinePoint>&)>;

    Across(std::vector<std::shared_ptr<Queue>> queues, Function function,
           std::vector<std::shared_ptr<EventState>> states)
        : mQueues(std::move(queues)), mFunction(std::move(function)), mStates(std::move(states)) {}

    /// @param before  earlier work of the queues, to be submitted first
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
        const bool isKnown = mFailure != nullptr;
        std::vector<vulkan::TimelinePoint> ends(mQueues.size());
        if (!mFailure) {
            for (const std::shared_ptr<EventState>& state : mStates)
                state->setRunning();
            try {
                mFunction(ends);
            } catch (...) {
                mFailure = std::current_exception();
            }
        }
        mFunction = nullptr;
        mWaiting.reset();
        mQueues.clear(); // whose devices a host application may destroy once it sees the events
        for (size_t i = 0; i < mStates.size(); ++i) {
            // One log message is enough if nothing waits for the events.
            if (mFailure)
                mStates[i]->fail(mFailure, isKnown || i > 0);
            else if (ends[i].queue)
                mStates[i]->submitted({ends[i], {}});
            else
                mStates[i]->complete();
        }
    }

    std::vector<std::shared_ptr<Queue>> mQueues; ///< keep the devices alive
    Function mFunction;
    std::optional<WaitingLaunch> mWaiting{std::in_place};
    const std::vector<std::shared_ptr<EventState>> mStates;
    std::atomic<size_t> mRemaining{0};
    std::exception_ptr mFailure;
};

} // namespace

Queue::Impl::Impl(std::shared_ptr<vulkan::Device> usedDevice, vulkan::Queue& usedQueue,
                  const LaunchRules& given, bool ordered, std::string named, uint32_t number,
                  bool shared)
    : device(std::move(usedDevice)), queue(usedQueue), rules(given), inOrder(ordered),
      name(named.empty() ? nullptr : std::make_shared<const std::string>(std::move(named))),
      index(number), isVirtual(shared) {}

std::shared_ptr<EventState> Queue::Impl::newState(bool timed, bool forDevice) const {
    auto state = std::make_shared<EventState>(forDevice ? device : nullptr, rules.waitMode, name);
    if (timed)
        state->noteQueued();
    return state;
}

void Queue::Impl::addOrder(Dependencies& dependencies, bool everything) {
    LaunchCapture::refuse("this launch");
    if (mTail && mTail->resolved()) {
        if (!inOrder && mTail->phase() == EventState::Phase::eSubmitted)
            mBarrier = mTail->point();
        mTail.reset();
    }
    if (mTail)
        dependencies.addOrder(Internals::event<Event>(mTail));
    if (mBarrier.queue)
        dependencies.addOrder(pointEvent(mBarrier));
    if (!everything)
        return;
    for (const std::shared_ptr<EventState>& state : mUnresolved)
        dependencies.addOrder(Internals::event<Event>(state));
    dependencies.addOrder(pointEvent(mLast));
}

void Queue::Impl::noteUnresolved(const std::shared_ptr<EventState>& state) {
    if (inOrder) {
        mTail = state;
        return;
    }
    std::erase_if(mUnresolved, [](const auto& known) { return known->resolved(); });
    mUnresolved.push_back(state);
}

std::vector<std::shared_ptr<EventState>> Queue::Impl::unresolved() const {
    std::vector<std::shared_ptr<EventState>> states = mUnresolved;
    if (mTail)
        states.push_back(mTail);
    return states;
}

void Queue::Impl::noteSubmitted(const vulkan::TimelinePoint& point) {
    if (point.value >= mLast.value)
        mLast = point;
}

Event Queue::Impl::failed(std::exception_ptr failure) const {
    const std::shared_ptr<EventState> state = newState(false);
    state->fail(std::move(failure), true);
    return Internals::event<Event>(state);
}

Event Queue::Impl::launchLater(Dependencies&& dependencies, std::shared_ptr<EventState> state,
                               Submit submit, std::unique_lock<std::mutex>& lock, bool isBarrier) {
    if (isBarrier)
        mTail = state;
    else
        noteUnresolved(state);
    lock.unlock();
    std::move(dependencies)
        .then([self = shared_from_this(), state, submit = std::move(submit),
               waiting = std::optional<WaitingLaunch>(std::in_place)](
                  const std::exception_ptr& failure, Dependencies::Points&& points) mutable {
            // They keep the device, which a host application may destroy once it sees the event.
            const auto forget = [&] {
                submit = nullptr;
                self.reset();
                waiting.reset();
            };
            if (!state->claim())
                return; // cancelled
            if (failure) {
                forget();
                state->fail(failure, true);
                return;
            }
            try {
                // The queue is not locked: preEval() may wait for Python's lock, whose holder may
                // wait for this queue.
                Submitted work = submit(points, state);
                {
                    const std::lock_guard guard(self->mMutex);
                    self->noteSubmitted(work.point);
                }
                forget();
                state->submitted(std::move(work));
            } catch (...) {
                forget();
                state->fail(std::current_exception());
            }
        });
    return Internals::event<Event>(state);
}

Event Queue::Impl::stateEvent(std::shared_ptr<EventState> state, Submitted work) const {
    if (!state)
        state = newState(false);
    state->submitted(std::move(work));
    return Internals::event<Event>(std::move(state));
}

Event Queue::Impl::launched(Submitted work) {
    {
        const std::lock_guard lock(mMutex);
        noteSubmitted(work.point);
    }
    return eventOf(nullptr, std::move(work));
}

Event Queue::Impl::launchHost(const std::vector<Event>& waitFor, bool timed,
                              std::function<void()> function) {
    Dependencies dependencies(nullptr, nullptr, waitFor);
    const std::shared_ptr<EventState> state = newState(timed, false);
    {
        const std::lock_guard lock(mMutex);
        addOrder(dependencies, inOrder);
        noteUnresolved(state);
    }
    std::move(dependencies)
        .then([kept = device, state, timed, call = std::move(function)](
                  const std::exception_ptr& failure, Dependencies::Points&&) mutable {
            // A host application may destroy the objects kept by the function and this once it sees
            // the event.
            const auto forget = [&] {
                call = nullptr;
                kept.reset();
            };
            if (failure) {
                forget();
                state->fail(failure, true);
                return;
            }
            state->setRunning();
            const uint64_t start = timed ? hostNanoseconds() : 0;
            try {
                call();
            } catch (...) {
                forget();
                state->fail(std::current_exception());
                return;
            }
            if (timed)
                state->setHostTimes(start, hostNanoseconds());
            forget();
            state->complete();
        });
    return Internals::event<Event>(state);
}

Event Queue::Impl::barrier(const std::vector<Event>& waitFor) {
    Dependencies dependencies(device.get(), &queue, waitFor);
    std::unique_lock lock(mMutex);
    addOrder(dependencies, true);
    const auto submit = [this](Points points) -> Submitted {
        // Without other queues, the barrier is the end of the work submitted so far.
        if (points.empty())
            return {mLast.queue ? mLast : vulkan::TimelinePoint{&queue, 0}, {}, {}};
        return {vulkan::submitOrdered(queue, {}, {}, points), {}, {}};
    };
    if (!dependencies.ready())
        return launchLater(
            std::move(dependencies), newState(false),
            [kept = shared_from_this(), submit](Points points, const std::shared_ptr<EventState>&) {
                const std::lock_guard guard(kept->mMutex);
                return submit(points);
            },
            lock, true);
    if (dependencies.failure())
        return failed(dependencies.failure());
    const vulkan::TimelinePoint point = submit(dependencies.points()).point;
    noteSubmitted(point);
    if (!inOrder)
        mBarrier = point;
    return pointEvent(point);
}

void Queue::Impl::finish() {
    requireDriver();
    std::vector<std::shared_ptr<EventState>> states;
    vulkan::TimelinePoint last;
    {
        const std::lock_guard lock(mMutex);
        states = unresolved();
        last = mLast;
    }
    for (const std::shared_ptr<EventState>& state : states)
        state->waitUntilOver(UINT64_MAX);
    if (last.queue)
        last.queue->wait(last.value, UINT64_MAX, rules.waitMode);
    throwFaults(*device);
}

void Queue::Impl::waitUntilSubmitted() {
    if (!WaitingLaunch::any() || HostWorkers::isWorker())
        return;
    std::unique_lock lock(mMutex);
    const std::vector<std::shared_ptr<EventState>> states = unresolved();
    lock.unlock();
    for (const std::shared_ptr<EventState>& state : states)
        if (!state->waitUntilResolved(WaitLimit::current()))
            WaitLimit::fail();
}

std::vector<Event>
Queue::Impl::launchAcross(const std::vector<std::shared_ptr<Queue>>& queues,
                          const std::vector<Event>& waitFor,
                          std::function<void(std::vector<vulkan::TimelinePoint>&)> function) {
    Dependencies waits(nullptr, nullptr, waitFor);
    std::vector<std::shared_ptr<EventState>> states;
    std::vector<Event> events;
    std::vector<Impl*> impls;
    for (const std::shared_ptr<Queue>& queue : queues) {
        states.push_back(implOf(*queue).newState(false));
        events.push_back(Internals::event<Event>(states.back()));
        impls.push_back(&implOf(*queue));
    }
    // Lock all queues in one global order. Two launches that entered two queues in different orders
    // would wait for each other.
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

// SPDX-License-Identifier: Apache-2.0
#include <kompute/Queue.hpp>

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "core/QueueImpl.hpp"
#include "vulkan/Submission.hpp"

namespace kp {
namespace {

std::string nameOf(uint32_t index, bool isVirtual) {
    return "queue " + std::to_string(index) + (isVirtual ? " (virtual, on queue 0)" : "");
}

} // namespace

Queue::Impl::Impl(std::shared_ptr<vulkan::Device> usedDevice, vulkan::Queue& usedQueue,
                  vulkan::WaitMode mode, uint32_t number, bool sharesQueue, bool keepsOrder,
                  bool timed)
    : device(std::move(usedDevice)), queue(usedQueue), waitMode(mode), index(number),
      isVirtual(sharesQueue), inOrder(keepsOrder),
      name(std::make_shared<const std::string>(nameOf(number, sharesQueue))), profiling(timed) {}

std::shared_ptr<EventState> Queue::Impl::newState(bool timed, bool forDevice) const {
    auto state = std::make_shared<EventState>(forDevice ? device : nullptr, waitMode, name);
    if (timed)
        state->noteQueued();
    return state;
}

void Queue::Impl::addOrder(Dependencies& dependencies, bool everything) {
    if (mTail && mTail->resolved()) {
        if (!inOrder && mTail->phase() == EventState::Phase::eSubmitted)
            mBarrier = mTail->point();
        mTail.reset();
    }
    if (mTail)
        dependencies.addOrder(Event(mTail));
    dependencies.addOrder(pointEvent(mBarrier));
    if (!everything)
        return;
    for (const std::shared_ptr<EventState>& state : mUnresolved)
        dependencies.addOrder(Event(state));
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

void Queue::Impl::noteSubmitted(const vulkan::TimelinePoint& point) {
    if (point.value >= mLast.value)
        mLast = point;
}

Event Queue::Impl::failed(std::exception_ptr failure) const {
    const std::shared_ptr<EventState> state = newState(false);
    state->fail(std::move(failure), true);
    return Event(state);
}

Event Queue::Impl::launchLater(Dependencies&& dependencies, std::shared_ptr<EventState> state,
                               Submit submit, std::unique_lock<std::mutex>& lock, bool isBarrier) {
    if (isBarrier)
        mTail = state;
    else
        noteUnresolved(state);
    lock.unlock();
    std::move(dependencies)
        .then([self = shared_from_this(), state, submit = std::move(submit)](
                  const std::exception_ptr& failure, Dependencies::Points&& points) {
            if (failure) {
                state->fail(failure, true);
                return;
            }
            try {
                vulkan::TimelinePoint point;
                {
                    const std::lock_guard guard(self->mMutex);
                    point = submit(points, state);
                    self->noteSubmitted(point);
                }
                state->submitted(point);
            } catch (...) {
                state->fail(std::current_exception());
            }
        });
    return Event(state);
}

Event Queue::Impl::launchHost(const std::vector<Event>& waitFor, bool timed,
                              std::function<void()> function) {
    Dependencies dependencies(nullptr, nullptr);
    for (const Event& event : waitFor)
        dependencies.add(event);
    const std::shared_ptr<EventState> state = newState(timed, false);
    {
        const std::lock_guard lock(mMutex);
        addOrder(dependencies, inOrder);
        noteUnresolved(state);
    }
    std::move(dependencies)
        .then([kept = device, state, timed, call = std::move(function)](
                  const std::exception_ptr& failure, Dependencies::Points&&) {
            if (failure) {
                state->fail(failure, true);
                return;
            }
            state->setRunning();
            const uint64_t start = timed ? hostNanoseconds() : 0;
            try {
                call();
            } catch (...) {
                state->fail(std::current_exception());
                return;
            }
            if (timed)
                state->setHostTimes(start, hostNanoseconds());
            state->complete();
        });
    return Event(state);
}

Event Queue::Impl::barrier(const std::vector<Event>& waitFor) {
    Dependencies dependencies(device.get(), &queue);
    for (const Event& event : waitFor)
        dependencies.add(event);
    std::unique_lock lock(mMutex);
    addOrder(dependencies, true);
    const auto submit = [this](Points points, const std::shared_ptr<EventState>&) {
        // The end of what this queue was given is a point that is there already.
        if (points.empty())
            return mLast.queue ? mLast : vulkan::TimelinePoint{&queue, 0};
        return vulkan::submitOrdered(queue, {}, {}, points);
    };
    if (!dependencies.ready())
        return launchLater(
            std::move(dependencies), newState(false),
            [kept = shared_from_this(), submit](
                Points points, const std::shared_ptr<EventState>& s) { return submit(points, s); },
            lock, true);
    if (dependencies.failure())
        return failed(dependencies.failure());
    const vulkan::TimelinePoint point = submit(dependencies.points(), nullptr);
    noteSubmitted(point);
    if (!inOrder)
        mBarrier = point;
    return pointEvent(point);
}

void Queue::Impl::finish() {
    std::vector<std::shared_ptr<EventState>> states;
    vulkan::TimelinePoint last;
    {
        const std::lock_guard lock(mMutex);
        states = mUnresolved;
        if (mTail)
            states.push_back(mTail);
        last = mLast;
    }
    for (const std::shared_ptr<EventState>& state : states)
        state->waitUntilOver(UINT64_MAX);
    if (last.queue)
        last.queue->wait(last.value, UINT64_MAX, waitMode);
}

Queue::Queue(std::shared_ptr<Impl> impl) : mImpl(std::move(impl)) {}
Queue::~Queue() = default;

uint32_t Queue::index() const {
    return mImpl->index;
}
bool Queue::inOrder() const {
    return mImpl->inOrder;
}
bool Queue::isVirtual() const {
    return mImpl->isVirtual;
}
std::string Queue::name() const {
    return *mImpl->name;
}
std::string Queue::deviceName() const {
    return mImpl->device->name();
}
uint32_t Queue::queueFamily() const {
    return mImpl->queue.family();
}
bool Queue::profiling() const {
    return mImpl->profiling.load(std::memory_order_relaxed);
}

void Queue::setProfiling(bool profiling) {
    if (profiling && mImpl->queue.timestampValidBits() == 0) {
        KP_LOG_WARN("{} of {} has no timestamps; launches are not profiled", mImpl->queue.name(),
                    mImpl->device->name());
        profiling = false;
    }
    mImpl->profiling.store(profiling, std::memory_order_relaxed);
}

Event Queue::barrier(const std::vector<Event>& waitFor) {
    return mImpl->barrier(waitFor);
}

Event Queue::hostFunction(std::function<void()> function, const std::vector<Event>& waitFor) {
    if (!function)
        throw InvalidArgument("the host function for " + name() + " is empty");
    return mImpl->launchHost(waitFor, profiling(), std::move(function));
}

void Queue::finish() {
    mImpl->finish();
}

} // namespace kp

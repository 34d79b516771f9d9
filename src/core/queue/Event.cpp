// SPDX-License-Identifier: Apache-2.0
#include <kompute/queue/Event.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <kompute/Error.hpp>
#include <kompute/queue/Queue.hpp>

#include "base/Deadline.hpp"
#include "core/queue/Dependencies.hpp"
#include "core/queue/EventState.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp {

Event::Event() = default;
Event::Event(std::shared_ptr<vulkan::Device> device, vulkan::Queue* queue, uint64_t value,
             vulkan::WaitMode waitMode)
    : mDevice(std::move(device)), mQueue(queue), mValue(value), mWaitMode(waitMode) {}
Event::Event(std::shared_ptr<EventState> state, uint32_t part)
    : mPart(part), mState(std::move(state)) {}
Event::~Event() = default;
Event::Event(const Event&) = default;
Event& Event::operator=(const Event&) = default;
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;

bool Event::done() const {
    if (mState)
        return mState->done();
    return !mQueue || mQueue->poll(mValue);
}

EventStatus Event::status() const {
    if (mState)
        return mState->status();
    try {
        return done() ? EventStatus::eComplete : EventStatus::eSubmitted;
    } catch (const std::exception&) {
        return EventStatus::eError;
    }
}

bool Event::wait(uint64_t timeout) const {
    if (mState)
        return mState->wait(timeout);
    if (!mQueue)
        return true;
    const bool over = mQueue->wait(mValue, timeout, mWaitMode);
    if (over)
        mQueue->requireSucceeded(mValue);
    return over;
}

void whenDone(const Event& event, Callback callback) {
    if (!callback)
        throw InvalidArgument("whenDone() was given an empty function");
    Dependencies dependencies(nullptr, nullptr);
    dependencies.addOrder(event);
    std::move(dependencies).then([call = std::move(callback)](const std::exception_ptr&, auto&&) {
        call();
    });
}

std::optional<EventProfile> Event::profile() const {
    return mState ? mState->profile(mPart) : std::nullopt;
}

uint64_t Event::value() const {
    if (!mState)
        return mValue;
    return mState->phase() == EventState::Phase::eSubmitted ? mState->point().value : 0;
}

std::string Event::queueName() const {
    return mState ? mState->queueName() : std::string();
}

bool Event::waitAll(const std::vector<Event>& events, uint64_t timeout) {
    const Deadline deadline(timeout);
    std::exception_ptr failure;
    for (const Event& event : events) {
        try {
            if (!event.wait(deadline.left()))
                return false;
        } catch (...) {
            if (!failure)
                failure = std::current_exception();
        }
    }
    if (failure)
        std::rethrow_exception(failure);
    return true;
}

std::optional<size_t> Event::waitAny(const std::vector<Event>& events, uint64_t timeout) {
    if (events.empty())
        throw InvalidArgument("waitAny() was given no events");
    const auto firstDone = [&]() -> std::optional<size_t> {
        for (size_t i = 0; i < events.size(); ++i)
            if (events[i].done()) {
                events[i].wait();
                return i;
            }
        return std::nullopt;
    };
    if (const std::optional<size_t> first = firstDone())
        return first;
    struct Signal {
        std::mutex mutex;
        std::condition_variable changed;
        bool any = false;
    };
    const auto signal = std::make_shared<Signal>();
    for (const Event& event : events)
        whenDone(event, [signal] {
            {
                const std::lock_guard lock(signal->mutex);
                signal->any = true;
            }
            signal->changed.notify_all();
        });
    std::unique_lock lock(signal->mutex);
    const auto isAny = [&] { return signal->any; };
    if (timeout >= uint64_t{1} << 60) // more than the clock can count to
        signal->changed.wait(lock, isAny);
    else if (!signal->changed.wait_for(lock, std::chrono::nanoseconds(timeout), isAny))
        return std::nullopt;
    lock.unlock();
    return firstDone();
}

/// Fails the event when the last UserEvent that could set it is destroyed.
struct UserEvent::Promise {
    explicit Promise(std::shared_ptr<EventState> event) : state(std::move(event)) {}
    ~Promise() {
        if (!used.exchange(true))
            state->fail(std::make_exception_ptr(
                            InvalidArgument("a user event was given up without being set")),
                        true);
    }
    void use() {
        if (used.exchange(true))
            throw InvalidArgument("a user event can be set or failed once only");
    }

    std::shared_ptr<EventState> state;
    std::atomic<bool> used{false};
};

UserEvent::UserEvent()
    : Event(std::make_shared<EventState>(nullptr, vulkan::WaitMode::eBlock, nullptr)),
      mPromise(std::make_shared<Promise>(mState)) {}
UserEvent::~UserEvent() = default;
UserEvent::UserEvent(const UserEvent&) = default;
UserEvent& UserEvent::operator=(const UserEvent&) = default;

void UserEvent::set() {
    mPromise->use();
    mState->complete();
}

void UserEvent::fail(std::exception_ptr error) {
    if (!error)
        throw InvalidArgument("a user event cannot fail with a null exception");
    mPromise->use();
    mState->fail(std::move(error), true);
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <kompute/Queue.hpp>

#include "core/Dependencies.hpp"
#include "core/EventState.hpp"
#include "vulkan/Device.hpp"
#include "vulkan/Queue.hpp"

namespace kp {

/// The state behind a Queue. Thread-safe.
struct Queue::Impl : std::enable_shared_from_this<Queue::Impl> {
    using Points = std::span<const vulkan::TimelinePoint>;
    /// Submits work so that it comes after the points. @p state is null where the event needs none.
    using Submit = std::function<vulkan::TimelinePoint(Points waits,
                                                       const std::shared_ptr<EventState>& state)>;

    Impl(std::shared_ptr<vulkan::Device> device, vulkan::Queue& queue, vulkan::WaitMode waitMode,
         uint32_t index, bool isVirtual, bool inOrder, bool profiling);

    const std::shared_ptr<vulkan::Device> device;
    vulkan::Queue& queue;
    const vulkan::WaitMode waitMode;
    const uint32_t index;
    const bool isVirtual;
    const bool inOrder;
    const std::shared_ptr<const std::string> name;
    std::atomic<bool> profiling;

    /// Launches device work: at once where nothing is left to come about on the host, else as soon
    /// as that has.
    /// @param needsState  the event is timed or has something to do when it is done
    /// @param now         submits at once; what it throws is thrown
    /// @param later       makes what submits in another thread, where that is needed; what that
    ///                    throws fails the event
    template <typename Now, typename Later>
    Event launch(const std::vector<Event>& waitFor, bool needsState, Now&& now, Later&& later);

    /// Launches a host function.
    Event launchHost(const std::vector<Event>& waitFor, bool timed, std::function<void()> function);
    /// Launches a host function that submits work to the devices of several queues: it has its
    /// place in each of them. It is called once all of @p waitFor is done and everything before it
    /// in the queues is submitted (not: done, so what it submits must say which memory it uses).
    /// Two launches that have queues in common have the same order in all of them.
    /// @param function  gets a point for each queue to fill in: where its work on that queue's
    ///                  device ends. An empty one means that it is done with when it returns
    /// @return an event for each queue
    static std::vector<Event>
    launchAcross(const std::vector<std::shared_ptr<Queue>>& queues,
                 const std::vector<Event>& waitFor,
                 std::function<void(std::vector<vulkan::TimelinePoint>& ends)> function);
    /// True where nothing that was launched waits for the host.
    bool settled();

    Event barrier(const std::vector<Event>& waitFor);
    void finish();

    std::shared_ptr<EventState> newState(bool timed, bool forDevice = true) const;
    Event pointEvent(const vulkan::TimelinePoint& point) const {
        return point.queue ? Event(device, point.queue, point.value, waitMode) : Event();
    }

private:
    /// Work that is not resolved, which what comes next may have to come after.
    void addOrder(Dependencies& dependencies, bool everything);
    void noteUnresolved(const std::shared_ptr<EventState>& state);
    void noteSubmitted(const vulkan::TimelinePoint& point);
    Event failed(std::exception_ptr failure) const;
    Event launchLater(Dependencies&& dependencies, std::shared_ptr<EventState> state, Submit submit,
                      std::unique_lock<std::mutex>& lock, bool isBarrier);

    std::mutex mMutex; ///< guards what follows
    /// In an in-order queue the last work, in an out-of-order queue the last barrier; null once it
    /// is resolved.
    std::shared_ptr<EventState> mTail;
    std::vector<std::shared_ptr<EventState>> mUnresolved; ///< out-of-order queues: other work
    vulkan::TimelinePoint mLast;                          ///< last submission
    vulkan::TimelinePoint mBarrier; ///< out-of-order queues: last barrier that was submitted
};

template <typename Now, typename Later>
Event Queue::Impl::launch(const std::vector<Event>& waitFor, bool needsState, Now&& now,
                          Later&& later) {
    Dependencies dependencies(device.get(), &queue);
    for (const Event& event : waitFor)
        dependencies.add(event);
    std::unique_lock lock(mMutex);
    addOrder(dependencies, false);
    if (!dependencies.ready())
        return launchLater(std::move(dependencies), newState(needsState), later(), lock, false);
    if (dependencies.failure())
        return failed(dependencies.failure());
    const std::shared_ptr<EventState> state = needsState ? newState(true) : nullptr;
    const vulkan::TimelinePoint point = now(dependencies.points(), state);
    noteSubmitted(point);
    lock.unlock();
    if (!state)
        return pointEvent(point);
    state->submitted(point);
    return Event(state);
}

} // namespace kp

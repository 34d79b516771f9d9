// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kompute/queue/Queue.hpp>

#include "core/CallGate.hpp"
#include "core/Internals.hpp"
#include "core/queue/Dependencies.hpp"
#include "core/queue/EventState.hpp"
#include "core/queue/LaunchLog.hpp"
#include "core/queue/LaunchRules.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp {

/// Counts as a launch that waits for the host, as long as it or a copy of it exists.
class WaitingLaunch {
public:
    WaitingLaunch() { sCount.fetch_add(1, std::memory_order_relaxed); }
    WaitingLaunch(const WaitingLaunch&) : WaitingLaunch() {}
    WaitingLaunch& operator=(const WaitingLaunch&) = default;
    ~WaitingLaunch() { sCount.fetch_sub(1, std::memory_order_release); }

    /// Returns true if a launch of this process waits for the host: it is not submitted yet.
    static bool any() { return sCount.load(std::memory_order_acquire) != 0; }

private:
    inline static std::atomic<int64_t> sCount{0};
};

/// The state behind a Queue, and the way to the device for everything that is launched: sequences
/// have a queue each. Thread-safe.
struct Queue::Impl : std::enable_shared_from_this<Queue::Impl> {
    using Points = std::span<const vulkan::TimelinePoint>;
    /// Submits work after the points. @p state is null if the event needs none.
    using Submit = std::function<Submitted(Points waits, const std::shared_ptr<EventState>& state)>;

    /// @param isVirtual  shares the VkQueue of another kp::Queue
    /// @param name       for events and messages; empty for sequences
    Impl(std::shared_ptr<vulkan::Device> device, vulkan::Queue& queue, const LaunchRules& rules,
         bool inOrder, std::string name = {}, uint32_t index = 0, bool isVirtual = false);

    const std::shared_ptr<vulkan::Device> device;
    vulkan::Queue& queue;
    const LaunchRules rules;
    const bool inOrder;
    const std::shared_ptr<const std::string> name; ///< null if empty
    const uint32_t index;
    const bool isVirtual;
    std::atomic<bool> profiling{false};
    /// Returns a text for messages: "launches on queue 0".
    std::string describe() const { return "launches on " + (name ? *name : queue.name()); }
    std::shared_ptr<CallGate> gate; ///< of the manager that made it; null for sequences

    /// Sets the receiver of timed launches.
    /// @return false if there is a log already
    bool setLog(const std::shared_ptr<LaunchLog>& log) {
        const std::lock_guard lock(mLogMutex);
        if (mLog)
            return false;
        mLog = log;
        return true;
    }
    void dropLog() {
        const std::lock_guard lock(mLogMutex);
        mLog.reset();
    }
    /// Passes a timed launch to the log, if there is one.
    void logLaunch(std::string_view name, const Event& event) const {
        std::unique_lock lock(mLogMutex);
        const std::shared_ptr<LaunchLog> log = mLog;
        lock.unlock();
        if (log)
            log->add(name, event);
    }

    /// Launches device work: immediately if the device can wait for all events of @p waitFor,
    /// otherwise from another thread as soon as it can.
    /// @param timed  the event gets times
    /// @param now    submits at once; its exceptions are passed on
    /// @param later  returns a Submit for another thread, whose exceptions fail the event
    template <typename Now, typename Later>
    Event launch(const std::vector<Event>& waitFor, bool timed, Now&& now, Later&& later);
    /// Returns the event of work that the caller submitted to this queue.
    Event launched(Submitted work);

    Event launchHost(const std::vector<Event>& waitFor, bool timed, std::function<void()> function);
    /// Launches a host function that submits work to the devices of several queues. It has a
    /// position in each of them: it is called once every event of @p waitFor is done and all
    /// earlier work of the queues is submitted. That work may still be running, so the function's
    /// submissions must name the memory they use. Two such launches have the same order in all
    /// queues that they share.
    /// @param function  sets one point per queue: the end of its work on that queue's device. An
    ///                  empty point means that the work is done when the function returns
    /// @return one event per queue
    static std::vector<Event>
    launchAcross(const std::vector<std::shared_ptr<Queue>>& queues,
                 const std::vector<Event>& waitFor,
                 std::function<void(std::vector<vulkan::TimelinePoint>& ends)> function);
    bool settled(); ///< no launch is waiting for the host

    Event barrier(const std::vector<Event>& waitFor);
    void finish();
    /// Waits until all launches so far are submitted or over, within the thread's WaitLimit. Does
    /// nothing in a host function, which the launches behind it wait for.
    void waitUntilSubmitted();

    std::shared_ptr<EventState> newState(bool timed, bool forDevice = true) const;

private:
    Event pointEvent(const vulkan::TimelinePoint& point) const {
        return point.queue
                   ? Internals::event<Event>(device, point.queue, point.value, rules.waitMode)
                   : Event();
    }
    /// Adds the earlier work of this queue that later work must follow.
    void addOrder(Dependencies& dependencies, bool everything);
    void noteUnresolved(const std::shared_ptr<EventState>& state);
    /// Returns the events that may be unresolved. With mMutex locked.
    std::vector<std::shared_ptr<EventState>> unresolved() const;
    void noteSubmitted(const vulkan::TimelinePoint& point);
    Event failed(std::exception_ptr failure) const;
    Event launchLater(Dependencies&& dependencies, std::shared_ptr<EventState> state, Submit submit,
                      std::unique_lock<std::mutex>& lock, bool isBarrier);
    /// @param state  null if the work needs none
    Event eventOf(std::shared_ptr<EventState> state, Submitted work) const {
        if (!state && !work.needsFinish()) [[likely]]
            return pointEvent(work.point);
        return stateEvent(std::move(state), std::move(work));
    }
    Event stateEvent(std::shared_ptr<EventState> state, Submitted work) const;

    mutable std::mutex mLogMutex;
    std::shared_ptr<LaunchLog> mLog; ///< guarded by mLogMutex

    std::mutex mMutex; ///< guards the members below
    /// The last work of an in-order queue, or the last barrier of an out-of-order queue; null once
    /// it is resolved.
    std::shared_ptr<EventState> mTail;
    std::vector<std::shared_ptr<EventState>> mUnresolved; ///< out-of-order queues: other work
    vulkan::TimelinePoint mLast;                          ///< last submission
    vulkan::TimelinePoint mBarrier; ///< out-of-order queues: last submitted barrier
};

template <typename Now, typename Later>
Event Queue::Impl::launch(const std::vector<Event>& waitFor, bool timed, Now&& now, Later&& later) {
    vulkan::DeviceActivity::count(device->activity().launches);
    Dependencies dependencies(device.get(), &queue, waitFor);
    std::unique_lock lock(mMutex);
    addOrder(dependencies, false);
    if (!dependencies.ready())
        return launchLater(std::move(dependencies), newState(timed), later(), lock, false);
    if (dependencies.failure())
        return failed(dependencies.failure());
    std::shared_ptr<EventState> state = timed ? newState(true) : nullptr;
    Submitted work = now(dependencies.points(), state);
    noteSubmitted(work.point);
    lock.unlock();
    return eventOf(std::move(state), std::move(work));
}

} // namespace kp

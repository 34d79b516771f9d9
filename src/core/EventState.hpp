// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Event.hpp>

#include "vulkan/Device.hpp"

namespace kp {

class Memory;

/// Where the device times of a submission are, until they are read.
class TimeSource {
public:
    virtual ~TimeSource();
    /// Device nanoseconds: one at the start and one after each timed part. The submission is done.
    virtual std::vector<uint64_t> readTimes() = 0;
};

/// Nanoseconds of std::chrono::steady_clock.
uint64_t hostNanoseconds();

/// What copies of an event share where the event is more than a point on a queue: work that was not
/// submitted yet, that failed, that is timed, or that runs on the host. Thread-safe.
class EventState : public std::enable_shared_from_this<EventState> {
public:
    enum class Phase {
        eQueued,    ///< waits for something on the host
        eSubmitted, ///< the device has it
        eDone,      ///< over, where the host sees to that itself
        eFailed
    };

    /// @param device     that the work is for; null for host work and user events
    /// @param queueName  of a kp::Queue; may be null
    EventState(std::shared_ptr<vulkan::Device> device, vulkan::WaitMode waitMode,
               std::shared_ptr<const std::string> queueName);
    ~EventState();
    EventState(const EventState&) = delete;
    EventState& operator=(const EventState&) = delete;

    Phase phase() const { return mPhase.load(std::memory_order_acquire); }
    bool resolved() const { return phase() != Phase::eQueued; }
    /// Once eSubmitted.
    const vulkan::TimelinePoint& point() const { return mPoint; }
    const std::shared_ptr<vulkan::Device>& device() const { return mDevice; }
    /// Once eFailed. Whoever asks passes it on.
    std::exception_ptr error() const;
    std::string queueName() const { return mQueueName ? *mQueueName : std::string(); }

    // Each of these resolves it, once; what waits for that is called before they return.

    void submitted(const vulkan::TimelinePoint& point);
    void complete();
    /// @param inherited  it only passes on the failure of what it waited for
    void fail(std::exception_ptr error, bool inherited = false);

    /// Calls @p then once it is resolved: now where it is.
    void whenResolved(std::function<void()> then);

    void setRunning() { mRunning.store(true, std::memory_order_relaxed); }
    bool done();
    EventStatus status();
    bool wait(uint64_t timeout);
    /// The same, and leaves a failure to others. @throws DeviceLost
    bool waitUntilOver(uint64_t timeout);

    // Times.

    void noteQueued() { mQueuedAt = hostNanoseconds(); }
    /// Before submitted().
    void timedBy(std::shared_ptr<TimeSource> source);
    void setHostTimes(uint64_t start, uint64_t end);
    /// Reads the times before the source is used for something else. The submission is done.
    void readTimes();
    std::optional<EventProfile> profile(uint32_t part);

    /// Images whose host view is to be brought up to date once the work is done. Before
    /// submitted().
    void setPadded(std::vector<std::shared_ptr<Memory>> images);

private:
    void resolve(Phase phase);
    void finishOnce();

    const std::shared_ptr<vulkan::Device> mDevice; ///< declared first: gone last
    const vulkan::WaitMode mWaitMode;
    const std::shared_ptr<const std::string> mQueueName;
    std::atomic<Phase> mPhase{Phase::eQueued};
    std::atomic<bool> mRunning{false};
    std::atomic<bool> mUnfinished{false}; ///< finishOnce() has something to do
    vulkan::TimelinePoint mPoint;
    uint64_t mQueuedAt = 0;
    uint64_t mSubmittedAt = 0;

    mutable std::mutex mMutex; ///< guards what follows
    std::condition_variable mResolved;
    std::vector<std::function<void()>> mThen;
    std::exception_ptr mError;
    mutable bool mErrorSeen = false;
    std::shared_ptr<TimeSource> mSource; ///< until the times are read
    std::vector<uint64_t> mTimes;        ///< nanoseconds
    std::vector<std::shared_ptr<Memory>> mPadded;
};

} // namespace kp

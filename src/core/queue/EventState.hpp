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

#include <kompute/queue/Event.hpp>

#include "core/check/CheckReport.hpp"
#include "vulkan/device/Device.hpp"

namespace kp {

class Memory;

/// Work that was submitted to the device.
struct Submitted {
    vulkan::TimelinePoint point; ///< reached when the work is done
    /// Images whose host views the host updates once the work is done; see Memory::Impl::padded.
    std::vector<std::shared_ptr<Memory>> padded;
    CheckReports reports; ///< of checked shaders

    /// Returns true if the host has something to do once the work is done.
    bool needsFinish() const { return !padded.empty() || !reports.empty(); }
};

/// Holds the device times of a submission until they are read.
class TimeSource {
public:
    virtual ~TimeSource();
    /// Returns device nanoseconds: one at the start and one after each timed part. Requires that
    /// the submission is done.
    virtual std::vector<uint64_t> readTimes() = 0;
};

/// Returns the nanoseconds of std::chrono::steady_clock.
uint64_t hostNanoseconds();

/// The state that copies of an event share if the event is more than a timeline point: its work is
/// not submitted yet, failed, is timed, or runs on the host. Thread-safe.
class EventState : public std::enable_shared_from_this<EventState> {
public:
    enum class Phase {
        eQueued,    ///< waits for something on the host
        eSubmitted, ///< the device has it
        eDone,      ///< host work or a user event that is complete
        eFailed
    };

    /// @param device  null for host work and user events
    /// @param queueName  of a kp::Queue; may be null
    EventState(std::shared_ptr<vulkan::Device> device, vulkan::WaitMode waitMode,
               std::shared_ptr<const std::string> queueName);
    ~EventState();
    EventState(const EventState&) = delete;
    EventState& operator=(const EventState&) = delete;

    Phase phase() const { return mPhase.load(std::memory_order_acquire); }
    bool resolved() const { return phase() != Phase::eQueued; }
    const vulkan::TimelinePoint& point() const { return mPoint; } ///< requires eSubmitted
    const std::shared_ptr<vulkan::Device>& device() const { return mDevice; }
    /// Requires eFailed. The caller reports the error, so the destructor does not log it.
    std::exception_ptr error() const;
    std::string queueName() const { return mQueueName ? *mQueueName : std::string(); }

    /// Returns true for the first caller, who starts or cancels work that several threads may.
    bool claim() { return !mClaimed.exchange(true, std::memory_order_acq_rel); }

    // Each of these resolves the event. Call one of them, once. They call the functions given to
    // whenResolved() before they return.
    void submitted(Submitted work);
    void complete() { resolve(Phase::eDone); }
    /// @param inherited  the error comes from an event this one waited for
    void fail(std::exception_ptr error, bool inherited = false);

    /// Calls @p then when the event is resolved; immediately if it already is.
    void whenResolved(std::function<void()> then);

    void setRunning() { mRunning.store(true, std::memory_order_relaxed); }
    bool done();
    EventStatus status();
    bool wait(uint64_t timeout);
    /// Waits until the work was submitted or has ended.
    bool waitUntilResolved(uint64_t timeout);
    /// Like wait(), but does not throw the error of failed work. @throws DeviceLost
    bool waitUntilOver(uint64_t timeout);

    void noteQueued() { mQueuedAt = hostNanoseconds(); }
    /// Call it before submitted().
    void timedBy(std::shared_ptr<TimeSource> source);
    void setHostTimes(uint64_t start, uint64_t end);
    /// Reads the times while the source still holds them. Requires that the submission is done.
    void readTimes();
    std::optional<EventProfile> profile(uint32_t part);

private:
    void resolve(Phase phase);
    void finishOnce();
    std::exception_ptr faults(); ///< the caller reports them

    const std::shared_ptr<vulkan::Device> mDevice; ///< declared first, so destroyed last
    const vulkan::WaitMode mWaitMode;
    const std::shared_ptr<const std::string> mQueueName;
    std::atomic<Phase> mPhase{Phase::eQueued};
    std::atomic<bool> mClaimed{false};
    std::atomic<bool> mRunning{false};
    std::atomic<bool> mUnfinished{false}; ///< finishOnce() has something to do
    vulkan::TimelinePoint mPoint;
    uint64_t mQueuedAt = 0;
    uint64_t mSubmittedAt = 0;

    std::mutex mFinishMutex; ///< guards the next once the work is submitted
    std::vector<std::shared_ptr<Memory>> mPadded;
    CheckReports mReports;
    std::exception_ptr mFaults; ///< that the reports had
    bool mFaultsSeen = false;

    mutable std::mutex mMutex; ///< guards the members below
    std::condition_variable mResolved;
    std::vector<std::function<void()>> mThen;
    std::exception_ptr mError;
    mutable bool mErrorSeen = false;
    std::shared_ptr<TimeSource> mSource; ///< until the times are read
    std::vector<uint64_t> mTimes;        ///< nanoseconds
};

} // namespace kp

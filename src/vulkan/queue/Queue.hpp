// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "vulkan/queue/Gathering.hpp"
#include "vulkan/queue/Timeline.hpp"

namespace kp::vulkan {

class Device;

/// How a host thread waits for the device (docs/reports/benchmarks.md).
enum class WaitMode {
    eSpin,   ///< poll until done: lowest latency, one core busy
    eHybrid, ///< poll, later with short sleeps in between, finally block
    eBlock   ///< block at once
};

/// A VkQueue, created here or a host application's, its lock, and its timeline. Code that needs to
/// know whether work is done compares a value with the timeline. The first error sticks: later
/// calls repeat it. Thread-safe. Owned by its Device.
///
/// A busy queue, one with two submissions in flight, gathers work (see gather()): gathered work has
/// its value already, and is submitted together as soon as the queue is no longer busy, before any
/// other submission, or when it is waited for. docs/contributing/architecture.md,
/// "Coalescing".
class Queue {
public:
    using Lock = std::function<void(uint32_t family, uint32_t index)>;

    Queue(Device& device, VkQueue handle, uint32_t family, uint32_t index, bool timelineSemaphores,
          Lock lock = {}, Lock unlock = {});
    /// Makes the timeline of another API's work, such as a CUDA stream's, so that work of the
    /// device can wait for it. Nothing can be submitted to it.
    /// @param semaphore  must outlive the queue
    Queue(Device& device, const SharedSemaphore& semaphore);
    ~Queue();

    /// Gives out the next value of another API's timeline. @p signal(value) queues its signal
    /// there.
    template <typename Signal>
    uint64_t signalledBy(Signal&& signal) {
        const std::lock_guard lock(mMutex);
        const uint64_t value = mSubmitted + 1;
        signal(value);
        mAssigned = value;
        noteSubmitted(value);
        return value;
    }
    /// Submits gathered work up to this value, and lets @p semaphore, which is not signalled by
    /// anything else, follow the values of this queue.
    /// @param followed  the value that it was last given to follow; updated
    void submitSignal(uint64_t value, const SharedSemaphore& semaphore, uint64_t& followed);
    /// Submits gathered work up to this value, and a signal of @p semaphore with @p signalled after
    /// it.
    void signalAfter(uint64_t value, const SharedSemaphore& semaphore, uint64_t signalled);
    /// Notes that others signal this value of a timeline without submissions.
    void expect(uint64_t value);

    /// Submits command buffers at once, to run after @p waits. Points of this queue are in order
    /// anyway.
    /// @return the value that is reached when they have run
    uint64_t submit(std::span<const VkCommandBuffer> commandBuffers,
                    std::span<const TimelinePoint> waits);

    /// Returns true if the queue gathers work: two submissions are in flight, or something is
    /// gathered already.
    bool busy() { return gathers() || !free(); }
    /// Adds work to the queue's gathering, by calling @p append with the Gathering, if the queue
    /// is busy. If @p append throws, nothing counts as added.
    /// @return the value that is reached when it has run; empty if the queue is not busy
    template <typename Append>
    std::optional<uint64_t> gather(Append&& append) {
        requireWorking();
        if (!busy())
            return std::nullopt;
        uint64_t value = 0;
        {
            const std::lock_guard lock(mGatherMutex);
            if (mGathersNoMore)
                return std::nullopt;
            try {
                append(mGathering);
            } catch (...) {
                mGathering.cancel();
                throw;
            }
            value = ++mAssigned;
            mGathering.end(value);
            mGathered = value; // before the flusher is looked at
        }
        if (mFlusherSleeps)
            wakeFlusher();
        return value;
    }
    /// Submits gathered work if the queue is no longer busy, or if there is much. The error
    /// of a submission is thrown to those who wait for its work.
    void flushIfDue() noexcept;

    /// Returns true once the device has finished the submission with this value, or if that one
    /// failed and those before it are finished. Never blocks.
    bool reached(uint64_t value);
    /// Like reached(), for a program that polls: submits gathered work if the queue is no longer
    /// busy.
    /// @throws as requireSucceeded()
    bool poll(uint64_t value);

    /// Waits until the value is reached(). Submits it first if it is gathered.
    /// @param timeout  nanoseconds; UINT64_MAX waits forever
    /// @return false if it timed out
    bool wait(uint64_t value, uint64_t timeout, WaitMode mode);

    /// @throws the error of the submission if the driver refused it after it was gathered
    void requireSucceeded(uint64_t value) {
        if (mAnyFailed.load(std::memory_order_acquire)) [[unlikely]]
            throwFailure(value);
    }

    /// Returns true if the driver refused the submission after it was gathered.
    bool failed(uint64_t value) { return lastGood(value) != value; }

    /// The last value given to work, submitted or gathered.
    uint64_t lastValue() const { return mAssigned.load(std::memory_order_acquire); }

    /// Ends the thread that submits gathered work, and submits gathered work. From now on, work
    /// is submitted at once.
    void close();
    /// Drops gathered work that could not be submitted. The device must have finished with the
    /// queue.
    void drop();

    Device& device() const { return mDevice; }
    VkQueue handle() const { return mHandle; }
    /// Whether a host application's functions lock it.
    bool lockedByHost() const { return static_cast<bool>(mHostLock); }
    uint32_t family() const { return mFamily; }
    uint32_t index() const { return mIndex; }
    uint32_t timestampValidBits() const { return mTimestampValidBits; }
    bool computes() const { return mComputes; } ///< false for a copy queue
    std::string name() const;

    /// For a host application that uses the VkQueue itself.
    void lock();
    void unlock();

private:
    using Clock = std::chrono::steady_clock;

    /// Values that the driver refused after they were given out.
    struct Failure {
        uint64_t first;
        uint64_t last;
        std::exception_ptr error;
    };

    void requireWorking();
    bool gathers() const { return mGathered > mSubmitted; } ///< something is gathered
    /// Returns true if fewer than two submissions are in flight.
    bool free() { return reached(mBefore.load(std::memory_order_acquire)); }
    void flushUpTo(uint64_t value); ///< submits gathered work, up to this value at least
    /// Submits gathered work, up to this value. The queue must be locked.
    /// @param next  if not null, set to a value for the caller, who submits next
    void submitGathered(uint64_t value, uint64_t* next = nullptr);
    /// Submits the first of mTaken together, up to one that cannot be recorded. That one fails if
    /// there is none before it.
    /// @param first  index of the first
    /// @return index of the first that is left
    size_t submitTaken(size_t first);
    VkResult submitNow(std::span<const VkCommandBuffer> commandBuffers,
                       std::span<const VkSemaphore> waitSemaphores,
                       std::span<const uint64_t> waitValues, uint64_t value);
    /// Submits a signal of @p semaphore. The queue must be locked.
    void signalNow(const SharedSemaphore& semaphore, uint64_t value);
    /// Returns the value to wait for to see @p value reached.
    uint64_t signalValue(uint64_t value);
    void noteSubmitted(uint64_t value);
    void noteFailed(uint64_t first, uint64_t last, std::exception_ptr error);
    /// Returns the last value up to this one that did not fail.
    uint64_t lastGood(uint64_t value);
    void throwFailure(uint64_t value);
    void wakeFlusher();
    void runFlusher();
    bool waitUntil(uint64_t value, uint64_t timeout, WaitMode mode); ///< see wait()
    /// Waits in the driver. @return true if the value is reached
    bool block(uint64_t value, uint64_t timeout);
    /// Same for work with new pipelines, which drivers of processors compile now.
    bool blockOnFirstUse(uint64_t value, uint64_t timeout);
    void fail(VkResult result, const char* what);

    Device& mDevice;
    VkQueue mHandle;
    uint32_t mFamily;
    uint32_t mIndex;
    uint32_t mTimestampValidBits = 0;
    bool mComputes = true;
    Lock mHostLock;
    Lock mHostUnlock;
    std::mutex mMutex;
    std::atomic<uint64_t> mSubmitted{0}; ///< written under mMutex
    std::atomic<uint64_t> mBefore{0};    ///< value of the submission before the last
    std::atomic<uint64_t> mReached{0};
    std::atomic<int32_t> mFailure{0};
    // On a processor: the last submission before which pipelines were created, and its time.
    uint64_t mPipelinesMade = 0; ///< guarded by mMutex
    std::atomic<uint64_t> mFirstUse{0};
    std::atomic<Clock::time_point> mFirstUseSince{};
    std::unique_ptr<Timeline> mTimeline;
    // Older validation layers wait ten seconds for a value that they do not know, and report it. So
    // under validation, nothing polls the timeline during a submission, and waits are for values
    // that a submission signals, not for those between.
    const bool mValidated;
    std::mutex mValidatedMutex;         ///< guards the next
    std::deque<uint64_t> mSignalValues; ///< of submissions in flight

    std::mutex mGatherMutex; ///< guards the next three; may be locked while mMutex is
    Gathering mGathering;
    bool mGathersNoMore = false;
    std::atomic<uint64_t> mAssigned{0}; ///< last value given to work
    std::atomic<uint64_t> mGathered{0}; ///< last value given to gathered work
    // Of the submission being made; guarded by mMutex.
    std::vector<Gathering::Entry> mTaken;
    std::vector<VkCommandBuffer> mCommands;

    std::mutex mFailuresMutex;
    std::vector<Failure> mFailures;
    std::atomic<bool> mAnyFailed{false};

    // The flusher submits gathered work if no call to the library does. Started with the first
    // gathered work.
    std::mutex mFlusherMutex; ///< guards the next three
    std::condition_variable mFlusherWakes;
    std::thread mFlusher;
    bool mClosing = false;
    std::atomic<bool> mFlusherSleeps{true};
};

} // namespace kp::vulkan

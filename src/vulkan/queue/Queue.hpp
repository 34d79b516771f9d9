// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "vulkan/queue/Timeline.hpp"

namespace kp::vulkan {

class Device;

/// How a host thread waits for the device (docs/benchmarks.md).
enum class WaitMode {
    eSpin,   ///< poll until done: lowest latency, one core busy
    eHybrid, ///< poll, later with short sleeps in between, finally block
    eBlock   ///< block at once
};

/// A VkQueue, created here or a host application's, its lock, and its timeline. Whoever needs to
/// know whether work is done compares a value with the timeline. The first error sticks: later
/// calls repeat it. Thread-safe. Owned by its Device.
class Queue {
public:
    using Lock = std::function<void(uint32_t family, uint32_t index)>;

    Queue(Device& device, VkQueue handle, uint32_t family, uint32_t index, bool timelineSemaphores,
          Lock lock = {}, Lock unlock = {});
    ~Queue();

    /// Submits command buffers, to run after @p waits. Points of this queue are in order anyway.
    /// @return the value that is reached when they have run
    uint64_t submit(std::span<const VkCommandBuffer> commandBuffers,
                    std::span<const TimelinePoint> waits);

    /// Returns true once the device has finished the submission with this value. Never blocks.
    bool reached(uint64_t value);

    /// Waits for the submission with this value.
    /// @param timeout  nanoseconds; UINT64_MAX waits for ever
    /// @return false if it timed out
    bool wait(uint64_t value, uint64_t timeout, WaitMode mode);

    uint64_t lastSubmitted() const { return mSubmitted.load(std::memory_order_acquire); }

    Device& device() const { return mDevice; }
    VkQueue handle() const { return mHandle; }
    uint32_t family() const { return mFamily; }
    uint32_t index() const { return mIndex; }
    uint32_t timestampValidBits() const { return mTimestampValidBits; }
    std::string name() const;

    /// For a host application that uses the VkQueue itself.
    void lock();
    void unlock();

private:
    using Clock = std::chrono::steady_clock;

    void requireWorking();
    // Each waits until @p end or @p timeout and returns true if the value is reached.
    bool spin(uint64_t value, Clock::time_point end);
    bool nap(uint64_t value, Clock::time_point start, Clock::time_point end);
    bool block(uint64_t value, uint64_t timeout);
    void fail(VkResult result, const char* what);

    Device& mDevice;
    VkQueue mHandle;
    uint32_t mFamily;
    uint32_t mIndex;
    uint32_t mTimestampValidBits = 0;
    Lock mHostLock;
    Lock mHostUnlock;
    std::mutex mMutex;
    std::atomic<uint64_t> mSubmitted{0};
    std::atomic<uint64_t> mReached{0};
    std::atomic<int32_t> mFailure{0};
    std::unique_ptr<Timeline> mTimeline;
};

} // namespace kp::vulkan

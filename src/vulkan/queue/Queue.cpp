// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/Queue.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "base/Deadline.hpp"
#include "base/Process.hpp"
#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/Result.hpp"

namespace kp::vulkan {
namespace {

// A hybrid wait polls without a pause for this long, then with short sleeps ("naps"), before it
// blocks in the driver (measurements: docs/benchmarks.md, "How a hybrid wait waits").
constexpr std::chrono::milliseconds kHybridSpin{1};
constexpr std::chrono::seconds kHybridNaps{1};
constexpr std::chrono::microseconds kMinNap{20};
/// A nap lasts this part of the wait so far, which bounds by how much the wait ends late.
constexpr int kNapShare = 256;
/// A spinning wait calls the driver's wait this often: a driver whose counter is only read need not
/// notice that its device was lost.
constexpr std::chrono::seconds kSpinInterval{1};

void relaxCpu() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#else
    std::this_thread::yield();
#endif
}

} // namespace

Queue::Queue(Device& device, VkQueue handle, uint32_t family, uint32_t index,
             bool timelineSemaphores, Lock lock, Lock unlock)
    : mDevice(device), mHandle(handle), mFamily(family), mIndex(index), mHostLock(std::move(lock)),
      mHostUnlock(std::move(unlock)), mTimeline(Timeline::create(device, timelineSemaphores)) {
    if (family < device.physical().queueFamilies.size())
        mTimestampValidBits = device.physical().queueFamilies[family].timestampValidBits;
}

Queue::~Queue() = default;

std::string Queue::name() const {
    return formatted("queue {} of family {}", mIndex, mFamily);
}

void Queue::lock() {
    mMutex.lock();
    if (mHostLock)
        mHostLock(mFamily, mIndex);
}

void Queue::unlock() {
    if (mHostUnlock)
        mHostUnlock(mFamily, mIndex);
    mMutex.unlock();
}

void Queue::requireWorking() {
    mDevice.requireAlive();
    if (const int32_t failure = mFailure.load(std::memory_order_relaxed))
        throwResult(static_cast<VkResult>(failure), formatted("an earlier use of {}", name()));
}

void Queue::fail(VkResult result, const char* what) {
    int32_t none = 0;
    // Running out of memory leaves the queue as it was; any other failure is final.
    if (result != VK_ERROR_OUT_OF_DEVICE_MEMORY && result != VK_ERROR_OUT_OF_HOST_MEMORY)
        mFailure.compare_exchange_strong(none, result, std::memory_order_relaxed);
    mDevice.check(result, what);
}

uint64_t Queue::submit(std::span<const VkCommandBuffer> commandBuffers,
                       std::span<const TimelinePoint> waits) {
    requireWorking();
    // Static, so that a steady state allocates nothing.
    thread_local std::vector<VkSemaphore> semaphores;
    thread_local std::vector<uint64_t> values;
    semaphores.clear();
    values.clear();
    for (const TimelinePoint& point : waits) {
        if (!point.queue || point.queue == this || point.queue->reached(point.value))
            continue;
        if (const VkSemaphore semaphore = point.queue->mTimeline->semaphore()) {
            semaphores.push_back(semaphore);
            values.push_back(point.value);
        } else {
            point.queue->wait(point.value, UINT64_MAX, WaitMode::eBlock);
        }
    }

    const std::lock_guard lock(*this);
    const uint64_t value = mSubmitted.load(std::memory_order_relaxed) + 1;
    const VkResult result = mTimeline->submit(mHandle, commandBuffers, semaphores, values, value);
    if (result != VK_SUCCESS)
        fail(result, "vkQueueSubmit");
    mSubmitted.store(value, std::memory_order_release);
    return value;
}

bool Queue::reached(uint64_t value) {
    if (value <= mReached.load(std::memory_order_acquire))
        return true;
    if (value > mSubmitted.load(std::memory_order_acquire))
        return false;
    requireDriver();
    uint64_t now = 0;
    const VkResult result = mTimeline->poll(now);
    if (result < 0)
        fail(result, "polling a queue");
    uint64_t known = mReached.load(std::memory_order_relaxed);
    while (known < now && !mReached.compare_exchange_weak(known, now, std::memory_order_release,
                                                          std::memory_order_relaxed)) {
    }
    return value <= now;
}

bool Queue::wait(uint64_t value, uint64_t timeout, WaitMode mode) {
    requireWorking();
    if (reached(value))
        return true;
    const Deadline deadline(timeout);
    const auto limited = [&](std::chrono::nanoseconds time) {
        return deadline.start() +
               std::chrono::nanoseconds(std::min(timeout, static_cast<uint64_t>(time.count())));
    };
    if (mode == WaitMode::eHybrid) {
        if (spin(value, limited(kHybridSpin)) || nap(value, deadline.start(), limited(kHybridNaps)))
            return true;
    } else if (mode == WaitMode::eSpin) {
        for (std::chrono::nanoseconds end = kSpinInterval;; end += kSpinInterval) {
            if (spin(value, limited(end)))
                return true;
            if (static_cast<uint64_t>(end.count()) >= timeout)
                return false;
            if (block(value, 0))
                return true;
        }
    }
    return block(value, deadline.left());
}

bool Queue::spin(uint64_t value, Clock::time_point end) {
    do {
        for (int i = 0; i < 16; ++i) {
            if (reached(value))
                return true;
            relaxCpu();
        }
    } while (Clock::now() < end);
    return false;
}

bool Queue::nap(uint64_t value, Clock::time_point start, Clock::time_point end) {
    for (Clock::time_point now = Clock::now(); now < end; now = Clock::now()) {
        const Clock::duration nap = std::max<Clock::duration>(kMinNap, (now - start) / kNapShare);
        std::this_thread::sleep_until(std::min(end, now + nap));
        if (reached(value))
            return true;
    }
    return false;
}

bool Queue::block(uint64_t value, uint64_t timeout) {
    const VkResult result = mTimeline->wait(value, timeout);
    if (result < 0)
        fail(result, "waiting for a queue");
    // A driver may return success from an endless wait although the device was lost meanwhile.
    const bool done = reached(value);
    if (!done && result == VK_SUCCESS)
        mDevice.requireAlive();
    return done;
}

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/Queue.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include <kompute/logger/Logger.hpp>
#include <kompute/queue/WaitLimit.hpp>

#include "base/CompileNotice.hpp"
#include "base/Deadline.hpp"
#include "base/Polling.hpp"
#include "base/Process.hpp"
#include "base/Sleep.hpp"
#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Result.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"
#include "vulkan/queue/DeletionQueue.hpp"

namespace kp::vulkan {
namespace {

// A hybrid wait polls without a pause for this long, then with short sleeps ("naps"), before it
// blocks in the driver (measurements: docs/reports/benchmarks.md, "How a hybrid wait waits").
constexpr std::chrono::milliseconds kHybridSpin{1};
constexpr std::chrono::seconds kHybridNaps{1};
/// A spinning wait calls the driver's wait this often: a driver whose counter is only read need not
/// notice that its device was lost.
constexpr std::chrono::seconds kSpinInterval{1};

// On an H200 a submission occupies the device for 11 us and costs the caller 9 us: to begin and end
// a command buffer, and to submit it. So little work (below kFewGathered launches) waits until the
// device is idle, more until one submission at most is in flight. A submission has this many
// launches at most, because nothing runs while they are recorded.
constexpr uint64_t kFewGathered = 8;
constexpr uint64_t kMaxTogether = 64;
/// The flusher looks this often whether the queue is still busy. It does not wait in the driver: on
/// an H200, that slows down the launching thread to half.
constexpr std::chrono::microseconds kFlusherNap{20};

} // namespace

Queue::Queue(Device& device, VkQueue handle, uint32_t family, uint32_t index,
             bool timelineSemaphores, Lock lock, Lock unlock)
    : mDevice(device), mHandle(handle), mFamily(family), mIndex(index), mHostLock(std::move(lock)),
      mHostUnlock(std::move(unlock)), mTimeline(Timeline::create(device, timelineSemaphores)),
      mValidated(device.instance()->validation().any()) {
    const VkQueueFamilyProperties& properties = device.physical().queueFamilies.at(family);
    mTimestampValidBits = properties.timestampValidBits;
    mComputes = (properties.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
}

Queue::Queue(Device& device, const SharedSemaphore& semaphore)
    : mDevice(device), mHandle(VK_NULL_HANDLE), mFamily(device.queue(0).family()), mIndex(0),
      mComputes(false), mTimeline(Timeline::follow(device, semaphore)),
      mValidated(device.instance()->validation().any()) {}

Queue::~Queue() {
    close();
}

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
            point.queue->flushUpTo(point.value);
            semaphores.push_back(semaphore);
            values.push_back(point.queue->signalValue(point.queue->lastGood(point.value)));
        } else {
            point.queue->wait(point.value, UINT64_MAX, WaitMode::eBlock);
        }
    }

    const std::lock_guard lock(*this);
    uint64_t value = 0;
    submitGathered(UINT64_MAX, &value);
    const VkResult result = submitNow(commandBuffers, semaphores, values, value);
    if (result != VK_SUCCESS)
        noteFailed(value, value, nullptr);
    noteSubmitted(value);
    if (result != VK_SUCCESS)
        fail(result, "vkQueueSubmit");
    return value;
}

void Queue::submitSignal(uint64_t value, const SharedSemaphore& semaphore, uint64_t& followed) {
    requireWorking();
    flushUpTo(value);
    const std::lock_guard lock(*this);
    if (value <= followed)
        return;
    const uint64_t submitted = mSubmitted;
    signalNow(semaphore, submitted);
    followed = submitted;
}

void Queue::signalAfter(uint64_t value, const SharedSemaphore& semaphore, uint64_t signalled) {
    requireWorking();
    flushUpTo(value);
    const std::lock_guard lock(*this);
    signalNow(semaphore, signalled);
}

void Queue::signalNow(const SharedSemaphore& semaphore, uint64_t value) {
    const VkSemaphore handle = semaphore.handle();
    VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    timeline.signalSemaphoreValueCount = 1;
    timeline.pSignalSemaphoreValues = &value;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &timeline};
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &handle;
    const VkResult result = mDevice.vk().vkQueueSubmit(mHandle, 1, &info, VK_NULL_HANDLE);
    if (result != VK_SUCCESS)
        fail(result, "vkQueueSubmit");
}

void Queue::expect(uint64_t value) {
    const std::lock_guard lock(mMutex);
    if (value <= mSubmitted)
        return;
    mAssigned = value;
    noteSubmitted(value);
}

void Queue::submitGathered(uint64_t value, uint64_t* next) {
    {
        const std::lock_guard lock(mGatherMutex);
        mGathering.take(value, mTaken);
        if (next)
            *next = ++mAssigned;
    }
    for (size_t first = 0; first < mTaken.size();)
        first = submitTaken(first);
    mTaken.clear();
}

size_t Queue::submitTaken(size_t first) {
    mCommands.clear();
    using Kept = std::vector<std::shared_ptr<LateCommands>>;
    std::unique_ptr<Kept> kept;
    std::exception_ptr error;
    const uint64_t before = mSubmitted;
    uint64_t last = 0;
    size_t next = first;
    try {
        try {
            kept = std::make_unique<Kept>();
            kept->reserve(mTaken.size() - first);
            for (; next < mTaken.size(); ++next) {
                const Gathering::Entry& entry = mTaken[next];
                if (last != 0 && entry.value > before + kMaxTogether)
                    break;
                mCommands.push_back(entry.late ? entry.late->record() : entry.recorded);
                last = std::max(last, entry.value);
            }
        } catch (...) {
            if (next == first) {
                last = mTaken[next++].value;
                throw;
            } // else those before it are submitted first
        }
        const VkResult result = submitNow(mCommands, {}, {}, last);
        if (result != VK_SUCCESS)
            fail(result, "vkQueueSubmit");
    } catch (const std::exception& failure) {
        error = std::current_exception();
        KP_LOG_ERROR("{} launches on {} of {} were submitted together, and failed: {}",
                     last - before, name(), mDevice.name(), failure.what());
    }
    if (error)
        noteFailed(before + 1, last, error);
    noteSubmitted(last);
    // They may be the last to keep memory, whose destruction takes locks that are held here.
    for (size_t i = first; kept && i < next; ++i)
        if (mTaken[i].late)
            kept->push_back(std::move(mTaken[i].late));
    if (!kept || kept->empty())
        return next;
    Kept* const objects = kept.release();
    try {
        mDevice.deletionQueue().pushLater({{this, last}}, [objects] { delete objects; });
    } catch (...) { // out of memory: they are never freed, rather than while the device uses them
    }
    return next;
}

VkResult Queue::submitNow(std::span<const VkCommandBuffer> commandBuffers,
                          std::span<const VkSemaphore> waitSemaphores,
                          std::span<const uint64_t> waitValues, uint64_t value) {
    std::unique_lock lock(mValidatedMutex, std::defer_lock);
    if (mValidated) {
        lock.lock();
        while (!mSignalValues.empty() && mSignalValues.front() <= mReached)
            mSignalValues.pop_front();
    }
    DeviceActivity::count(mDevice.activity().submissions);
    const VkResult result =
        mTimeline->submit(mHandle, commandBuffers, waitSemaphores, waitValues, value);
    if (mValidated && result == VK_SUCCESS)
        mSignalValues.push_back(value);
    return result;
}

uint64_t Queue::signalValue(uint64_t value) {
    if (!mValidated)
        return value;
    const std::lock_guard lock(mValidatedMutex);
    for (const uint64_t signalled : mSignalValues)
        if (signalled >= value)
            return signalled;
    return value;
}

void Queue::noteSubmitted(uint64_t value) {
    mBefore.store(mSubmitted, std::memory_order_release);
    mSubmitted = value;
    if (mDevice.physical().isCpu()) {
        const uint64_t made = mDevice.pipelines().made();
        if (made != mPipelinesMade) {
            mPipelinesMade = made;
            mFirstUseSince.store(Clock::now(), std::memory_order_relaxed);
            mFirstUse.store(value, std::memory_order_release);
        }
    }
}

void Queue::noteFailed(uint64_t first, uint64_t last, std::exception_ptr error) {
    const std::lock_guard lock(mFailuresMutex);
    mFailures.push_back({first, last, std::move(error)});
    mAnyFailed.store(true, std::memory_order_release);
}

uint64_t Queue::lastGood(uint64_t value) {
    if (!mAnyFailed.load(std::memory_order_acquire)) [[likely]]
        return value;
    const std::lock_guard lock(mFailuresMutex);
    for (auto failure = mFailures.rbegin(); failure != mFailures.rend(); ++failure)
        if (failure->first <= value && value <= failure->last)
            value = failure->first - 1;
    return value;
}

void Queue::throwFailure(uint64_t value) {
    const std::lock_guard lock(mFailuresMutex);
    for (const Failure& failure : mFailures)
        if (failure.error && failure.first <= value && value <= failure.last)
            std::rethrow_exception(failure.error);
}

void Queue::flushUpTo(uint64_t value) {
    if (value <= mSubmitted)
        return;
    const std::lock_guard lock(*this);
    submitGathered(std::max(value, mSubmitted + kMaxTogether));
}

void Queue::flushIfDue() noexcept {
    if (!gathers())
        return;
    try {
        const uint64_t count = mGathered - mSubmitted;
        if (!(count < kFewGathered ? reached(mSubmitted) : free()))
            return;
    } catch (...) { // the submission fails alike, and its waits throw
    }
    try {
        flushUpTo(mSubmitted + 1);
    } catch (...) { // out of memory: a later call tries again
    }
}

void Queue::wakeFlusher() {
    const std::lock_guard lock(mFlusherMutex);
    if (mClosing)
        return;
    if (!mFlusher.joinable()) {
        try {
            mFlusher = std::thread([this] { runFlusher(); });
        } catch (const std::system_error&) { // no more threads: a waiter or a later call submits it
            return;
        }
    }
    mFlusherSleeps = false;
    mFlusherWakes.notify_one();
}

void Queue::runFlusher() {
    sleepPrecisely();
    std::unique_lock lock(mFlusherMutex);
    while (!mClosing) {
        mFlusherWakes.wait(lock, [this] {
            // Again each time: the work that woke it may be submitted already. Before gathers() is
            // called: later gathered work finds the flusher asleep, and wakes it.
            mFlusherSleeps = true;
            return mClosing || gathers();
        });
        mFlusherSleeps = false;
        while (!mClosing && gathers()) {
            lock.unlock();
            flushIfDue();
            sleepUntil(Clock::now() + kFlusherNap);
            lock.lock();
        }
    }
}

void Queue::close() {
    {
        const std::lock_guard lock(mFlusherMutex);
        mClosing = true;
    }
    mFlusherWakes.notify_one();
    if (mFlusher.joinable()) {
        if (forked())
            mFlusher.detach(); // the thread is the parent's
        else
            mFlusher.join();
    }
    {
        const std::lock_guard lock(mGatherMutex);
        mGathersNoMore = true;
    }
    if (driverGone())
        return;
    try {
        flushUpTo(mGathered);
    } catch (...) { // the next wait for the work tries again
    }
}

void Queue::drop() {
    Gathering dropped; // destroyed after the lock is released
    const std::lock_guard lock(mGatherMutex);
    std::swap(dropped, mGathering);
}

bool Queue::reached(uint64_t value) {
    if (value <= mReached.load(std::memory_order_acquire))
        return true;
    value = lastGood(value);
    if (value > mSubmitted)
        return false;
    requireDriver();
    uint64_t now = 0;
    std::unique_lock lock(mValidatedMutex, std::defer_lock);
    if (mValidated)
        lock.lock();
    const VkResult result = mTimeline->poll(now);
    if (mValidated)
        lock.unlock();
    if (result < 0)
        fail(result, "polling a queue");
    uint64_t known = mReached.load(std::memory_order_relaxed);
    while (known < now && !mReached.compare_exchange_weak(known, now, std::memory_order_release,
                                                          std::memory_order_relaxed)) {
    }
    return value <= now;
}

bool Queue::poll(uint64_t value) {
    if (!reached(value)) {
        flushIfDue();
        return false;
    }
    requireSucceeded(value);
    return true;
}

bool Queue::wait(uint64_t value, uint64_t timeout, WaitMode mode) {
    const bool isReached = waitUntil(value, timeout, mode);
    if (isReached) // a wait in slices counts once
        DeviceActivity::count(mDevice.activity().waits);
    return isReached;
}

bool Queue::waitUntil(uint64_t value, uint64_t timeout, WaitMode mode) {
    requireWorking();
    flushUpTo(value);
    value = lastGood(value);
    if (reached(value))
        return true;
    if (const uint64_t limit = WaitLimit::current(); limit < timeout) {
        const WaitLimit none(UINT64_MAX);
        if (waitUntil(value, limit, mode))
            return true;
        WaitLimit::fail();
    }
    const Deadline deadline(timeout);
    const auto limited = [&](std::chrono::nanoseconds time) {
        return deadline.start() +
               std::chrono::nanoseconds(std::min(timeout, static_cast<uint64_t>(time.count())));
    };
    const auto isReached = [&] { return reached(value); };
    if (mode == WaitMode::eHybrid) {
        if (spinUntil(limited(kHybridSpin), isReached) ||
            napUntil(deadline.start(), limited(kHybridNaps), isReached))
            return true;
    } else if (mode == WaitMode::eSpin) {
        for (std::chrono::nanoseconds end = kSpinInterval;; end += kSpinInterval) {
            if (spinUntil(limited(end), isReached))
                return true;
            if (static_cast<uint64_t>(end.count()) >= timeout)
                return false;
            if (block(value, 0))
                return true;
        }
    }
    const uint64_t firstUse = mFirstUse.load(std::memory_order_acquire);
    if (firstUse != 0 && firstUse <= value && !reached(firstUse))
        return blockOnFirstUse(value, deadline.left());
    return block(value, deadline.left());
}

bool Queue::blockOnFirstUse(uint64_t value, uint64_t timeout) {
    const Deadline deadline(timeout);
    const Clock::duration patience =
        mFirstUseSince.load(std::memory_order_relaxed) + CompileNotice::kPatience - Clock::now();
    const auto quiet = static_cast<uint64_t>(std::max<int64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(patience).count(), 0));
    if (timeout > quiet) {
        if (block(value, quiet))
            return true;
        CompileNotice::say("shaders at their first use");
    }
    return block(value, deadline.left());
}

bool Queue::block(uint64_t value, uint64_t timeout) {
    const VkResult result = mTimeline->wait(signalValue(value), timeout);
    if (result < 0)
        fail(result, "waiting for a queue");
    // A driver may return success from an endless wait although the device was lost meanwhile.
    const bool done = reached(value);
    if (!done && result == VK_SUCCESS)
        mDevice.requireAlive();
    return done;
}

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/DeletionQueue.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include <kompute/Error.hpp>
#include <kompute/queue/WaitLimit.hpp>

#include "base/Process.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp::vulkan {
namespace {

std::atomic<std::chrono::milliseconds> gErrorTimeout{DeletionQueue::kErrorTimeout};

bool allUsesReached(const std::vector<TimelinePoint>& uses) {
    return std::all_of(uses.begin(), uses.end(), DeletionQueue::reached);
}

} // namespace

void DeletionQueue::drain() {
    for (;;) {
        std::vector<Entry> due;
        {
            const std::lock_guard lock(mMutex);
            due.swap(mEntries);
        }
        if (due.empty())
            return;
        for (Entry& entry : due)
            entry.release();
    }
}

bool DeletionQueue::reached(const TimelinePoint& use) {
    if (driverGone())
        return false;
    try {
        return !use.queue || use.queue->reached(use.value);
    } catch (const DeviceLost&) {
        return true;
    } catch (const Error&) {
        return false;
    }
}

void DeletionQueue::setErrorTimeout(std::chrono::milliseconds timeout) {
    gErrorTimeout.store(timeout, std::memory_order_relaxed);
}

void DeletionQueue::waitDespiteErrors(const TimelinePoint& use) noexcept {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds kPause{100};
    const WaitLimit none(UINT64_MAX);
    Clock::duration spent{}; // on errors, not on successful waiting
    while (!driverGone() && !reached(use)) {
        const Clock::time_point start = Clock::now();
        try {
            use.queue->wait(use.value, UINT64_MAX, WaitMode::eBlock);
            return;
        } catch (...) { // an out-of-memory error may pass
            std::this_thread::sleep_for(kPause);
            spent += Clock::now() - start;
        }
        if (spent >= gErrorTimeout.load(std::memory_order_relaxed))
            return;
    }
}

void DeletionQueue::push(std::vector<TimelinePoint> uses, std::function<void()> release) {
    if (!driverGone() && allUsesReached(uses))
        release();
    else
        pushLater(std::move(uses), std::move(release));
}

void DeletionQueue::pushLater(std::vector<TimelinePoint> uses, std::function<void()> release) {
    if (driverGone()) { // the driver is gone, and another thread may have held the lock
        keepHandle(new std::function<void()>(std::move(release)));
        return;
    }
    const std::lock_guard lock(mMutex);
    mEntries.push_back({std::move(uses), std::move(release)});
}

void DeletionQueue::collect() {
    std::vector<Entry> due;
    {
        const std::lock_guard lock(mMutex);
        if (mEntries.empty())
            return;
        const auto keep = std::partition(mEntries.begin(), mEntries.end(), [](const Entry& entry) {
            return !allUsesReached(entry.uses);
        });
        due.assign(std::make_move_iterator(keep), std::make_move_iterator(mEntries.end()));
        mEntries.erase(keep, mEntries.end());
    }
    for (Entry& entry : due)
        entry.release();
}

} // namespace kp::vulkan

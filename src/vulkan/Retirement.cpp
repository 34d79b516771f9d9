// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Retirement.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <kompute/Error.hpp>

#include "vulkan/Queue.hpp"

namespace kp::vulkan {
namespace {

std::atomic<std::chrono::milliseconds> patience{Retirement::kPatience};

bool allReached(const std::vector<TimelinePoint>& uses) {
    return std::all_of(uses.begin(), uses.end(), Retirement::reached);
}

} // namespace

Retirement::Retirement(Device&) {}

Retirement::~Retirement() {
    drain();
}

void Retirement::drain() {
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

bool Retirement::reached(const TimelinePoint& use) {
    try {
        return !use.queue || use.queue->reached(use.value);
    } catch (const DeviceLost&) {
        return true;
    } catch (const Error&) {
        return false;
    }
}

void Retirement::setPatience(std::chrono::milliseconds most) {
    patience.store(most, std::memory_order_relaxed);
}

void Retirement::waitDespiteErrors(const TimelinePoint& use) noexcept {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds kPause{100};
    Clock::duration spent{}; // on errors, not on waiting for the device
    while (!reached(use)) {
        const Clock::time_point start = Clock::now();
        try {
            use.queue->wait(use.value, UINT64_MAX, WaitMode::eBlock);
            return;
        } catch (...) { // running out of memory passes
            std::this_thread::sleep_for(kPause);
            spent += Clock::now() - start;
        }
        if (spent >= patience.load(std::memory_order_relaxed))
            return;
    }
}

void Retirement::retire(std::vector<TimelinePoint> uses, std::function<void()> release) {
    if (allReached(uses)) {
        release();
        return;
    }
    const std::lock_guard lock(mMutex);
    mEntries.push_back({std::move(uses), std::move(release)});
}

void Retirement::collect() {
    std::vector<Entry> due;
    {
        const std::lock_guard lock(mMutex);
        if (mEntries.empty())
            return;
        const auto keep = std::partition(mEntries.begin(), mEntries.end(), [](const Entry& entry) {
            return !allReached(entry.uses);
        });
        due.assign(std::make_move_iterator(keep), std::make_move_iterator(mEntries.end()));
        mEntries.erase(keep, mEntries.end());
    }
    for (Entry& entry : due)
        entry.release();
}

} // namespace kp::vulkan

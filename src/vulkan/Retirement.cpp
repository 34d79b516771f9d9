// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Retirement.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "vulkan/Queue.hpp"

namespace kp::vulkan {

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

bool Retirement::reached(const std::vector<TimelinePoint>& uses) {
    try {
        return std::all_of(uses.begin(), uses.end(),
                           [](const TimelinePoint& use) { return use.queue->reached(use.value); });
    } catch (const DeviceLost&) {
        return true; // it runs nothing any more
    } catch (const Error&) {
        return false; // not known now; asked again later
    }
}

void Retirement::retire(std::vector<TimelinePoint> uses, std::function<void()> release) {
    if (reached(uses)) {
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
        const auto keep = std::partition(mEntries.begin(), mEntries.end(),
                                         [](const Entry& entry) { return !reached(entry.uses); });
        due.assign(std::make_move_iterator(keep), std::make_move_iterator(mEntries.end()));
        mEntries.erase(keep, mEntries.end());
    }
    for (Entry& entry : due)
        entry.release();
}

} // namespace kp::vulkan

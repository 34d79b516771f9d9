// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Resource.hpp"

#include <algorithm>

#include "vulkan/Device.hpp"
#include "vulkan/Retirement.hpp"

namespace kp::vulkan {

void ResourceUse::note(const TimelinePoint& point, bool writes) {
    if (writes)
        lastWrite = point;
    const auto found =
        std::find_if(lastUses.begin(), lastUses.end(),
                     [&](const TimelinePoint& use) { return use.queue == point.queue; });
    if (found == lastUses.end())
        lastUses.push_back(point);
    else
        *found = point;
}

bool Resource::idle() const {
    const std::lock_guard lock(mDevice.submissionMutex());
    const std::vector<TimelinePoint>& uses = use().lastUses;
    return Retirement::reached(mDevice.lastUnknownAccess()) &&
           std::all_of(uses.begin(), uses.end(), Retirement::reached);
}

void Resource::retireLater(std::function<void()> release) const {
    mDevice.retirement().retire(pendingUses(), std::move(release));
}

std::vector<TimelinePoint> Resource::pendingUses() const {
    const std::lock_guard lock(mDevice.submissionMutex());
    std::vector<TimelinePoint> points = use().lastUses;
    if (mDevice.lastUnknownAccess().queue)
        points.push_back(mDevice.lastUnknownAccess());
    return points;
}

void Resource::waitUntilFree(bool forWriting) const {
    std::vector<TimelinePoint> points;
    if (forWriting) {
        points = pendingUses();
    } else {
        const std::lock_guard lock(mDevice.submissionMutex());
        if (use().lastWrite.queue)
            points.push_back(use().lastWrite);
        if (mDevice.lastUnknownAccess().queue)
            points.push_back(mDevice.lastUnknownAccess());
    }
    for (const TimelinePoint& point : points)
        point.queue->wait(point.value, UINT64_MAX, mDevice.defaultWaitMode());
}

} // namespace kp::vulkan

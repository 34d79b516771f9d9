// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/Resource.hpp"

#include <algorithm>

#include "vulkan/device/Device.hpp"
#include "vulkan/queue/DeletionQueue.hpp"

namespace kp::vulkan {

void ResourceUse::noteOther(const TimelinePoint& point) {
    const auto found = std::find_if(others.begin(), others.end(), [&](const TimelinePoint& use) {
        return use.queue == point.queue;
    });
    if (found == others.end())
        others.push_back(point);
    else
        *found = point;
}

Resource::Resource(Device& device) : mDevice(device), mUnknownAccesses(device.unknownAccesses()) {}

bool Resource::idle() const {
    const std::lock_guard lock(mDevice.submissionMutex());
    const std::vector<TimelinePoint>& others = use().others;
    return DeletionQueue::reached(mDevice.lastUnknownAccess()) &&
           DeletionQueue::reached(use().lastUse) &&
           std::all_of(others.begin(), others.end(), DeletionQueue::reached);
}

void Resource::pushDeletion(std::function<void()> release) const {
    mDevice.deletionQueue().push(usesBefore(true), std::move(release));
}

std::vector<TimelinePoint> Resource::usesBefore(bool writing) const {
    const std::lock_guard lock(mDevice.submissionMutex());
    std::vector<TimelinePoint> points;
    if (writing)
        points = use().others;
    for (const TimelinePoint& point :
         {writing ? use().lastUse : use().lastWrite, mDevice.lastUnknownAccess()})
        if (point.queue)
            points.push_back(point);
    return points;
}

void Resource::waitUntilFree(bool forWriting) const {
    for (const TimelinePoint& point : usesBefore(forWriting))
        point.queue->wait(point.value, UINT64_MAX, mDevice.defaultWaitMode());
}

void Resource::waitForHost(bool forWriting) const {
    std::atomic<uint64_t>& known = forWriting ? mUsesWaitedFor : mWritesWaitedFor;
    const uint64_t now = submissions(forWriting);
    waitUntilFree(forWriting);
    known.store(now, std::memory_order_release);
}

bool Resource::freeForHost(bool forWriting) const {
    return unusedSinceWait(forWriting) ||
           std::ranges::all_of(usesBefore(forWriting), DeletionQueue::reached);
}

} // namespace kp::vulkan

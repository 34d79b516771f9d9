// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Resource.hpp"

#include <algorithm>

#include "vulkan/Device.hpp"
#include "vulkan/Retirement.hpp"

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

std::vector<TimelinePoint> ResourceUse::all() const {
    std::vector<TimelinePoint> points = others;
    if (lastUse.queue)
        points.push_back(lastUse);
    return points;
}

bool Resource::idle() const {
    const std::lock_guard lock(mDevice.submissionMutex());
    const std::vector<TimelinePoint>& others = use().others;
    return Retirement::reached(mDevice.lastUnknownAccess()) && Retirement::reached(use().lastUse) &&
           std::all_of(others.begin(), others.end(), Retirement::reached);
}

void Resource::retireLater(std::function<void()> release) const {
    mDevice.retirement().retire(usesBefore(true), std::move(release));
}

std::vector<TimelinePoint> Resource::usesBefore(bool writing) const {
    const std::lock_guard lock(mDevice.submissionMutex());
    std::vector<TimelinePoint> points;
    if (writing)
        points = use().all();
    else if (use().lastWrite.queue)
        points.push_back(use().lastWrite);
    if (mDevice.lastUnknownAccess().queue)
        points.push_back(mDevice.lastUnknownAccess());
    return points;
}

void Resource::waitUntilFree(bool forWriting) const {
    for (const TimelinePoint& point : usesBefore(forWriting))
        point.queue->wait(point.value, UINT64_MAX, mDevice.defaultWaitMode());
}

} // namespace kp::vulkan

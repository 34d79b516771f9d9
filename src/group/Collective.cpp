// SPDX-License-Identifier: Apache-2.0
#include "group/Collective.hpp"

#include <algorithm>
#include <utility>

#include "core/QueueImpl.hpp"

namespace kp::group {

void Collective::transfer(const Buffer::Impl& from, uint32_t source, uint64_t sourceOffset,
                          const Buffer::Impl& to, uint32_t destination, uint64_t destinationOffset,
                          uint64_t bytes) {
    involve(from, source);
    involve(to, destination);
    if (bytes == 0)
        return;
    to.noteDeviceWrite(destination);
    const DeviceTransfer::Destination target{to.deviceOf(destination), to.memory(destination),
                                             destinationOffset};
    // Bytes with several destinations leave their device once.
    for (DeviceTransfer& known : mSteps.back().transfers)
        if (known.source == from.memory(source) && known.offset == sourceOffset &&
            known.bytes == bytes) {
            known.destinations.push_back(target);
            return;
        }
    mSteps.back().transfers.push_back(
        {from.deviceOf(source), from.memory(source), sourceOffset, bytes, {target}});
}

void Collective::transferCommon(const Buffer::Impl& from, uint32_t source, const Buffer::Impl& to,
                                uint32_t destination) {
    const uint64_t begin = std::max(from.wholeOffset(source), to.wholeOffset(destination));
    const uint64_t end = std::min(from.wholeOffset(source) + from.bytesOf(source),
                                  to.wholeOffset(destination) + to.bytesOf(destination));
    if (begin < end)
        transfer(from, source, begin - from.wholeOffset(source), to, destination,
                 begin - to.wholeOffset(destination), end - begin);
}

void Collective::involve(const Buffer::Impl& buffer, uint32_t copy) {
    const uint32_t queue = buffer.queueOfCopy[copy];
    if (std::find(mQueues.begin(), mQueues.end(), queue) == mQueues.end())
        mQueues.push_back(queue);
}

std::vector<Event> Collective::launch(const std::vector<Event>& waitFor) {
    std::sort(mQueues.begin(), mQueues.end());
    std::vector<std::shared_ptr<Queue>> queues;
    std::vector<uint32_t> devices;
    for (const uint32_t queue : mQueues) {
        queues.push_back(mGroup->queues[queue]);
        devices.push_back(mGroup->deviceOfQueue[queue]);
    }
    return Queue::Impl::launchAcross(
        queues, waitFor,
        [group = mGroup, steps = std::move(mSteps),
         devices](std::vector<vulkan::TimelinePoint>& ends) {
            std::vector<vulkan::TimelinePoint> deviceEnds(group->managers.size());
            for (const Step& step : steps)
                group->exchange->run(step.transfers, step.kernels, deviceEnds);
            for (size_t i = 0; i < ends.size(); ++i)
                ends[i] = deviceEnds[devices[i]];
        });
}

size_t Collective::indexOf(uint32_t queue) const {
    return static_cast<size_t>(std::find(mQueues.begin(), mQueues.end(), queue) - mQueues.begin());
}

} // namespace kp::group

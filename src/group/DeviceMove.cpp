// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/DeviceMove.hpp>

#include <algorithm>
#include <utility>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/QueueImpl.hpp"
#include "group/DeviceGroupImpl.hpp"
#include "group/shards/ShardWork.hpp"

namespace kp {
namespace {

void requireMove(const DeviceGroup::Impl& group, const DeviceMove& move) {
    const auto require = [&](const std::shared_ptr<Tensor>& tensor, size_t device, uint64_t offset,
                             const char* what) {
        if (device >= group.managers.size())
            fail<InvalidArgument>("the {} is on device {}, but the group has {}", what, device,
                                  counted(group.managers.size(), "device"));
        if (!tensor || !tensor->isInit())
            fail<InvalidArgument>("the {} has no memory; it was destroyed", what);
        if (offset > tensor->memorySize() || move.bytes > tensor->memorySize() - offset)
            fail<InvalidArgument>("{} bytes at offset {} do not fit into the {} of {} bytes",
                                  move.bytes, offset, what, tensor->memorySize());
    };
    require(move.source, move.sourceDevice, move.sourceOffset, "source");
    require(move.destination, move.destinationDevice, move.destinationOffset, "destination");
}

} // namespace

void moveBetween(const DeviceGroup& devices, const std::vector<DeviceMove>& moves) {
    const std::shared_ptr<DeviceGroup::Impl> group = sharedImplOf(devices);
    const auto transfers = std::make_shared<group::ShardTransfers>();
    for (const DeviceMove& move : moves) {
        requireMove(*group, move);
        if (move.bytes == 0)
            continue;
        implOf(*move.source).bringToDevice();
        implOf(*move.destination).bringToDevice(); // the memory around the bytes
        implOf(*move.destination).noteDeviceWrite();
        transfers->add(move.sourceDevice, *move.source, move.sourceOffset, move.destinationDevice,
                       *move.destination, move.destinationOffset, move.bytes);
    }
    std::vector<std::shared_ptr<Queue>> queues;
    for (const std::shared_ptr<Manager>& manager : group->managers)
        queues.push_back(manager->defaultQueue());
    const bool settled = std::all_of(queues.begin(), queues.end(),
                                     [](const auto& queue) { return implOf(*queue).settled(); });
    if (settled) {
        transfers->run(*group);
        return;
    }
    // The tensors are kept, so that their memory is not reused before this is submitted.
    Queue::Impl::launchAcross(
        queues, {},
        [group, transfers, moves](std::vector<vulkan::TimelinePoint>&) { transfers->run(*group); });
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include "group/Collective.hpp"

#include <algorithm>
#include <utility>

#include "base/Text.hpp"
#include "core/queue/QueueImpl.hpp"
#include "group/shards/ShardWork.hpp"

namespace kp {
namespace group {

void Collective::transfer(const Buffer::Impl& from, uint32_t source, uint64_t sourceOffset,
                          const Buffer::Impl& to, uint32_t destination, uint64_t destinationOffset,
                          uint64_t bytes) {
    involve(from, source);
    involve(to, destination);
    if (bytes == 0)
        return;
    from.bringToDevice(source);
    to.bringToDevice(destination);
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

} // namespace group

using group::Collective;
using group::ReduceKernel;
using group::ReduceKernels;
using group::requirePlacement;

namespace {

void requirePair(const Buffer::Impl& from, const Buffer::Impl& to, const char* what) {
    from.requireAlive();
    to.requireWritable();
    const char* const reason = from.group != to.group ? "they are of different device groups"
                               : from.shape != to.shape || from.type != to.type ? "they differ"
                               : &from == &to ? "they are the same buffer"
                                              : nullptr;
    if (reason)
        fail<InvalidArgument>("{} from {} to {}: {}", what, from.describe(), to.describe(), reason);
}

/// @throws InvalidArgument or Unsupported if the elements cannot be reduced
ReduceKernels kernelsOf(const Buffer::Impl& buffer, ReduceOperation operation) {
    if (buffer.type.isComplex && operation != ReduceOperation::eSum)
        fail<InvalidArgument>("complex numbers can be reduced to their sum only");
    ReduceKernels kernels;
    for (const uint32_t first : buffer.group->firstQueue)
        kernels.push_back(ReduceKernel::of(*implOf(*buffer.group->queues[first]).device,
                                           buffer.type.number, operation));
    return kernels;
}

/// Returns the copy of @p from that a copy of @p to receives.
uint32_t nearestCopy(const Buffer::Impl& from, const Buffer::Impl& to, uint32_t destination) {
    for (uint32_t copy = 0; copy < from.copyCount(); ++copy)
        if (from.queueOfCopy[copy] == to.queueOfCopy[destination])
            return copy;
    for (uint32_t copy = 0; copy < from.copyCount(); ++copy)
        if (from.deviceOf(copy) == to.deviceOf(destination))
            return copy;
    return 0;
}

Collective redistribute(const Buffer::Impl& from, const Buffer::Impl& to) {
    Collective collective(from.group);
    for (uint32_t destination = 0; destination < to.copyCount(); ++destination) {
        collective.involve(to, destination);
        if (!from.sharded()) {
            collective.transferCommon(from, nearestCopy(from, to, destination), to, destination);
            continue;
        }
        for (uint32_t source = 0; source < from.copyCount(); ++source)
            collective.transferCommon(from, source, to, destination);
    }
    return collective;
}

} // namespace

Event Buffer::copy(uint32_t from, uint32_t to, uint64_t sourceOffset, uint64_t destinationOffset,
                   std::optional<uint64_t> bytes, const std::vector<Event>& waitFor) {
    const Impl& buffer = *mImpl;
    buffer.requireWritable();
    const uint32_t destination = buffer.copyOf(to);
    const uint32_t source = buffer.copyOf(from);
    const uint64_t available = buffer.bytesOf(source);
    const uint64_t room = buffer.bytesOf(destination);
    if (!bytes)
        bytes = std::min(available - std::min(sourceOffset, available),
                         room - std::min(destinationOffset, room));
    const auto require = [&](const char* end, uint32_t copy, uint64_t offset, uint64_t size) {
        if (offset > size || *bytes > size - offset)
            fail<InvalidArgument>(
                "{} bytes at offset {} do not fit into the {}, copy {} of {} bytes", *bytes, offset,
                end, copy, size);
    };
    require("source", source, sourceOffset, available);
    require("destination", destination, destinationOffset, room);
    if (source == destination && sourceOffset < destinationOffset + *bytes &&
        destinationOffset < sourceOffset + *bytes)
        fail<InvalidArgument>("{} bytes at offsets {} and {} of copy {} overlap; copy them to "
                              "another copy or buffer first",
                              *bytes, sourceOffset, destinationOffset, source);
    Collective collective(buffer.group);
    collective.transfer(buffer, source, sourceOffset, buffer, destination, destinationOffset,
                        *bytes);
    const std::vector<Event> events = collective.launch(waitFor);
    return events[collective.indexOf(buffer.queueOfCopy[destination])];
}

std::vector<Event> Buffer::copyTo(Buffer& destination, const std::vector<Event>& waitFor) const {
    requirePair(*mImpl, *destination.mImpl, "a copy");
    return redistribute(*mImpl, *destination.mImpl).launch(waitFor);
}

std::vector<Event> Buffer::broadcast(uint32_t root, const std::vector<Event>& waitFor) {
    const Impl& buffer = *mImpl;
    buffer.requireWritable();
    requirePlacement(buffer, false, "broadcast is for");
    const uint32_t source = buffer.copyOf(root);
    Collective collective(buffer.group);
    collective.involve(buffer, source);
    for (uint32_t copy = 0; copy < buffer.copyCount(); ++copy)
        if (copy != source)
            collective.transfer(buffer, source, 0, buffer, copy, 0, buffer.wholeBytes());
    return collective.launch(waitFor);
}

std::vector<Event> Buffer::scatter(Buffer& destination, uint32_t root,
                                   const std::vector<Event>& waitFor) const {
    const Impl& from = *mImpl;
    const Impl& to = *destination.mImpl;
    requirePair(from, to, "scatter");
    requirePlacement(from, false, "scatter is from");
    requirePlacement(to, true, "scatter is to");
    const uint32_t source = from.copyOf(root);
    Collective collective(from.group);
    for (uint32_t shard = 0; shard < to.copyCount(); ++shard) {
        collective.involve(to, shard);
        collective.transferCommon(from, source, to, shard);
    }
    return collective.launch(waitFor);
}

std::vector<Event> Buffer::gather(Buffer& destination, uint32_t root,
                                  const std::vector<Event>& waitFor) const {
    const Impl& from = *mImpl;
    const Impl& to = *destination.mImpl;
    requirePair(from, to, "gather");
    requirePlacement(from, true, "gather is from");
    requirePlacement(to, false, "gather is to");
    const uint32_t target = to.copyOf(root);
    Collective collective(from.group);
    for (uint32_t shard = 0; shard < from.copyCount(); ++shard) {
        collective.involve(from, shard);
        collective.transferCommon(from, shard, to, target);
    }
    return collective.launch(waitFor);
}

std::vector<Event> Buffer::allGather(Buffer& destination, const std::vector<Event>& waitFor) const {
    const Impl& from = *mImpl;
    const Impl& to = *destination.mImpl;
    requirePair(from, to, "all-gather");
    requirePlacement(from, true, "all-gather is from");
    requirePlacement(to, false, "all-gather is to");
    return redistribute(from, to).launch(waitFor);
}

std::vector<Event> Buffer::reduce(ReduceOperation operation, uint32_t root,
                                  const std::vector<Event>& waitFor) {
    const Impl& buffer = *mImpl;
    buffer.requireWritable();
    requirePlacement(buffer, false, "reduce is for");
    const uint32_t target = buffer.copyOf(root);
    Collective collective(buffer.group, kernelsOf(buffer, operation));
    collective.involve(buffer, target);
    for (uint32_t copy = 0; copy < buffer.copyCount(); ++copy)
        if (copy != target)
            collective.transfer(buffer, copy, 0, buffer, target, 0, buffer.wholeBytes());
    return collective.launch(waitFor);
}

// Each copy reduces one part of all copies, and then every copy gets all parts, so the bytes that a
// device sends and receives do not grow with the number of devices. (Rabenseifner's algorithm;
// Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH",
// 2005.)
std::vector<Event> Buffer::allReduce(ReduceOperation operation, const std::vector<Event>& waitFor) {
    const Impl& buffer = *mImpl;
    buffer.requireWritable();
    requirePlacement(buffer, false, "all-reduce is for");
    constexpr uint64_t kUnit = 256;
    const uint32_t count = buffer.copyCount();
    const uint64_t bytes = buffer.wholeBytes();
    const uint64_t units = (bytes + kUnit - 1) / kUnit;
    const auto boundary = [&](uint32_t part) {
        return std::min(bytes, units * part / count * kUnit);
    };
    Collective collective(buffer.group, kernelsOf(buffer, operation));
    const auto transferPart = [&](uint32_t part, uint32_t from, uint32_t to) {
        if (from != to)
            collective.transfer(buffer, from, boundary(part), buffer, to, boundary(part),
                                boundary(part + 1) - boundary(part));
    };
    for (uint32_t owner = 0; owner < count; ++owner) {
        collective.involve(buffer, owner);
        for (uint32_t copy = 0; copy < count; ++copy)
            transferPart(owner, copy, owner);
    }
    collective.addStep();
    for (uint32_t owner = 0; owner < count; ++owner)
        for (uint32_t copy = 0; copy < count; ++copy)
            transferPart(owner, owner, copy);
    return collective.launch(waitFor);
}

std::vector<Event> Buffer::reduceScatter(Buffer& destination, ReduceOperation operation,
                                         const std::vector<Event>& waitFor) const {
    const Impl& from = *mImpl;
    const Impl& to = *destination.mImpl;
    requirePair(from, to, "reduce-scatter");
    requirePlacement(from, false, "reduce-scatter is from");
    requirePlacement(to, true, "reduce-scatter is to");
    Collective collective(from.group);
    for (uint32_t shard = 0; shard < to.copyCount(); ++shard) {
        collective.involve(to, shard);
        collective.transferCommon(from, nearestCopy(from, to, shard), to, shard);
    }
    collective.addStep(kernelsOf(from, operation));
    for (uint32_t shard = 0; shard < to.copyCount(); ++shard)
        for (uint32_t copy = 0; copy < from.copyCount(); ++copy)
            if (copy != nearestCopy(from, to, shard))
                collective.transferCommon(from, copy, to, shard);
    return collective.launch(waitFor);
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/group/Buffer.hpp>

#include "core/QueueImpl.hpp"
#include "group/BufferImpl.hpp"

// Between the devices of a buffer.

namespace kp {
namespace {

using group::Joining;
using group::Movement;

/// A collective operation: what moves, in steps of which each comes after the one before.
class Collective {
public:
    explicit Collective(std::shared_ptr<DeviceGroup::Impl> group) : mGroup(std::move(group)) {}

    /// Begins a step. @param joining  without: what arrives replaces what is there
    void step(Joining joining = {}) { mSteps.push_back({{}, std::move(joining)}); }

    /// Bytes of a copy that one of another buffer, or of the same one, gets.
    void move(const Buffer::Impl& from, uint32_t source, uint64_t sourceOffset,
              const Buffer::Impl& to, uint32_t destination, uint64_t destinationOffset,
              uint64_t bytes) {
        involve(from, source);
        involve(to, destination);
        if (bytes == 0)
            return;
        to.noteDeviceWrite(destination);
        const Movement::Destination arrival{to.deviceOf(destination), to.memory(destination),
                                            destinationOffset};
        // What several get is fetched once.
        for (Movement& known : mSteps.back().movements)
            if (known.source == from.memory(source) && known.offset == sourceOffset &&
                known.bytes == bytes) {
                known.destinations.push_back(arrival);
                return;
            }
        mSteps.back().movements.push_back(
            {from.deviceOf(source), from.memory(source), sourceOffset, bytes, {arrival}});
    }
    /// The copy has a part in it, though nothing of it may move.
    void involve(const Buffer::Impl& buffer, uint32_t copy) {
        const uint32_t queue = buffer.queueOfCopy[copy];
        if (std::find(mQueues.begin(), mQueues.end(), queue) == mQueues.end())
            mQueues.push_back(queue);
    }

    /// @return an event for each queue of the copies that are involved, in the order of the queues
    std::vector<Event> launch(const std::vector<Event>& waitFor) {
        std::sort(mQueues.begin(), mQueues.end());
        std::vector<std::shared_ptr<Queue>> queues;
        std::vector<uint32_t> devices;
        for (const uint32_t queue : mQueues) {
            queues.push_back(mGroup->queues[queue]);
            devices.push_back(mGroup->deviceOfQueue[queue]);
        }
        return Queue::Impl::launchAcross(
            queues, waitFor,
            [kept = mGroup, steps = std::move(mSteps),
             devices](std::vector<vulkan::TimelinePoint>& ends) {
                std::vector<vulkan::TimelinePoint> deviceEnds(kept->managers.size());
                for (const Step& step : steps)
                    kept->exchange->run(step.movements, step.joining, deviceEnds);
                for (size_t i = 0; i < ends.size(); ++i)
                    ends[i] = deviceEnds[devices[i]];
            });
    }
    /// The place of a queue among the events.
    size_t placeOf(uint32_t queue) const {
        return static_cast<size_t>(std::find(mQueues.begin(), mQueues.end(), queue) -
                                   mQueues.begin());
    }

private:
    struct Step {
        std::vector<Movement> movements;
        Joining joining;
    };

    std::shared_ptr<DeviceGroup::Impl> mGroup;
    std::vector<Step> mSteps;
    std::vector<uint32_t> mQueues;
};

void requirePair(const Buffer::Impl& from, const Buffer::Impl& to, const char* what) {
    from.requireAlive();
    to.requireWritable();
    const std::string whole =
        std::string(what) + " from " + from.describe() + " to " + to.describe();
    if (from.group != to.group)
        throw InvalidArgument(whole + ": they are of different device groups");
    if (from.shape != to.shape || from.type != to.type)
        throw InvalidArgument(whole + ": they differ");
    if (&from == &to)
        throw InvalidArgument(whole + ": they are the same buffer");
}

void requirePlacement(const Buffer::Impl& buffer, bool sharded, const char* what) {
    if (buffer.sharded() != sharded)
        throw InvalidArgument(std::string(what) + (sharded ? " a sharded" : " a replicated") +
                              " buffer, not " + buffer.describe() +
                              (sharded ? " that is replicated" : " that is sharded"));
}

/// @throws InvalidArgument, Unsupported where elements cannot be joined so
Joining joiningOf(const Buffer::Impl& buffer, ReduceOperation operation) {
    if (buffer.type.isComplex && operation != ReduceOperation::eSum)
        throw InvalidArgument("complex numbers can be reduced to their sum only");
    Joining kernels;
    for (const uint32_t first : buffer.group->firstQueue)
        kernels.push_back(group::ReduceKernel::of(*buffer.group->queues[first]->impl().device,
                                                  buffer.type.number, operation));
    return kernels;
}

/// The copy that a copy of @p to gets its contents from.
uint32_t nearest(const Buffer::Impl& from, const Buffer::Impl& to, uint32_t destination) {
    for (uint32_t copy = 0; copy < from.copyCount(); ++copy)
        if (from.queueOfCopy[copy] == to.queueOfCopy[destination])
            return copy;
    for (uint32_t copy = 0; copy < from.copyCount(); ++copy)
        if (from.deviceOf(copy) == to.deviceOf(destination))
            return copy;
    return 0;
}

/// Adds what copy @p destination of @p to gets from copy @p source of @p from: what both have.
void moveCommon(Collective& collective, const Buffer::Impl& from, uint32_t source,
                const Buffer::Impl& to, uint32_t destination) {
    const uint64_t begin = std::max(from.wholeOffset(source), to.wholeOffset(destination));
    const uint64_t end = std::min(from.wholeOffset(source) + from.bytesOf(source),
                                  to.wholeOffset(destination) + to.bytesOf(destination));
    if (begin < end)
        collective.move(from, source, begin - from.wholeOffset(source), to, destination,
                        begin - to.wholeOffset(destination), end - begin);
}

std::vector<Event> redistribute(const Buffer::Impl& from, const Buffer::Impl& to,
                                const std::vector<Event>& waitFor) {
    Collective collective(from.group);
    collective.step();
    for (uint32_t destination = 0; destination < to.copyCount(); ++destination) {
        collective.involve(to, destination);
        if (!from.sharded()) {
            moveCommon(collective, from, nearest(from, to, destination), to, destination);
            continue;
        }
        for (uint32_t source = 0; source < from.copyCount(); ++source)
            moveCommon(collective, from, source, to, destination);
    }
    return collective.launch(waitFor);
}

} // namespace

Event Buffer::copy(uint32_t source, uint32_t destination, uint64_t sourceOffset,
                   uint64_t destinationOffset, std::optional<uint64_t> bytes,
                   const std::vector<Event>& waitFor) {
    mImpl->requireWritable();
    const uint32_t from = mImpl->copyOf(source);
    const uint32_t to = mImpl->copyOf(destination);
    const uint64_t available = mImpl->bytesOf(from);
    const uint64_t room = mImpl->bytesOf(to);
    if (!bytes)
        bytes = std::min(available - std::min(sourceOffset, available),
                         room - std::min(destinationOffset, room));
    const auto require = [&](const char* end, uint32_t copy, uint64_t offset, uint64_t size) {
        if (offset > size || *bytes > size - offset)
            throw InvalidArgument(std::to_string(*bytes) + " bytes at offset " +
                                  std::to_string(offset) + " do not fit into the " + end +
                                  ", copy " + std::to_string(copy) + " of " + std::to_string(size) +
                                  " bytes");
    };
    require("source", from, sourceOffset, available);
    require("destination", to, destinationOffset, room);
    if (from == to && sourceOffset < destinationOffset + *bytes &&
        destinationOffset < sourceOffset + *bytes)
        throw InvalidArgument("the bytes to copy overlap with where they go to, in copy " +
                              std::to_string(from));
    Collective collective(mImpl->group);
    collective.step();
    collective.move(*mImpl, from, sourceOffset, *mImpl, to, destinationOffset, *bytes);
    const std::vector<Event> events = collective.launch(waitFor);
    return events[collective.placeOf(mImpl->queueOfCopy[to])];
}

std::vector<Event> Buffer::copyTo(Buffer& destination, const std::vector<Event>& waitFor) const {
    requirePair(*mImpl, *destination.mImpl, "a copy");
    return redistribute(*mImpl, *destination.mImpl, waitFor);
}

std::vector<Event> Buffer::broadcast(uint32_t root, const std::vector<Event>& waitFor) {
    mImpl->requireWritable();
    requirePlacement(*mImpl, false, "broadcast is for");
    const uint32_t source = mImpl->copyOf(root);
    Collective collective(mImpl->group);
    collective.step();
    collective.involve(*mImpl, source);
    for (uint32_t copy = 0; copy < mImpl->copyCount(); ++copy)
        if (copy != source)
            collective.move(*mImpl, source, 0, *mImpl, copy, 0, mImpl->wholeBytes());
    return collective.launch(waitFor);
}

std::vector<Event> Buffer::scatter(Buffer& destination, uint32_t root,
                                   const std::vector<Event>& waitFor) const {
    requirePair(*mImpl, *destination.mImpl, "scatter");
    requirePlacement(*mImpl, false, "scatter is from");
    requirePlacement(*destination.mImpl, true, "scatter is to");
    const uint32_t source = mImpl->copyOf(root);
    Collective collective(mImpl->group);
    collective.step();
    for (uint32_t copy = 0; copy < destination.copyCount(); ++copy) {
        collective.involve(*destination.mImpl, copy);
        moveCommon(collective, *mImpl, source, *destination.mImpl, copy);
    }
    return collective.launch(waitFor);
}

std::vector<Event> Buffer::gather(Buffer& destination, uint32_t root,
                                  const std::vector<Event>& waitFor) const {
    requirePair(*mImpl, *destination.mImpl, "gather");
    requirePlacement(*mImpl, true, "gather is from");
    requirePlacement(*destination.mImpl, false, "gather is to");
    const uint32_t target = destination.mImpl->copyOf(root);
    Collective collective(mImpl->group);
    collective.step();
    for (uint32_t copy = 0; copy < copyCount(); ++copy) {
        collective.involve(*mImpl, copy);
        moveCommon(collective, *mImpl, copy, *destination.mImpl, target);
    }
    return collective.launch(waitFor);
}

std::vector<Event> Buffer::allGather(Buffer& destination, const std::vector<Event>& waitFor) const {
    requirePair(*mImpl, *destination.mImpl, "all-gather");
    requirePlacement(*mImpl, true, "all-gather is from");
    requirePlacement(*destination.mImpl, false, "all-gather is to");
    return redistribute(*mImpl, *destination.mImpl, waitFor);
}

std::vector<Event> Buffer::reduce(ReduceOperation operation, uint32_t root,
                                  const std::vector<Event>& waitFor) {
    mImpl->requireWritable();
    requirePlacement(*mImpl, false, "reduce is for");
    const uint32_t target = mImpl->copyOf(root);
    Collective collective(mImpl->group);
    collective.step(joiningOf(*mImpl, operation));
    collective.involve(*mImpl, target);
    for (uint32_t copy = 0; copy < mImpl->copyCount(); ++copy)
        if (copy != target)
            collective.move(*mImpl, copy, 0, *mImpl, target, 0, mImpl->wholeBytes());
    return collective.launch(waitFor);
}

std::vector<Event> Buffer::allReduce(ReduceOperation operation, const std::vector<Event>& waitFor) {
    mImpl->requireWritable();
    requirePlacement(*mImpl, false, "all-reduce is for");
    // Each copy joins one part of all copies, and then everybody gets all parts: what each device
    // sends and receives does not grow with their number. (Rabenseifner's algorithm; Thakur,
    // Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH",
    // 2005.)
    constexpr uint64_t kUnit = 256;
    const uint32_t count = mImpl->copyCount();
    const uint64_t bytes = mImpl->wholeBytes();
    const uint64_t units = (bytes + kUnit - 1) / kUnit;
    const auto boundary = [&](uint32_t part) {
        return std::min(bytes, units * part / count * kUnit);
    };
    Collective collective(mImpl->group);
    collective.step(joiningOf(*mImpl, operation));
    for (uint32_t owner = 0; owner < count; ++owner) {
        collective.involve(*mImpl, owner);
        for (uint32_t copy = 0; copy < count; ++copy)
            if (copy != owner)
                collective.move(*mImpl, copy, boundary(owner), *mImpl, owner, boundary(owner),
                                boundary(owner + 1) - boundary(owner));
    }
    collective.step();
    for (uint32_t owner = 0; owner < count; ++owner)
        for (uint32_t copy = 0; copy < count; ++copy)
            if (copy != owner)
                collective.move(*mImpl, owner, boundary(owner), *mImpl, copy, boundary(owner),
                                boundary(owner + 1) - boundary(owner));
    return collective.launch(waitFor);
}

std::vector<Event> Buffer::reduceScatter(Buffer& destination, ReduceOperation operation,
                                         const std::vector<Event>& waitFor) const {
    requirePair(*mImpl, *destination.mImpl, "reduce-scatter");
    requirePlacement(*mImpl, false, "reduce-scatter is from");
    requirePlacement(*destination.mImpl, true, "reduce-scatter is to");
    const Buffer::Impl& to = *destination.mImpl;
    Collective collective(mImpl->group);
    // The device's own copy first, the others are joined with it.
    collective.step();
    for (uint32_t shard = 0; shard < to.copyCount(); ++shard) {
        collective.involve(to, shard);
        moveCommon(collective, *mImpl, nearest(*mImpl, to, shard), to, shard);
    }
    collective.step(joiningOf(*mImpl, operation));
    for (uint32_t shard = 0; shard < to.copyCount(); ++shard)
        for (uint32_t copy = 0; copy < mImpl->copyCount(); ++copy)
            if (copy != nearest(*mImpl, to, shard))
                moveCommon(collective, *mImpl, copy, to, shard);
    return collective.launch(waitFor);
}

} // namespace kp

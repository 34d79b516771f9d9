// SPDX-License-Identifier: Apache-2.0
#include "group/Collectives.hpp"

#include <algorithm>

#include "base/Text.hpp"
#include "core/QueueImpl.hpp"

namespace kp::group {
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

void requirePlacement(const Buffer::Impl& buffer, bool sharded, const char* what) {
    const char* const wanted = sharded ? "sharded" : "replicated";
    const char* const given = sharded ? "replicated" : "sharded";
    if (buffer.sharded() != sharded)
        fail<InvalidArgument>("{} a {} buffer, not {} that is {}", what, wanted, buffer.describe(),
                              given);
}

/// @throws InvalidArgument or Unsupported if the elements cannot be reduced
ReduceKernels kernelsOf(const Buffer::Impl& buffer, ReduceOperation operation) {
    if (buffer.type.isComplex && operation != ReduceOperation::eSum)
        fail<InvalidArgument>("complex numbers can be reduced to their sum only");
    ReduceKernels kernels;
    for (const uint32_t first : buffer.group->firstQueue)
        kernels.push_back(ReduceKernel::of(*buffer.group->queues[first]->impl().device,
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
    collective.addStep();
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

Collective copyOf(const Buffer::Impl& buffer, uint32_t source, uint32_t destination,
                  uint64_t sourceOffset, uint64_t destinationOffset,
                  std::optional<uint64_t> bytes) {
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
    collective.addStep();
    collective.transfer(buffer, source, sourceOffset, buffer, destination, destinationOffset,
                        *bytes);
    return collective;
}

Collective copyTo(const Buffer::Impl& from, const Buffer::Impl& to) {
    requirePair(from, to, "a copy");
    return redistribute(from, to);
}

Collective broadcast(const Buffer::Impl& buffer, uint32_t root) {
    buffer.requireWritable();
    requirePlacement(buffer, false, "broadcast is for");
    const uint32_t source = buffer.copyOf(root);
    Collective collective(buffer.group);
    collective.addStep();
    collective.involve(buffer, source);
    for (uint32_t copy = 0; copy < buffer.copyCount(); ++copy)
        if (copy != source)
            collective.transfer(buffer, source, 0, buffer, copy, 0, buffer.wholeBytes());
    return collective;
}

Collective scatter(const Buffer::Impl& from, const Buffer::Impl& to, uint32_t root) {
    requirePair(from, to, "scatter");
    requirePlacement(from, false, "scatter is from");
    requirePlacement(to, true, "scatter is to");
    const uint32_t source = from.copyOf(root);
    Collective collective(from.group);
    collective.addStep();
    for (uint32_t shard = 0; shard < to.copyCount(); ++shard) {
        collective.involve(to, shard);
        collective.transferCommon(from, source, to, shard);
    }
    return collective;
}

Collective gather(const Buffer::Impl& from, const Buffer::Impl& to, uint32_t root) {
    requirePair(from, to, "gather");
    requirePlacement(from, true, "gather is from");
    requirePlacement(to, false, "gather is to");
    const uint32_t target = to.copyOf(root);
    Collective collective(from.group);
    collective.addStep();
    for (uint32_t shard = 0; shard < from.copyCount(); ++shard) {
        collective.involve(from, shard);
        collective.transferCommon(from, shard, to, target);
    }
    return collective;
}

Collective allGather(const Buffer::Impl& from, const Buffer::Impl& to) {
    requirePair(from, to, "all-gather");
    requirePlacement(from, true, "all-gather is from");
    requirePlacement(to, false, "all-gather is to");
    return redistribute(from, to);
}

Collective reduce(const Buffer::Impl& buffer, ReduceOperation operation, uint32_t root) {
    buffer.requireWritable();
    requirePlacement(buffer, false, "reduce is for");
    const uint32_t target = buffer.copyOf(root);
    Collective collective(buffer.group);
    collective.addStep(kernelsOf(buffer, operation));
    collective.involve(buffer, target);
    for (uint32_t copy = 0; copy < buffer.copyCount(); ++copy)
        if (copy != target)
            collective.transfer(buffer, copy, 0, buffer, target, 0, buffer.wholeBytes());
    return collective;
}

// Each copy reduces one part of all copies, and then every copy gets all parts, so the bytes that a
// device sends and receives do not grow with the number of devices. (Rabenseifner's algorithm;
// Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH",
// 2005.)
Collective allReduce(const Buffer::Impl& buffer, ReduceOperation operation) {
    buffer.requireWritable();
    requirePlacement(buffer, false, "all-reduce is for");
    constexpr uint64_t kUnit = 256;
    const uint32_t count = buffer.copyCount();
    const uint64_t bytes = buffer.wholeBytes();
    const uint64_t units = (bytes + kUnit - 1) / kUnit;
    const auto boundary = [&](uint32_t part) {
        return std::min(bytes, units * part / count * kUnit);
    };
    Collective collective(buffer.group);
    const auto transferPart = [&](uint32_t part, uint32_t from, uint32_t to) {
        if (from != to)
            collective.transfer(buffer, from, boundary(part), buffer, to, boundary(part),
                                boundary(part + 1) - boundary(part));
    };
    collective.addStep(kernelsOf(buffer, operation));
    for (uint32_t owner = 0; owner < count; ++owner) {
        collective.involve(buffer, owner);
        for (uint32_t copy = 0; copy < count; ++copy)
            transferPart(owner, copy, owner);
    }
    collective.addStep();
    for (uint32_t owner = 0; owner < count; ++owner)
        for (uint32_t copy = 0; copy < count; ++copy)
            transferPart(owner, owner, copy);
    return collective;
}

Collective reduceScatter(const Buffer::Impl& from, const Buffer::Impl& to,
                         ReduceOperation operation) {
    requirePair(from, to, "reduce-scatter");
    requirePlacement(from, false, "reduce-scatter is from");
    requirePlacement(to, true, "reduce-scatter is to");
    Collective collective(from.group);
    collective.addStep();
    for (uint32_t shard = 0; shard < to.copyCount(); ++shard) {
        collective.involve(to, shard);
        collective.transferCommon(from, nearestCopy(from, to, shard), to, shard);
    }
    collective.addStep(kernelsOf(from, operation));
    for (uint32_t shard = 0; shard < to.copyCount(); ++shard)
        for (uint32_t copy = 0; copy < from.copyCount(); ++copy)
            if (copy != nearestCopy(from, to, shard))
                collective.transferCommon(from, copy, to, shard);
    return collective;
}

} // namespace kp::group

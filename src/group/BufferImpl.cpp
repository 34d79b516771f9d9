// SPDX-License-Identifier: Apache-2.0
#include "group/BufferImpl.hpp"

#include <numeric>
#include <utility>

#include "base/Text.hpp"
#include "core/MemoryImpl.hpp"

namespace kp {
namespace {

std::string shapeText(const std::vector<uint64_t>& shape) {
    return formatted("[{}]", join(shape));
}

uint64_t productOf(const std::vector<uint64_t>& shape, size_t first = 0) {
    uint64_t product = 1;
    for (size_t i = first; i < shape.size(); ++i)
        product *= shape[i];
    return product;
}

void requireShape(const std::vector<uint64_t>& shape) {
    if (shape.size() > Buffer::kMaxDimensions)
        fail<InvalidArgument>("a buffer has at most {} dimensions, not {}", Buffer::kMaxDimensions,
                              shape.size());
    uint64_t elements = 1;
    for (const uint64_t size : shape) {
        if (size == 0)
            fail<InvalidArgument>("a buffer of shape {} would be zero-sized", shapeText(shape));
        if (size > Buffer::kMaxElements / elements)
            fail<InvalidArgument>("a buffer of shape {} has more than 2^30 elements",
                                  shapeText(shape));
        elements *= size;
    }
}

/// Returns the rows of each shard.
/// @param wanted  may be empty
std::vector<uint64_t> shardRowsOf(uint64_t rows, const std::vector<uint64_t>& wanted,
                                  size_t shards) {
    if (wanted.empty()) {
        std::vector<uint64_t> even(shards, rows / shards);
        for (size_t i = 0; i < rows % shards; ++i)
            ++even[i];
        return even;
    }
    if (wanted.size() != shards)
        fail<InvalidArgument>("shardRows has {} entries for {} devices", wanted.size(), shards);
    uint64_t sum = 0;
    for (const uint64_t part : wanted) {
        if (part > rows - sum)
            fail<InvalidArgument>("shardRows are more than the {} rows of the buffer", rows);
        sum += part;
    }
    if (sum != rows)
        fail<InvalidArgument>("shardRows add up to {}, but the buffer has {} rows", sum, rows);
    return wanted;
}

} // namespace

Buffer::Impl::Impl(const DeviceGroup& usedGroup, std::vector<uint64_t> givenShape,
                   const ElementType& elementType, const BufferOptions& options)
    : group(usedGroup.impl()), shape(std::move(givenShape)), type(elementType),
      placement(options.placement) {
    requireShape(shape);
    if (!sharded() && !options.shardRows.empty())
        fail<InvalidArgument>("shardRows are for sharded buffers");
    if (placement == BufferPlacement::eReplicatedByQueue) {
        queueOfCopy.resize(group->queues.size());
        std::iota(queueOfCopy.begin(), queueOfCopy.end(), 0);
    } else {
        queueOfCopy = group->firstQueue;
    }
    const uint64_t allRows = shape.empty() ? 1 : shape[0];
    rows = sharded() ? shardRowsOf(allRows, options.shardRows, queueOfCopy.size())
                     : std::vector<uint64_t>(queueOfCopy.size(), allRows);
    firstRow.assign(rows.size(), 0);
    if (sharded())
        std::exclusive_scan(rows.begin(), rows.end(), firstRow.begin(), uint64_t{0});
}

uint64_t Buffer::Impl::elements() const {
    return productOf(shape);
}

uint64_t Buffer::Impl::rowBytes() const {
    return productOf(shape, 1) * type.bytes();
}

const std::shared_ptr<vulkan::Buffer>& Buffer::Impl::memory(uint32_t copy) const {
    return copies[copy]->impl().buffer;
}

void Buffer::Impl::requireAlive() const {
    if (!alive)
        fail<InvalidArgument>("{} was destroyed", describe());
}

void Buffer::Impl::requireWritable() const {
    requireAlive();
    if (!writable)
        fail<InvalidArgument>("{} is read-only", describe());
}

uint32_t Buffer::Impl::copyOf(uint32_t index) const {
    group->requireQueue(index);
    return placement == BufferPlacement::eReplicatedByQueue ? index : group->deviceOfQueue[index];
}

void Buffer::Impl::noteDeviceWrite(uint32_t copy) const {
    copies[copy]->impl().noteDeviceWrite();
}

std::string Buffer::Impl::describe() const {
    return formatted("a buffer {} of {}", shapeText(shape), type.name());
}

} // namespace kp

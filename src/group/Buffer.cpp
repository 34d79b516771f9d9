// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/Buffer.hpp>

#include <utility>

#include "base/Text.hpp"
#include "core/MemoryImpl.hpp"
#include "core/QueueImpl.hpp"
#include "group/BufferImpl.hpp"
#include "group/BufferTransfer.hpp"
#include "group/Collectives.hpp"

namespace kp {

uint64_t Shard::size() const {
    uint64_t elements = 1;
    for (const uint64_t size : shape)
        elements *= size;
    return elements;
}

Buffer::Buffer(const DeviceGroup& group, std::vector<uint64_t> shape, ElementType type,
               const BufferOptions& options)
    : mImpl(std::make_shared<Impl>(group, std::move(shape), type, options)) {
    for (uint32_t i = 0; i < mImpl->copyCount(); ++i) {
        const uint64_t numbers = mImpl->bytesOf(i) / type.numberBytes();
        Manager& manager = *mImpl->group->managers[mImpl->deviceOf(i)];
        mImpl->copies.push_back(numbers == 0 ? nullptr
                                             : manager.tensor(numbers, type.numberBytes(),
                                                              type.number, options.memoryType));
    }
}

Buffer::Buffer(const DeviceGroup& group, std::vector<uint64_t> shape, ElementType type,
               std::vector<std::shared_ptr<Tensor>> copies, const BufferOptions& options,
               bool writable)
    : mImpl(std::make_shared<Impl>(group, std::move(shape), type, options)) {
    mImpl->writable = writable;
    if (copies.size() != mImpl->copyCount())
        fail<InvalidArgument>("{} needs {} tensors, but {} were given", mImpl->describe(),
                              mImpl->copyCount(), copies.size());
    for (uint32_t i = 0; i < mImpl->copyCount(); ++i) {
        const std::string which = formatted("tensor {} for {}", i, mImpl->describe());
        if (mImpl->bytesOf(i) == 0) {
            if (copies[i])
                fail<InvalidArgument>("{} must be null: its shard has no rows", which);
            continue;
        }
        if (!copies[i] || !copies[i]->isInit())
            fail<InvalidArgument>("{} is null or was destroyed", which);
        requireSameDevice(*copies[i], *mImpl->queue(i)->impl().device, which.c_str());
        if (copies[i]->memorySize() != mImpl->bytesOf(i))
            fail<InvalidArgument>("{} has {} bytes, not {}", which, copies[i]->memorySize(),
                                  mImpl->bytesOf(i));
    }
    mImpl->copies = std::move(copies);
}

Buffer::~Buffer() = default;

const std::vector<uint64_t>& Buffer::shape() const {
    return mImpl->shape;
}
const ElementType& Buffer::type() const {
    return mImpl->type;
}
uint64_t Buffer::size() const {
    return mImpl->elements();
}
uint64_t Buffer::memSize() const {
    return mImpl->wholeBytes();
}
BufferPlacement Buffer::placement() const {
    return mImpl->placement;
}
bool Buffer::writable() const {
    return mImpl->writable;
}
uint32_t Buffer::copyCount() const {
    return mImpl->copyCount();
}
uint32_t Buffer::copyOf(uint32_t index) const {
    return mImpl->copyOf(index);
}

Shard Buffer::shard(uint32_t index) const {
    const uint32_t copy = mImpl->copyOf(index);
    Shard shard;
    shard.index = copy;
    shard.count = mImpl->copyCount();
    shard.offset = mImpl->firstRow[copy];
    shard.shape = mImpl->shape;
    if (!shard.shape.empty())
        shard.shape[0] = mImpl->rows[copy];
    shard.wholeShape = mImpl->shape;
    return shard;
}

std::shared_ptr<Tensor> Buffer::tensor(uint32_t index) const {
    mImpl->requireAlive();
    const uint32_t copy = mImpl->copyOf(index);
    if (!mImpl->copies[copy])
        fail<InvalidArgument>("shard {} of {} has no rows and so no tensor", copy,
                              mImpl->describe());
    return mImpl->copies[copy];
}

uint64_t Buffer::readBytes(std::optional<uint32_t> index) const {
    if (index)
        return mImpl->bytesOf(mImpl->copyOf(*index));
    return mImpl->sharded() ? mImpl->wholeBytes() : mImpl->copyCount() * mImpl->wholeBytes();
}

void Buffer::read(void* data, uint64_t bytes, std::optional<uint32_t> index,
                  uint64_t offset) const {
    group::BufferTransfer::read(*mImpl, data, bytes, index, offset).run();
}

void Buffer::write(const void* data, uint64_t bytes, std::optional<uint32_t> index,
                   uint64_t offset) {
    group::BufferTransfer::write(*mImpl, data, bytes, index, offset).run();
}

std::vector<Event> Buffer::readAsync(void* data, uint64_t bytes, std::optional<uint32_t> index,
                                     uint64_t offset, const std::vector<Event>& waitFor) const {
    return group::BufferTransfer::read(*mImpl, data, bytes, index, offset).start(waitFor);
}

std::vector<Event> Buffer::writeAsync(const void* data, uint64_t bytes,
                                      std::optional<uint32_t> index, uint64_t offset,
                                      const std::vector<Event>& waitFor) {
    return group::BufferTransfer::write(*mImpl, data, bytes, index, offset).start(waitFor);
}

Event Buffer::copy(uint32_t source, uint32_t destination, uint64_t sourceOffset,
                   uint64_t destinationOffset, std::optional<uint64_t> bytes,
                   const std::vector<Event>& waitFor) {
    mImpl->requireWritable();
    const uint32_t to = mImpl->copyOf(destination);
    group::Collective collective =
        group::copyOf(*mImpl, mImpl->copyOf(source), to, sourceOffset, destinationOffset, bytes);
    const std::vector<Event> events = collective.launch(waitFor);
    return events[collective.indexOf(mImpl->queueOfCopy[to])];
}

std::vector<Event> Buffer::copyTo(Buffer& destination, const std::vector<Event>& waitFor) const {
    return group::copyTo(*mImpl, *destination.mImpl).launch(waitFor);
}

std::vector<Event> Buffer::broadcast(uint32_t root, const std::vector<Event>& waitFor) {
    return group::broadcast(*mImpl, root).launch(waitFor);
}

std::vector<Event> Buffer::scatter(Buffer& destination, uint32_t root,
                                   const std::vector<Event>& waitFor) const {
    return group::scatter(*mImpl, *destination.mImpl, root).launch(waitFor);
}

std::vector<Event> Buffer::gather(Buffer& destination, uint32_t root,
                                  const std::vector<Event>& waitFor) const {
    return group::gather(*mImpl, *destination.mImpl, root).launch(waitFor);
}

std::vector<Event> Buffer::allGather(Buffer& destination, const std::vector<Event>& waitFor) const {
    return group::allGather(*mImpl, *destination.mImpl).launch(waitFor);
}

std::vector<Event> Buffer::reduce(ReduceOperation operation, uint32_t root,
                                  const std::vector<Event>& waitFor) {
    return group::reduce(*mImpl, operation, root).launch(waitFor);
}

std::vector<Event> Buffer::allReduce(ReduceOperation operation, const std::vector<Event>& waitFor) {
    return group::allReduce(*mImpl, operation).launch(waitFor);
}

std::vector<Event> Buffer::reduceScatter(Buffer& destination, ReduceOperation operation,
                                         const std::vector<Event>& waitFor) const {
    return group::reduceScatter(*mImpl, *destination.mImpl, operation).launch(waitFor);
}

bool Buffer::isInit() const {
    return mImpl->alive;
}

void Buffer::destroy() {
    if (!std::exchange(mImpl->alive, false))
        return;
    for (const std::shared_ptr<Tensor>& copy : mImpl->copies)
        if (copy)
            copy->destroy();
}

} // namespace kp

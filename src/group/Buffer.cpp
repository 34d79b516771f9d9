// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/Buffer.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <kompute/Error.hpp>

#include "core/MemoryImpl.hpp"
#include "core/QueueImpl.hpp"
#include "group/BufferImpl.hpp"

namespace kp {
namespace {

std::string shapeText(const std::vector<uint64_t>& shape) {
    std::string text = "[";
    for (const uint64_t size : shape)
        text += (text.size() == 1 ? "" : ", ") + std::to_string(size);
    return text + "]";
}

uint64_t productOf(const std::vector<uint64_t>& shape, size_t first = 0) {
    uint64_t product = 1;
    for (size_t i = first; i < shape.size(); ++i)
        product *= shape[i];
    return product;
}

void requireShape(const std::vector<uint64_t>& shape) {
    if (shape.size() > Buffer::kMaxDimensions)
        throw InvalidArgument("a buffer has one, two or three dimensions, not " +
                              std::to_string(shape.size()));
    uint64_t elements = 1;
    for (const uint64_t size : shape) {
        if (size == 0)
            throw InvalidArgument("a buffer of shape " + shapeText(shape) + " would be zero-sized");
        if (size > Buffer::kMaxElements / elements)
            throw InvalidArgument("a buffer of shape " + shapeText(shape) +
                                  " has more than 2^30 elements");
        elements *= size;
    }
}

/// Rows of each of @p count shards.
std::vector<uint64_t> shardRows(uint64_t rows, const std::vector<uint64_t>& wanted, size_t count) {
    if (wanted.empty()) {
        std::vector<uint64_t> even(count, rows / count);
        for (size_t i = 0; i < rows % count; ++i)
            ++even[i];
        return even;
    }
    if (wanted.size() != count)
        throw InvalidArgument("shardRows has " + std::to_string(wanted.size()) + " entries for " +
                              std::to_string(count) + " devices");
    uint64_t sum = 0;
    for (const uint64_t part : wanted) {
        if (part > rows - sum)
            throw InvalidArgument("shardRows are more than the " + std::to_string(rows) +
                                  " rows of the buffer");
        sum += part;
    }
    if (sum != rows)
        throw InvalidArgument("shardRows add up to " + std::to_string(sum) +
                              ", but the buffer has " + std::to_string(rows) + " rows");
    return wanted;
}

} // namespace

uint64_t Shard::size() const {
    return productOf(shape);
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

void Buffer::Impl::lay(const BufferOptions& options) {
    requireShape(shape);
    placement = options.placement;
    if (!sharded() && !options.shardRows.empty())
        throw InvalidArgument("shardRows are for sharded buffers");
    if (placement == BufferPlacement::eReplicatedByQueue) {
        queueOfCopy.resize(group->queues.size());
        std::iota(queueOfCopy.begin(), queueOfCopy.end(), 0);
    } else {
        queueOfCopy = group->firstQueue;
    }
    const uint64_t allRows = shape.empty() ? 1 : shape[0];
    rows = sharded() ? shardRows(allRows, options.shardRows, queueOfCopy.size())
                     : std::vector<uint64_t>(queueOfCopy.size(), allRows);
    firstRow.assign(rows.size(), 0);
    if (sharded())
        std::exclusive_scan(rows.begin(), rows.end(), firstRow.begin(), uint64_t{0});
}

void Buffer::Impl::requireAlive() const {
    if (!alive)
        throw InvalidArgument(describe() + " was destroyed");
}

void Buffer::Impl::requireWritable() const {
    requireAlive();
    if (!writable)
        throw InvalidArgument(describe() + " is read-only");
}

uint32_t Buffer::Impl::copyOf(uint32_t index) const {
    group->requireQueue(index);
    return placement == BufferPlacement::eReplicatedByQueue ? index : group->deviceOfQueue[index];
}

void Buffer::Impl::noteDeviceWrite(uint32_t copy) const {
    copies[copy]->impl().noteDeviceWrite();
}

std::string Buffer::Impl::describe() const {
    return "a buffer " + shapeText(shape) + " of " + type.name();
}

Buffer::Buffer(const DeviceGroup& group, std::vector<uint64_t> shape, ElementType type,
               const BufferOptions& options)
    : mImpl(std::make_shared<Impl>()) {
    mImpl->group = group.impl();
    mImpl->shape = std::move(shape);
    mImpl->type = type;
    mImpl->lay(options);
    const bool isStruct = type.number == Memory::DataTypes::eCustom;
    for (uint32_t i = 0; i < mImpl->copyCount(); ++i) {
        const uint64_t numbers = mImpl->bytesOf(i) / type.numberBytes();
        mImpl->copies.push_back(numbers == 0
                                    ? nullptr
                                    : mImpl->group->managers[mImpl->deviceOf(i)]->tensor(
                                          numbers, type.numberBytes(),
                                          isStruct ? Memory::DataTypes::eCustom : type.number,
                                          options.memoryType));
    }
}

Buffer::Buffer(const DeviceGroup& group, std::vector<uint64_t> shape, ElementType type,
               std::vector<std::shared_ptr<Tensor>> copies, const BufferOptions& options,
               bool writable)
    : mImpl(std::make_shared<Impl>()) {
    mImpl->group = group.impl();
    mImpl->shape = std::move(shape);
    mImpl->type = type;
    mImpl->writable = writable;
    mImpl->lay(options);
    if (copies.size() != mImpl->copyCount())
        throw InvalidArgument(mImpl->describe() + " needs " + std::to_string(mImpl->copyCount()) +
                              " tensors, but " + std::to_string(copies.size()) + " were given");
    for (uint32_t i = 0; i < mImpl->copyCount(); ++i) {
        const std::string which = "tensor " + std::to_string(i) + " for " + mImpl->describe();
        if (mImpl->bytesOf(i) == 0) {
            if (copies[i])
                throw InvalidArgument(which + " must be null: its shard has no rows");
            continue;
        }
        if (!copies[i] || !copies[i]->isInit())
            throw InvalidArgument(which + " is null or was destroyed");
        requireSameDevice(*copies[i], *mImpl->group->queues[mImpl->queueOfCopy[i]]->impl().device,
                          which.c_str());
        if (copies[i]->memorySize() != mImpl->bytesOf(i))
            throw InvalidArgument(which + " has " + std::to_string(copies[i]->memorySize()) +
                                  " bytes, not " + std::to_string(mImpl->bytesOf(i)));
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
        throw InvalidArgument("shard " + std::to_string(copy) + " of " + mImpl->describe() +
                              " has no rows and so no tensor");
    return mImpl->copies[copy];
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

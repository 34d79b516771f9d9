// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/Buffer.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/memory/ScalarTypes.hpp"
#include "core/queue/QueueImpl.hpp"
#include "group/BufferImpl.hpp"

namespace kp {
namespace {

/// Transfers of at least this many bytes run on all devices at once. For smaller ones, threads cost
/// more time than they save.
constexpr uint64_t kMinParallelBytes = 1u << 20;

void requireRange(uint64_t offset, uint64_t bytes, uint64_t available, const std::string& what) {
    if (offset > available || bytes > available - offset)
        fail<InvalidArgument>("{} bytes at offset {} do not fit into {} of {} bytes", bytes, offset,
                              what, available);
}

/// A transfer between the copies of a buffer and host memory. Used by one thread.
class BufferTransfer {
public:
    /// Bytes of one copy, and where they are in host memory.
    struct Part {
        uint32_t copy = 0;
        uint64_t offset = 0; ///< in the copy
        uint64_t hostOffset = 0;
        uint64_t bytes = 0;
    };

    /// @param to, from  the host memory to read to, or to write from; the other is null
    /// @throws InvalidArgument if the range does not fit
    BufferTransfer(const Buffer::Impl& buffer, void* to, const void* from, uint64_t bytes,
                   std::optional<uint32_t> index, uint64_t offset)
        : mBuffer(buffer), mTo(static_cast<unsigned char*>(to)),
          mFrom(static_cast<const unsigned char*>(from)) {
        const bool reading = !from;
        buffer.requireAlive();
        if (index) {
            const uint32_t copy = buffer.copyOf(*index);
            requireRange(offset, bytes, buffer.bytesOf(copy), formatted("copy {}", copy));
            if (bytes > 0)
                mParts.push_back({copy, offset, 0, bytes});
            return;
        }
        const uint32_t copies = buffer.copyCount();
        if (buffer.sharded()) {
            requireRange(offset, bytes, buffer.wholeBytes(), buffer.describe());
            for (uint32_t copy = 0; copy < copies; ++copy) {
                const uint64_t first = buffer.wholeOffset(copy);
                const uint64_t begin = std::max(offset, first);
                const uint64_t end = std::min(offset + bytes, first + buffer.bytesOf(copy));
                if (begin < end)
                    mParts.push_back({copy, begin - first, begin - offset, end - begin});
            }
            return;
        }
        if (reading && bytes % copies != 0)
            fail<InvalidArgument>("{} bytes cannot hold the same part of {} copies", bytes, copies);
        const uint64_t each = reading ? bytes / copies : bytes;
        requireRange(offset, each, buffer.wholeBytes(), "each copy of " + buffer.describe());
        for (uint32_t copy = 0; copy < copies && each > 0; ++copy)
            mParts.push_back({copy, offset, reading ? copy * each : 0, each});
    }

    /// @return one event per part
    std::vector<Event> start(const std::vector<Event>& waitFor) const {
        std::vector<Event> events;
        for (const Part& part : mParts)
            events.push_back(
                Queue::Impl::launchAcross(
                    {mBuffer.queue(part.copy)}, waitFor,
                    [to = mTo, from = mFrom, part, tensor = mBuffer.copies[part.copy]](
                        std::vector<vulkan::TimelinePoint>&) { transfer(part, *tensor, to, from); })
                    .front());
        return events;
    }

    /// Returns when the transfer is done.
    void run() const {
        uint64_t bytes = 0;
        bool settled = true;
        for (const Part& part : mParts) {
            bytes += part.bytes;
            settled = settled && implOf(*mBuffer.queue(part.copy)).settled();
        }
        if (!settled || (mParts.size() > 1 && bytes >= kMinParallelBytes)) {
            Event::waitAll(start({}));
            return;
        }
        for (const Part& part : mParts)
            transfer(part, *mBuffer.copies[part.copy], mTo, mFrom);
    }

private:
    /// Called by any thread.
    static void transfer(const Part& part, Tensor& tensor, unsigned char* to,
                         const unsigned char* from) {
        if (from)
            tensor.upload(from + part.hostOffset, part.bytes, part.offset);
        else
            tensor.download(to + part.hostOffset, part.bytes, part.offset);
    }

    const Buffer::Impl& mBuffer;
    unsigned char* const mTo;
    const unsigned char* const mFrom;
    std::vector<Part> mParts;
};

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
    : group(sharedImplOf(usedGroup)), shape(std::move(givenShape)), type(elementType),
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
    return implOf(*copies[copy]).buffer;
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

void Buffer::Impl::bringToDevice(uint32_t copy) const {
    implOf(*copies[copy]).bringToDevice();
}

void Buffer::Impl::noteDeviceWrite(uint32_t copy) const {
    implOf(*copies[copy]).noteDeviceWrite();
}

std::string Buffer::Impl::describe() const {
    return formatted("a buffer {} of {}", shapeText(shape), type.name());
}

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
        requireSameDevice(*copies[i], *implOf(*mImpl->queue(i)).device, which.c_str());
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

void Buffer::requireNumbers(Memory::DataTypes type) const {
    if (!takes(scalarTypeOf(mImpl->type.number), type))
        fail<InvalidArgument>("the array has elements of {}, but the buffer has {}: convert them, "
                              "or give a pointer and a number of bytes",
                              Memory::toString(type), mImpl->type.name());
}

void Buffer::read(void* data, uint64_t bytes, std::optional<uint32_t> index,
                  uint64_t offset) const {
    BufferTransfer(*mImpl, data, nullptr, bytes, index, offset).run();
}

void Buffer::write(const void* data, uint64_t bytes, std::optional<uint32_t> index,
                   uint64_t offset) {
    mImpl->requireWritable();
    BufferTransfer(*mImpl, nullptr, data, bytes, index, offset).run();
}

std::vector<Event> Buffer::readAsync(void* data, uint64_t bytes, std::optional<uint32_t> index,
                                     uint64_t offset, const std::vector<Event>& waitFor) const {
    return BufferTransfer(*mImpl, data, nullptr, bytes, index, offset).start(waitFor);
}

std::vector<Event> Buffer::writeAsync(const void* data, uint64_t bytes,
                                      std::optional<uint32_t> index, uint64_t offset,
                                      const std::vector<Event>& waitFor) {
    mImpl->requireWritable();
    return BufferTransfer(*mImpl, nullptr, data, bytes, index, offset).start(waitFor);
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

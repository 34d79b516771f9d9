// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/group/Buffer.hpp>

#include "core/QueueImpl.hpp"
#include "group/BufferImpl.hpp"

// Between a buffer and the host.

namespace kp {
namespace {

/// From this on several devices transfer at the same time; below, threads cost more than they save.
constexpr uint64_t kParallelBytes = 1u << 20;

void requireRange(uint64_t offset, uint64_t bytes, uint64_t available, const std::string& what) {
    if (offset > available || bytes > available - offset)
        throw InvalidArgument(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                              " do not fit into " + what + " of " + std::to_string(available) +
                              " bytes");
}

using Part = Buffer::Impl::Part;

/// @param touch  what is done with a part, in whichever thread
template <typename Touch>
std::vector<Event> start(const Buffer::Impl& impl, const std::vector<Part>& parts,
                         const std::vector<Event>& waitFor, const Touch& touch) {
    std::vector<Event> events;
    for (const Part& part : parts) {
        const std::shared_ptr<Queue>& queue = impl.group->queues[impl.queueOfCopy[part.copy]];
        events.push_back(Queue::Impl::launchAcross(
                             {queue}, waitFor,
                             [touch, part, tensor = impl.copies[part.copy]](
                                 std::vector<vulkan::TimelinePoint>&) { touch(*tensor, part); })
                             .front());
    }
    return events;
}

/// The same, done when it returns.
template <typename Touch>
void finish(const Buffer::Impl& impl, const std::vector<Part>& parts, const Touch& touch) {
    uint64_t bytes = 0;
    bool settled = true;
    for (const Part& part : parts) {
        bytes += part.bytes;
        settled = settled && impl.group->queues[impl.queueOfCopy[part.copy]]->impl().settled();
    }
    if (!settled || (parts.size() > 1 && bytes >= kParallelBytes)) {
        Event::waitAll(start(impl, parts, {}, touch));
        return;
    }
    for (const Part& part : parts)
        touch(*impl.copies[part.copy], part);
}

auto downloading(void* data) {
    return [data](Tensor& tensor, const Part& part) {
        tensor.download(static_cast<unsigned char*>(data) + part.hostOffset, part.bytes,
                        part.offset);
    };
}

auto uploading(const void* data) {
    return [data](Tensor& tensor, const Part& part) {
        tensor.upload(static_cast<const unsigned char*>(data) + part.hostOffset, part.bytes,
                      part.offset);
    };
}

} // namespace

std::vector<Part> Buffer::Impl::parts(std::optional<uint32_t> index, uint64_t offset,
                                      uint64_t bytes, bool reading) const {
    requireAlive();
    std::vector<Part> found;
    if (index) {
        const uint32_t copy = copyOf(*index);
        requireRange(offset, bytes, bytesOf(copy), "copy " + std::to_string(copy));
        if (bytes > 0)
            found.push_back({copy, offset, 0, bytes});
        return found;
    }
    if (sharded()) {
        requireRange(offset, bytes, wholeBytes(), describe());
        for (uint32_t copy = 0; copy < copyCount(); ++copy) {
            const uint64_t begin = std::max(offset, wholeOffset(copy));
            const uint64_t end = std::min(offset + bytes, wholeOffset(copy) + bytesOf(copy));
            if (begin < end)
                found.push_back({copy, begin - wholeOffset(copy), begin - offset, end - begin});
        }
        return found;
    }
    const uint64_t each = reading ? bytes / copyCount() : bytes;
    if (reading && bytes % copyCount() != 0)
        throw InvalidArgument(std::to_string(bytes) + " bytes cannot hold the same part of " +
                              std::to_string(copyCount()) + " copies");
    requireRange(offset, each, wholeBytes(), "each copy of " + describe());
    for (uint32_t copy = 0; copy < copyCount() && each > 0; ++copy)
        found.push_back({copy, offset, reading ? copy * each : 0, each});
    return found;
}

uint64_t Buffer::readBytes(std::optional<uint32_t> index) const {
    if (index)
        return mImpl->bytesOf(mImpl->copyOf(*index));
    return mImpl->sharded() ? mImpl->wholeBytes() : mImpl->copyCount() * mImpl->wholeBytes();
}

void Buffer::read(void* data, uint64_t bytes, std::optional<uint32_t> index,
                  uint64_t offset) const {
    finish(*mImpl, mImpl->parts(index, offset, bytes, true), downloading(data));
}

void Buffer::write(const void* data, uint64_t bytes, std::optional<uint32_t> index,
                   uint64_t offset) {
    mImpl->requireWritable();
    finish(*mImpl, mImpl->parts(index, offset, bytes, false), uploading(data));
}

std::vector<Event> Buffer::readAsync(void* data, uint64_t bytes, std::optional<uint32_t> index,
                                     uint64_t offset, const std::vector<Event>& waitFor) const {
    return start(*mImpl, mImpl->parts(index, offset, bytes, true), waitFor, downloading(data));
}

std::vector<Event> Buffer::writeAsync(const void* data, uint64_t bytes,
                                      std::optional<uint32_t> index, uint64_t offset,
                                      const std::vector<Event>& waitFor) {
    mImpl->requireWritable();
    return start(*mImpl, mImpl->parts(index, offset, bytes, false), waitFor, uploading(data));
}

} // namespace kp

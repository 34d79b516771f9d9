// SPDX-License-Identifier: Apache-2.0
#include "group/BufferTransfer.hpp"

#include <algorithm>
#include <string>

#include "base/Text.hpp"
#include "core/QueueImpl.hpp"

namespace kp::group {
namespace {

/// Transfers of at least this many bytes run on all devices at once. For smaller ones, threads cost
/// more time than they save.
constexpr uint64_t kMinParallelBytes = 1u << 20;

void requireRange(uint64_t offset, uint64_t bytes, uint64_t available, const std::string& what) {
    if (offset > available || bytes > available - offset)
        fail<InvalidArgument>("{} bytes at offset {} do not fit into {} of {} bytes", bytes, offset,
                              what, available);
}

} // namespace

BufferTransfer::BufferTransfer(const Buffer::Impl& buffer, std::optional<uint32_t> index,
                               uint64_t offset, uint64_t bytes, bool reading)
    : mBuffer(buffer) {
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

BufferTransfer BufferTransfer::read(const Buffer::Impl& buffer, void* data, uint64_t bytes,
                                    std::optional<uint32_t> index, uint64_t offset) {
    BufferTransfer transfer(buffer, index, offset, bytes, true);
    transfer.mCopy = [data](Tensor& tensor, const Part& part) {
        tensor.download(static_cast<unsigned char*>(data) + part.hostOffset, part.bytes,
                        part.offset);
    };
    return transfer;
}

BufferTransfer BufferTransfer::write(const Buffer::Impl& buffer, const void* data, uint64_t bytes,
                                     std::optional<uint32_t> index, uint64_t offset) {
    buffer.requireWritable();
    BufferTransfer transfer(buffer, index, offset, bytes, false);
    transfer.mCopy = [data](Tensor& tensor, const Part& part) {
        tensor.upload(static_cast<const unsigned char*>(data) + part.hostOffset, part.bytes,
                      part.offset);
    };
    return transfer;
}

std::vector<Event> BufferTransfer::start(const std::vector<Event>& waitFor) const {
    std::vector<Event> events;
    for (const Part& part : mParts)
        events.push_back(Queue::Impl::launchAcross(
                             {mBuffer.queue(part.copy)}, waitFor,
                             [copy = mCopy, part, tensor = mBuffer.copies[part.copy]](
                                 std::vector<vulkan::TimelinePoint>&) { copy(*tensor, part); })
                             .front());
    return events;
}

void BufferTransfer::run() const {
    uint64_t bytes = 0;
    bool settled = true;
    for (const Part& part : mParts) {
        bytes += part.bytes;
        settled = settled && mBuffer.queue(part.copy)->impl().settled();
    }
    if (!settled || (mParts.size() > 1 && bytes >= kMinParallelBytes)) {
        Event::waitAll(start({}));
        return;
    }
    for (const Part& part : mParts)
        mCopy(*mBuffer.copies[part.copy], part);
}

} // namespace kp::group

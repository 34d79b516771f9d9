// SPDX-License-Identifier: Apache-2.0
#include "vulkan/DirectTransfer.hpp"

#include <algorithm>

#include "vulkan/Retirement.hpp"
#include "vulkan/Submission.hpp"
#include "vulkan/TransferCommands.hpp"

namespace kp::vulkan {

DirectTransfer::~DirectTransfer() {
    // Only after an error is there anything left; the host's memory is the caller's again then.
    for (const Submitted& submitted : mSubmitted)
        Retirement::waitDespiteErrors(submitted.done);
}

CommandBuffer DirectTransfer::record(const Copy& copy, Queue& queue, uint64_t pieceBytes,
                                     size_t share, size_t shares) {
    const VolkDeviceTable& vk = mDevice.vk();
    CommandBuffer commands = mDevice.commandBuffers().acquire(queue.family());
    commands.begin(true);
    recordTransferBegin(queue, commands.handle());
    const uint64_t piece = pieceBytes == 0 ? copy.bytes : pieceBytes;
    for (uint64_t at = share * piece; at < copy.bytes; at += shares * piece) {
        const VkBufferCopy region{copy.source->offset() + copy.sourceOffset + at,
                                  copy.destination->offset() + copy.destinationOffset + at,
                                  std::min(piece, copy.bytes - at)};
        vk.vkCmdCopyBuffer(commands.handle(), copy.source->handle(), copy.destination->handle(), 1,
                           &region);
    }
    recordTransferEnd(queue, commands.handle(), copy.toHost);
    commands.end();
    return commands;
}

TimelinePoint DirectTransfer::send(Queue& queue, CommandBuffer commands, const AccessList& accesses,
                                   std::span<const TimelinePoint> waits) {
    mSubmitted.reserve(mSubmitted.size() + 1);
    const VkCommandBuffer handle = commands.handle();
    const TimelinePoint done = submitOrdered(queue, {&handle, 1}, accesses, waits);
    mSubmitted.push_back({std::move(commands), done});
    return done;
}

void DirectTransfer::submit(const Copy& copy, std::span<Queue* const> queues, uint64_t pieceBytes) {
    AccessList accesses;
    accesses.add(copy.source, false);
    accesses.add(copy.destination, true);
    const size_t pieces =
        pieceBytes == 0 ? 1 : static_cast<size_t>((copy.bytes + pieceBytes - 1) / pieceBytes);
    const size_t shares = std::min(queues.size(), pieces);
    if (shares <= 1) {
        send(*queues[0], record(copy, *queues[0], pieceBytes, 0, 1), accesses, {});
        return;
    }
    // Noted as uses of the memory, the shares would wait for one another. So only the first is, the
    // others wait for what it waits for, and a last submission, after all of them, is noted again.
    std::vector<TimelinePoint> before = copy.destination->usesBefore(true);
    for (const TimelinePoint& point : copy.source->usesBefore(false))
        before.push_back(point);
    std::vector<TimelinePoint> ends;
    send(*queues[0], record(copy, *queues[0], pieceBytes, 0, shares), accesses, {});
    for (size_t share = 1; share < shares; ++share)
        ends.push_back(send(*queues[share], record(copy, *queues[share], pieceBytes, share, shares),
                            {}, before));
    mSubmitted.reserve(mSubmitted.size() + 1);
    mSubmitted.push_back({CommandBuffer(), submitOrdered(*queues[0], {}, accesses, ends)});
}

void DirectTransfer::wait() {
    for (const Submitted& submitted : mSubmitted)
        submitted.done.queue->wait(submitted.done.value, UINT64_MAX, mDevice.defaultWaitMode());
    mSubmitted.clear();
}

} // namespace kp::vulkan

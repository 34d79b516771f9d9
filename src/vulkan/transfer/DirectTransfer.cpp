// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/DirectTransfer.hpp"

#include <algorithm>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Submission.hpp"
#include "vulkan/transfer/TransferBarriers.hpp"

namespace kp::vulkan {

DirectTransfer::~DirectTransfer() {
    // Only an error leaves submissions behind. The caller may free the host memory after this.
    for (const TimelinePoint& done : mSubmitted)
        DeletionQueue::waitDespiteErrors(done);
}

TimelinePoint DirectTransfer::submitShare(const Copy& copy, Queue& queue, uint64_t pieceBytes,
                                          size_t share, size_t shares, const AccessList& accesses,
                                          std::span<const TimelinePoint> waits) {
    mSubmitted.reserve(mSubmitted.size() + 1);
    const TimelinePoint done =
        submitOnce(queue, accesses, waits, [&](VkCommandBuffer commands, KeptObjects&) {
            recordTransferBegin(queue, commands);
            for (uint64_t at = share * pieceBytes; at < copy.bytes; at += shares * pieceBytes) {
                const VkBufferCopy region{copy.source->offset() + copy.sourceOffset + at,
                                          copy.destination->offset() + copy.destinationOffset + at,
                                          std::min(pieceBytes, copy.bytes - at)};
                queue.device().vk().vkCmdCopyBuffer(commands, copy.source->handle(),
                                                    copy.destination->handle(), 1, &region);
            }
            recordTransferEnd(queue, commands, copy.toHost);
        });
    mSubmitted.push_back(done);
    return done;
}

void DirectTransfer::submit(const Copy& copy, std::span<Queue* const> queues, uint64_t pieceBytes) {
    AccessList accesses;
    accesses.add(copy.source, false);
    accesses.add(copy.destination, true);
    const uint64_t piece = pieceBytes == 0 ? copy.bytes : pieceBytes;
    const auto pieces = static_cast<size_t>((copy.bytes + piece - 1) / piece);
    const size_t shares = std::min(queues.size(), pieces);
    if (shares <= 1) {
        submitShare(copy, *queues[0], piece, 0, 1, accesses, {});
        return;
    }
    // If all shares were recorded as uses of the memory, they would wait for one another. Only the
    // first is; the others wait for the same points as the first, and a final submission after all
    // of them is recorded again.
    std::vector<TimelinePoint> before = copy.destination->usesBefore(true);
    for (const TimelinePoint& point : copy.source->usesBefore(false))
        before.push_back(point);
    std::vector<TimelinePoint> ends;
    submitShare(copy, *queues[0], piece, 0, shares, accesses, {});
    for (size_t share = 1; share < shares; ++share)
        ends.push_back(submitShare(copy, *queues[share], piece, share, shares, {}, before));
    mSubmitted.reserve(mSubmitted.size() + 1);
    mSubmitted.push_back(submitOrdered(*queues[0], {}, accesses, ends));
}

void DirectTransfer::wait() {
    if (mSubmitted.empty())
        return;
    Device& device = mSubmitted.front().queue->device();
    for (const TimelinePoint& done : mSubmitted)
        done.queue->wait(done.value, UINT64_MAX, device.defaultWaitMode());
    mSubmitted.clear();
    device.deletionQueue().collect(); // so that the next transfer reuses the command buffers
}

} // namespace kp::vulkan

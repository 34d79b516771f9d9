// SPDX-License-Identifier: Apache-2.0
#include "group/ExchangeRun.hpp"

#include <algorithm>
#include <deque>

#include "vulkan/queue/Barriers.hpp"
#include "vulkan/queue/Commands.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/transfer/Transfer.hpp"
#include "vulkan/transfer/TransferBarriers.hpp"

namespace kp::group {
namespace {

using vulkan::TimelinePoint;

void recordTransferCopy(VkCommandBuffer commands, const BufferKernel::Range& from,
                        const BufferKernel::Range& to) {
    vulkan::recordCopyRange(commands, *from.buffer, from.offset, *to.buffer, to.offset, from.bytes);
}

/// Records a copy within a device, by the driver's command or by the library's shader, whichever is
/// faster there.
void recordDeviceCopy(VkCommandBuffer commands, const BufferKernel::Range& from,
                      const BufferKernel::Range& to, vulkan::KeptObjects& kept) {
    if (from.buffer->device().transfer().copiesByKernel(from.bytes) && BufferKernel::takes(from) &&
        BufferKernel::takes(to)) {
        const auto kernel = BufferKernel::copy(from, to);
        BufferKernel::record(kernel, commands);
        kept.push_back(kernel);
    } else {
        recordTransferCopy(commands, from, to);
    }
}

} // namespace

template <typename Record>
TimelinePoint ExchangeRun::submit(size_t device, const vulkan::AccessList& accesses,
                                  Record record) {
    vulkan::Queue& queue = mDevices[device]->queue(0);
    mSubmitted.reserve(mSubmitted.size() + 1);
    const TimelinePoint done = vulkan::submitOnce(
        queue, accesses, {}, [&](VkCommandBuffer commands, vulkan::KeptObjects& kept) {
            record(queue, commands, kept);
        });
    mSubmitted.push_back(done);
    mEnds[device] = done;
    return done;
}

void ExchangeRun::recordArrival(size_t device, VkCommandBuffer commands,
                                const BufferKernel::Range& from, const BufferKernel::Range& to,
                                bool onDevice, vulkan::KeptObjects& kept) {
    if (!mKernels.empty())
        mKernels[device]->record(commands, to, from, kept);
    else if (onDevice)
        recordDeviceCopy(commands, from, to, kept);
    else
        recordTransferCopy(commands, from, to);
}

void ExchangeRun::transferWithin(const TransferPiece& piece,
                                 const DeviceTransfer::Destination& to) {
    vulkan::AccessList accesses;
    accesses.add(piece.transfer->source, false);
    accesses.add(to.buffer, true);
    submit(to.device, accesses, [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
        vulkan::recordFullBarrier(queue.device(), commands);
        recordArrival(to.device, commands, piece.source(), piece.destination(to), true, kept);
        vulkan::recordFullBarrier(queue.device(), commands);
    });
}

ExchangeRun::Flight ExchangeRun::writeSlot(const TransferPiece& piece, size_t number,
                                           ExchangeSlot& slot) {
    const DeviceTransfer& transfer = *piece.transfer;
    vulkan::Buffer& view = slot.view(transfer.device);
    const BufferKernel::Range target{&view, 0, piece.bytes};
    vulkan::AccessList accesses;
    accesses.add(transfer.source, false);
    const TimelinePoint written = submit(
        transfer.device, accesses, [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
            if (slot.external()) {
                vulkan::recordFullBarrier(queue.device(), commands);
                recordDeviceCopy(commands, piece.source(), target, kept);
                vulkan::recordRelease(queue, commands, view);
                vulkan::recordFullBarrier(queue.device(), commands);
            } else {
                vulkan::recordTransferBegin(queue, commands);
                recordTransferCopy(commands, piece.source(), target);
                vulkan::recordTransferEnd(queue, commands, true);
            }
        });
    return {piece, number, written};
}

template <typename Visit>
void ExchangeRun::forOtherDevices(const TransferPiece& piece, Visit visit) const {
    for (const DeviceTransfer::Destination& to : piece.transfer->destinations)
        if (mDevices[to.device] != mDevices[piece.transfer->device])
            visit(to);
}

void ExchangeRun::copySlot(const Flight& flight, ExchangeSlot& slot) {
    const size_t from = flight.piece.transfer->device;
    flight.written.queue->wait(flight.written.value, UINT64_MAX, mDevices[from]->defaultWaitMode());
    forOtherDevices(flight.piece, [&](const DeviceTransfer::Destination& to) {
        slot.startCopy(from, to.device, flight.piece.bytes);
    });
}

void ExchangeRun::readSlot(const Flight& flight, ExchangeSlot& slot) {
    slot.finishCopies();
    const TransferPiece& piece = flight.piece;
    forOtherDevices(piece, [&](const DeviceTransfer::Destination& to) {
        vulkan::Buffer& view = slot.view(to.device);
        vulkan::AccessList accesses;
        accesses.add(to.buffer, true);
        slot.addReader(submit(to.device, accesses,
                              [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
                                  vulkan::recordFullBarrier(queue.device(), commands);
                                  if (slot.external())
                                      vulkan::recordAcquire(queue, commands, view);
                                  recordArrival(to.device, commands, {&view, 0, piece.bytes},
                                                piece.destination(to), slot.external(), kept);
                                  vulkan::recordFullBarrier(queue.device(), commands);
                              }));
    });
}

void ExchangeRun::transferThrough(ExchangeSlotPool& pool,
                                  const std::vector<TransferPiece>& pieces) {
    ExchangeSlotPool::Lease slots = pool.lease(pieces.size());
    std::deque<Flight> written;
    std::deque<Flight> copied;
    const auto advance = [&] {
        if (!written.empty()) {
            const Flight oldest = written.front();
            written.pop_front();
            copySlot(oldest, slots[oldest.slot]);
            copied.push_back(oldest);
            // The next copy starts before this one has finished.
            if (slots[oldest.slot].copiesInBackground() && copied.size() == 1)
                return;
        }
        const Flight oldest = copied.front();
        copied.pop_front();
        readSlot(oldest, slots[oldest.slot]);
    };
    // One slot is left out, so that the next slot to write was read a whole piece ago.
    const size_t maxFlights = std::max<size_t>(1, slots.size() - 1);
    const auto flights = [&] { return written.size() + copied.size(); };
    try {
        for (size_t i = 0; i < pieces.size(); ++i) {
            const size_t slot = i % slots.size();
            while (flights() >= maxFlights)
                advance();
            slots[slot].waitUntilFree();
            written.push_back(writeSlot(pieces[i], slot, slots[slot]));
        }
        while (flights() > 0)
            advance();
    } catch (...) {
        waitForAll(); // before the slots return to the pool
        for (size_t slot = 0; slot < slots.size(); ++slot)
            slots[slot].abandonCopies();
        throw;
    }
}

void ExchangeRun::waitForAll() const noexcept {
    for (const TimelinePoint& point : mSubmitted)
        vulkan::DeletionQueue::waitDespiteErrors(point);
}

} // namespace kp::group

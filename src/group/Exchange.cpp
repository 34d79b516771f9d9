// SPDX-License-Identifier: Apache-2.0
#include "group/Exchange.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"
#include "operations/BufferKernel.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/ExternalHandle.hpp"
#include "vulkan/queue/Barriers.hpp"
#include "vulkan/queue/Commands.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Submission.hpp"
#include "vulkan/transfer/Transfer.hpp"

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

bool sameGpu(const vulkan::Device& a, const vulkan::Device& b) {
    return a.physical().deviceUuid == b.physical().deviceUuid &&
           a.physical().driverUuid == b.physical().driverUuid;
}

bool importsHostMemory(const vulkan::Device& device) {
    return device.plan().hasExtension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) &&
           slotSizes(ExchangePath::eHostMemory).bytes %
                   std::max<uint64_t>(1, device.physical().importedHostPointerAlignment) ==
               0;
}

const char* pathName(ExchangePath path) {
    switch (path) {
    case ExchangePath::eSharedMemory:
        return "shared memory";
    case ExchangePath::ePeerMemory:
        return "a link from GPU to GPU";
    case ExchangePath::eHostMemory:
        return "imported host memory";
    case ExchangePath::eStaging:
        return "staging";
    case ExchangePath::eAuto:
        break;
    }
    return "any path";
}

/// @param path  empty within a device
uint64_t maxPieceBytes(std::optional<ExchangePath> path, const ReduceKernels& kernels) {
    const uint64_t bytes = path ? slotSizes(*path).bytes : uint64_t{1} << 30;
    return kernels.empty() ? bytes : std::min(bytes, ReduceKernel::kMaxBytes);
}

/// A part of a transfer that fits into a slot.
struct TransferPiece {
    const DeviceTransfer* transfer;
    uint64_t at; ///< bytes from the start of the transfer
    uint64_t bytes;

    BufferKernel::Range source() const {
        return {transfer->source.get(), transfer->offset + at, bytes};
    }
    BufferKernel::Range destination(const DeviceTransfer::Destination& to) const {
        return {to.buffer.get(), to.offset + at, bytes};
    }
};

/// Submits the pieces of one Exchange::run(). Used by one thread.
class ExchangeRun {
public:
    /// @param ends  by device, set to the last submission
    ExchangeRun(std::span<const std::shared_ptr<vulkan::Device>> devices,
                const ReduceKernels& kernels, std::vector<TimelinePoint>& ends)
        : mDevices(devices), mKernels(kernels), mEnds(ends) {
        for (const std::shared_ptr<vulkan::Device>& device : devices)
            mQueues.push_back(&device->recentQueue());
    }

    /// Submits a piece within one device.
    void transferWithin(const TransferPiece& piece, const DeviceTransfer::Destination& to) {
        vulkan::AccessList accesses;
        accesses.add(piece.transfer->source, false);
        accesses.add(to.buffer, true);
        submit(to.device, accesses,
               [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
                   vulkan::recordFullBarrier(queue.device(), commands);
                   recordArrival(to.device, commands, piece.source(), piece.destination(to), true,
                                 kept);
                   vulkan::recordFullBarrier(queue.device(), commands);
               });
    }

    /// Submits pieces to all destinations on other devices, through slots.
    void transferThrough(ExchangeSlotPool& pool, const std::vector<TransferPiece>& pieces) {
        ExchangeSlotPool::Lease slots = pool.lease(pieces.size());
        try {
            if (pool.inTurns())
                transferInTurns(slots, pieces);
            else
                transferAtOnce(slots, pieces);
        } catch (...) {
            waitForAll(); // before the slots return to the pool
            for (size_t slot = 0; slot < slots.size(); ++slot)
                slots[slot].abandonCopies();
            throw;
        }
    }

    /// Returns when everything submitted is done, for cleaning up after an error.
    void waitForAll() const noexcept {
        for (const TimelinePoint& point : mSubmitted)
            vulkan::DeletionQueue::waitDespiteErrors(point);
    }

private:
    /// A piece on its way through a slot.
    struct Flight {
        TransferPiece piece;
        size_t slot;
        TimelinePoint written; ///< to the slot, by the source device
    };

    /// Fills all slots, and empties all.
    void transferInTurns(ExchangeSlotPool::Lease& slots, std::span<const TransferPiece> pieces) {
        std::vector<Flight> flights;
        for (; !pieces.empty(); pieces = pieces.subspan(flights.size())) {
            flights.clear();
            for (size_t slot = 0; slot < slots.size(); ++slot)
                slots[slot].waitUntilFree();
            for (size_t slot = 0; slot < std::min(slots.size(), pieces.size()); ++slot)
                flights.push_back(writeSlot(pieces[slot], slot, slots[slot]));
            for (const Flight& flight : flights)
                waitUntilWritten(flight);
            for (const Flight& flight : flights) {
                copySlot(flight, slots[flight.slot]);
                readSlot(flight, slots[flight.slot]);
            }
        }
    }

    /// The next pieces are already on their way to the slots while one is on its way to its
    /// destinations.
    void transferAtOnce(ExchangeSlotPool::Lease& slots, std::span<const TransferPiece> pieces) {
        std::deque<Flight> written;
        std::deque<Flight> copied;
        const auto advance = [&] {
            if (!written.empty()) {
                const Flight oldest = written.front();
                written.pop_front();
                waitUntilWritten(oldest);
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
        for (size_t i = 0; i < pieces.size(); ++i) {
            const size_t slot = i % slots.size();
            while (flights() >= maxFlights)
                advance();
            slots[slot].waitUntilFree();
            written.push_back(writeSlot(pieces[i], slot, slots[slot]));
        }
        while (flights() > 0)
            advance();
    }

    template <typename Record>
    TimelinePoint submit(size_t device, const vulkan::AccessList& accesses, Record record) {
        vulkan::Queue& queue = *mQueues[device];
        mSubmitted.reserve(mSubmitted.size() + 1);
        const TimelinePoint done = vulkan::submitOnce(
            queue, accesses, {}, [&](VkCommandBuffer commands, vulkan::KeptObjects& kept) {
                record(queue, commands, kept);
            });
        mSubmitted.push_back(done);
        mEnds[device] = done;
        return done;
    }

    /// Records the copy, or the reduction, of bytes to their destination.
    /// @param onDevice  @p from is device memory
    void recordArrival(size_t device, VkCommandBuffer commands, const BufferKernel::Range& from,
                       const BufferKernel::Range& to, bool onDevice, vulkan::KeptObjects& kept) {
        if (!mKernels.empty())
            mKernels[device]->record(commands, to, from, kept);
        else if (onDevice)
            recordDeviceCopy(commands, from, to, kept);
        else
            recordTransferCopy(commands, from, to);
    }

    Flight writeSlot(const TransferPiece& piece, size_t number, ExchangeSlot& slot) {
        const DeviceTransfer& transfer = *piece.transfer;
        vulkan::Buffer& view = slot.view(transfer.device);
        const BufferKernel::Range target{&view, 0, piece.bytes};
        vulkan::AccessList accesses;
        accesses.add(transfer.source, false);
        const TimelinePoint written =
            submit(transfer.device, accesses,
                   [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
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
    void forOtherDevices(const TransferPiece& piece, Visit visit) const {
        for (const DeviceTransfer::Destination& to : piece.transfer->destinations)
            if (mDevices[to.device] != mDevices[piece.transfer->device])
                visit(to);
    }

    void waitUntilWritten(const Flight& flight) const {
        flight.written.queue->wait(flight.written.value, UINT64_MAX,
                                   mDevices[flight.piece.transfer->device]->defaultWaitMode());
    }

    /// Copies a written slot to the views of the other devices.
    void copySlot(const Flight& flight, ExchangeSlot& slot) {
        const size_t from = flight.piece.transfer->device;
        forOtherDevices(flight.piece, [&](const DeviceTransfer::Destination& to) {
            slot.startCopy(from, to.device, flight.piece.bytes);
        });
    }

    void readSlot(const Flight& flight, ExchangeSlot& slot) {
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

    const std::span<const std::shared_ptr<vulkan::Device>> mDevices;
    const ReduceKernels& mKernels;
    std::vector<TimelinePoint>& mEnds;
    std::vector<vulkan::Queue*> mQueues; ///< by device; one, so that the last submission is the end
    std::vector<TimelinePoint> mSubmitted;
};

} // namespace

Exchange::Exchange(std::vector<std::shared_ptr<vulkan::Device>> devices, ExchangePath path)
    : mDevices(std::move(devices)), mPath(path), mOpensLinkMemory(mDevices.size()) {
    for (const ExchangePath each : {ExchangePath::eSharedMemory, ExchangePath::ePeerMemory,
                                    ExchangePath::eHostMemory, ExchangePath::eStaging})
        mPools.emplace_back(each, mDevices);
}

ExchangeSlotPool& Exchange::poolOf(ExchangePath path) {
    return mPools[static_cast<size_t>(path) - static_cast<size_t>(ExchangePath::eSharedMemory)];
}

bool Exchange::opensLinkMemory(size_t device) const {
    const std::lock_guard lock(mMutex);
    std::optional<bool>& known = mOpensLinkMemory[device];
    if (known)
        return *known;
    try {
        ExchangeSlot(ExchangePath::ePeerMemory, mDevices).view(device);
        known = true;
    } catch (const OutOfMemory&) {
        return false; // there may be memory later
    } catch (const Error& error) {
        mDevices[device]->requireAlive();
        KP_LOG_INFO("{} exchanges no data from GPU to GPU: {}", mDevices[device]->name(),
                    error.what());
        known = false;
    }
    return *known;
}

bool Exchange::isLinked(size_t from, size_t to) const {
    const vulkan::Device& a = *mDevices[from];
    const vulkan::Device& b = *mDevices[to];
    return vulkan::sharesMemory(a) && vulkan::sharesMemory(b) && cuda::PeerLink::between(a, b) &&
           opensLinkMemory(from) && opensLinkMemory(to);
}

std::optional<ExchangePath> Exchange::path(size_t from, size_t to) const {
    if (mDevices[from] == mDevices[to])
        return std::nullopt;
    const vulkan::Device& a = *mDevices[from];
    const vulkan::Device& b = *mDevices[to];
    const bool shares = sameGpu(a, b) && vulkan::sharesMemory(a) && vulkan::sharesMemory(b);
    const bool imports = importsHostMemory(a) && importsHostMemory(b);
    if (mPath == ExchangePath::eAuto)
        return shares               ? ExchangePath::eSharedMemory
               : isLinked(from, to) ? ExchangePath::ePeerMemory
               : imports            ? ExchangePath::eHostMemory
                                    : ExchangePath::eStaging;
    if ((mPath == ExchangePath::eSharedMemory && !shares) ||
        (mPath == ExchangePath::ePeerMemory && !isLinked(from, to)) ||
        (mPath == ExchangePath::eHostMemory && !imports))
        fail<Unsupported>("{} and {} cannot exchange data through {}", a.name(), b.name(),
                          pathName(mPath));
    return mPath;
}

void Exchange::run(const std::vector<DeviceTransfer>& transfers, const ReduceKernels& kernels,
                   std::vector<vulkan::TimelinePoint>& ends) {
    struct Route {
        const DeviceTransfer* transfer;
        std::vector<const DeviceTransfer::Destination*> within; ///< on the same device
        std::optional<ExchangePath> path;                       ///< to other devices, if any
        uint64_t done = 0;                                      ///< bytes
    };
    std::vector<Route> routes;
    for (const DeviceTransfer& transfer : transfers) {
        Route& route = routes.emplace_back(Route{&transfer, {}, {}, 0});
        for (const DeviceTransfer::Destination& to : transfer.destinations) {
            const std::optional<ExchangePath> chosen = path(transfer.device, to.device);
            if (!chosen)
                route.within.push_back(&to);
            // One slot serves all destinations, by the path of the slowest.
            route.path = std::max(route.path, chosen);
        }
    }
    ExchangeRun run(mDevices, kernels, ends);
    try {
        // Pieces of all transfers in turn keep all devices busy.
        std::map<ExchangePath, std::vector<TransferPiece>> pieces;
        for (bool isMore = true; isMore;) {
            isMore = false;
            for (Route& route : routes) {
                const uint64_t left = route.transfer->bytes - route.done;
                if (left == 0)
                    continue;
                const TransferPiece piece{route.transfer, route.done,
                                          std::min(left, maxPieceBytes(route.path, kernels))};
                route.done += piece.bytes;
                isMore = true;
                for (const DeviceTransfer::Destination* to : route.within)
                    run.transferWithin(piece, *to);
                if (route.path)
                    pieces[*route.path].push_back(piece);
            }
        }
        for (const auto& [path, ofPath] : pieces)
            run.transferThrough(poolOf(path), ofPath);
    } catch (...) {
        run.waitForAll();
        throw;
    }
}

uint64_t Exchange::slotBytes() const {
    uint64_t bytes = 0;
    for (const ExchangeSlotPool& pool : mPools)
        bytes += pool.bytes();
    return bytes;
}

} // namespace kp::group

// SPDX-License-Identifier: Apache-2.0
#include "group/Exchange.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "operations/BufferKernel.hpp"
#include "vulkan/CommandBufferPool.hpp"
#include "vulkan/Commands.hpp"
#include "vulkan/Device.hpp"
#include "vulkan/RangeCommands.hpp"
#include "vulkan/Retirement.hpp"
#include "vulkan/Submission.hpp"
#include "vulkan/Transfer.hpp"
#include "vulkan/TransferCommands.hpp"

namespace kp::group {
namespace {

using vulkan::TimelinePoint;

bool sameGpu(const vulkan::Device& a, const vulkan::Device& b) {
    return a.physical().deviceUuid == b.physical().deviceUuid &&
           a.physical().driverUuid == b.physical().driverUuid;
}

bool exportsMemory(const vulkan::Device& device) {
    return device.plan().hasExtension(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
}

bool importsHostMemory(const vulkan::Device& device) {
    return device.plan().hasExtension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) &&
           slotSizes(ExchangePath::eHostMemory).bytes %
                   std::max<uint64_t>(1, device.physical().importedHostPointerAlignment) ==
               0;
}

/// Copies within a device by whichever of the driver's command and the library's shader is the
/// faster there.
void copyOnDevice(VkCommandBuffer commands, const BufferKernel::Range& from,
                  const BufferKernel::Range& to, std::vector<std::shared_ptr<const void>>& kept) {
    if (from.buffer->device().transfer().copiesByKernel(from.bytes) && BufferKernel::takes(from) &&
        BufferKernel::takes(to)) {
        const auto kernel = BufferKernel::copy(from, to);
        kernel->recordAlone(commands);
        kept.push_back(kernel);
    } else {
        vulkan::recordCopyRange(commands, *from.buffer, from.offset, *to.buffer, to.offset,
                                from.bytes);
    }
}

const char* nameOf(ExchangePath path) {
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

/// The most that travels at once.
uint64_t pieceBytes(std::optional<ExchangePath> path, const Joining& joining) {
    const uint64_t most = path ? slotSizes(*path).bytes : uint64_t{1} << 30;
    return joining.empty() ? most : std::min(most, ReduceKernel::kMaxBytes);
}

} // namespace

/// One call of run(): what is under way, and where each device's part ends.
struct Exchange::Run {
    /// A part of a movement that fits into a slot.
    struct Piece {
        const Movement* movement;
        uint64_t at;
        uint64_t bytes;

        BufferKernel::Range source() const {
            return {movement->source.get(), movement->offset + at, bytes};
        }
        BufferKernel::Range destination(const Movement::Destination& to) const {
            return {to.buffer.get(), to.offset + at, bytes};
        }
    };
    /// A piece that its device writes to a slot.
    struct Published {
        Piece piece;
        size_t slot;
        TimelinePoint written;
    };

    Exchange& exchange;
    const Joining& joining;
    std::vector<TimelinePoint>& ends;
    std::vector<TimelinePoint> submitted; ///< everything, to be waited for after an error

    vulkan::Device& device(size_t place) { return *exchange.mDevices[place]; }

    /// Submits commands that @p record records, after what uses the memory before.
    template <typename Record>
    TimelinePoint submit(size_t place, const vulkan::AccessList& accesses, Record record) {
        vulkan::Device& used = device(place);
        vulkan::Queue& queue = used.queue(0);
        auto commands =
            std::make_shared<vulkan::CommandBuffer>(used.commandBuffers().acquire(queue.family()));
        std::vector<std::shared_ptr<const void>> kept;
        commands->begin(true);
        record(queue, commands->handle(), kept);
        commands->end();
        const VkCommandBuffer handle = commands->handle();
        submitted.reserve(submitted.size() + 1);
        const TimelinePoint done = vulkan::submitOrdered(queue, {&handle, 1}, accesses);
        submitted.push_back(done);
        ends[place] = done;
        used.retirement().retire({done}, [commands, held = std::move(kept)] {});
        return done;
    }

    /// Copies, or joins, bytes into a destination.
    /// @param onDevice  all of them are in memory of the device
    void arrive(size_t place, VkCommandBuffer commands, const BufferKernel::Range& from,
                const BufferKernel::Range& to, bool onDevice,
                std::vector<std::shared_ptr<const void>>& kept) {
        if (!joining.empty())
            joining[place]->record(commands, *to.buffer, to.offset, *from.buffer, from.offset,
                                   from.bytes, kept);
        else if (onDevice)
            copyOnDevice(commands, from, to, kept);
        else
            vulkan::recordCopyRange(commands, *from.buffer, from.offset, *to.buffer, to.offset,
                                    from.bytes);
    }

    void direct(const Piece& piece, const Movement::Destination& to) {
        vulkan::AccessList accesses;
        accesses.add(piece.movement->source, false);
        accesses.add(to.buffer, true);
        submit(to.device, accesses,
               [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
                   vulkan::recordFullBarrier(queue.device(), commands);
                   arrive(to.device, commands, piece.source(), piece.destination(to), true, kept);
                   vulkan::recordFullBarrier(queue.device(), commands);
               });
    }

    Published publish(const Piece& piece, size_t number, ExchangeSlot& slot) {
        const Movement& movement = *piece.movement;
        vulkan::Buffer& view = slot.view(movement.device);
        vulkan::AccessList accesses;
        accesses.add(movement.source, false);
        const TimelinePoint written =
            submit(movement.device, accesses,
                   [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
                       const BufferKernel::Range target{&view, 0, piece.bytes};
                       if (slot.external()) {
                           vulkan::recordFullBarrier(queue.device(), commands);
                           copyOnDevice(commands, piece.source(), target, kept);
                           vulkan::recordRelease(queue, commands, view);
                           vulkan::recordFullBarrier(queue.device(), commands);
                           return;
                       }
                       vulkan::recordTransferBegin(queue, commands);
                       vulkan::recordCopyRange(commands, *movement.source, piece.source().offset,
                                               view, 0, piece.bytes);
                       vulkan::recordTransferEnd(queue, commands, true);
                   });
        return {piece, number, written};
    }

    template <typename Visit>
    void forOthers(const Published& published, Visit visit) {
        const Movement& movement = *published.piece.movement;
        for (const Movement::Destination& to : movement.destinations)
            if (exchange.mDevices[to.device] != exchange.mDevices[movement.device])
                visit(to);
    }

    /// Hands a published piece to who gets it.
    void handOver(const Published& published, ExchangeSlot& slot) {
        const size_t from = published.piece.movement->device;
        published.written.queue->wait(published.written.value, UINT64_MAX,
                                      device(from).defaultWaitMode());
        forOthers(published, [&](const Movement::Destination& to) {
            slot.pass(from, to.device, published.piece.bytes);
        });
    }

    /// Lets everybody take what was handed over.
    void take(const Published& published, ExchangeSlot& slot) {
        slot.finishPassing();
        const Piece& piece = published.piece;
        forOthers(published, [&](const Movement::Destination& to) {
            vulkan::Buffer& view = slot.view(to.device);
            vulkan::AccessList accesses;
            accesses.add(to.buffer, true);
            slot.usedBy(submit(to.device, accesses,
                               [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
                                   vulkan::recordFullBarrier(queue.device(), commands);
                                   if (slot.external())
                                       vulkan::recordAcquire(queue, commands, view);
                                   arrive(to.device, commands, {&view, 0, piece.bytes},
                                          piece.destination(to), slot.external(), kept);
                                   vulkan::recordFullBarrier(queue.device(), commands);
                               }));
        });
    }

    /// Pieces of movements between devices, by one path.
    void pass(const std::vector<Piece>& pieces, ExchangeSlots& slots) {
        ExchangeSlots::Lease lease = slots.lease(pieces.size());
        std::deque<Published> published;
        std::deque<Published> handedOver;
        const auto takeOldest = [&] {
            const Published oldest = handedOver.front();
            handedOver.pop_front();
            take(oldest, lease[oldest.slot]);
        };
        const auto advance = [&] {
            if (!published.empty()) {
                const Published oldest = published.front();
                published.pop_front();
                ExchangeSlot& slot = lease[oldest.slot];
                handOver(oldest, slot);
                handedOver.push_back(oldest);
                // The next piece is on its way before this one has arrived.
                if (slot.passesInBackground() && handedOver.size() == 1)
                    return;
            }
            takeOldest();
        };
        // One slot less than there are is filled ahead, so that the one to be filled next was taken
        // a whole piece ago.
        const size_t ahead = std::max<size_t>(1, lease.size() - 1);
        const auto underWay = [&] { return published.size() + handedOver.size(); };
        try {
            for (size_t i = 0; i < pieces.size(); ++i) {
                const size_t slot = i % lease.size();
                while (underWay() >= ahead)
                    advance();
                lease[slot].waitUntilFree();
                published.push_back(publish(pieces[i], slot, lease[slot]));
            }
            while (underWay() > 0)
                advance();
        } catch (...) {
            waitForAll(); // before the slots go to somebody else
            for (size_t slot = 0; slot < lease.size(); ++slot)
                lease[slot].abandonPassing();
            throw;
        }
    }

    void waitForAll() const {
        for (const TimelinePoint& point : submitted)
            vulkan::Retirement::waitDespiteErrors(point);
    }
};

Exchange::Exchange(std::vector<std::shared_ptr<vulkan::Device>> devices, ExchangePath path)
    : mDevices(std::move(devices)), mPath(path), mShared(ExchangePath::eSharedMemory, mDevices),
      mPeer(ExchangePath::ePeerMemory, mDevices), mHost(ExchangePath::eHostMemory, mDevices),
      mStaging(ExchangePath::eStaging, mDevices), mOpensLinksMemory(mDevices.size()) {}

bool Exchange::opensLinksMemory(size_t place) const {
    const std::lock_guard lock(mMutex);
    std::optional<bool>& known = mOpensLinksMemory[place];
    if (known)
        return *known;
    try {
        ExchangeSlot(ExchangePath::ePeerMemory, mDevices).view(place);
        known = true;
    } catch (const OutOfMemory&) {
        return false; // for now
    } catch (const Error& error) {
        mDevices[place]->requireAlive();
        KP_LOG_INFO("{} exchanges no data from GPU to GPU: {}", mDevices[place]->name(),
                    error.what());
        known = false;
    }
    return *known;
}

bool Exchange::linked(size_t from, size_t to) const {
    const vulkan::Device& a = *mDevices[from];
    const vulkan::Device& b = *mDevices[to];
    return exportsMemory(a) && exportsMemory(b) && PeerLink::between(a, b) &&
           opensLinksMemory(from) && opensLinksMemory(to);
}

ExchangePath Exchange::choose(size_t from, size_t to) const {
    const vulkan::Device& a = *mDevices[from];
    const vulkan::Device& b = *mDevices[to];
    const bool shares = sameGpu(a, b) && exportsMemory(a) && exportsMemory(b);
    const bool imports = importsHostMemory(a) && importsHostMemory(b);
    if (mPath == ExchangePath::eAuto)
        return shares             ? ExchangePath::eSharedMemory
               : linked(from, to) ? ExchangePath::ePeerMemory
               : imports          ? ExchangePath::eHostMemory
                                  : ExchangePath::eStaging;
    if ((mPath == ExchangePath::eSharedMemory && !shares) ||
        (mPath == ExchangePath::ePeerMemory && !linked(from, to)) ||
        (mPath == ExchangePath::eHostMemory && !imports))
        throw Unsupported(a.name() + " and " + b.name() + " cannot exchange data through " +
                          nameOf(mPath));
    return mPath;
}

std::optional<ExchangePath> Exchange::path(size_t from, size_t to) const {
    if (mDevices[from] == mDevices[to])
        return std::nullopt;
    return choose(from, to);
}

ExchangeSlots& Exchange::slotsFor(ExchangePath path) {
    switch (path) {
    case ExchangePath::eSharedMemory:
        return mShared;
    case ExchangePath::ePeerMemory:
        return mPeer;
    case ExchangePath::eHostMemory:
        return mHost;
    default:
        return mStaging;
    }
}

void Exchange::run(const std::vector<Movement>& movements, const Joining& joining,
                   std::vector<TimelinePoint>& ends) {
    struct Route {
        const Movement* movement;
        std::vector<const Movement::Destination*> within; ///< the device
        std::optional<ExchangePath> path;                 ///< to others, where there are some
        uint64_t done = 0;                                ///< bytes
    };
    std::vector<Route> routes;
    for (const Movement& movement : movements) {
        Route& route = routes.emplace_back(Route{&movement, {}, {}, 0});
        for (const Movement::Destination& to : movement.destinations) {
            const std::optional<ExchangePath> chosen = path(movement.device, to.device);
            if (!chosen)
                route.within.push_back(&to);
            // One fetch serves all who get it, by the path that suits the slowest of them.
            route.path = std::max(route.path, chosen);
        }
    }
    Run run{*this, joining, ends, {}};
    try {
        // Pieces of all movements in turn, so that all devices have something to do.
        std::map<ExchangePath, std::vector<Run::Piece>> travelling;
        for (bool left = true; left;) {
            left = false;
            for (Route& route : routes) {
                const uint64_t todo = route.movement->bytes - route.done;
                if (todo == 0)
                    continue;
                const Run::Piece piece{route.movement, route.done,
                                       std::min(todo, pieceBytes(route.path, joining))};
                route.done += piece.bytes;
                left = true;
                for (const Movement::Destination* to : route.within)
                    run.direct(piece, *to);
                if (route.path)
                    travelling[*route.path].push_back(piece);
            }
        }
        for (const auto& [path, pieces] : travelling)
            run.pass(pieces, slotsFor(path));
    } catch (...) {
        run.waitForAll();
        throw;
    }
}

uint64_t Exchange::slotBytes() const {
    return mShared.bytes() + mPeer.bytes() + mHost.bytes() + mStaging.bytes();
}

} // namespace kp::group

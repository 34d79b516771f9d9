// SPDX-License-Identifier: Apache-2.0
#include "group/Exchange.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include <kompute/Error.hpp>

#include "vulkan/CommandBufferPool.hpp"
#include "vulkan/Commands.hpp"
#include "vulkan/Device.hpp"
#include "vulkan/RangeCommands.hpp"
#include "vulkan/Retirement.hpp"
#include "vulkan/Submission.hpp"
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
           ExchangeSlot::kBytes %
                   std::max<uint64_t>(1, device.physical().importedHostPointerAlignment) ==
               0;
}

const char* nameOf(ExchangePath path) {
    switch (path) {
    case ExchangePath::eSharedMemory:
        return "shared memory";
    case ExchangePath::eHostMemory:
        return "imported host memory";
    case ExchangePath::eStaging:
        return "staging";
    case ExchangePath::eAuto:
        break;
    }
    return "any path";
}

} // namespace

/// One call of run(): what is under way, and where each device's part ends.
struct Exchange::Run {
    /// A part of a movement that fits into a slot.
    struct Piece {
        const Movement* movement;
        uint64_t at;
        uint64_t bytes;
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
        std::vector<std::shared_ptr<void>> kept;
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
    void arrive(size_t place, VkCommandBuffer commands, const vulkan::Buffer& from,
                uint64_t fromOffset, const vulkan::Buffer& to, uint64_t toOffset, uint64_t bytes,
                std::vector<std::shared_ptr<void>>& kept) {
        if (joining.empty())
            vulkan::recordCopyRange(commands, from, fromOffset, to, toOffset, bytes);
        else
            joining[place]->record(commands, to, toOffset, from, fromOffset, bytes, kept);
    }

    void direct(const Piece& piece, const Movement::Destination& to) {
        const Movement& movement = *piece.movement;
        vulkan::AccessList accesses;
        accesses.add(movement.source, false);
        accesses.add(to.buffer, true);
        submit(to.device, accesses,
               [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
                   vulkan::recordFullBarrier(queue.device(), commands);
                   arrive(to.device, commands, *movement.source, movement.offset + piece.at,
                          *to.buffer, to.offset + piece.at, piece.bytes, kept);
                   vulkan::recordFullBarrier(queue.device(), commands);
               });
    }

    Published publish(const Piece& piece, size_t number, ExchangeSlot& slot) {
        const Movement& movement = *piece.movement;
        vulkan::Buffer& view = slot.view(movement.device);
        vulkan::AccessList accesses;
        accesses.add(movement.source, false);
        const TimelinePoint written = submit(
            movement.device, accesses, [&](vulkan::Queue& queue, VkCommandBuffer commands, auto&) {
                vulkan::recordTransferBegin(queue, commands);
                vulkan::recordCopyRange(commands, *movement.source, movement.offset + piece.at,
                                        view, 0, piece.bytes);
                if (slot.external())
                    vulkan::recordRelease(queue, commands, view);
                vulkan::recordTransferEnd(queue, commands, true);
            });
        return {piece, number, written};
    }

    /// Hands a published piece to who gets it.
    void take(const Published& published, ExchangeSlot& slot) {
        const Piece& piece = published.piece;
        const Movement& movement = *piece.movement;
        published.written.queue->wait(published.written.value, UINT64_MAX,
                                      device(movement.device).defaultWaitMode());
        for (const Movement::Destination& to : movement.destinations) {
            if (exchange.mDevices[to.device] == exchange.mDevices[movement.device])
                continue;
            vulkan::Buffer& view = slot.view(to.device);
            slot.pass(movement.device, to.device, piece.bytes);
            vulkan::AccessList accesses;
            accesses.add(to.buffer, true);
            slot.usedBy(submit(to.device, accesses,
                               [&](vulkan::Queue& queue, VkCommandBuffer commands, auto& kept) {
                                   vulkan::recordFullBarrier(queue.device(), commands);
                                   if (slot.external())
                                       vulkan::recordAcquire(queue, commands, view);
                                   arrive(to.device, commands, view, 0, *to.buffer,
                                          to.offset + piece.at, piece.bytes, kept);
                                   vulkan::recordFullBarrier(queue.device(), commands);
                               }));
        }
    }

    /// Pieces of movements between devices, by one path.
    void pass(const std::vector<Piece>& pieces, ExchangeSlots& slots) {
        ExchangeSlots::Lease lease = slots.lease(pieces.size());
        std::deque<Published> published;
        const auto takeOldest = [&] {
            const Published oldest = published.front();
            published.pop_front();
            take(oldest, lease[oldest.slot]);
        };
        // One slot less than there are is filled ahead, so that the one to be filled next was taken
        // a whole piece ago.
        const size_t ahead = std::max<size_t>(1, lease.size() - 1);
        try {
            for (size_t i = 0; i < pieces.size(); ++i) {
                const size_t slot = i % lease.size();
                while (published.size() >= ahead)
                    takeOldest();
                lease[slot].waitUntilFree();
                published.push_back(publish(pieces[i], slot, lease[slot]));
            }
            while (!published.empty())
                takeOldest();
        } catch (...) {
            waitForAll(); // before the slots go to somebody else
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
      mHost(ExchangePath::eHostMemory, mDevices), mStaging(ExchangePath::eStaging, mDevices) {}

ExchangePath Exchange::choose(size_t from, size_t to) const {
    const vulkan::Device& a = *mDevices[from];
    const vulkan::Device& b = *mDevices[to];
    const bool shares = sameGpu(a, b) && exportsMemory(a) && exportsMemory(b);
    const bool imports = importsHostMemory(a) && importsHostMemory(b);
    if (mPath == ExchangePath::eAuto)
        return shares    ? ExchangePath::eSharedMemory
               : imports ? ExchangePath::eHostMemory
                         : ExchangePath::eStaging;
    if ((mPath == ExchangePath::eSharedMemory && !shares) ||
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
    };
    std::vector<Route> routes;
    uint64_t longest = 0;
    for (const Movement& movement : movements) {
        Route& route = routes.emplace_back(Route{&movement, {}, {}});
        longest = std::max(longest, movement.bytes);
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
        for (uint64_t at = 0; at < longest; at += ExchangeSlot::kBytes)
            for (const Route& route : routes) {
                if (at >= route.movement->bytes)
                    continue;
                const Run::Piece piece{route.movement, at,
                                       std::min(ExchangeSlot::kBytes, route.movement->bytes - at)};
                for (const Movement::Destination* to : route.within)
                    run.direct(piece, *to);
                if (route.path)
                    travelling[*route.path].push_back(piece);
            }
        for (const auto& [path, pieces] : travelling)
            run.pass(pieces, slotsFor(path));
    } catch (...) {
        run.waitForAll();
        throw;
    }
}

uint64_t Exchange::slotBytes() const {
    return mShared.bytes() + mHost.bytes() + mStaging.bytes();
}

} // namespace kp::group

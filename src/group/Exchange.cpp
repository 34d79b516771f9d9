// SPDX-License-Identifier: Apache-2.0
#include "group/Exchange.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"
#include "group/ExchangeRun.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::group {
namespace {

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
    return exportsMemory(a) && exportsMemory(b) && cuda::PeerLink::between(a, b) &&
           opensLinkMemory(from) && opensLinkMemory(to);
}

ExchangePath Exchange::choose(size_t from, size_t to) const {
    const vulkan::Device& a = *mDevices[from];
    const vulkan::Device& b = *mDevices[to];
    const bool shares = sameGpu(a, b) && exportsMemory(a) && exportsMemory(b);
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

std::optional<ExchangePath> Exchange::path(size_t from, size_t to) const {
    if (mDevices[from] == mDevices[to])
        return std::nullopt;
    return choose(from, to);
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

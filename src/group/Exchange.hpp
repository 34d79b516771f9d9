// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <kompute/group/DeviceGroup.hpp>

#include "group/ExchangeSlot.hpp"
#include "group/ReduceKernel.hpp"

namespace kp::group {

/// Bytes of one device that others receive. Devices are indices in the group.
struct DeviceTransfer {
    struct Destination {
        size_t device = 0;
        std::shared_ptr<vulkan::Buffer> buffer;
        uint64_t offset = 0;
    };

    size_t device = 0;
    std::shared_ptr<vulkan::Buffer> source;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    std::vector<Destination> destinations;
};

/// Kernels that combine received bytes with the destination's, one per device of the group.
/// Empty: received bytes replace them.
using ReduceKernels = std::vector<std::shared_ptr<const ReduceKernel>>;

/// Transfers data between the devices of a group: in pieces through slots that both devices reach,
/// and directly within a device. Thread-safe.
class Exchange {
public:
    /// @param path  eAuto: the fastest one that each pair of devices supports
    Exchange(std::vector<std::shared_ptr<vulkan::Device>> devices, ExchangePath path);

    /// Returns how data is transferred between two devices; empty if they are the same.
    /// @throws Unsupported if they do not support the constructor's path
    std::optional<ExchangePath> path(size_t from, size_t to) const;

    /// Makes transfers. Each destination receives them in the given order, so that reductions are
    /// reproducible. Returns when the last piece is submitted; each device's part runs after
    /// earlier submissions that use the same memory.
    /// @param kernels  empty: received bytes replace those at the destination
    /// @param ends     by device, set to the end of its part; unchanged if it has none
    /// @throws a device's exception; no transfer is pending then
    void run(const std::vector<DeviceTransfer>& transfers, const ReduceKernels& kernels,
             std::vector<vulkan::TimelinePoint>& ends);

    /// Returns the bytes of memory in slots.
    uint64_t slotBytes() const;

private:
    /// Returns true if a link from GPU to GPU connects two devices, and both can open its memory.
    bool isLinked(size_t from, size_t to) const;
    bool opensLinkMemory(size_t device) const;
    ExchangeSlotPool& poolOf(ExchangePath path);

    const std::vector<std::shared_ptr<vulkan::Device>> mDevices;
    const ExchangePath mPath;
    std::deque<ExchangeSlotPool> mPools; ///< one per path, in the order of ExchangePath
    mutable std::mutex mMutex;
    mutable std::vector<std::optional<bool>> mOpensLinkMemory; ///< guarded by mMutex
};

} // namespace kp::group

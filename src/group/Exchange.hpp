// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <kompute/group/DeviceGroup.hpp>

#include "group/ExchangeSlots.hpp"
#include "group/ReduceKernel.hpp"
#include "vulkan/Buffer.hpp"

namespace kp::group {

/// Bytes of one device that others get. Devices are places in the group.
struct Movement {
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

/// What joins bytes with those that are where they arrive: a kernel for each device of the group.
/// Empty: they replace them.
using Joining = std::vector<std::shared_ptr<const ReduceKernel>>;

/// Moves data between the devices of a group: in pieces, through slots of memory that both sides
/// reach, the next pieces being fetched while one is handed over; within a device directly.
///
/// What is between publishing a piece and taking it is ExchangeSlot's alone, so another kind of
/// memory is another path there. Thread-safe.
class Exchange {
public:
    /// @param path  eAuto: the fastest that each pair offers
    Exchange(std::vector<std::shared_ptr<vulkan::Device>> devices, ExchangePath path);

    /// How data travel between two devices. Empty where they are one.
    std::optional<ExchangePath> path(size_t from, size_t to) const;

    /// Makes all movements: in the order given for each destination, so that what is joined always
    /// is in the same order. Returns when the last piece is submitted; each device's work comes
    /// after what was submitted before on the memory that it uses.
    /// @param ends  for each device the end of its part; untouched where it has none
    /// @throws what a device throws; nothing of the movements is pending then
    void run(const std::vector<Movement>& movements, const Joining& joining,
             std::vector<vulkan::TimelinePoint>& ends);

    /// Bytes of memory kept for handing over.
    uint64_t slotBytes() const;

private:
    struct Run;

    ExchangePath choose(size_t from, size_t to) const;
    /// True where a link from GPU to GPU connects two devices, and both can open its memory.
    bool linked(size_t from, size_t to) const;
    bool opensLinksMemory(size_t place) const;
    ExchangeSlots& slotsFor(ExchangePath path);

    const std::vector<std::shared_ptr<vulkan::Device>> mDevices;
    const ExchangePath mPath;
    ExchangeSlots mShared;
    ExchangeSlots mPeer;
    ExchangeSlots mHost;
    ExchangeSlots mStaging;
    mutable std::mutex mMutex;
    mutable std::vector<std::optional<bool>> mOpensLinksMemory; ///< guarded by mMutex
};

} // namespace kp::group

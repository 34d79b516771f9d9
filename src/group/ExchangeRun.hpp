// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "group/DeviceTransfer.hpp"
#include "group/ExchangeSlotPool.hpp"
#include "operations/BufferKernel.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/queue/Submission.hpp"

namespace kp::group {

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
                const ReduceKernels& kernels, std::vector<vulkan::TimelinePoint>& ends)
        : mDevices(devices), mKernels(kernels), mEnds(ends) {}

    /// Submits a piece within one device.
    void transferWithin(const TransferPiece& piece, const DeviceTransfer::Destination& to);
    /// Submits pieces to all destinations on other devices, through slots. The next pieces are
    /// already on their way to the slots while one is on its way to its destinations.
    void transferThrough(ExchangeSlotPool& pool, const std::vector<TransferPiece>& pieces);
    /// Returns when everything submitted is done, for cleaning up after an error.
    void waitForAll() const noexcept;

private:
    /// A piece on its way through a slot.
    struct Flight {
        TransferPiece piece;
        size_t slot;
        vulkan::TimelinePoint written; ///< to the slot, by the source device
    };

    template <typename Record>
    vulkan::TimelinePoint submit(size_t device, const vulkan::AccessList& accesses, Record record);
    /// Records the copy, or the reduction, of bytes to their destination.
    /// @param onDevice  @p from is device memory
    void recordArrival(size_t device, VkCommandBuffer commands, const BufferKernel::Range& from,
                       const BufferKernel::Range& to, bool onDevice, vulkan::KeptObjects& kept);
    Flight writeSlot(const TransferPiece& piece, size_t number, ExchangeSlot& slot);
    /// Copies a written slot to the views of the other devices.
    void copySlot(const Flight& flight, ExchangeSlot& slot);
    void readSlot(const Flight& flight, ExchangeSlot& slot);
    template <typename Visit>
    void forOtherDevices(const TransferPiece& piece, Visit visit) const;

    const std::span<const std::shared_ptr<vulkan::Device>> mDevices;
    const ReduceKernels& mKernels;
    std::vector<vulkan::TimelinePoint>& mEnds;
    std::vector<vulkan::TimelinePoint> mSubmitted;
};

} // namespace kp::group

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <kompute/group/DeviceGroup.hpp>

#include "cuda/PeerLink.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp::group {

/// How a path uses its slots. Measured on H200s: see docs/reports/benchmarks.md.
struct SlotSizes {
    uint64_t bytes;       ///< per slot, and on each device that uses it if it is device memory
    size_t perLease;      ///< slots of one user
    size_t max;           ///< slots of all users at a time
    size_t kept;          ///< slots that are kept while unused
    bool inTurns = false; ///< all slots of a user are written, then all are read
};

SlotSizes slotSizes(ExchangePath path);

/// Memory through which one device of a set passes bytes to the others. Each device has a view of
/// it, which is a buffer; depending on the path, views share one memory or are copied to each
/// other. Used by one thread at a time.
class ExchangeSlot {
public:
    /// @param devices  may use the slot
    /// @throws Unsupported if @p path is not possible between them, OutOfMemory
    ExchangeSlot(ExchangePath path, std::vector<std::shared_ptr<vulkan::Device>> devices);
    ~ExchangeSlot();
    ExchangeSlot(const ExchangeSlot&) = delete;
    ExchangeSlot& operator=(const ExchangeSlot&) = delete;

    /// Returns the view of a device, which is created at first use.
    /// @param device  index among the devices
    vulkan::Buffer& view(size_t device);
    /// Starts to copy the view of one device to another's if they are separate memory.
    /// Neither device may use its view until finishCopies().
    void startCopy(size_t from, size_t to, uint64_t bytes);
    /// Returns when all copies are done.
    void finishCopies();
    /// As finishCopies(), after an error: further errors are logged.
    void abandonCopies() noexcept;
    /// Returns true if startCopy() returns before the copy is done.
    bool copiesInBackground() const { return mPath == ExchangePath::ePeerMemory; }
    /// Adds a submission that reads the slot, for waitUntilFree().
    void addReader(const vulkan::TimelinePoint& reader) { mReaders.push_back(reader); }
    /// Returns when all readers are done. @throws as Queue::wait()
    void waitUntilFree();
    /// Returns true for device memory that another device or driver has open too, so that command
    /// buffers must transfer its ownership.
    bool external() const {
        return mPath == ExchangePath::eSharedMemory || mPath == ExchangePath::ePeerMemory;
    }

private:
    std::shared_ptr<vulkan::Buffer> createView(size_t device);
    /// Closes the file descriptor of @p memory.
    std::shared_ptr<vulkan::Buffer> import(vulkan::Device& device,
                                           const ExternalMemory& memory) const;

    const ExchangePath mPath;
    const uint64_t mBytes;
    const std::vector<std::shared_ptr<vulkan::Device>> mDevices;
    std::vector<std::shared_ptr<vulkan::Buffer>> mViews; ///< by device
    std::vector<vulkan::TimelinePoint> mReaders;

    void* mHost = nullptr;                     ///< eHostMemory
    std::shared_ptr<vulkan::Buffer> mExporter; ///< eSharedMemory: the first view

    // ePeerMemory
    std::shared_ptr<cuda::PeerLink> mLink;
    std::vector<std::unique_ptr<cuda::PeerLink::Memory>> mMemories; ///< of the views
    cuda::PeerLink::Memory* mCopying = nullptr;                     ///< source of pending copies
};

/// Reusable slots of one path between the same devices. Thread-safe.
class ExchangeSlotPool {
public:
    ExchangeSlotPool(ExchangePath path, std::vector<std::shared_ptr<vulkan::Device>> devices)
        : mPath(path), mSizes(slotSizes(path)), mDevices(std::move(devices)) {}

    /// Slots in use. Returns them to the pool when destroyed; they may still have readers then.
    class Lease {
    public:
        Lease(ExchangeSlotPool& owner, std::vector<std::unique_ptr<ExchangeSlot>> slots)
            : mOwner(owner), mSlots(std::move(slots)) {}
        ~Lease() { mOwner.giveBack(std::move(mSlots)); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        size_t size() const { return mSlots.size(); }
        ExchangeSlot& operator[](size_t index) { return *mSlots[index]; }

    private:
        ExchangeSlotPool& mOwner;
        std::vector<std::unique_ptr<ExchangeSlot>> mSlots;
    };
    /// Returns @p count slots, or SlotSizes::perLease if that is less. Waits until other leases end
    /// if there would be more than SlotSizes::max.
    Lease lease(size_t count);
    /// Returns the bytes of all slots.
    uint64_t bytes() const;
    bool inTurns() const { return mSizes.inTurns; } ///< see SlotSizes

private:
    void giveBack(std::vector<std::unique_ptr<ExchangeSlot>> slots);

    const ExchangePath mPath;
    const SlotSizes mSizes;
    const std::vector<std::shared_ptr<vulkan::Device>> mDevices;
    mutable std::mutex mMutex; ///< guards the members below
    std::condition_variable mReturned;
    std::vector<std::unique_ptr<ExchangeSlot>> mIdle;
    size_t mLeased = 0;
};

} // namespace kp::group

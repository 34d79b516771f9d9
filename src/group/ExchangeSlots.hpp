// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <kompute/group/DeviceGroup.hpp>

#include "group/PeerLink.hpp"
#include "vulkan/Buffer.hpp"

namespace kp::group {

/// How much memory one path takes to hand data over. Measured on two H200s: see docs/benchmarks.md.
struct SlotSizes {
    uint64_t bytes; ///< of a slot (on each device that uses it, where it is device memory)
    size_t each;    ///< slots that one user gets
    size_t most;    ///< slots that there are at most at once, over all who use them
    size_t kept;    ///< slots that are kept when nobody uses them
};

SlotSizes slotSizes(ExchangePath path);

/// A piece of memory that every device of a set reaches, to hand data from one to another.
class ExchangeSlot {
public:
    /// @param devices  those that may use it
    /// @throws Unsupported where @p path is not possible between them, OutOfMemory
    ExchangeSlot(ExchangePath path, std::vector<std::shared_ptr<vulkan::Device>> devices);
    ~ExchangeSlot();
    ExchangeSlot(const ExchangeSlot&) = delete;
    ExchangeSlot& operator=(const ExchangeSlot&) = delete;

    /// The memory as a device sees it, made at first use by it. @param place  among the devices
    vulkan::Buffer& view(size_t place);
    /// What one device wrote is to become what another one reads. Both are done with it.
    void pass(size_t from, size_t to, uint64_t bytes);
    /// Returns when all that was passed has arrived.
    void finishPassing();
    /// finishPassing() after an error: what goes wrong then is logged.
    void abandonPassing() noexcept;
    /// finishPassing() has something to wait for, so that other pieces may be passed meanwhile.
    bool passesInBackground() const { return mPath == ExchangePath::ePeerMemory; }
    /// Notes who reads the slot, until waitUntilFree().
    void usedBy(const vulkan::TimelinePoint& reader) { mReaders.push_back(reader); }
    /// Returns when everybody has read it. @throws what waiting throws
    void waitUntilFree();
    /// Device memory that somebody else has open too, which takes a hand-over in command buffers.
    bool external() const {
        return mPath == ExchangePath::eSharedMemory || mPath == ExchangePath::ePeerMemory;
    }

private:
    std::shared_ptr<vulkan::Buffer> import(vulkan::Device& device,
                                           const ExternalMemory& memory) const;

    const ExchangePath mPath;
    const uint64_t mBytes;
    const std::vector<std::shared_ptr<vulkan::Device>> mDevices;
    void* mHost = nullptr;                               ///< eHostMemory
    std::shared_ptr<vulkan::Buffer> mExporter;           ///< eSharedMemory: the first view
    std::vector<std::shared_ptr<vulkan::Buffer>> mViews; ///< for each device
    std::shared_ptr<PeerLink> mLink;                     ///< ePeerMemory
    std::vector<std::unique_ptr<PeerLink::Memory>>
        mMemories;                        ///< ePeerMemory: what the views are of
    PeerLink::Memory* mPassing = nullptr; ///< ePeerMemory: what is being copied from
    std::vector<vulkan::TimelinePoint> mReaders;
};

/// Slots of a path between the same devices, used again and again. Thread-safe.
class ExchangeSlots {
public:
    ExchangeSlots(ExchangePath path, std::vector<std::shared_ptr<vulkan::Device>> devices)
        : mPath(path), mSizes(slotSizes(path)), mDevices(std::move(devices)) {}

    /// Slots in use, for as long as it lives. Whoever still reads one then is in its readers.
    class Lease {
    public:
        Lease(ExchangeSlots& owner, std::vector<std::unique_ptr<ExchangeSlot>> slots)
            : mOwner(owner), mSlots(std::move(slots)) {}
        ~Lease() { mOwner.giveBack(std::move(mSlots)); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        size_t size() const { return mSlots.size(); }
        ExchangeSlot& operator[](size_t index) { return *mSlots[index]; }

    private:
        ExchangeSlots& mOwner;
        std::vector<std::unique_ptr<ExchangeSlot>> mSlots;
    };
    /// @param count  wanted; no more are given than one user gets. Waits until there are that many
    Lease lease(size_t count);
    /// Bytes of slots that there are now.
    uint64_t bytes() const;

private:
    void giveBack(std::vector<std::unique_ptr<ExchangeSlot>> slots);

    const ExchangePath mPath;
    const SlotSizes mSizes;
    const std::vector<std::shared_ptr<vulkan::Device>> mDevices;
    mutable std::mutex mMutex; ///< guards what follows
    std::condition_variable mReturned;
    std::vector<std::unique_ptr<ExchangeSlot>> mIdle;
    size_t mLeased = 0;
};

} // namespace kp::group

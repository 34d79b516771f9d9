// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <kompute/group/DeviceGroup.hpp>

#include "vulkan/Buffer.hpp"

namespace kp::group {

/// A piece of memory that every device of a set reaches, to hand data from one to another.
class ExchangeSlot {
public:
    static constexpr uint64_t kBytes = 8u << 20;

    /// @param devices  those that may use it
    /// @throws Unsupported where @p path is not possible between them, OutOfMemory
    ExchangeSlot(ExchangePath path, std::vector<std::shared_ptr<vulkan::Device>> devices);
    ~ExchangeSlot();
    ExchangeSlot(const ExchangeSlot&) = delete;
    ExchangeSlot& operator=(const ExchangeSlot&) = delete;

    /// The memory as a device sees it, made at first use by it. @param place  among the devices
    vulkan::Buffer& view(size_t place);
    /// What one device wrote becomes what another one reads. Both are done with it.
    void pass(size_t from, size_t to, uint64_t bytes);
    /// Notes who reads the slot, until waitUntilFree().
    void usedBy(const vulkan::TimelinePoint& reader) { mReaders.push_back(reader); }
    /// Returns when everybody has read it. @throws what waiting throws
    void waitUntilFree();
    /// The memory is of a kind that needs a hand-over in the command buffers.
    bool external() const { return mPath == ExchangePath::eSharedMemory; }

private:
    std::shared_ptr<vulkan::Buffer> importShared(vulkan::Device& device) const;

    const ExchangePath mPath;
    const std::vector<std::shared_ptr<vulkan::Device>> mDevices;
    void* mHost = nullptr;                               ///< eHostMemory
    std::shared_ptr<vulkan::Buffer> mExporter;           ///< eSharedMemory: the first view
    std::vector<std::shared_ptr<vulkan::Buffer>> mViews; ///< for each device
    std::vector<vulkan::TimelinePoint> mReaders;
};

/// Slots of a path between the same devices, used again and again. Thread-safe.
class ExchangeSlots {
public:
    /// Slots that there are at most at once, over all who use them.
    static constexpr size_t kMost = 16;
    /// How many one user gets.
    static constexpr size_t kEach = 4;
    /// How many are kept when nobody uses them.
    static constexpr size_t kKept = 4;

    ExchangeSlots(ExchangePath path, std::vector<std::shared_ptr<vulkan::Device>> devices)
        : mPath(path), mDevices(std::move(devices)) {}

    ExchangePath path() const { return mPath; }

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
    /// @param count  wanted; at most kEach are given. Waits until there are that many
    Lease lease(size_t count);
    /// Bytes of slots that there are now.
    uint64_t bytes() const;

private:
    void giveBack(std::vector<std::unique_ptr<ExchangeSlot>> slots);

    const ExchangePath mPath;
    const std::vector<std::shared_ptr<vulkan::Device>> mDevices;
    mutable std::mutex mMutex; ///< guards what follows
    std::condition_variable mReturned;
    std::vector<std::unique_ptr<ExchangeSlot>> mIdle;
    size_t mLeased = 0;
};

} // namespace kp::group

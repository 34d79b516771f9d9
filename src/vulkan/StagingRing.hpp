// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "vulkan/Buffer.hpp"
#include "vulkan/CommandBufferPool.hpp"

namespace kp::vulkan {

class Queue;

/// Staging buffers of one direction, each with a command buffer: made when needed, used again once
/// the device is done with them, freed when not used for a while. Thread-safe.
class StagingRing {
public:
    using Clock = std::chrono::steady_clock;

    /// How much there may be. One buffer there always may, however large.
    struct Limits {
        uint64_t bytes = 0;
        uint32_t count = 0;
    };

private:
    struct Slot {
        std::shared_ptr<Buffer> buffer; ///< null while it is being made
        CommandBuffer commands;
        uint32_t family = 0;
        uint64_t bytes = 0;
        TimelinePoint done; ///< reached when the device is done with it
        Clock::time_point used;
        bool taken = true;
    };

public:
    /// A staging buffer that belongs to one thread for now. Give it back by destroying this; the
    /// device may still be at work on it, where done() was told so.
    class Lease {
    public:
        Lease() = default;
        Lease(Lease&& other) noexcept { *this = std::move(other); }
        Lease& operator=(Lease&& other) noexcept {
            std::swap(mRing, other.mRing);
            std::swap(mSlot, other.mSlot);
            return *this;
        }
        ~Lease() {
            if (mRing)
                mRing->giveBack(*mSlot);
        }

        explicit operator bool() const { return mRing != nullptr; }
        void* memory() const { return mSlot->buffer->mapped(); }
        VkBuffer buffer() const { return mSlot->buffer->handle(); }
        /// A command buffer for queues of @p family; not pending.
        CommandBuffer& commands(uint32_t family);
        const TimelinePoint& done() const { return mSlot->done; }
        void setDone(const TimelinePoint& point) { mSlot->done = point; }

    private:
        friend class StagingRing;
        Lease(StagingRing& ring, Slot& slot) : mRing(&ring), mSlot(&slot) {}
        StagingRing* mRing = nullptr;
        Slot* mSlot = nullptr;
    };

    explicit StagingRing(Device& device) : mDevice(device) {}
    StagingRing(const StagingRing&) = delete;
    StagingRing& operator=(const StagingRing&) = delete;

    /// A buffer of at least @p bytes, @p usual where it has to be made. Waits for one where the
    /// limits are reached: callers that hold another lease of this ring use tryAcquire().
    /// @throws OutOfMemory where none exists and none can be made; what waiting for the device
    ///         throws
    Lease acquire(uint64_t bytes, uint64_t usual, const Limits& limits);
    /// The same without waiting; empty where none is free.
    Lease tryAcquire(uint64_t bytes, uint64_t usual, const Limits& limits);

    /// Frees the buffers that nobody used for @p unused and the device is done with.
    /// @return bytes that are left
    uint64_t trim(Clock::duration unused);
    uint64_t bytes() const;

private:
    Lease find(uint64_t bytes, uint64_t usual, const Limits& limits, bool wait);
    Slot* takeReady(uint64_t bytes);
    Slot* takeOldest();
    /// Makes room by freeing buffers that are too small and not in use.
    void dropSmaller(uint64_t bytes);
    Slot* make(uint64_t bytes, std::unique_lock<std::mutex>& lock);
    void remove(const Slot& slot);
    void giveBack(Slot& slot);

    Device& mDevice;
    mutable std::mutex mMutex;
    std::condition_variable mFree;
    std::vector<std::unique_ptr<Slot>> mSlots;
    uint64_t mBytes = 0;
};

} // namespace kp::vulkan

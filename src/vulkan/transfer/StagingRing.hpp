// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/CommandBufferPool.hpp"

namespace kp::vulkan {

class Device;

/// Staging buffers of one direction, each with a command buffer: created when needed, reused once
/// the device has finished with them, freed when idle for a while. Thread-safe.
class StagingRing {
public:
    using Clock = std::chrono::steady_clock;

    /// The most that may exist. One buffer may always exist, however large.
    struct Limits {
        uint64_t bytes = 0;
        uint32_t count = 0;
    };

private:
    struct Slot {
        std::shared_ptr<Buffer> buffer; ///< null while it is being created
        CommandBuffer commands;
        uint32_t family = 0;
        uint64_t bytes = 0;
        TimelinePoint done; ///< reached when the device has finished with it
        Clock::time_point used;
        bool taken = true;
    };

public:
    /// Exclusive use of a staging buffer. Destruction returns it to the ring; the device may still
    /// use it until the point given to setDone().
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
                mRing->release(*mSlot);
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

    /// Returns a buffer of at least @p bytes; a new one has at least @p usual. Waits for one at the
    /// limits, so a caller that holds another lease of this ring must use tryAcquire().
    /// @throws OutOfMemory if none exists and none can be created; whatever waiting for the device
    ///         throws
    Lease acquire(uint64_t bytes, uint64_t usual, const Limits& limits);
    /// As acquire(), but returns an empty lease instead of waiting.
    Lease tryAcquire(uint64_t bytes, uint64_t usual, const Limits& limits);

    /// Frees the buffers that were idle for @p unused and that the device has finished with.
    /// @return the bytes left
    uint64_t trim(Clock::duration unused);
    uint64_t bytes() const;

private:
    Lease find(uint64_t bytes, uint64_t usual, const Limits& limits, bool wait);
    Slot* takeReady(uint64_t bytes);
    Slot* takeOldest();
    /// Frees idle buffers of less than @p bytes.
    void dropSmaller(uint64_t bytes);
    Slot* make(uint64_t bytes, std::unique_lock<std::mutex>& lock);
    void remove(const Slot& slot);
    void release(Slot& slot);

    Device& mDevice;
    mutable std::mutex mMutex;
    std::condition_variable mFree;
    std::vector<std::unique_ptr<Slot>> mSlots;
    uint64_t mBytes = 0;
};

} // namespace kp::vulkan

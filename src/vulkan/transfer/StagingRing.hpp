// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/Pools.hpp"

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
    /// The device may still use a buffer after its destruction, until the point given to setDone().
    class Lease : public vulkan::Lease<StagingRing, Slot*> {
    public:
        using vulkan::Lease<StagingRing, Slot*>::Lease;

        void* memory() const { return mObject->buffer->mapped(); }
        VkBuffer buffer() const { return mObject->buffer->handle(); }
        /// A command buffer for queues of @p family; not pending.
        CommandBuffer& commands(uint32_t family);
        const TimelinePoint& done() const { return mObject->done; }
        void setDone(const TimelinePoint& point) { mObject->done = point; }
    };

    explicit StagingRing(Device& device) : mDevice(device) {}

    /// Returns a buffer of at least @p bytes; a new one has at least @p usual. Waits for one at the
    /// limits, or with @p wait off returns an empty lease: for a caller that holds another one.
    /// @throws OutOfMemory if none exists and none can be created; errors of waiting for the device
    ///         throws
    Lease acquire(uint64_t bytes, uint64_t usual, const Limits& limits, bool wait = true);

    /// Frees the buffers that were idle for @p unused and that the device has finished with.
    /// @return the bytes left
    uint64_t trim(Clock::duration unused);
    uint64_t bytes() const;

private:
    Slot* takeReady(uint64_t bytes);
    Slot* takeOldest();
    template <typename Predicate>
    void dropIdle(const Predicate& due);
    void dropSmaller(uint64_t bytes);
    Slot* make(uint64_t bytes, std::unique_lock<std::mutex>& lock);
    void remove(const Slot& slot);
    friend class vulkan::Lease<StagingRing, Slot*>;
    void recycle(Slot* slot);

    Device& mDevice;
    mutable std::mutex mMutex;
    std::condition_variable mFree;
    std::vector<std::unique_ptr<Slot>> mSlots;
    uint64_t mBytes = 0;
};

} // namespace kp::vulkan

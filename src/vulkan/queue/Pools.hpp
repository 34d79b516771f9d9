// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/Process.hpp"
#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class DeviceHandle;

/// Exclusive use of an object that belongs to a pool. Destruction calls the pool's recycle().
template <typename Pool, typename Object>
class Lease {
public:
    Lease() = default;
    Lease(Pool& pool, const Object& object) : mPool(&pool), mObject(object) {}
    Lease(Lease&& other) noexcept { *this = std::move(other); }
    Lease& operator=(Lease&& other) noexcept {
        std::swap(mPool, other.mPool);
        std::swap(mObject, other.mObject);
        return *this;
    }
    ~Lease() {
        if (mPool && !forked())
            mPool->recycle(mObject);
    }
    explicit operator bool() const { return mPool != nullptr; }

protected:
    Pool* mPool = nullptr;
    Object mObject{};
};

/// Objects of a device that are kept for reuse when their lease ends. Thread-safe.
template <typename Object>
class ObjectPool {
public:
    explicit ObjectPool(const DeviceHandle& device) : mDevice(device) {}

    const DeviceHandle& device() const { return mDevice; }
    void recycle(const Object& object) {
        const std::lock_guard lock(mMutex);
        mIdle.push_back(object);
    }

protected:
    /// Takes the last object returned that fits.
    template <typename Predicate>
    std::optional<Object> takeIdle(const Predicate& fits) {
        const std::lock_guard lock(mMutex);
        const auto found = std::find_if(mIdle.rbegin(), mIdle.rend(), fits);
        if (found == mIdle.rend())
            return std::nullopt;
        const Object object = *found;
        mIdle.erase(std::next(found).base());
        return object;
    }

    const DeviceHandle& mDevice;
    std::mutex mMutex;
    std::vector<Object> mIdle;
};

struct CommandBufferSlot {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer handle = VK_NULL_HANDLE;
    uint32_t family = 0;
};

/// A command buffer with a VkCommandPool of its own, so that threads can record at the same time.
/// It must not be pending on the device when it is destroyed (see DeletionQueue).
class CommandBuffer : public Lease<ObjectPool<CommandBufferSlot>, CommandBufferSlot> {
public:
    using Lease::Lease;

    VkCommandBuffer handle() const { return mObject.handle; }
    /// Resets it and begins recording. @param oneTime  it is submitted only once
    void begin(bool oneTime);
    void end();
};

class CommandBufferPool : public ObjectPool<CommandBufferSlot> {
public:
    using ObjectPool::ObjectPool;
    ~CommandBufferPool();

    /// Returns a command buffer for queues of @p family.
    CommandBuffer acquire(uint32_t family);
};

struct TimestampSlot {
    VkQueryPool handle = VK_NULL_HANDLE;
    uint32_t capacity = 0;
};

/// A pool of timestamp queries. It must not be pending on the device when it is destroyed. Queries
/// must be reset before a submission writes them.
class TimestampQueries : public Lease<ObjectPool<TimestampSlot>, TimestampSlot> {
public:
    using Lease::Lease;

    VkQueryPool handle() const { return mObject.handle; }
    uint32_t capacity() const { return mObject.capacity; }
    /// Resets the first @p count queries. No submission that uses them may be pending.
    void reset(uint32_t count) const;
    /// Returns the ticks of the first @p count queries, which a finished submission has written.
    std::vector<uint64_t> read(uint32_t count) const;
};

class QueryPools : public ObjectPool<TimestampSlot> {
public:
    /// @param hostReset  the device can reset queries from the host
    QueryPools(const DeviceHandle& device, bool hostReset)
        : ObjectPool(device), mHostReset(hostReset) {}
    ~QueryPools();

    /// Returns true if the host resets the queries before each submission, with
    /// TimestampQueries::reset(). Otherwise the command buffer does.
    bool hostReset() const { return mHostReset; }
    /// Returns queries for at least @p count timestamps.
    TimestampQueries acquire(uint32_t count);

private:
    const bool mHostReset;
};

/// Converts ticks that were read together, in the order in which they were written, to nanoseconds.
/// A clock wraps after @p validBits bits (1 to 64; higher bits of the ticks are ignored); later
/// times then go on beyond that, so that differences are right.
std::vector<uint64_t> toNanoseconds(std::vector<uint64_t> ticks, uint32_t validBits,
                                    double nanosecondsPerTick);

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class DeviceHandle;
class QueryPools;

/// Converts ticks that were read together, in the order in which they were written, to nanoseconds.
/// A clock wraps after @p validBits bits; later times then go on beyond that, so that differences
/// are right.
/// @param validBits  of the ticks, 1 to 64; higher bits are ignored
std::vector<uint64_t> toNanoseconds(std::vector<uint64_t> ticks, uint32_t validBits,
                                    double nanosecondsPerTick);

/// A pool of timestamp queries. Destruction returns it to its QueryPools; it must not be pending on
/// the device then.
class TimestampQueries {
public:
    TimestampQueries() = default;
    TimestampQueries(TimestampQueries&& other) noexcept;
    TimestampQueries& operator=(TimestampQueries&& other) noexcept;
    ~TimestampQueries();

    VkQueryPool handle() const { return mSlot.handle; }
    uint32_t capacity() const { return mSlot.capacity; }
    explicit operator bool() const { return mOwner != nullptr; }

    /// Returns the ticks of the first @p count queries, which a finished submission has written.
    std::vector<uint64_t> read(uint32_t count) const;

private:
    friend class QueryPools;

    struct Slot {
        VkQueryPool handle = VK_NULL_HANDLE;
        uint32_t capacity = 0;
    };

    TimestampQueries(QueryPools& owner, const Slot& slot) : mOwner(&owner), mSlot(slot) {}

    QueryPools* mOwner = nullptr;
    Slot mSlot;
};

/// Recycles timestamp query pools. Thread-safe.
class QueryPools {
public:
    explicit QueryPools(const DeviceHandle& device) : mDevice(device) {}
    ~QueryPools();
    QueryPools(const QueryPools&) = delete;
    QueryPools& operator=(const QueryPools&) = delete;

    /// Returns queries for at least @p count timestamps. The command buffer resets them before use.
    TimestampQueries acquire(uint32_t count);

private:
    friend class TimestampQueries;

    const DeviceHandle& mDevice;
    std::mutex mMutex;
    std::vector<TimestampQueries::Slot> mIdle;
};

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "vulkan/Vulkan.hpp"

namespace kp::vulkan {

class Device;
class QueryPools;

/// Nanoseconds of ticks that were read together, in the order in which they were written. A clock
/// starts over after @p validBits bits; where it did so after the first tick, the later times go on
/// beyond that, so that differences are right.
/// @param validBits  of the ticks, 1 to 64; higher bits are ignored
std::vector<uint64_t> toNanoseconds(std::vector<uint64_t> ticks, uint32_t validBits,
                                    double nanosecondsPerTick);

/// A pool of timestamp queries, lent by QueryPools and given back when destroyed; must not be
/// pending on the device then.
class TimestampQueries {
public:
    TimestampQueries() = default;
    TimestampQueries(TimestampQueries&& other) noexcept;
    TimestampQueries& operator=(TimestampQueries&& other) noexcept;
    ~TimestampQueries();

    VkQueryPool handle() const { return mHandle; }
    uint32_t capacity() const { return mCapacity; }
    explicit operator bool() const { return mHandle != VK_NULL_HANDLE; }

    /// Ticks of the first @p count queries, which a finished submission has written.
    std::vector<uint64_t> read(uint32_t count) const;

private:
    friend class QueryPools;

    QueryPools* mOwner = nullptr;
    VkQueryPool mHandle = VK_NULL_HANDLE;
    uint32_t mCapacity = 0;
};

/// Recycles timestamp query pools. Thread-safe.
class QueryPools {
public:
    explicit QueryPools(Device& device);
    ~QueryPools();
    QueryPools(const QueryPools&) = delete;
    QueryPools& operator=(const QueryPools&) = delete;

    /// Queries for at least @p count timestamps, to be reset in the command buffer before use.
    TimestampQueries acquire(uint32_t count);

private:
    friend class TimestampQueries;

    struct Idle {
        VkQueryPool handle;
        uint32_t capacity;
    };

    Device& mDevice;
    std::mutex mMutex;
    std::vector<Idle> mIdle;
};

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "vulkan/device/Vulkan.hpp"
#include "vulkan/queue/Lease.hpp"

namespace kp::vulkan {

class DeviceHandle;
class QueryPools;

/// Converts ticks that were read together, in the order in which they were written, to nanoseconds.
/// A clock wraps after @p validBits bits; later times then go on beyond that, so that differences
/// are right.
/// @param validBits  of the ticks, 1 to 64; higher bits are ignored
std::vector<uint64_t> toNanoseconds(std::vector<uint64_t> ticks, uint32_t validBits,
                                    double nanosecondsPerTick);

struct TimestampSlot {
    VkQueryPool handle = VK_NULL_HANDLE;
    uint32_t capacity = 0;
};

/// A pool of timestamp queries. It must not be pending on the device when it is destroyed.
class TimestampQueries : public Lease<QueryPools, TimestampSlot> {
public:
    using Lease::Lease;

    VkQueryPool handle() const { return mObject.handle; }
    uint32_t capacity() const { return mObject.capacity; }
    /// Returns the ticks of the first @p count queries, which a finished submission has written.
    std::vector<uint64_t> read(uint32_t count) const;
};

/// Recycles timestamp query pools. Thread-safe.
class QueryPools {
public:
    explicit QueryPools(const DeviceHandle& device) : mDevice(device) {}
    ~QueryPools();

    /// Returns queries for at least @p count timestamps. The command buffer resets them before use.
    TimestampQueries acquire(uint32_t count);

private:
    friend class TimestampQueries;
    friend class Lease<QueryPools, TimestampSlot>;
    void recycle(const TimestampSlot& slot);

    const DeviceHandle& mDevice;
    std::mutex mMutex;
    std::vector<TimestampSlot> mIdle;
};

} // namespace kp::vulkan

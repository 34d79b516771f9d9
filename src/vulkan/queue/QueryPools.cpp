// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/QueryPools.hpp"

#include <algorithm>
#include <bit>

#include "vulkan/device/DeviceHandle.hpp"

namespace kp::vulkan {

std::vector<uint64_t> toNanoseconds(std::vector<uint64_t> ticks, uint32_t validBits,
                                    double nanosecondsPerTick) {
    if (ticks.empty())
        return ticks;
    const uint64_t mask = validBits >= 64 ? UINT64_MAX : (uint64_t{1} << validBits) - 1;
    const uint64_t first = ticks.front() & mask;
    for (uint64_t& time : ticks) {
        const uint64_t later = (time - first) & mask;
        const uint64_t earlier = (first - time) & mask;
        // The smaller one is right: a clock does not get half around within a submission.
        time = later <= earlier ? first + later : first - std::min(first, earlier);
        // Many clocks count nanoseconds, some since 1970: more than a double can represent.
        if (nanosecondsPerTick != 1.0)
            time = static_cast<uint64_t>(static_cast<double>(time) * nanosecondsPerTick);
    }
    return ticks;
}

void QueryPools::recycle(const TimestampSlot& slot) {
    const std::lock_guard lock(mMutex);
    mIdle.push_back(slot);
}

std::vector<uint64_t> TimestampQueries::read(uint32_t count) const {
    std::vector<uint64_t> ticks(count);
    const DeviceHandle& device = mPool->mDevice;
    device.check(
        device.vk().vkGetQueryPoolResults(device.handle(), mObject.handle, 0, count,
                                          count * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
                                          VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
    return ticks;
}

QueryPools::~QueryPools() {
    for (const TimestampSlot& slot : mIdle)
        mDevice.vk().vkDestroyQueryPool(mDevice.handle(), slot.handle, nullptr);
}

TimestampQueries QueryPools::acquire(uint32_t count) {
    {
        const std::lock_guard lock(mMutex);
        const auto found = std::find_if(mIdle.begin(), mIdle.end(), [&](const TimestampSlot& slot) {
            return slot.capacity >= count;
        });
        if (found != mIdle.end()) {
            const TimestampSlot slot = *found;
            mIdle.erase(found);
            return TimestampQueries(*this, slot);
        }
    }
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = std::bit_ceil(count);
    TimestampSlot slot;
    slot.capacity = info.queryCount;
    mDevice.check(mDevice.vk().vkCreateQueryPool(mDevice.handle(), &info, nullptr, &slot.handle),
                  "vkCreateQueryPool");
    return TimestampQueries(*this, slot);
}

} // namespace kp::vulkan

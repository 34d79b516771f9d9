// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/Pools.hpp"

#include <bit>

#include "vulkan/device/DeviceHandle.hpp"

namespace kp::vulkan {

void CommandBuffer::begin(bool oneTime) {
    const DeviceHandle& device = mPool->device();
    device.check(device.vk().vkResetCommandPool(device.handle(), mObject.pool, 0),
                 "vkResetCommandPool");
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (oneTime)
        info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    device.check(device.vk().vkBeginCommandBuffer(mObject.handle, &info), "vkBeginCommandBuffer");
}

void CommandBuffer::end() {
    const DeviceHandle& device = mPool->device();
    device.check(device.vk().vkEndCommandBuffer(mObject.handle), "vkEndCommandBuffer");
}

CommandBufferPool::~CommandBufferPool() {
    for (const CommandBufferSlot& slot : mIdle)
        mDevice.vk().vkDestroyCommandPool(mDevice.handle(), slot.pool, nullptr);
}

CommandBuffer CommandBufferPool::acquire(uint32_t family) {
    if (const auto idle = takeIdle([&](const auto& slot) { return slot.family == family; }))
        return CommandBuffer(*this, *idle);
    const VolkDeviceTable& vk = mDevice.vk();
    CommandBufferSlot slot;
    slot.family = family;
    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.queueFamilyIndex = family;
    mDevice.check(vk.vkCreateCommandPool(mDevice.handle(), &poolInfo, nullptr, &slot.pool),
                  "vkCreateCommandPool");
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = slot.pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    const VkResult result = vk.vkAllocateCommandBuffers(mDevice.handle(), &info, &slot.handle);
    if (result != VK_SUCCESS) {
        vk.vkDestroyCommandPool(mDevice.handle(), slot.pool, nullptr);
        mDevice.check(result, "vkAllocateCommandBuffers");
    }
    return CommandBuffer(*this, slot);
}

void TimestampQueries::reset(uint32_t count) const {
    const DeviceHandle& device = mPool->device();
    device.vk().vkResetQueryPool(device.handle(), mObject.handle, 0, count);
}

std::vector<uint64_t> TimestampQueries::read(uint32_t count) const {
    std::vector<uint64_t> ticks(count);
    const DeviceHandle& device = mPool->device();
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
    if (const auto idle = takeIdle([&](const auto& slot) { return slot.capacity >= count; }))
        return TimestampQueries(*this, *idle);
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = std::bit_ceil(count);
    TimestampSlot slot;
    slot.capacity = info.queryCount;
    mDevice.check(mDevice.vk().vkCreateQueryPool(mDevice.handle(), &info, nullptr, &slot.handle),
                  "vkCreateQueryPool");
    return TimestampQueries(*this, slot);
}

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

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/CommandBufferPool.hpp"

#include <algorithm>
#include <iterator>

#include "vulkan/device/DeviceHandle.hpp"

namespace kp::vulkan {

void CommandBuffer::begin(bool oneTime) {
    const DeviceHandle& device = mPool->mDevice;
    device.check(device.vk().vkResetCommandPool(device.handle(), mObject.pool, 0),
                 "vkResetCommandPool");
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (oneTime)
        info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    device.check(device.vk().vkBeginCommandBuffer(mObject.handle, &info), "vkBeginCommandBuffer");
}

void CommandBuffer::end() {
    const DeviceHandle& device = mPool->mDevice;
    device.check(device.vk().vkEndCommandBuffer(mObject.handle), "vkEndCommandBuffer");
}

CommandBufferPool::~CommandBufferPool() {
    for (const CommandBufferSlot& slot : mIdle)
        mDevice.vk().vkDestroyCommandPool(mDevice.handle(), slot.pool, nullptr);
}

CommandBuffer CommandBufferPool::acquire(uint32_t family) {
    {
        const std::lock_guard lock(mMutex);
        const auto found =
            std::find_if(mIdle.rbegin(), mIdle.rend(),
                         [&](const CommandBufferSlot& slot) { return slot.family == family; });
        if (found != mIdle.rend()) {
            const CommandBufferSlot slot = *found;
            mIdle.erase(std::next(found).base());
            return CommandBuffer(*this, slot);
        }
    }
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

void CommandBufferPool::recycle(const CommandBufferSlot& slot) {
    const std::lock_guard lock(mMutex);
    mIdle.push_back(slot);
}

} // namespace kp::vulkan

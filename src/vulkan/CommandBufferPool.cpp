// SPDX-License-Identifier: Apache-2.0
#include "vulkan/CommandBufferPool.hpp"

#include <algorithm>
#include <utility>

#include "vulkan/Device.hpp"

namespace kp::vulkan {

CommandBuffer::CommandBuffer(CommandBuffer&& other) noexcept {
    *this = std::move(other);
}

CommandBuffer& CommandBuffer::operator=(CommandBuffer&& other) noexcept {
    std::swap(mOwner, other.mOwner);
    std::swap(mPool, other.mPool);
    std::swap(mHandle, other.mHandle);
    std::swap(mFamily, other.mFamily);
    return *this;
}

CommandBuffer::~CommandBuffer() {
    if (mOwner)
        mOwner->recycle(*this);
}

void CommandBuffer::begin(bool oneTime) {
    Device& device = mOwner->mDevice;
    device.check(device.vk().vkResetCommandPool(device.handle(), mPool, 0), "vkResetCommandPool");
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (oneTime)
        info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    device.check(device.vk().vkBeginCommandBuffer(mHandle, &info), "vkBeginCommandBuffer");
}

void CommandBuffer::end() {
    const Device& device = mOwner->mDevice;
    device.check(device.vk().vkEndCommandBuffer(mHandle), "vkEndCommandBuffer");
}

CommandBufferPool::CommandBufferPool(Device& device) : mDevice(device) {}

CommandBufferPool::~CommandBufferPool() {
    for (const Idle& idle : mIdle)
        mDevice.vk().vkDestroyCommandPool(mDevice.handle(), idle.pool, nullptr);
}

CommandBuffer CommandBufferPool::acquire(uint32_t family) {
    CommandBuffer buffer;
    {
        const std::lock_guard lock(mMutex);
        const auto found = std::find_if(mIdle.rbegin(), mIdle.rend(),
                                        [&](const Idle& idle) { return idle.family == family; });
        if (found != mIdle.rend()) {
            buffer.mOwner = this;
            buffer.mPool = found->pool;
            buffer.mHandle = found->handle;
            buffer.mFamily = family;
            mIdle.erase(std::next(found).base());
            return buffer;
        }
    }
    const VolkDeviceTable& vk = mDevice.vk();
    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.queueFamilyIndex = family;
    VkCommandPool pool = VK_NULL_HANDLE;
    mDevice.check(vk.vkCreateCommandPool(mDevice.handle(), &poolInfo, nullptr, &pool),
                  "vkCreateCommandPool");
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    VkCommandBuffer handle = VK_NULL_HANDLE;
    const VkResult result = vk.vkAllocateCommandBuffers(mDevice.handle(), &info, &handle);
    if (result != VK_SUCCESS) {
        vk.vkDestroyCommandPool(mDevice.handle(), pool, nullptr);
        mDevice.check(result, "vkAllocateCommandBuffers");
    }
    buffer.mOwner = this;
    buffer.mPool = pool;
    buffer.mHandle = handle;
    buffer.mFamily = family;
    return buffer;
}

void CommandBufferPool::recycle(CommandBuffer& buffer) {
    const std::lock_guard lock(mMutex);
    mIdle.push_back({buffer.mPool, buffer.mHandle, buffer.mFamily});
}

} // namespace kp::vulkan

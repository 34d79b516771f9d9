// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "vulkan/Vulkan.hpp"

namespace kp::vulkan {

class CommandBufferPool;
class Device;

/// A command buffer with a command pool of its own, so that it can be recorded in any thread while
/// others record theirs. Goes back to its pool of recycled ones when destroyed; must not be pending
/// on the device then (see Retirement).
class CommandBuffer {
public:
    CommandBuffer() = default;
    CommandBuffer(CommandBuffer&& other) noexcept;
    CommandBuffer& operator=(CommandBuffer&& other) noexcept;
    ~CommandBuffer();

    VkCommandBuffer handle() const { return mHandle; }
    explicit operator bool() const { return mHandle != VK_NULL_HANDLE; }

    /// Resets it and starts recording. @param oneTime it is submitted once only
    void begin(bool oneTime);
    void end();

private:
    friend class CommandBufferPool;

    CommandBufferPool* mOwner = nullptr;
    VkCommandPool mPool = VK_NULL_HANDLE;
    VkCommandBuffer mHandle = VK_NULL_HANDLE;
    uint32_t mFamily = 0;
};

/// Recycles command buffers. Thread-safe.
class CommandBufferPool {
public:
    explicit CommandBufferPool(Device& device);
    ~CommandBufferPool();
    CommandBufferPool(const CommandBufferPool&) = delete;
    CommandBufferPool& operator=(const CommandBufferPool&) = delete;

    CommandBuffer acquire(uint32_t family);

private:
    friend class CommandBuffer;

    struct Idle {
        VkCommandPool pool;
        VkCommandBuffer handle;
        uint32_t family;
    };

    void recycle(CommandBuffer& buffer);

    Device& mDevice;
    std::mutex mMutex;
    std::vector<Idle> mIdle;
};

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class CommandBufferPool;
class DeviceHandle;

/// A command buffer with a VkCommandPool of its own, so that threads can record at the same time.
/// Destruction returns it to its CommandBufferPool; it must not be pending on the device then (see
/// DeletionQueue).
class CommandBuffer {
public:
    CommandBuffer() = default;
    CommandBuffer(CommandBuffer&& other) noexcept;
    CommandBuffer& operator=(CommandBuffer&& other) noexcept;
    ~CommandBuffer();

    VkCommandBuffer handle() const { return mSlot.handle; }
    explicit operator bool() const { return mOwner != nullptr; }

    /// Resets it and begins recording. @param oneTime  it is submitted only once
    void begin(bool oneTime);
    void end();

private:
    friend class CommandBufferPool;

    struct Slot {
        VkCommandPool pool = VK_NULL_HANDLE;
        VkCommandBuffer handle = VK_NULL_HANDLE;
        uint32_t family = 0;
    };

    CommandBuffer(CommandBufferPool& owner, const Slot& slot) : mOwner(&owner), mSlot(slot) {}

    CommandBufferPool* mOwner = nullptr;
    Slot mSlot;
};

/// Recycles command buffers. Thread-safe.
class CommandBufferPool {
public:
    explicit CommandBufferPool(const DeviceHandle& device) : mDevice(device) {}
    ~CommandBufferPool();
    CommandBufferPool(const CommandBufferPool&) = delete;
    CommandBufferPool& operator=(const CommandBufferPool&) = delete;

    /// Returns a command buffer for queues of @p family.
    CommandBuffer acquire(uint32_t family);

private:
    friend class CommandBuffer;

    void recycle(const CommandBuffer::Slot& slot);

    const DeviceHandle& mDevice;
    std::mutex mMutex;
    std::vector<CommandBuffer::Slot> mIdle;
};

} // namespace kp::vulkan

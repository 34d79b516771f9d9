// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "vulkan/device/Vulkan.hpp"
#include "vulkan/queue/Lease.hpp"

namespace kp::vulkan {

class CommandBufferPool;
class DeviceHandle;

struct CommandBufferSlot {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer handle = VK_NULL_HANDLE;
    uint32_t family = 0;
};

/// A command buffer with a VkCommandPool of its own, so that threads can record at the same time.
/// It must not be pending on the device when it is destroyed (see DeletionQueue).
class CommandBuffer : public Lease<CommandBufferPool, CommandBufferSlot> {
public:
    using Lease::Lease;

    VkCommandBuffer handle() const { return mObject.handle; }
    /// Resets it and begins recording. @param oneTime  it is submitted only once
    void begin(bool oneTime);
    void end();
};

/// Recycles command buffers. Thread-safe.
class CommandBufferPool {
public:
    explicit CommandBufferPool(const DeviceHandle& device) : mDevice(device) {}
    ~CommandBufferPool();

    /// Returns a command buffer for queues of @p family.
    CommandBuffer acquire(uint32_t family);

private:
    friend class CommandBuffer;
    friend class Lease<CommandBufferPool, CommandBufferSlot>;
    void recycle(const CommandBufferSlot& slot);

    const DeviceHandle& mDevice;
    std::mutex mMutex;
    std::vector<CommandBufferSlot> mIdle;
};

} // namespace kp::vulkan

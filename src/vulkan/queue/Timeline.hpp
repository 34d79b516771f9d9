// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class DeviceHandle;
class Queue;

/// A value on a queue's timeline. It is reached once the device has finished every submission up to
/// this one.
struct TimelinePoint {
    Queue* queue = nullptr;
    uint64_t value = 0; ///< 0: no submission, always reached
};

/// A timeline semaphore that other APIs signal and wait for. Its values only grow. Thread-safe.
class SharedSemaphore {
public:
    explicit SharedSemaphore(const DeviceHandle& device, bool exported);
    /// Wraps a semaphore that stays the caller's.
    SharedSemaphore(const DeviceHandle& device, VkSemaphore wrapped)
        : mDevice(device), mHandle(wrapped), mOwned(false) {}
    /// Opens an exported semaphore. The caller keeps the file descriptor.
    /// @throws InvalidArgument if it is none
    static std::unique_ptr<SharedSemaphore> import(const DeviceHandle& device, int fd);
    ~SharedSemaphore();
    SharedSemaphore(const SharedSemaphore&) = delete;
    SharedSemaphore& operator=(const SharedSemaphore&) = delete;

    VkSemaphore handle() const { return mHandle; }
    /// Returns an opaque file descriptor, which the caller owns. Requires that it is exported.
    int exportHandle() const;
    uint64_t value() const;
    /// Signals it from the host.
    /// @throws the driver's error
    void signal(uint64_t value) const;
    /// Blocks until it has the value, or returns false after @p timeout nanoseconds.
    bool wait(uint64_t value, uint64_t timeout) const;

private:
    const DeviceHandle& mDevice;
    VkSemaphore mHandle = VK_NULL_HANDLE;
    const bool mOwned = true;
};

/// The count of a queue's submissions: a timeline semaphore, or recycled fences for devices without
/// them. poll() and wait() are thread-safe; submit() is called under the queue's lock.
class Timeline {
public:
    static std::unique_ptr<Timeline> create(const DeviceHandle& device, bool timelineSemaphores);
    /// Returns a count that others signal; nothing can be submitted to it.
    /// @param semaphore  must outlive the result
    static std::unique_ptr<Timeline> follow(const DeviceHandle& device,
                                            const SharedSemaphore& semaphore);
    virtual ~Timeline();

    /// Submits; @p value is reached when the command buffers have run. They start when each wait
    /// semaphore has its value. If semaphore() is null there are no waits.
    virtual VkResult submit(VkQueue queue, std::span<const VkCommandBuffer> commandBuffers,
                            std::span<const VkSemaphore> waitSemaphores,
                            std::span<const uint64_t> waitValues, uint64_t value) = 0;
    /// Asks the device for the highest value reached.
    virtual VkResult poll(uint64_t& reached) = 0;
    /// Blocks until @p value is reached, or returns VK_TIMEOUT after @p timeout nanoseconds.
    virtual VkResult wait(uint64_t value, uint64_t timeout) = 0;
    /// The semaphore for other queues to wait on; VK_NULL_HANDLE if the host has to wait instead.
    virtual VkSemaphore semaphore() const = 0;
};

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "vulkan/Vulkan.hpp"

namespace kp::vulkan {

class Device;
class Queue;

/// A point on a queue's count of submissions: "all work up to this submission".
struct TimelinePoint {
    Queue* queue = nullptr;
    uint64_t value = 0; ///< 0 = nothing was submitted, always reached
};

/// Counts the submissions of one queue: each gets the next value, and the value is reached when
/// the device has finished it. Two implementations behind one interface: a timeline semaphore, and
/// recycled fences for devices without them. reached() and wait() are thread-safe; submit() is
/// called under the queue's lock only.
class Timeline {
public:
    static std::unique_ptr<Timeline> create(const Device& device, bool timelineSemaphores);
    virtual ~Timeline();

    /// Submits so that @p value is reached when the command buffers have run. Their work starts
    /// when each wait semaphore has its value; where semaphore() is null there are no waits.
    virtual VkResult submit(VkQueue queue, std::span<const VkCommandBuffer> commandBuffers,
                            std::span<const VkSemaphore> waitSemaphores,
                            std::span<const uint64_t> waitValues, uint64_t value) = 0;
    /// Highest value known to be reached, after asking the device.
    virtual VkResult poll(uint64_t& reached) = 0;
    /// Blocks until @p value is reached or @p timeout nanoseconds are over (VK_TIMEOUT).
    virtual VkResult wait(uint64_t value, uint64_t timeout) = 0;
    /// The semaphore other queues wait on, or VK_NULL_HANDLE where the host has to wait instead.
    virtual VkSemaphore semaphore() const = 0;
};

} // namespace kp::vulkan

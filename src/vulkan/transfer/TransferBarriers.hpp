// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class Buffer;
class Queue;

// Barriers around copies between memories: host and device, or two devices.

/// Orders the copies that follow after all earlier work of the queue. Once per transfer and queue
/// is enough: later submissions to the queue are covered too.
void recordTransferBegin(const Queue& queue, VkCommandBuffer commandBuffer);

/// Orders later work of a queue with compute after the copies, as sequences expect (others wait for
/// a queue that only copies by semaphores). With @p toHost, the host can read what was copied once
/// the submission is done.
void recordTransferEnd(const Queue& queue, VkCommandBuffer commandBuffer, bool toHost);

/// The two halves of an ownership transfer (VK_QUEUE_FAMILY_EXTERNAL) of memory that another
/// VkDevice or driver has open too. The release follows copies and dispatches that write the
/// buffer; the acquire, on the other device, precedes copies and dispatches that read it. For
/// queues with compute.
void recordRelease(const Queue& queue, VkCommandBuffer commandBuffer, const Buffer& buffer);
void recordAcquire(const Queue& queue, VkCommandBuffer commandBuffer, const Buffer& buffer);

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/device/Vulkan.hpp"
#include "vulkan/queue/HazardTracker.hpp"

namespace kp::vulkan {

class Buffer;
class DeviceHandle;
class Image;
class Queue;

// Barriers between operations and between submissions to one queue. Each is recorded into a command
// buffer that is recording.

/// The barrier that a HazardTracker asks for.
void recordHazardBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                         const HazardBarrier& barrier);
/// Orders all later work of known kind after earlier work of the queue that ends without a closing
/// barrier.
void recordOpeningBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer);
/// Orders dispatches and transfers of later submissions to the queue, and with @p host also host
/// accesses once the submission is done, after earlier work of the kinds @p before. It spares the
/// next command buffer an opening barrier, which takes an NVIDIA GPU longer
/// (docs/reports/benchmarks.md).
void recordClosingBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                          WorkKinds before, bool host);
/// Orders all later work after all earlier work, of any kind.
/// @param host  also host accesses
void recordFullBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                       bool host = false);
/// Makes writes of known kind visible to the host once the submission is done.
void recordHostBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer);
/// Returns an image to the general layout after a user operation changed it.
void recordRestoreLayout(VkCommandBuffer commandBuffer, Image& image);

/// Barriers with a user's own masks.
void recordBufferBarrier(VkCommandBuffer commandBuffer, const Buffer& buffer,
                         VkAccessFlags srcAccess, VkAccessFlags dstAccess,
                         VkPipelineStageFlags srcStage, VkPipelineStageFlags dstStage);
void recordImageBarrier(VkCommandBuffer commandBuffer, Image& image, VkAccessFlags srcAccess,
                        VkAccessFlags dstAccess, VkPipelineStageFlags srcStage,
                        VkPipelineStageFlags dstStage, VkImageLayout dstLayout);
/// The same from a given layout, without noting the new one.
void recordImageBarrier(VkCommandBuffer commandBuffer, const Image& image, VkAccessFlags srcAccess,
                        VkAccessFlags dstAccess, VkPipelineStageFlags srcStage,
                        VkPipelineStageFlags dstStage, VkImageLayout srcLayout,
                        VkImageLayout dstLayout);

// Barriers around copies between memories: host and device, or two devices.

/// Orders the copies that follow after all earlier work of the queue. Once per transfer and queue
/// is enough: later submissions to the queue are covered too.
void recordTransferBegin(const Queue& queue, VkCommandBuffer commandBuffer);

/// Orders later work of a queue with compute after the copies, as sequences expect (others wait for
/// a queue that only copies by semaphores). With @p toHost, the host can read the copy once
/// the submission is done.
void recordTransferEnd(const Queue& queue, VkCommandBuffer commandBuffer, bool toHost);

/// The two halves of an ownership transfer (VK_QUEUE_FAMILY_EXTERNAL) of memory that another
/// VkDevice or driver has open too. The release follows copies and dispatches that write the
/// buffer; the acquire, on the other device, precedes copies and dispatches that read it. For
/// queues with compute.
void recordRelease(const Queue& queue, VkCommandBuffer commandBuffer, const Buffer& buffer);
void recordAcquire(const Queue& queue, VkCommandBuffer commandBuffer, const Buffer& buffer);

} // namespace kp::vulkan

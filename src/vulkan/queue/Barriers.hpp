// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/device/Vulkan.hpp"
#include "vulkan/queue/HazardTracker.hpp"

namespace kp::vulkan {

class Buffer;
class DeviceHandle;
class Image;

// Barriers between operations and between submissions to one queue. Each is recorded into a command
// buffer that is recording.

/// A barrier for all memory.
void recordMemoryBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                         VkPipelineStageFlags srcStage, VkAccessFlags srcAccess,
                         VkPipelineStageFlags dstStage, VkAccessFlags dstAccess);
/// The barrier that a HazardTracker asks for.
void recordHazardBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                         const HazardBarrier& barrier);
/// Orders all later work of known kind after earlier work of the queue that ends without a closing
/// barrier.
void recordOpeningBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer);
/// Orders dispatches and transfers of later submissions to the queue, and with @p host also host
/// accesses once the submission is done, after earlier work of the kinds @p before. It spares the
/// next command buffer an opening barrier, which takes an NVIDIA GPU longer (docs/benchmarks.md).
void recordClosingBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                          WorkKinds before, bool host);
/// Orders all later work after all earlier work, of any kind.
void recordFullBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer);
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

} // namespace kp::vulkan

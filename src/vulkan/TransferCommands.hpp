// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/Device.hpp"

namespace kp::vulkan {

/// Barriers of the transfer engine's command buffers.

/// Everything that the queue was given before comes before the copies that follow. Once per
/// transfer and queue: later submissions to the queue are covered too.
inline void recordTransferBegin(const Queue& queue, VkCommandBuffer commandBuffer) {
    const Device& device = queue.device();
    const bool computes =
        (device.physical().queueFamilies[queue.family()].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    VkPipelineStageFlags before = VK_PIPELINE_STAGE_TRANSFER_BIT;
    if (computes) {
        barrier.srcAccessMask |= VK_ACCESS_SHADER_WRITE_BIT;
        before |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
    }
    device.vk().vkCmdPipelineBarrier(commandBuffer, before, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                                     &barrier, 0, nullptr, 0, nullptr);
}

/// What was copied to host memory can be read there once the submission is done. Copies to the same
/// memory that the queue is given later come after it; the host has waited by then, but validation
/// layers do not see that.
inline void recordForHost(const Device& device, VkCommandBuffer commandBuffer) {
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    device.vk().vkCmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                     VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                                     1, &barrier, 0, nullptr, 0, nullptr);
}

} // namespace kp::vulkan

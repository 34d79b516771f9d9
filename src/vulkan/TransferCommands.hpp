// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "vulkan/Commands.hpp"
#include "vulkan/Device.hpp"

namespace kp::vulkan {

/// Barriers of the transfer engine's command buffers.

inline bool computes(const Queue& queue) {
    return (queue.device().physical().queueFamilies[queue.family()].queueFlags &
            VK_QUEUE_COMPUTE_BIT) != 0;
}

/// Everything that the queue was given before comes before the copies that follow. Once per
/// transfer and queue: later submissions to the queue are covered too.
inline void recordTransferBegin(const Queue& queue, VkCommandBuffer commandBuffer) {
    const Device& device = queue.device();
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    VkPipelineStageFlags before = VK_PIPELINE_STAGE_TRANSFER_BIT;
    if (computes(queue)) {
        barrier.srcAccessMask |= VK_ACCESS_SHADER_WRITE_BIT;
        before |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
    }
    device.vk().vkCmdPipelineBarrier(commandBuffer, before, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                                     &barrier, 0, nullptr, 0, nullptr);
}

/// On a queue that computes, the copies come before what it is given later, as sequences count on
/// (queues that only copy are waited for by semaphores). With @p toHost, what was copied can be
/// read by the host once the submission is done.
inline void recordTransferEnd(const Queue& queue, VkCommandBuffer commandBuffer, bool toHost) {
    if (computes(queue)) {
        recordClosingBarrier(queue.device(), commandBuffer, bit(WorkKind::eTransfer), toHost);
        return;
    }
    if (!toHost)
        return;
    // Later copies to the same host memory: the host has waited by then, but validation layers do
    // not see that.
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    queue.device().vk().vkCmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                             VK_PIPELINE_STAGE_HOST_BIT |
                                                 VK_PIPELINE_STAGE_TRANSFER_BIT,
                                             0, 1, &barrier, 0, nullptr, 0, nullptr);
}

/// Memory that another VkDevice, or another driver, has open too goes from one to the other: what
/// copies and dispatches before wrote is released by one device's commands and acquired by the
/// other's. On queues that compute.
inline VkBufferMemoryBarrier handOver(const Queue& queue, const Buffer& buffer) {
    VkBufferMemoryBarrier barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
    const bool concurrent = queue.device().families().size() > 1;
    barrier.srcQueueFamilyIndex = concurrent ? VK_QUEUE_FAMILY_IGNORED : queue.family();
    barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
    barrier.buffer = buffer.handle();
    barrier.size = VK_WHOLE_SIZE;
    return barrier;
}

inline void recordRelease(const Queue& queue, VkCommandBuffer commandBuffer, const Buffer& buffer) {
    VkBufferMemoryBarrier barrier = handOver(queue, buffer);
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    queue.device().vk().vkCmdPipelineBarrier(
        commandBuffer, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr, 1, &barrier, 0, nullptr);
}

/// For a copy or a dispatch that follows.
inline void recordAcquire(const Queue& queue, VkCommandBuffer commandBuffer, const Buffer& buffer) {
    VkBufferMemoryBarrier barrier = handOver(queue, buffer);
    std::swap(barrier.srcQueueFamilyIndex, barrier.dstQueueFamilyIndex);
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_SHADER_READ_BIT;
    queue.device().vk().vkCmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                                             VK_PIPELINE_STAGE_TRANSFER_BIT |
                                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                             0, 0, nullptr, 1, &barrier, 0, nullptr);
}

} // namespace kp::vulkan

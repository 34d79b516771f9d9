// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/TransferBarriers.hpp"

#include <utility>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/Barriers.hpp"

namespace kp::vulkan {
namespace {

bool hasCompute(const Queue& queue) {
    return (queue.device().physical().queueFamilies[queue.family()].queueFlags &
            VK_QUEUE_COMPUTE_BIT) != 0;
}

/// Returns a barrier that releases the buffer to other devices; the acquire swaps the families.
VkBufferMemoryBarrier ownershipTransfer(const Queue& queue, const Buffer& buffer) {
    VkBufferMemoryBarrier barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
    const bool concurrent = queue.device().families().size() > 1;
    barrier.srcQueueFamilyIndex = concurrent ? VK_QUEUE_FAMILY_IGNORED : queue.family();
    barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
    barrier.buffer = buffer.handle();
    barrier.size = VK_WHOLE_SIZE;
    return barrier;
}

} // namespace

void recordTransferBegin(const Queue& queue, VkCommandBuffer commandBuffer) {
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkAccessFlags writes = VK_ACCESS_TRANSFER_WRITE_BIT;
    if (hasCompute(queue)) {
        stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
        writes |= VK_ACCESS_SHADER_WRITE_BIT;
    }
    recordMemoryBarrier(queue.device(), commandBuffer, stages, writes,
                        VK_PIPELINE_STAGE_TRANSFER_BIT,
                        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

void recordTransferEnd(const Queue& queue, VkCommandBuffer commandBuffer, bool toHost) {
    if (hasCompute(queue)) {
        recordClosingBarrier(queue.device(), commandBuffer, bit(WorkKind::eTransfer), toHost);
        return;
    }
    // The transfer access covers later copies to the same host memory: the host has waited by then,
    // but validation layers do not see that.
    if (toHost)
        recordMemoryBarrier(queue.device(), commandBuffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
                            VK_ACCESS_TRANSFER_WRITE_BIT,
                            VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                            VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

void recordRelease(const Queue& queue, VkCommandBuffer commandBuffer, const Buffer& buffer) {
    VkBufferMemoryBarrier barrier = ownershipTransfer(queue, buffer);
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    queue.device().vk().vkCmdPipelineBarrier(
        commandBuffer, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr, 1, &barrier, 0, nullptr);
}

void recordAcquire(const Queue& queue, VkCommandBuffer commandBuffer, const Buffer& buffer) {
    VkBufferMemoryBarrier barrier = ownershipTransfer(queue, buffer);
    std::swap(barrier.srcQueueFamilyIndex, barrier.dstQueueFamilyIndex);
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_SHADER_READ_BIT;
    queue.device().vk().vkCmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                                             VK_PIPELINE_STAGE_TRANSFER_BIT |
                                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                             0, 0, nullptr, 1, &barrier, 0, nullptr);
}

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/Barriers.hpp"

#include <array>
#include <utility>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/Image.hpp"
#include "vulkan/queue/CommandTape.hpp"

namespace kp::vulkan {
namespace {

struct Scope {
    VkPipelineStageFlags stages = 0;
    VkAccessFlags writes = 0;
    VkAccessFlags all = 0;
};

constexpr Scope kScopes[kWorkKinds] = {
    {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
     VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_UNIFORM_READ_BIT},
    {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
     VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT},
    {VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, VK_ACCESS_INDIRECT_COMMAND_READ_BIT},
};

/// The unions of kScopes, indexed by WorkKinds.
constexpr auto kUnions = [] {
    std::array<Scope, size_t{1} << kWorkKinds> unions{};
    for (size_t kinds = 0; kinds < unions.size(); ++kinds)
        for (size_t i = 0; i < kWorkKinds; ++i)
            if (kinds & (1u << i)) {
                unions[kinds].stages |= kScopes[i].stages;
                unions[kinds].writes |= kScopes[i].writes;
                unions[kinds].all |= kScopes[i].all;
            }
    return unions;
}();

/// Returns the accesses for which an image has this layout.
VkAccessFlags accessesOf(VkImageLayout layout) {
    switch (layout) {
    case VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL:
        return VK_ACCESS_TRANSFER_READ_BIT;
    case VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL:
        return VK_ACCESS_TRANSFER_WRITE_BIT;
    case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
        return VK_ACCESS_SHADER_READ_BIT;
    default:
        return VK_ACCESS_MEMORY_WRITE_BIT;
    }
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

void recordMemoryBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                         VkPipelineStageFlags srcStage, VkAccessFlags srcAccess,
                         VkPipelineStageFlags dstStage, VkAccessFlags dstAccess) {
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = srcAccess;
    barrier.dstAccessMask = dstAccess;
    device.vk().vkCmdPipelineBarrier(commandBuffer, srcStage, dstStage, 0, 1, &barrier, 0, nullptr,
                                     0, nullptr);
}

} // namespace

void recordHazardBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                         const HazardBarrier& barrier) {
    if (barrier.everything) {
        recordFullBarrier(device, commandBuffer);
        return;
    }
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->barrier(barrier);
    const Scope& before = kUnions[barrier.before];
    const Scope& after = kUnions[barrier.after];
    recordMemoryBarrier(device, commandBuffer, before.stages, before.writes, after.stages,
                        after.all);
}

void recordOpeningBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer) {
    recordHazardBarrier(
        device, commandBuffer,
        {kClosedKinds, static_cast<WorkKinds>(kClosedKinds | bit(WorkKind::eIndirect))});
}

void recordClosingBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                          WorkKinds before, bool host) {
    const Scope from = kUnions[before];
    Scope to = kUnions[kClosedKinds];
    if (host) {
        to.stages |= VK_PIPELINE_STAGE_HOST_BIT;
        to.all |= VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT;
    }
    recordMemoryBarrier(device, commandBuffer, from.stages, from.writes, to.stages, to.all);
}

void recordFullBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer, bool host) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->barrier({.everything = true});
    VkPipelineStageFlags after = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    if (host)
        after |= VK_PIPELINE_STAGE_HOST_BIT;
    recordMemoryBarrier(device, commandBuffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_ACCESS_MEMORY_WRITE_BIT, after,
                        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

void recordHostBarrier(const DeviceHandle& device, VkCommandBuffer commandBuffer) {
    const Scope before = kUnions[kClosedKinds];
    recordMemoryBarrier(device, commandBuffer, before.stages, before.writes,
                        VK_PIPELINE_STAGE_HOST_BIT,
                        VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
}

void recordRestoreLayout(VkCommandBuffer commandBuffer, Image& image) {
    recordImageBarrier(commandBuffer, image, accessesOf(image.recordedLayout()),
                       VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_IMAGE_LAYOUT_GENERAL);
}

void recordBufferBarrier(VkCommandBuffer commandBuffer, const Buffer& buffer,
                         VkAccessFlags srcAccess, VkAccessFlags dstAccess,
                         VkPipelineStageFlags srcStage, VkPipelineStageFlags dstStage) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->barrier({.everything = true});
    VkBufferMemoryBarrier barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
    barrier.srcAccessMask = srcAccess;
    barrier.dstAccessMask = dstAccess;
    barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.buffer = buffer.handle();
    barrier.offset = buffer.offset();
    barrier.size = buffer.size();
    buffer.device().vk().vkCmdPipelineBarrier(commandBuffer, srcStage, dstStage, 0, 0, nullptr, 1,
                                              &barrier, 0, nullptr);
}

void recordImageBarrier(VkCommandBuffer commandBuffer, const Image& image, VkAccessFlags srcAccess,
                        VkAccessFlags dstAccess, VkPipelineStageFlags srcStage,
                        VkPipelineStageFlags dstStage, VkImageLayout srcLayout,
                        VkImageLayout dstLayout) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->noteUnknown("barriers of images");
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = srcAccess;
    barrier.dstAccessMask = dstAccess;
    barrier.oldLayout = srcLayout;
    barrier.newLayout = dstLayout;
    barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image.handle();
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, image.info().layers};
    image.device().vk().vkCmdPipelineBarrier(commandBuffer, srcStage, dstStage, 0, 0, nullptr, 0,
                                             nullptr, 1, &barrier);
}

void recordImageBarrier(VkCommandBuffer commandBuffer, Image& image, VkAccessFlags srcAccess,
                        VkAccessFlags dstAccess, VkPipelineStageFlags srcStage,
                        VkPipelineStageFlags dstStage, VkImageLayout dstLayout) {
    recordImageBarrier(commandBuffer, image, srcAccess, dstAccess, srcStage, dstStage,
                       image.recordedLayout(), dstLayout);
    image.setRecordedLayout(dstLayout);
}

void recordTransferBegin(const Queue& queue, VkCommandBuffer commandBuffer) {
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkAccessFlags writes = VK_ACCESS_TRANSFER_WRITE_BIT;
    if (queue.computes()) {
        stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
        writes |= VK_ACCESS_SHADER_WRITE_BIT;
    }
    recordMemoryBarrier(queue.device(), commandBuffer, stages, writes,
                        VK_PIPELINE_STAGE_TRANSFER_BIT,
                        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

void recordTransferEnd(const Queue& queue, VkCommandBuffer commandBuffer, bool toHost) {
    if (queue.computes()) {
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

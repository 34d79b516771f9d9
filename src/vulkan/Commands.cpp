// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Commands.hpp"

#include "vulkan/Device.hpp"

namespace kp::vulkan {
namespace {

constexpr VkImageSubresourceLayers kLayers{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

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

constexpr Scope unionOf(size_t kinds) {
    Scope scope;
    for (size_t i = 0; i < kWorkKinds; ++i) {
        if (!(kinds & (1u << i)))
            continue;
        scope.stages |= kScopes[i].stages;
        scope.writes |= kScopes[i].writes;
        scope.all |= kScopes[i].all;
    }
    return scope;
}

/// By sets of kinds.
constexpr std::array<Scope, size_t{1} << kWorkKinds> kUnions = [] {
    std::array<Scope, size_t{1} << kWorkKinds> unions{};
    for (size_t kinds = 0; kinds < unions.size(); ++kinds)
        unions[kinds] = unionOf(kinds);
    return unions;
}();

const Scope& scopeOf(WorkKinds kinds) {
    return kUnions[kinds];
}

void recordMemoryBarrier(const Device& device, VkCommandBuffer commandBuffer,
                         VkPipelineStageFlags srcStage, VkAccessFlags srcAccess,
                         VkPipelineStageFlags dstStage, VkAccessFlags dstAccess) {
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = srcAccess;
    barrier.dstAccessMask = dstAccess;
    device.vk().vkCmdPipelineBarrier(commandBuffer, srcStage, dstStage, 0, 1, &barrier, 0, nullptr,
                                     0, nullptr);
}

VkBufferImageCopy wholeImage(const Buffer& buffer, const Image& image) {
    VkBufferImageCopy region{};
    region.bufferOffset = buffer.offset();
    region.imageSubresource = kLayers;
    region.imageExtent = {image.info().width, image.info().height, 1};
    return region;
}

/// Accesses that an image in this layout is used with.
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

} // namespace

void recordCopy(VkCommandBuffer commandBuffer, const Buffer& source, const Buffer& destination) {
    const VkBufferCopy region{source.offset(), destination.offset(), source.size()};
    source.device().vk().vkCmdCopyBuffer(commandBuffer, source.handle(), destination.handle(), 1,
                                         &region);
}

void recordCopy(VkCommandBuffer commandBuffer, const Buffer& source, const Image& destination) {
    const VkBufferImageCopy region = wholeImage(source, destination);
    source.device().vk().vkCmdCopyBufferToImage(
        commandBuffer, source.handle(), destination.handle(), VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

void recordCopy(VkCommandBuffer commandBuffer, const Image& source, const Buffer& destination) {
    const VkBufferImageCopy region = wholeImage(destination, source);
    source.device().vk().vkCmdCopyImageToBuffer(
        commandBuffer, source.handle(), VK_IMAGE_LAYOUT_GENERAL, destination.handle(), 1, &region);
}

void recordCopy(VkCommandBuffer commandBuffer, const Image& source, const Image& destination) {
    VkImageCopy region{};
    region.srcSubresource = kLayers;
    region.dstSubresource = kLayers;
    region.extent = {source.info().width, source.info().height, 1};
    source.device().vk().vkCmdCopyImage(commandBuffer, source.handle(), VK_IMAGE_LAYOUT_GENERAL,
                                        destination.handle(), VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

void recordFill(VkCommandBuffer commandBuffer, const Buffer& buffer, uint32_t pattern) {
    buffer.device().vk().vkCmdFillBuffer(commandBuffer, buffer.handle(), buffer.offset(),
                                         buffer.fillSize(), pattern);
}

void recordBind(const Device& device, VkCommandBuffer commandBuffer, const Pipeline& pipeline) {
    device.vk().vkCmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
}

void recordBindSet(const Device& device, VkCommandBuffer commandBuffer, const Pipeline& pipeline,
                   VkDescriptorSet set) {
    device.vk().vkCmdBindDescriptorSets(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                                        pipeline.layout().handle(), 0, 1, &set, 0, nullptr);
}

void recordPush(const Device& device, VkCommandBuffer commandBuffer, const Pipeline& pipeline,
                const void* data, uint32_t bytes) {
    device.vk().vkCmdPushConstants(commandBuffer, pipeline.layout().handle(),
                                   VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, data);
}

void recordDispatch(const Device& device, VkCommandBuffer commandBuffer,
                    const std::array<uint32_t, 3>& groups) {
    device.vk().vkCmdDispatch(commandBuffer, groups[0], groups[1], groups[2]);
}

void recordDispatchIndirect(const Device& device, VkCommandBuffer commandBuffer,
                            const Buffer& groupCounts, uint64_t offset) {
    device.vk().vkCmdDispatchIndirect(commandBuffer, groupCounts.handle(),
                                      groupCounts.offset() + offset);
}

void recordHazardBarrier(const Device& device, VkCommandBuffer commandBuffer,
                         const HazardBarrier& barrier) {
    if (barrier.everything) {
        recordFullBarrier(device, commandBuffer);
        return;
    }
    const Scope& before = scopeOf(barrier.before);
    const Scope& after = scopeOf(barrier.after);
    recordMemoryBarrier(device, commandBuffer, before.stages, before.writes, after.stages,
                        after.all);
}

void recordOpeningBarrier(const Device& device, VkCommandBuffer commandBuffer) {
    recordHazardBarrier(
        device, commandBuffer,
        {kClosedKinds, static_cast<WorkKinds>(kClosedKinds | bit(WorkKind::eIndirect))});
}

void recordClosingBarrier(const Device& device, VkCommandBuffer commandBuffer, WorkKinds before,
                          bool host) {
    const Scope from = scopeOf(before);
    Scope to = scopeOf(kClosedKinds);
    if (host) {
        to.stages |= VK_PIPELINE_STAGE_HOST_BIT;
        to.all |= VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT;
    }
    recordMemoryBarrier(device, commandBuffer, from.stages, from.writes, to.stages, to.all);
}

void recordFullBarrier(const Device& device, VkCommandBuffer commandBuffer) {
    recordMemoryBarrier(device, commandBuffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

void recordHostBarrier(const Device& device, VkCommandBuffer commandBuffer) {
    const Scope before = scopeOf(kClosedKinds);
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

void recordImageBarrier(VkCommandBuffer commandBuffer, Image& image, VkAccessFlags srcAccess,
                        VkAccessFlags dstAccess, VkPipelineStageFlags srcStage,
                        VkPipelineStageFlags dstStage, VkImageLayout dstLayout) {
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = srcAccess;
    barrier.dstAccessMask = dstAccess;
    barrier.oldLayout = image.recordedLayout();
    barrier.newLayout = dstLayout;
    barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image.handle();
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    image.device().vk().vkCmdPipelineBarrier(commandBuffer, srcStage, dstStage, 0, 0, nullptr, 0,
                                             nullptr, 1, &barrier);
    image.setRecordedLayout(dstLayout);
}

void recordResetTimestamps(const Device& device, VkCommandBuffer commandBuffer, VkQueryPool pool,
                           uint32_t count) {
    device.vk().vkCmdResetQueryPool(commandBuffer, pool, 0, count);
}

void recordTimestamp(const Device& device, VkCommandBuffer commandBuffer, VkQueryPool pool,
                     uint32_t index) {
    device.vk().vkCmdWriteTimestamp(commandBuffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool,
                                    index);
}

void recordLaunchTimestamp(const Device& device, VkCommandBuffer commandBuffer, VkQueryPool pool,
                           uint32_t index) {
    device.vk().vkCmdWriteTimestamp(commandBuffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, index);
}

void recordBeginLabel(const Device& device, VkCommandBuffer commandBuffer, const char* name) {
    if (!device.debugFunctions().beginLabel)
        return;
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = name;
    device.debugFunctions().beginLabel(commandBuffer, &label);
}

void recordEndLabel(const Device& device, VkCommandBuffer commandBuffer) {
    if (device.debugFunctions().endLabel)
        device.debugFunctions().endLabel(commandBuffer);
}

} // namespace kp::vulkan

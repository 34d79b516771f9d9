// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/Commands.hpp"

#include <algorithm>
#include <vector>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/Image.hpp"
#include "vulkan/memory/WrittenMemory.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp::vulkan {
namespace {

VkImageSubresourceLayers layersOf(const Image& image) {
    return {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image.info().layers};
}

VkBufferImageCopy wholeImage(const Buffer& buffer, const Image& image) {
    VkBufferImageCopy region{};
    region.bufferOffset = buffer.offset();
    region.imageSubresource = layersOf(image);
    region.imageExtent = image.info().extent();
    return region;
}

void noteImages(VkCommandBuffer commandBuffer) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->noteUnknown("copies of images");
}

void copyRegions(VkCommandBuffer commandBuffer, const Buffer& source, const Buffer& destination,
                 std::span<const VkBufferCopy> regions) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->copy(source.handle(), destination.handle(), regions);
    source.device().vk().vkCmdCopyBuffer(commandBuffer, source.handle(), destination.handle(),
                                         static_cast<uint32_t>(regions.size()), regions.data());
}

} // namespace

void recordCopy(VkCommandBuffer commandBuffer, const Buffer& source, const Buffer& destination) {
    recordCopyRange(commandBuffer, source, 0, destination, 0, source.size());
}

void recordCopy(VkCommandBuffer commandBuffer, const Buffer& source, const Image& destination) {
    noteImages(commandBuffer);
    const VkBufferImageCopy region = wholeImage(source, destination);
    source.device().vk().vkCmdCopyBufferToImage(
        commandBuffer, source.handle(), destination.handle(), VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

void recordCopy(VkCommandBuffer commandBuffer, const Image& source, const Buffer& destination) {
    noteImages(commandBuffer);
    const VkBufferImageCopy region = wholeImage(destination, source);
    source.device().vk().vkCmdCopyImageToBuffer(
        commandBuffer, source.handle(), VK_IMAGE_LAYOUT_GENERAL, destination.handle(), 1, &region);
    WrittenMemory::recordFill(commandBuffer, destination, 0, destination.size());
}

void recordCopy(VkCommandBuffer commandBuffer, const Image& source, const Image& destination) {
    noteImages(commandBuffer);
    VkImageCopy region{};
    region.srcSubresource = layersOf(source);
    region.dstSubresource = layersOf(destination);
    region.extent = source.info().extent();
    source.device().vk().vkCmdCopyImage(commandBuffer, source.handle(), VK_IMAGE_LAYOUT_GENERAL,
                                        destination.handle(), VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

void recordFill(VkCommandBuffer commandBuffer, const Buffer& buffer, uint32_t pattern) {
    recordFillRange(commandBuffer, buffer, 0, buffer.fillSize(), pattern);
}

void recordCopyRange(VkCommandBuffer commandBuffer, const Buffer& source, uint64_t sourceOffset,
                     const Buffer& destination, uint64_t destinationOffset, uint64_t bytes) {
    const CopiedRange range{sourceOffset, destinationOffset, bytes};
    recordCopies(commandBuffer, source, destination, {&range, 1});
}

void recordCopies(VkCommandBuffer commandBuffer, const Buffer& source, const Buffer& destination,
                  std::span<const CopiedRange> ranges) {
    // Mesa's software driver crashes on regions of 2^31 bytes and more.
    constexpr uint64_t kMaxRegion = uint64_t{1} << 30;
    std::vector<VkBufferCopy> regions;
    regions.reserve(ranges.size());
    for (const CopiedRange& range : ranges)
        for (uint64_t at = 0; at < range.bytes; at += kMaxRegion)
            regions.push_back({source.offset() + range.source + at,
                               destination.offset() + range.destination + at,
                               std::min(kMaxRegion, range.bytes - at)});
    if (!regions.empty())
        copyRegions(commandBuffer, source, destination, regions);
    WrittenMemory::recordCopies(commandBuffer, source, destination, ranges);
}

void recordFillRange(VkCommandBuffer commandBuffer, const Buffer& buffer, uint64_t offset,
                     uint64_t bytes, uint32_t pattern) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->fill(buffer.handle(), buffer.offset() + offset, bytes, pattern);
    buffer.device().vk().vkCmdFillBuffer(commandBuffer, buffer.handle(), buffer.offset() + offset,
                                         bytes, pattern);
    WrittenMemory::recordFill(commandBuffer, buffer, offset, bytes);
}

void recordRepeat(VkCommandBuffer commandBuffer, const Buffer& pattern, const Buffer& destination,
                  uint64_t offset, uint64_t bytes) {
    constexpr size_t kMaxRegions = 1024;
    std::vector<VkBufferCopy> regions;
    for (uint64_t done = 0; done < bytes;) {
        const uint64_t part = std::min(bytes - done, pattern.size());
        regions.push_back({pattern.offset(), destination.offset() + offset + done, part});
        done += part;
        if (regions.size() < kMaxRegions && done < bytes)
            continue;
        copyRegions(commandBuffer, pattern, destination, regions);
        regions.clear();
    }
    WrittenMemory::recordFill(commandBuffer, destination, offset, bytes);
}

void recordDispatchIndirect(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                            const Buffer& groupCounts, uint64_t offset) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->dispatchIndirect(groupCounts.handle(), groupCounts.offset() + offset);
    device.vk().vkCmdDispatchIndirect(commandBuffer, groupCounts.handle(),
                                      groupCounts.offset() + offset);
}

void recordBeginLabel(const DeviceHandle& device, VkCommandBuffer commandBuffer, const char* name) {
    if (!device.debugFunctions().beginLabel)
        return;
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = name;
    device.debugFunctions().beginLabel(commandBuffer, &label);
}

void recordEndLabel(const DeviceHandle& device, VkCommandBuffer commandBuffer) {
    if (device.debugFunctions().endLabel)
        device.debugFunctions().endLabel(commandBuffer);
}

} // namespace kp::vulkan

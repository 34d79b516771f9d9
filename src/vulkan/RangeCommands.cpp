// SPDX-License-Identifier: Apache-2.0
#include "vulkan/RangeCommands.hpp"

#include <algorithm>
#include <vector>

#include "vulkan/Device.hpp"

namespace kp::vulkan {

void recordCopyRange(VkCommandBuffer commandBuffer, const Buffer& source, uint64_t sourceOffset,
                     const Buffer& destination, uint64_t destinationOffset, uint64_t bytes) {
    const VkBufferCopy region{source.offset() + sourceOffset,
                              destination.offset() + destinationOffset, bytes};
    source.device().vk().vkCmdCopyBuffer(commandBuffer, source.handle(), destination.handle(), 1,
                                         &region);
}

void recordFillRange(VkCommandBuffer commandBuffer, const Buffer& buffer, uint64_t offset,
                     uint64_t bytes, uint32_t pattern) {
    buffer.device().vk().vkCmdFillBuffer(commandBuffer, buffer.handle(), buffer.offset() + offset,
                                         bytes, pattern);
}

void recordRepeat(VkCommandBuffer commandBuffer, const Buffer& pattern, const Buffer& destination,
                  uint64_t offset, uint64_t bytes) {
    constexpr size_t kMostRegions = 1024;
    std::vector<VkBufferCopy> regions;
    for (uint64_t done = 0; done < bytes;) {
        const uint64_t part = std::min(bytes - done, pattern.size());
        regions.push_back({pattern.offset(), destination.offset() + offset + done, part});
        done += part;
        if (regions.size() < kMostRegions && done < bytes)
            continue;
        pattern.device().vk().vkCmdCopyBuffer(commandBuffer, pattern.handle(), destination.handle(),
                                              static_cast<uint32_t>(regions.size()),
                                              regions.data());
        regions.clear();
    }
}

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "vulkan/device/DeviceHandle.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"
#include "vulkan/queue/CommandTape.hpp"

namespace kp::vulkan {

class Buffer;
class Image;

// The commands that operations are made of. Each is recorded into a command buffer that is
// recording, without a barrier (see Barriers.hpp). The caller checks sizes and offsets, in bytes.

/// Copies a whole object to one of the same size.
void recordCopy(VkCommandBuffer commandBuffer, const Buffer& source, const Buffer& destination);
void recordCopy(VkCommandBuffer commandBuffer, const Buffer& source, const Image& destination);
void recordCopy(VkCommandBuffer commandBuffer, const Image& source, const Buffer& destination);
void recordCopy(VkCommandBuffer commandBuffer, const Image& source, const Image& destination);
void recordCopyRange(VkCommandBuffer commandBuffer, const Buffer& source, uint64_t sourceOffset,
                     const Buffer& destination, uint64_t destinationOffset, uint64_t bytes);
/// Bytes that are copied, at offsets in the source and in the destination.
struct CopiedRange {
    uint64_t source;
    uint64_t destination;
    uint64_t bytes;
};
/// Copies ranges that do not overlap.
void recordCopies(VkCommandBuffer commandBuffer, const Buffer& source, const Buffer& destination,
                  std::span<const CopiedRange> ranges);

/// Fills a whole buffer with a 32-bit pattern.
void recordFill(VkCommandBuffer commandBuffer, const Buffer& buffer, uint32_t pattern);
/// @param offset, bytes  multiples of 4
void recordFillRange(VkCommandBuffer commandBuffer, const Buffer& buffer, uint64_t offset,
                     uint64_t bytes, uint32_t pattern);
/// Fills a range with copies of @p pattern.
void recordRepeat(VkCommandBuffer commandBuffer, const Buffer& pattern, const Buffer& destination,
                  uint64_t offset, uint64_t bytes);

inline void recordBindPipeline(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                               const Pipeline& pipeline) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->bindPipeline(pipeline);
    device.vk().vkCmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
}

inline void recordBindDescriptorSet(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                                    const Pipeline& pipeline, const DescriptorSet& set,
                                    uint32_t number = 0) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->bindSet(set, number);
    const VkDescriptorSet handle = set.handle();
    device.vk().vkCmdBindDescriptorSets(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                                        pipeline.layout().handle(), number, 1, &handle, 0, nullptr);
}

inline void recordPushConstants(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                                const Pipeline& pipeline, const void* data, uint32_t bytes) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->push(data, bytes);
    device.vk().vkCmdPushConstants(commandBuffer, pipeline.layout().handle(),
                                   VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, data);
}

inline void recordDispatch(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                           const std::array<uint32_t, 3>& groups) {
    if (CommandTape* const tape = CommandTape::of(commandBuffer)) [[unlikely]]
        tape->dispatch(groups);
    device.vk().vkCmdDispatch(commandBuffer, groups[0], groups[1], groups[2]);
}

inline void recordResetTimestamps(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                                  VkQueryPool pool, uint32_t count) {
    device.vk().vkCmdResetQueryPool(commandBuffer, pool, 0, count);
}

/// Records the time at which all earlier work is done or, with @p launch, at which the last
/// dispatch is launched (see DevicePlan::launchTimestamps).
inline void recordTimestamp(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                            VkQueryPool pool, uint32_t index, bool launch) {
    const VkPipelineStageFlagBits stage =
        launch ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
    device.vk().vkCmdWriteTimestamp(commandBuffer, stage, pool, index);
}

void recordDispatchIndirect(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                            const Buffer& groupCounts, uint64_t offset);

/// A label around commands, for captures and validation messages; nothing without debug utils.
void recordBeginLabel(const DeviceHandle& device, VkCommandBuffer commandBuffer, const char* name);
void recordEndLabel(const DeviceHandle& device, VkCommandBuffer commandBuffer);

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "vulkan/Buffer.hpp"
#include "vulkan/HazardTracker.hpp"
#include "vulkan/Image.hpp"
#include "vulkan/PipelineCache.hpp"

namespace kp::vulkan {

class Device;

// The commands that operations are made of. Each records into a command buffer that is recording;
// none records a barrier but those that say so.

/// Whole objects, device memory to device memory. Sizes are equal; checked by the caller.
void recordCopy(VkCommandBuffer commandBuffer, const Buffer& source, const Buffer& destination);
void recordCopy(VkCommandBuffer commandBuffer, const Buffer& source, const Image& destination);
void recordCopy(VkCommandBuffer commandBuffer, const Image& source, const Buffer& destination);
void recordCopy(VkCommandBuffer commandBuffer, const Image& source, const Image& destination);

/// Fills a whole buffer with a 32-bit pattern.
void recordFill(VkCommandBuffer commandBuffer, const Buffer& buffer, uint32_t pattern);

void recordBind(const Device& device, VkCommandBuffer commandBuffer, const Pipeline& pipeline);
void recordBindSet(const Device& device, VkCommandBuffer commandBuffer, const Pipeline& pipeline,
                   VkDescriptorSet set);
void recordPush(const Device& device, VkCommandBuffer commandBuffer, const Pipeline& pipeline,
                const void* data, uint32_t bytes);
void recordDispatch(const Device& device, VkCommandBuffer commandBuffer,
                    const std::array<uint32_t, 3>& groups);
void recordDispatchIndirect(const Device& device, VkCommandBuffer commandBuffer,
                            const Buffer& groupCounts, uint64_t offset);

/// The barrier a HazardTracker asked for.
void recordHazardBarrier(const Device& device, VkCommandBuffer commandBuffer,
                         const HazardBarrier& barrier);
/// Commands of the queue that do not close as below against everything of known kind that follows.
void recordOpeningBarrier(const Device& device, VkCommandBuffer commandBuffer);
/// Work of the kinds @p before against dispatches and transfers of later submissions to the queue
/// and, with @p host, against the host once the submission is done. A command buffer that ends so
/// spares the next one an opening barrier, which costs an NVIDIA GPU more (docs/benchmarks.md).
void recordClosingBarrier(const Device& device, VkCommandBuffer commandBuffer, WorkKinds before,
                          bool host);
/// Everything before against everything after, of whatever kind.
void recordFullBarrier(const Device& device, VkCommandBuffer commandBuffer);
/// Makes writes of known kind visible to the host once the submission is done.
void recordHostBarrier(const Device& device, VkCommandBuffer commandBuffer);
/// Brings an image that a user operation left in another layout back to the general one.
void recordRestoreLayout(VkCommandBuffer commandBuffer, Image& image);

/// Barriers as a user spells them.
void recordBufferBarrier(VkCommandBuffer commandBuffer, const Buffer& buffer,
                         VkAccessFlags srcAccess, VkAccessFlags dstAccess,
                         VkPipelineStageFlags srcStage, VkPipelineStageFlags dstStage);
void recordImageBarrier(VkCommandBuffer commandBuffer, Image& image, VkAccessFlags srcAccess,
                        VkAccessFlags dstAccess, VkPipelineStageFlags srcStage,
                        VkPipelineStageFlags dstStage, VkImageLayout dstLayout);

void recordResetTimestamps(const Device& device, VkCommandBuffer commandBuffer, VkQueryPool pool,
                           uint32_t count);
/// The time at which everything recorded before is done.
void recordTimestamp(const Device& device, VkCommandBuffer commandBuffer, VkQueryPool pool,
                     uint32_t index);

/// The time at which the dispatch recorded last is launched. See DevicePlan::timesLaunches.
void recordLaunchTimestamp(const Device& device, VkCommandBuffer commandBuffer, VkQueryPool pool,
                           uint32_t index);

/// A label around commands, for captures and validation messages; nothing without debug utils.
void recordBeginLabel(const Device& device, VkCommandBuffer commandBuffer, const char* name);
void recordEndLabel(const Device& device, VkCommandBuffer commandBuffer);

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "vulkan/Buffer.hpp"

namespace kp::vulkan {

// Commands on parts of buffers. Offsets and sizes in bytes, checked by the caller.

void recordCopyRange(VkCommandBuffer commandBuffer, const Buffer& source, uint64_t sourceOffset,
                     const Buffer& destination, uint64_t destinationOffset, uint64_t bytes);

/// @param offset, bytes  multiples of 4
void recordFillRange(VkCommandBuffer commandBuffer, const Buffer& buffer, uint64_t offset,
                     uint64_t bytes, uint32_t pattern);

/// Copies all of @p pattern over and over.
void recordRepeat(VkCommandBuffer commandBuffer, const Buffer& pattern, const Buffer& destination,
                  uint64_t offset, uint64_t bytes);

} // namespace kp::vulkan

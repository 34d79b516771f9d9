// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp {

/// Returns the pipeline of a shader of the library, from the device's cache. Bindings 0, 1, ... are
/// storage buffers.
/// @param constants      the specialization constants 0, 1, ...
/// @param fullSubgroups  see vulkan::PipelineRequest
std::shared_ptr<vulkan::Pipeline> storagePipeline(vulkan::Device& device,
                                                  std::span<const uint32_t> spirv,
                                                  uint32_t bindings, uint32_t pushConstantBytes,
                                                  std::span<const uint32_t> constants = {},
                                                  bool fullSubgroups = false);

/// A binding that gives a shader some elements of a buffer.
struct StorageView {
    VkDescriptorBufferInfo info{}; ///< begins at an aligned address at or before the first element
    uint32_t first = 0;            ///< elements between that address and the first element
};

/// @param offset, bytes  in the buffer; the offset is a multiple of @p elementBytes
/// @param alignment      of the binding in the shader's eyes, 4 or more: its largest type's
StorageView storageView(const vulkan::Buffer& buffer, uint64_t offset, uint64_t bytes,
                        uint32_t elementBytes, uint64_t alignment = 16);

} // namespace kp

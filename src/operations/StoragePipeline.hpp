// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/check/CheckedShader.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp {

/// A shader of the library. Its bindings 0, 1, ... are storage buffers.
struct StorageShader {
    std::span<const uint32_t> spirv = {};
    uint32_t bindings = 0;
    uint32_t pushConstantBytes = 0;
    std::span<const uint32_t> constants = {}; ///< the specialization constants 0, 1, ...
    bool fullSubgroups = false;               ///< see vulkan::PipelineRequest
    shader::CheckKinds checks = {};
    shader::SourceTexts texts = {}; ///< as of checkedFor()
};

struct StoragePipeline {
    std::shared_ptr<vulkan::Pipeline> pipeline;
    std::shared_ptr<const CheckedShader> checked; ///< null if nothing is checked
};

/// Returns the pipeline of a shader, from the device's cache.
/// @throws Unsupported if the device has too few descriptors for it
StoragePipeline storagePipeline(vulkan::Device& device, const StorageShader& shader);

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

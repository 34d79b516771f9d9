// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "vulkan/device/Device.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp {

/// Returns the pipeline of a shader of the library, from the device's cache. Bindings 0, 1, ... are
/// storage buffers.
std::shared_ptr<vulkan::Pipeline> storagePipeline(vulkan::Device& device,
                                                  std::span<const uint32_t> spirv,
                                                  uint32_t bindings, uint32_t pushConstantBytes);

} // namespace kp

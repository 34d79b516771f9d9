// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/Pybind.hpp"

namespace kp::python {

/// Vulkan's VkAccessFlagBits, those that compute uses.
enum class AccessFlags : uint32_t {
    eNone = 0,
    eIndirectCommandRead = 0x1,
    eUniformRead = 0x8,
    eShaderRead = 0x20,
    eShaderWrite = 0x40,
    eTransferRead = 0x800,
    eTransferWrite = 0x1000,
    eHostRead = 0x2000,
    eHostWrite = 0x4000,
    eMemoryRead = 0x8000,
    eMemoryWrite = 0x10000
};

/// Vulkan's VkPipelineStageFlagBits, those that compute uses.
enum class PipelineStageFlags : uint32_t {
    eTopOfPipe = 0x1,
    eDrawIndirect = 0x2,
    eComputeShader = 0x800,
    eTransfer = 0x1000,
    eBottomOfPipe = 0x2000,
    eHost = 0x4000,
    eAllCommands = 0x10000
};

void bindEnums(py::module_& module);

} // namespace kp::python

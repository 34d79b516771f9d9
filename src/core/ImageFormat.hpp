// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kompute/Memory.hpp>

#include "vulkan/Vulkan.hpp"

namespace kp {

/// Vulkan's format of 1 to 4 channels of a data type; VK_FORMAT_UNDEFINED where there is none.
VkFormat imageFormat(Memory::DataTypes dataType, uint32_t channels);

/// Vulkan's format for a SPIR-V ImageFormat (the "r32f" of GLSL); VK_FORMAT_UNDEFINED for those
/// that no image of this library has.
VkFormat formatOfSpirv(uint32_t spirvImageFormat);

/// Short name for messages: "R32_SFLOAT", or the number.
std::string nameOfFormat(VkFormat format);

} // namespace kp

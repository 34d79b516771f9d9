// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kompute/Memory.hpp>

#include "vulkan/device/Vulkan.hpp"

namespace kp {

/// Returns the format of an image with 1 to 4 channels; VK_FORMAT_UNDEFINED if there is none.
VkFormat imageFormat(Memory::DataTypes dataType, uint32_t channels);

/// Returns the format for a SPIR-V ImageFormat (the "r32f" of GLSL); VK_FORMAT_UNDEFINED if no
/// image of this library can have it.
VkFormat formatOfSpirv(uint32_t spirvImageFormat);

/// Returns a name for messages: "R32_SFLOAT", or "VkFormat " and the number.
std::string nameOfFormat(VkFormat format);

} // namespace kp

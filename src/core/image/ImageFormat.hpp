// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kompute/Memory.hpp>
#include <kompute/image/ImageOptions.hpp>
#include <kompute/shader/Reflection.hpp>

#include "vulkan/device/Vulkan.hpp"

namespace kp {

/// Returns the format for a SPIR-V ImageFormat (the "r32f" of GLSL); VK_FORMAT_UNDEFINED if no
/// image of this library can have it.
VkFormat formatOfSpirv(uint32_t spirvImageFormat);

/// Returns a name for messages: "R32_SFLOAT", or "VkFormat " and the number.
std::string nameOfFormat(VkFormat format);

/// Returns the type with which shaders declare images of a format: float, int or uint.
shader::ScalarType shaderTypeOf(VkFormat format);

/// Returns the bits of a channel whose value is 1 to shaders.
uint32_t bitsOfOne(VkFormat format);

} // namespace kp

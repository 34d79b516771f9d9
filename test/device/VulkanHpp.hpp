// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vulkan's C++ header, as a program includes it that loads Vulkan itself. Do not include it in one
// file with the library's own vulkan/Vulkan.hpp.
#define VK_NO_PROTOTYPES
#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#include <vulkan/vulkan.hpp>

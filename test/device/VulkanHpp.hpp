// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vulkan's C++ header as a program uses it that loads Vulkan by itself. Not to be mixed with the
// library's own vulkan/Vulkan.hpp in one file.
#define VK_NO_PROTOTYPES
#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#include <vulkan/vulkan.hpp>

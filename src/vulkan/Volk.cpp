// SPDX-License-Identifier: Apache-2.0

// volk's one implementation in this library, under the names that Vulkan.hpp gives it.
#define VOLK_IMPLEMENTATION
#include "vulkan/Vulkan.hpp"

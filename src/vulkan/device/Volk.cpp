// SPDX-License-Identifier: Apache-2.0

// The implementation of volk, a third-party library, under the names that Vulkan.hpp defines.
#define VOLK_IMPLEMENTATION
#include "vulkan/device/Vulkan.hpp"

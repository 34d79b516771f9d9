// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

/// Opens the Vulkan loader through volk, once per process: the library that
/// `KOMPUTE_VULKAN_LIBRARY` names, or the system's. Thread-safe.
/// @return its vkGetInstanceProcAddr
/// @throws Unsupported, with the libraries tried and how to install one
PFN_vkGetInstanceProcAddr loaderGetInstanceProcAddr();

/// Fills a device's function table through @p getDeviceProcAddr. A function that is core in a later
/// version is taken from its extension if need be. Thread-safe.
void loadDeviceTable(VolkDeviceTable& table, VkDevice device,
                     PFN_vkGetDeviceProcAddr getDeviceProcAddr);

} // namespace kp::vulkan

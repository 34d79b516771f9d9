// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/Vulkan.hpp"

namespace kp::vulkan {

/// Opens the Vulkan loader at run time (volk), once per process. Thread-safe.
/// `KOMPUTE_VULKAN_LIBRARY` names another library to open instead of the system's.
/// @return the loader's vkGetInstanceProcAddr
/// @throws Unsupported saying which libraries were looked for and how to install a driver
PFN_vkGetInstanceProcAddr loaderGetInstanceProcAddr();

/// Fills a device's function table through @p getDeviceProcAddr. Thread-safe.
void loadDeviceTable(VolkDeviceTable& table, VkDevice device,
                     PFN_vkGetDeviceProcAddr getDeviceProcAddr);

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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

/// Returns the Vulkan loader's search paths for drivers and its findings, for messages: one line
/// for each environment variable that it reads and each folder of manifests. A folder that cannot
/// be read is not an error.
std::vector<std::string> driverSearchReport();

/// Returns how to install a driver, for the end of a message.
std::string driverInstallHint();

} // namespace kp::vulkan

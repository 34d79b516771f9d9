// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/ManagerOptions.hpp>

#include "vulkan/DevicePlan.hpp"

namespace kp {

/// What the options ask of the device layer, with the environment variables KOMPUTE_DEVICE and
/// KOMPUTE_TIMELINE applied. @throws InvalidArgument for a variable that cannot be understood
vulkan::DeviceRequest requestOf(const ManagerOptions& options);

/// Folder of the pipeline cache, "" for none, with KOMPUTE_CACHE_DIR and the platform's convention
/// applied.
std::string cacheFolderOf(const ManagerOptions& options);

/// The public description of a device.
DeviceInfo describe(const vulkan::PhysicalDevice& device);

} // namespace kp

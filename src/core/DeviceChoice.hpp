// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/ManagerOptions.hpp>

#include "vulkan/DevicePlan.hpp"

namespace kp {

/// What the options ask of the device layer, with the environment variables KOMPUTE_DEVICE and
/// KOMPUTE_TIMELINE applied. @throws InvalidArgument for a variable that cannot be understood
vulkan::DeviceRequest requestOf(const ManagerOptions& options);

/// Changes to the transfer rules that the options or KOMPUTE_TRANSFER ask for; may be empty.
std::string transferRulesOf(const ManagerOptions& options);

/// The public description of a device.
DeviceInfo describe(const vulkan::PhysicalDevice& device);

} // namespace kp

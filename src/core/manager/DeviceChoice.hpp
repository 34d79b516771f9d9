// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <kompute/device/ManagerOptions.hpp>

#include "vulkan/device/DevicePlan.hpp"

namespace kp {

/// Returns the device request of the options, with the environment variables KOMPUTE_DEVICE,
/// KOMPUTE_QUEUE_FAMILY, KOMPUTE_WITHOUT, KOMPUTE_PROFILE, KOMPUTE_TIMESTAMPS and
/// KOMPUTE_BREADCRUMBS applied.
/// @throws InvalidArgument if one of them has a value that does not exist; names it
vulkan::DeviceRequest requestOf(const ManagerOptions& options);

/// Returns the profile that KOMPUTE_PROFILE names; null if it is not set.
/// @throws InvalidArgument as vulkan::findProfile()
std::shared_ptr<const vulkan::DeviceProfile> requestedProfile();

/// Returns the value of KOMPUTE_TIMESTAMPS for DevicePlan::launchTimestamps; empty if it is not
/// set.
std::optional<bool> launchTimestampsRequested();

/// Returns true if KOMPUTE_BREADCRUMBS asks for them.
bool breadcrumbsRequested();

/// Returns the changes to the transfer rules that the options or KOMPUTE_TRANSFER name; may be
/// empty.
std::string transferRulesOf(const ManagerOptions& options);

/// Returns the public description of a device.
DeviceInfo describe(const vulkan::PhysicalDevice& device);

} // namespace kp

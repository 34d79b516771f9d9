// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vulkan/device/PhysicalDevice.hpp"

namespace kp::vulkan {

struct DeviceProfile;

/// Returns the device as the profile lets it be seen: the lower of both in everything, so that a
/// profile takes away and never adds. Sizes of subgroups stay the device's unless the driver's
/// choice is within the profile's. Type and vendor, on which rules depend, are the profile's. Pure.
PhysicalDevice withProfile(const PhysicalDevice& device, const DeviceProfile& profile);

/// Returns one line that names the features removed from a device by the profile. Pure.
std::string describeProfile(const PhysicalDevice& device, const PhysicalDevice& profiled);

/// Returns the limits that profiles may name, with the device's values.
std::vector<std::pair<std::string, std::vector<uint64_t>>> limitsOf(const PhysicalDevice& device);

/// Returns the number of values of a limit that a profile may name; 0 for an unknown one.
size_t dimensionsOfLimit(std::string_view name);

} // namespace kp::vulkan

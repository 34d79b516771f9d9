// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vulkan/profiles/DeviceProfile.hpp"

namespace kp::vulkan {

/// Returns the names of the profiles that are part of the library, sorted.
std::vector<std::string> profileNames();

/// Returns a profile of the library, or reads one from a file.
/// @param given  a name of profileNames(), or the path of a file, which ends with ".json"
/// @throws InvalidArgument if there is no such profile (lists the names, the nearest one first), if
///         the file cannot be read, and as parseProfile()
std::shared_ptr<const DeviceProfile> findProfile(const std::string& given);

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kp::vulkan {

/// Returns where the Vulkan loader looks for drivers and what it finds, for messages: one line for
/// each environment variable that it reads and each folder of manifests. A folder that cannot be
/// read is no error.
std::vector<std::string> driverSearchReport();

/// Returns how to install a driver, for the end of a message.
std::string driverInstallHint();

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kp::vulkan {

/// Where the Vulkan loader looks for drivers, and what lies there: one line for each environment
/// variable that steers it and each folder of manifests. For messages only. Never throws for
/// folders that cannot be read.
std::vector<std::string> driverSearchReport();

/// How to get a driver, for the end of a message.
std::string driverInstallHint();

} // namespace kp::vulkan

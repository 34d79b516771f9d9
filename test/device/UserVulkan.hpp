// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Kompute.hpp>

#include "VulkanHpp.hpp"

namespace kp::test {

/// Loads the functions of vulkan.hpp for a manager's device. A program with custom operations does
/// this once when it starts.
void loadUserVulkan(const kp::Manager& manager);

} // namespace kp::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Kompute.hpp>

#include "VulkanHpp.hpp"

namespace kp::test {

/// Loads the functions of vulkan.hpp for a manager's device, as a program with custom operations
/// does once at its start.
void loadUserVulkan(const kp::Manager& manager);

} // namespace kp::test

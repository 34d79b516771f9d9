// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/device/PhysicalDevice.hpp"

namespace kp::vulkan {

class Instance;

/// Returns true if a tool that shows labels is attached: a validation layer, RenderDoc, Nsight, or
/// a layer that an environment variable names.
bool toolShowsLabels(const Instance& instance, const PhysicalDevice& device);

} // namespace kp::vulkan

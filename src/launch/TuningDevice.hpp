// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/Manager.hpp>

#include "launch/TuningSpace.hpp"
#include "vulkan/Device.hpp"

namespace kp::launch {

/// The device to tune for. @throws InvalidArgument where the manager was destroyed
std::shared_ptr<vulkan::Device> deviceOf(const Manager& manager);

TuningLimits limitsOf(const vulkan::Device& device);

} // namespace kp::launch

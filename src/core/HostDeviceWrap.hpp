// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/ManagerOptions.hpp>

#include "vulkan/Device.hpp"

namespace kp {

/// The device layer's view of a host application's device. Without queues: queue 0 of the first
/// family with compute.
std::shared_ptr<vulkan::Device> wrapHostDevice(const HostDevice& host);

} // namespace kp

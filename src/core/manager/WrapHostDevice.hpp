// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/device/ManagerOptions.hpp>

#include "vulkan/device/Device.hpp"

namespace kp {

struct WrappedDevice {
    std::shared_ptr<vulkan::Device> device;
    std::vector<vulkan::Queue*> queues; ///< the queues that the host named, in its order
};

/// Wraps a host application's device. If it names no queues, the wrapper uses queue 0 of the first
/// family with compute. KOMPUTE_TIMESTAMPS applies.
/// @throws InvalidArgument as vulkan::wrapDevice(), or if the instance is null; Unsupported if no
///         queue family has compute
WrappedDevice wrapHostDevice(const HostDevice& host);

/// Returns the living device with this handle.
/// @throws InvalidArgument if @p device is null or was neither created nor wrapped by a Manager
std::shared_ptr<vulkan::Device> findDevice(const std::shared_ptr<vk::Device>& device);

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "vulkan/device/DevicePlan.hpp"

namespace kp::vulkan {

class Device;

// The devices of this process. All functions are thread-safe.

/// Returns the device for this request, with the queues of requestedQueues() among its queues.
/// Requests with the same DevicePlan share one as long as it has an owner, except those with a
/// feature chain or with DeviceRequest::shared off.
/// @throws InvalidArgument for an index, name or queue family that does not exist (the reasons list
///         the existing ones), Unsupported if every device was refused (the reasons say why)
std::shared_ptr<Device> acquireDevice(const std::shared_ptr<Instance>& instance,
                                      const DeviceRequest& request);

/// Wraps a host application's device. Wrapping a VkDevice again returns the same object, with the
/// queues of the first time.
/// @throws InvalidArgument for null handles, a physical device of another instance, queues without
///         compute, or queues that the existing object of this VkDevice lacks
std::shared_ptr<Device> wrapDevice(const HostDevice& host);

/// Waits for the work of all devices and writes their pipeline caches. See noteDriverUse().
void finishDevices() noexcept;

/// Keeps all devices for good and, unless this process is a forked child, waits for their work and
/// writes their pipeline caches. See noteDriverUse().
void leaveDevices(bool forked) noexcept;

/// Returns the living Device of a VkDevice, created or wrapped here; null if there is none.
std::shared_ptr<Device> findDevice(VkDevice handle);

} // namespace kp::vulkan

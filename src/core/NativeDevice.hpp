// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/VulkanHandles.hpp>

namespace kp {

namespace vulkan {
class Device;
}

namespace native {

/// Returns the living device with this handle.
/// @throws InvalidArgument if @p device is null or was neither created nor wrapped by a Manager
std::shared_ptr<vulkan::Device> findDevice(const std::shared_ptr<vk::Device>& device);

} // namespace native
} // namespace kp

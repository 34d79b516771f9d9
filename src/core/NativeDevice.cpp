// SPDX-License-Identifier: Apache-2.0
#include "core/Native.hpp"

#include "vulkan/Device.hpp"

namespace kp::native {

std::shared_ptr<vulkan::Device> findDevice(VkDevice device) {
    return vulkan::Device::find(device);
}

} // namespace kp::native

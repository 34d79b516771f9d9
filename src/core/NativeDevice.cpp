// SPDX-License-Identifier: Apache-2.0
#include "core/NativeDevice.hpp"

#include <kompute/Error.hpp>

#include "core/Native.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"

namespace kp::native {

std::shared_ptr<vulkan::Device> findDevice(const std::shared_ptr<vk::Device>& device) {
    std::shared_ptr<vulkan::Device> found;
    if (device)
        found = vulkan::findDevice(handleOf(*device));
    if (!found)
        throw InvalidArgument("this VkDevice is not known: create a kp::Manager for it first and "
                              "keep the manager while its objects are created");
    return found;
}

} // namespace kp::native

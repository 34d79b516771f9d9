// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

/// Returns the name: "VK_ERROR_DEVICE_LOST".
const char* nameOf(VkResult result);

/// Throws the kp::Error for @p result: OutOfMemory, DeviceLost, Unsupported or Error.
/// @param what  the call that failed: "vkCreateBuffer of 4096 bytes"
[[noreturn]] void throwResult(VkResult result, const std::string& what);

/// Throws unless @p result is a success code. Once there is a device, DeviceHandle::check() also
/// notes that it was lost.
inline void check(VkResult result, const char* what) {
    if (result < 0) [[unlikely]]
        throwResult(result, what);
}

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "vulkan/Vulkan.hpp"

namespace kp::vulkan {

/// "VK_ERROR_DEVICE_LOST" and so on.
const char* nameOf(VkResult result);

/// Throws the kp::Error that fits @p result: OutOfMemory, DeviceLost, Unsupported or Error.
/// @param what  what failed and for whom: "vkCreateBuffer of 4096 bytes"
[[noreturn]] void throwResult(VkResult result, const std::string& what);

/// Throws unless @p result is a success code.
inline void check(VkResult result, const char* what) {
    if (result < 0) [[unlikely]]
        throwResult(result, what);
}

} // namespace kp::vulkan

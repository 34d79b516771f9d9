// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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

/// Returns the items of a function whose last parameters are a count and an array.
template <typename Item, typename Function, typename... Arguments>
std::vector<Item> enumerate(const char* what, Function function, Arguments... arguments) {
    std::vector<Item> items;
    VkResult result = VK_INCOMPLETE;
    while (result == VK_INCOMPLETE) {
        uint32_t count = 0;
        check(function(arguments..., &count, nullptr), what);
        items.resize(count);
        result = function(arguments..., &count, items.data());
        check(result, what);
        items.resize(count);
    }
    return items;
}

} // namespace kp::vulkan

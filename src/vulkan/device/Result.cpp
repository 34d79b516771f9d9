// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Result.hpp"

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::vulkan {

const char* nameOf(VkResult result) {
#define KOMPUTE_CASE(name)                                                                         \
    case name:                                                                                     \
        return #name;
    switch (result) {
        KOMPUTE_CASE(VK_SUCCESS)
        KOMPUTE_CASE(VK_NOT_READY)
        KOMPUTE_CASE(VK_TIMEOUT)
        KOMPUTE_CASE(VK_EVENT_SET)
        KOMPUTE_CASE(VK_EVENT_RESET)
        KOMPUTE_CASE(VK_INCOMPLETE)
        KOMPUTE_CASE(VK_ERROR_OUT_OF_HOST_MEMORY)
        KOMPUTE_CASE(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        KOMPUTE_CASE(VK_ERROR_INITIALIZATION_FAILED)
        KOMPUTE_CASE(VK_ERROR_DEVICE_LOST)
        KOMPUTE_CASE(VK_ERROR_MEMORY_MAP_FAILED)
        KOMPUTE_CASE(VK_ERROR_LAYER_NOT_PRESENT)
        KOMPUTE_CASE(VK_ERROR_EXTENSION_NOT_PRESENT)
        KOMPUTE_CASE(VK_ERROR_FEATURE_NOT_PRESENT)
        KOMPUTE_CASE(VK_ERROR_INCOMPATIBLE_DRIVER)
        KOMPUTE_CASE(VK_ERROR_TOO_MANY_OBJECTS)
        KOMPUTE_CASE(VK_ERROR_FORMAT_NOT_SUPPORTED)
        KOMPUTE_CASE(VK_ERROR_FRAGMENTED_POOL)
        KOMPUTE_CASE(VK_ERROR_UNKNOWN)
        KOMPUTE_CASE(VK_ERROR_OUT_OF_POOL_MEMORY)
        KOMPUTE_CASE(VK_ERROR_INVALID_EXTERNAL_HANDLE)
        KOMPUTE_CASE(VK_ERROR_FRAGMENTATION)
        KOMPUTE_CASE(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
        KOMPUTE_CASE(VK_PIPELINE_COMPILE_REQUIRED)
        KOMPUTE_CASE(VK_ERROR_VALIDATION_FAILED_EXT)
        KOMPUTE_CASE(VK_ERROR_INVALID_SHADER_NV)
        KOMPUTE_CASE(VK_ERROR_NOT_PERMITTED_KHR)
    default:
        return result < 0 ? "an unknown Vulkan error" : "an unknown Vulkan success code";
    }
#undef KOMPUTE_CASE
}

void throwResult(VkResult result, const std::string& what) {
    const std::string failed =
        formatted("{} failed: {} ({})", what, nameOf(result), static_cast<int32_t>(result));
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_TOO_MANY_OBJECTS:
        throw OutOfMemory(failed, result);
    case VK_ERROR_DEVICE_LOST:
        throw DeviceLost(failed);
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_INCOMPATIBLE_DRIVER:
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
        throw Unsupported(failed);
    default:
        throw Error(ErrorCode::eVulkan, failed, result);
    }
}

} // namespace kp::vulkan

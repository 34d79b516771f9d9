// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Error.hpp>

#include "vulkan/device/Vulkan.hpp"

namespace kp::benchmark {

/// Returns a memory type in device memory, or in mapped, coherent and if possible cached host
/// memory. Throws Unsupported if there is none.
/// @param allowed  VkMemoryRequirements::memoryTypeBits
inline uint32_t findMemoryType(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed,
                               bool host) {
    VkMemoryPropertyFlags needed = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    VkMemoryPropertyFlags wanted = 0;
    if (host) {
        needed = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        wanted = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    }
    for (const VkMemoryPropertyFlags flags : {needed | wanted, needed})
        for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
            if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & flags) == flags)
                return i;
    throw kp::Unsupported("no memory type of the device fits the buffer");
}

} // namespace kp::benchmark

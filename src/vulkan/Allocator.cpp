// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Allocator.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "vulkan/Device.hpp"
#include "vulkan/Result.hpp"

#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#define VMA_IMPLEMENTATION
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#include <vk_mem_alloc.h>
#if defined(__clang__)
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace kp::vulkan {
namespace {

// The allocator keeps its own copy of the function pointers. Allocation goes through the device's
// table all the same, so that tests can make it fail.
thread_local const Device* tAllocatingDevice = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL allocateThroughTable(VkDevice device,
                                                    const VkMemoryAllocateInfo* info,
                                                    const VkAllocationCallbacks* callbacks,
                                                    VkDeviceMemory* memory) {
    return tAllocatingDevice->vk().vkAllocateMemory(device, info, callbacks, memory);
}

/// Staging that is smaller is not worth an allocation of its own.
constexpr uint64_t kSmallestDedicatedStaging = 1u << 20;
/// From this on everything gets one: the allocator would make a block for it of twice its size.
constexpr uint64_t kSmallestDedicated = 32u << 20;

VmaAllocationCreateInfo createInfo(MemoryPlace place, uint64_t bytes = 0) {
    VmaAllocationCreateInfo info{};
    switch (place) {
    case MemoryPlace::eDevice:
        info.requiredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        break;
    case MemoryPlace::eHost:
    case MemoryPlace::eStaging:
        info.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
        if (place == MemoryPlace::eStaging && bytes >= kSmallestDedicatedStaging)
            info.flags |= VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
        info.requiredFlags =
            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        info.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
        break;
    case MemoryPlace::eDeviceWritable:
        info.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
        info.requiredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                             VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        break;
    case MemoryPlace::eDeviceMapped:
        info.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
        info.requiredFlags =
            VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
        break;
    }
    if (bytes >= kSmallestDedicated)
        info.flags |= VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
    return info;
}

const char* nameOf(MemoryPlace place) {
    switch (place) {
    case MemoryPlace::eDevice:
        return "device";
    case MemoryPlace::eHost:
    case MemoryPlace::eStaging:
        return "host";
    case MemoryPlace::eDeviceMapped:
    case MemoryPlace::eDeviceWritable:
        return "mapped device";
    }
    return "";
}

VmaVulkanFunctions functions(const Device& device) {
    const InstanceTable& instance = device.instance()->table();
    const VolkDeviceTable& vk = device.vk();
    VmaVulkanFunctions f{};
    f.vkGetPhysicalDeviceProperties = instance.vkGetPhysicalDeviceProperties;
    f.vkGetPhysicalDeviceMemoryProperties = instance.vkGetPhysicalDeviceMemoryProperties;
    f.vkGetPhysicalDeviceMemoryProperties2KHR = instance.vkGetPhysicalDeviceMemoryProperties2;
    f.vkAllocateMemory = allocateThroughTable;
    f.vkFreeMemory = vk.vkFreeMemory;
    f.vkMapMemory = vk.vkMapMemory;
    f.vkUnmapMemory = vk.vkUnmapMemory;
    f.vkFlushMappedMemoryRanges = vk.vkFlushMappedMemoryRanges;
    f.vkInvalidateMappedMemoryRanges = vk.vkInvalidateMappedMemoryRanges;
    f.vkBindBufferMemory = vk.vkBindBufferMemory;
    f.vkBindImageMemory = vk.vkBindImageMemory;
    f.vkGetBufferMemoryRequirements = vk.vkGetBufferMemoryRequirements;
    f.vkGetImageMemoryRequirements = vk.vkGetImageMemoryRequirements;
    f.vkCreateBuffer = vk.vkCreateBuffer;
    f.vkDestroyBuffer = vk.vkDestroyBuffer;
    f.vkCreateImage = vk.vkCreateImage;
    f.vkDestroyImage = vk.vkDestroyImage;
    f.vkCmdCopyBuffer = vk.vkCmdCopyBuffer;
    f.vkGetBufferMemoryRequirements2KHR = vk.vkGetBufferMemoryRequirements2;
    f.vkGetImageMemoryRequirements2KHR = vk.vkGetImageMemoryRequirements2;
    f.vkBindBufferMemory2KHR = vk.vkBindBufferMemory2;
    f.vkBindImageMemory2KHR = vk.vkBindImageMemory2;
#if VMA_VULKAN_VERSION >= 1003000
    f.vkGetDeviceBufferMemoryRequirements = vk.vkGetDeviceBufferMemoryRequirements;
    f.vkGetDeviceImageMemoryRequirements = vk.vkGetDeviceImageMemoryRequirements;
#endif
    return f;
}

} // namespace

Allocator::Allocator(Device& device) : mDevice(device) {
    const VmaVulkanFunctions table = functions(device);
    VmaAllocatorCreateInfo info{};
    info.instance = device.instance()->handle();
    info.physicalDevice = device.physical().handle;
    info.device = device.handle();
    info.pVulkanFunctions = &table;
    info.vulkanApiVersion = std::min<uint32_t>(device.plan().apiVersion, VK_API_VERSION_1_3);
    if (device.plan().hasExtension(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME))
        info.flags |= VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT;
    if (device.has(Feature::eBufferDeviceAddress))
        info.flags |= VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT;
    device.check(vmaCreateAllocator(&info, &mHandle), "vmaCreateAllocator");
    uint32_t type = 0;
    mOffersDeviceMapped = findType(MemoryPlace::eDeviceMapped, type) == VK_SUCCESS;
    mOffersDeviceWritable = findType(MemoryPlace::eDeviceWritable, type) == VK_SUCCESS;
}

Allocator::~Allocator() {
    vmaDestroyAllocator(mHandle);
}

VkResult Allocator::findType(MemoryPlace place, uint32_t& type) const {
    const VmaAllocationCreateInfo info = createInfo(place);
    return vmaFindMemoryTypeIndex(mHandle, UINT32_MAX, &info, &type);
}

bool Allocator::offers(MemoryPlace place) const {
    if (place == MemoryPlace::eDeviceMapped)
        return mOffersDeviceMapped;
    return place != MemoryPlace::eDeviceWritable || mOffersDeviceWritable;
}

bool Allocator::isCached(uint32_t memoryType) const {
    return (mDevice.physical().memory.memoryTypes[memoryType].propertyFlags &
            VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
}

uint64_t Allocator::heapSize(MemoryPlace place) const {
    uint32_t type = 0;
    if (findType(place, type) != VK_SUCCESS)
        return 0;
    const VkPhysicalDeviceMemoryProperties& memory = mDevice.physical().memory;
    return memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
}

void Allocator::fail(VkResult result, MemoryPlace place, uint64_t bytes) const {
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
        result == VK_ERROR_TOO_MANY_OBJECTS)
        throw OutOfMemory("out of memory: " + std::to_string(bytes) + " bytes of " + nameOf(place) +
                              " memory asked of " + mDevice.name() + ", whose heap holds " +
                              std::to_string(heapSize(place)) + " bytes in all (" +
                              vulkan::nameOf(result) + ")",
                          result);
    mDevice.check(result, "allocating memory");
    throwResult(result, "allocating memory");
}

Allocation Allocator::bind(VkBuffer buffer, MemoryPlace place, uint64_t bytes) {
    tAllocatingDevice = &mDevice;
    const VmaAllocationCreateInfo info = createInfo(place, bytes);
    Allocation allocation;
    VmaAllocationInfo details{};
    VkResult result =
        vmaAllocateMemoryForBuffer(mHandle, buffer, &info, &allocation.handle, &details);
    if (result != VK_SUCCESS)
        fail(result, place, bytes);
    result = vmaBindBufferMemory(mHandle, allocation.handle, buffer);
    if (result != VK_SUCCESS) {
        vmaFreeMemory(mHandle, allocation.handle);
        fail(result, place, bytes);
    }
    allocation.mapped = details.pMappedData;
    allocation.cached = isCached(details.memoryType);
    return allocation;
}

Allocation Allocator::bind(VkImage image, MemoryPlace place, uint64_t bytes) {
    tAllocatingDevice = &mDevice;
    const VmaAllocationCreateInfo info = createInfo(place, bytes);
    Allocation allocation;
    VmaAllocationInfo details{};
    VkResult result =
        vmaAllocateMemoryForImage(mHandle, image, &info, &allocation.handle, &details);
    if (result != VK_SUCCESS)
        fail(result, place, bytes);
    result = vmaBindImageMemory(mHandle, allocation.handle, image);
    if (result != VK_SUCCESS) {
        vmaFreeMemory(mHandle, allocation.handle);
        fail(result, place, bytes);
    }
    allocation.mapped = details.pMappedData;
    allocation.cached = isCached(details.memoryType);
    return allocation;
}

void Allocator::free(const Allocation& allocation) {
    vmaFreeMemory(mHandle, allocation.handle);
}

Allocator::Usage Allocator::usage() const {
    VmaBudget budgets[VK_MAX_MEMORY_HEAPS]{};
    vmaGetHeapBudgets(mHandle, budgets);
    Usage usage;
    for (const VmaBudget& budget : budgets) {
        usage.blockBytes += budget.statistics.blockBytes;
        usage.allocationBytes += budget.statistics.allocationBytes;
        usage.allocations += budget.statistics.allocationCount;
    }
    return usage;
}

} // namespace kp::vulkan

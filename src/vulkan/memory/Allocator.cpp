// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/Allocator.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Result.hpp"

#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>

namespace kp::vulkan {
namespace {

// VulkanMemoryAllocator copies the function pointers. Allocation still goes through the device's
// table, so that tests can make it fail.
thread_local const DeviceHandle* tAllocatingDevice = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL allocateThroughTable(VkDevice device,
                                                    const VkMemoryAllocateInfo* info,
                                                    const VkAllocationCallbacks* callbacks,
                                                    VkDeviceMemory* memory) {
    return tAllocatingDevice->vk().vkAllocateMemory(device, info, callbacks, memory);
}

/// Staging of at least this size gets a dedicated allocation.
constexpr uint64_t kMinDedicatedStaging = 1u << 20;
/// So does any memory of this size, for which the allocator would create a block of twice the size.
constexpr uint64_t kMinDedicated = 32u << 20;

VmaAllocationCreateInfo createInfo(MemoryPlace place, uint64_t bytes = 0) {
    constexpr VkMemoryPropertyFlags kCoherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VmaAllocationCreateInfo info{};
    if (place == MemoryPlace::eHost || place == MemoryPlace::eStaging) {
        info.requiredFlags = kCoherent;
        info.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    } else {
        info.requiredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        if (place != MemoryPlace::eDevice)
            info.requiredFlags |= kCoherent;
        if (place == MemoryPlace::eDeviceMapped)
            info.requiredFlags |= VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    }
    if (place != MemoryPlace::eDevice)
        info.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
    if (bytes >= kMinDedicated || (place == MemoryPlace::eStaging && bytes >= kMinDedicatedStaging))
        info.flags |= VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
    return info;
}

const char* placeName(MemoryPlace place) {
    if (place == MemoryPlace::eDevice)
        return "device";
    return place == MemoryPlace::eHost || place == MemoryPlace::eStaging ? "host" : "mapped device";
}

} // namespace

Allocator::Allocator(Device& device) : mDevice(device) {
    VmaVulkanFunctions table{};
    table.vkGetInstanceProcAddr = device.instance()->table().vkGetInstanceProcAddr;
    table.vkGetDeviceProcAddr = device.instance()->table().vkGetDeviceProcAddr;
    table.vkAllocateMemory = allocateThroughTable;
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
}

Allocator::~Allocator() {
    vmaDestroyAllocator(mHandle);
}

std::optional<uint32_t> Allocator::findType(MemoryPlace place) const {
    const VmaAllocationCreateInfo info = createInfo(place);
    uint32_t type = 0;
    const VkResult result = vmaFindMemoryTypeIndex(mHandle, UINT32_MAX, &info, &type);
    return result == VK_SUCCESS ? std::optional(type) : std::nullopt;
}

uint64_t Allocator::heapSize(MemoryPlace place) const {
    const std::optional<uint32_t> type = findType(place);
    const VkPhysicalDeviceMemoryProperties& memory = mDevice.physical().memory;
    return type ? memory.memoryHeaps[memory.memoryTypes[*type].heapIndex].size : 0;
}

void Allocator::fail(VkResult result, MemoryPlace place, uint64_t bytes) const {
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
        result == VK_ERROR_TOO_MANY_OBJECTS)
        throw OutOfMemory(formatted("out of memory: {} bytes of {} memory were requested from {}, "
                                    "whose heap has {} bytes in all ({}); free some memory first",
                                    bytes, placeName(place), mDevice.name(), heapSize(place),
                                    nameOf(result)),
                          result);
    mDevice.check(result, "allocating memory");
    throwResult(result, "allocating memory");
}

Allocation Allocator::bind(VkBuffer buffer, MemoryPlace place, uint64_t bytes) {
    return bindObject(buffer, place, bytes, vmaAllocateMemoryForBuffer, vmaBindBufferMemory);
}

Allocation Allocator::bind(VkImage image, MemoryPlace place, uint64_t bytes) {
    return bindObject(image, place, bytes, vmaAllocateMemoryForImage, vmaBindImageMemory);
}

template <typename Object, typename Allocate, typename Bind>
Allocation Allocator::bindObject(Object object, MemoryPlace place, uint64_t bytes,
                                 Allocate allocate, Bind bindMemory) {
    tAllocatingDevice = &mDevice;
    const VmaAllocationCreateInfo info = createInfo(place, bytes);
    Allocation allocation;
    VmaAllocationInfo details{};
    VkResult result = allocate(mHandle, object, &info, &allocation.handle, &details);
    if (result != VK_SUCCESS)
        fail(result, place, bytes);
    result = bindMemory(mHandle, allocation.handle, object);
    if (result != VK_SUCCESS) {
        vmaFreeMemory(mHandle, allocation.handle);
        fail(result, place, bytes);
    }
    allocation.mapped = details.pMappedData;
    allocation.cached = (mDevice.physical().memory.memoryTypes[details.memoryType].propertyFlags &
                         VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
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

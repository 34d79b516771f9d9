// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/Allocator.hpp"

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Result.hpp"
#include "vulkan/memory/BufferPool.hpp"
#include "vulkan/memory/MemoryBudget.hpp"

#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
// Drivers may crash, or fail later, beyond maxMemoryAllocationCount.
#define VMA_DEBUG_DONT_EXCEED_MAX_MEMORY_ALLOCATION_COUNT 1
#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>

namespace kp::vulkan {

/// What VulkanMemoryAllocator's calls need of the allocator that they are made for. It copies the
/// function pointers, but memory is still allocated and freed through the device's table, so that
/// tests can make that fail.
struct Allocator::Context {
    const Device& device;
    MemoryBudget budget;
    PeakCounter& reserved;

    static thread_local Context* current;

    /// Makes it the current one of this thread for the length of a scope.
    class Use {
    public:
        explicit Use(Context& context) : mPrevious(std::exchange(current, &context)) {}
        ~Use() { current = mPrevious; }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

    private:
        Context* mPrevious;
    };

    static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice handle,
                                                   const VkMemoryAllocateInfo* info,
                                                   const VkAllocationCallbacks* callbacks,
                                                   VkDeviceMemory* memory) {
        const PhysicalDevice& physical = current->device.physical();
        VkMemoryAllocateInfo allocation = *info;
        if (!physical.profile.empty() && physical.maxMemoryAllocationSize != 0 &&
            allocation.allocationSize > physical.maxMemoryAllocationSize)
            return VK_ERROR_OUT_OF_DEVICE_MEMORY;
        if (physical.memoryMap)
            allocation.memoryTypeIndex =
                physical.memoryMap->driverTypes[allocation.memoryTypeIndex];
        const VkResult result =
            current->device.vk().vkAllocateMemory(handle, &allocation, callbacks, memory);
        current->budget.forget();
        return result;
    }
    static VKAPI_ATTR void VKAPI_CALL free(VkDevice handle, VkDeviceMemory memory,
                                           const VkAllocationCallbacks* callbacks) {
        current->device.vk().vkFreeMemory(handle, memory, callbacks);
        current->budget.forget();
    }
    bool isDeviceMemory(uint32_t type) const {
        return (device.physical().memory.memoryTypes[type].propertyFlags &
                VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
    }
    static void VKAPI_PTR noteAllocated(VmaAllocator, uint32_t type, VkDeviceMemory,
                                        VkDeviceSize bytes, void* context) {
        if (static_cast<Context*>(context)->isDeviceMemory(type))
            static_cast<Context*>(context)->reserved.add(bytes);
    }
    static void VKAPI_PTR noteFreed(VmaAllocator, uint32_t type, VkDeviceMemory, VkDeviceSize bytes,
                                    void* context) {
        if (static_cast<Context*>(context)->isDeviceMemory(type))
            static_cast<Context*>(context)->reserved.subtract(bytes);
    }
    static VKAPI_ATTR VkResult VKAPI_CALL map(VkDevice handle, VkDeviceMemory memory,
                                              VkDeviceSize offset, VkDeviceSize bytes,
                                              VkMemoryMapFlags flags, void** data) {
        const VkResult result =
            current->device.vk().vkMapMemory(handle, memory, offset, bytes, flags, data);
        // Software drivers report success if they got no memory, with null or with the result of a
        // failed mmap() returns. The allocator frees the memory, which ends the mapping, too.
        const bool mapped = *data && *data != reinterpret_cast<void*>(~uintptr_t{0});
        return result != VK_SUCCESS || mapped ? result : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    static VKAPI_ATTR void VKAPI_CALL query(VkPhysicalDevice,
                                            VkPhysicalDeviceMemoryProperties2* properties) {
        current->budget.query(*properties);
    }

    // Under a device profile, the allocator sees the profile. Its own numbers of memory
    // types never reach the driver.
    static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice,
                                                 VkPhysicalDeviceProperties* properties) {
        *properties = current->device.physical().properties;
    }
    static VKAPI_ATTR void VKAPI_CALL memory(VkPhysicalDevice,
                                             VkPhysicalDeviceMemoryProperties* properties) {
        *properties = current->device.physical().memory;
    }
    static void useProfile(VkMemoryRequirements& requirements, bool isImage) {
        const PhysicalDevice& physical = current->device.physical();
        uint32_t types = 0;
        for (uint32_t i = 0; i < physical.memory.memoryTypeCount; ++i)
            types |= (requirements.memoryTypeBits >> physical.memoryMap->driverTypes[i] & 1u) << i;
        if (const auto forImages = physical.memoryMap->forImages) {
            const uint32_t own = types & ~(1u << *forImages);
            types = isImage && own == 0 ? types : own;
        }
        requirements.memoryTypeBits = types;
    }
    static VKAPI_ATTR void VKAPI_CALL bufferNeeds(VkDevice device, VkBuffer buffer,
                                                  VkMemoryRequirements* requirements) {
        current->device.vk().vkGetBufferMemoryRequirements(device, buffer, requirements);
        useProfile(*requirements, false);
    }
    static VKAPI_ATTR void VKAPI_CALL imageNeeds(VkDevice device, VkImage image,
                                                 VkMemoryRequirements* requirements) {
        current->device.vk().vkGetImageMemoryRequirements(device, image, requirements);
        useProfile(*requirements, true);
    }
    static VKAPI_ATTR void VKAPI_CALL bufferNeeds2(VkDevice device,
                                                   const VkBufferMemoryRequirementsInfo2* info,
                                                   VkMemoryRequirements2* requirements) {
        current->device.vk().vkGetBufferMemoryRequirements2(device, info, requirements);
        useProfile(requirements->memoryRequirements, false);
    }
    static VKAPI_ATTR void VKAPI_CALL imageNeeds2(VkDevice device,
                                                  const VkImageMemoryRequirementsInfo2* info,
                                                  VkMemoryRequirements2* requirements) {
        current->device.vk().vkGetImageMemoryRequirements2(device, info, requirements);
        useProfile(requirements->memoryRequirements, true);
    }
};

thread_local Allocator::Context* Allocator::Context::current = nullptr;

namespace {

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

bool isOutOfMemory(VkResult result) {
    return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
           result == VK_ERROR_TOO_MANY_OBJECTS;
}

const char* placeName(MemoryPlace place) {
    if (place == MemoryPlace::eDevice)
        return "device";
    return place == MemoryPlace::eHost || place == MemoryPlace::eStaging ? "host" : "mapped device";
}

} // namespace

Allocator::Allocator(Device& device)
    : mDevice(device),
      mContext(
          new Context{device,
                      MemoryBudget(device.physical().handle,
                                   device.instance()->table().vkGetPhysicalDeviceMemoryProperties2,
                                   device.plan().hasExtension(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)),
                      mReserved}) {
    const PhysicalDevice& physical = device.physical();
    const Context::Use use(*mContext);
    VmaVulkanFunctions table{};
    VkDeviceSize heapSizes[VK_MAX_MEMORY_HEAPS]{};
    table.vkGetInstanceProcAddr = device.instance()->table().vkGetInstanceProcAddr;
    table.vkGetDeviceProcAddr = device.instance()->table().vkGetDeviceProcAddr;
    table.vkAllocateMemory = Context::allocate;
    table.vkFreeMemory = Context::free;
    table.vkMapMemory = Context::map;
    table.vkGetPhysicalDeviceMemoryProperties2KHR = Context::query;
    table.vkGetPhysicalDeviceProperties = Context::properties;
    if (physical.memoryMap) {
        table.vkGetPhysicalDeviceMemoryProperties = Context::memory;
        table.vkGetBufferMemoryRequirements = Context::bufferNeeds;
        table.vkGetImageMemoryRequirements = Context::imageNeeds;
        table.vkGetBufferMemoryRequirements2KHR = Context::bufferNeeds2;
        table.vkGetImageMemoryRequirements2KHR = Context::imageNeeds2;
    }
    const VmaDeviceMemoryCallbacks callbacks{Context::noteAllocated, Context::noteFreed,
                                             mContext.get()};
    VmaAllocatorCreateInfo info{};
    info.pDeviceMemoryCallbacks = &callbacks;
    info.instance = device.instance()->handle();
    info.physicalDevice = device.physical().handle;
    info.device = device.handle();
    info.pVulkanFunctions = &table;
    info.vulkanApiVersion = std::min<uint32_t>(device.plan().apiVersion, VK_API_VERSION_1_3);
    if (device.instance()->table().vkGetPhysicalDeviceMemoryProperties2) // trim() needs it
        info.flags |= VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT;
    if (device.has(Feature::eBufferDeviceAddress))
        info.flags |= VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT;
    if (physical.memoryMap) {
        // The driver's heaps are larger, and the budget is about them.
        for (uint32_t heap = 0; heap < physical.memory.memoryHeapCount; ++heap)
            heapSizes[heap] = physical.memory.memoryHeaps[heap].size;
        info.pHeapSizeLimit = heapSizes;
        info.flags &= ~VmaAllocatorCreateFlags{VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT};
    }
    device.check(vmaCreateAllocator(&info, &mHandle), "vmaCreateAllocator");
    const VkPhysicalDeviceMemoryProperties& memory = physical.memory;
    for (size_t place = 0; place < kPlaces; ++place) {
        const VmaAllocationCreateInfo wanted = createInfo(static_cast<MemoryPlace>(place));
        uint32_t type = 0;
        if (vmaFindMemoryTypeIndex(mHandle, UINT32_MAX, &wanted, &type) == VK_SUCCESS)
            mKinds[place] = {true, memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size};
    }
}

Allocator::~Allocator() {
    const Context::Use use(*mContext);
    vmaDestroyAllocator(mHandle);
}

void Allocator::fail(VkResult result, MemoryPlace place, uint64_t bytes) const {
    const uint64_t largest = mDevice.physical().maxMemoryAllocationSize;
    if (isOutOfMemory(result) && largest != 0 && bytes > largest)
        throw OutOfMemory(formatted("out of memory: {} bytes of {} memory are over {}'s "
                                    "maxMemoryAllocationSize of {} ({}); use several objects",
                                    bytes, placeName(place), mDevice.name(), largest,
                                    nameOf(result)),
                          result);
    const uint32_t most = mDevice.physical().properties.limits.maxMemoryAllocationCount;
    if (const uint64_t blocks = usage().blocks; isOutOfMemory(result) && blocks >= most)
        throw OutOfMemory(formatted("out of memory: {} bytes of {} memory need an allocation, and "
                                    "{} has {} already, its maxMemoryAllocationCount; use fewer, "
                                    "larger objects",
                                    bytes, placeName(place), mDevice.name(), blocks),
                          result);
    if (isOutOfMemory(result))
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
    const Context::Use use(*mContext);
    const VmaAllocationCreateInfo info = createInfo(place, bytes);
    Allocation allocation;
    VmaAllocationInfo details{};
    VkResult result = allocate(mHandle, object, &info, &allocation.handle, &details);
    if (isOutOfMemory(result) && mDevice.clearBufferPools())
        result = allocate(mHandle, object, &info, &allocation.handle, &details);
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
    const Context::Use use(*mContext);
    vmaFreeMemory(mHandle, allocation.handle);
}

// VulkanMemoryAllocator has no call for it, but frees an empty block of a memory type when
// something of the type is freed while its heap is over the budget.
void Allocator::trim() {
    const std::lock_guard lock(mTrimMutex);
    const Context::Use use(*mContext);
    const auto pretendFull = [&](bool full) {
        mContext->budget.pretendFull(full);
        vmaSetCurrentFrameIndex(mHandle, ++mTrims); // asks for the budget again
    };
    VmaTotalStatistics statistics{};
    vmaCalculateStatistics(mHandle, &statistics);
    pretendFull(true);
    for (uint32_t type = 0; type < mDevice.physical().memory.memoryTypeCount; ++type) {
        if (statistics.memoryType[type].statistics.blockCount == 0)
            continue;
        const VkMemoryRequirements any{1, 1, 1u << type};
        VmaAllocationCreateInfo inBlock{};
        inBlock.flags = VMA_ALLOCATION_CREATE_NEVER_ALLOCATE_BIT;
        inBlock.memoryTypeBits = any.memoryTypeBits;
        VmaAllocation piece = VK_NULL_HANDLE;
        if (vmaAllocateMemory(mHandle, &any, &inBlock, &piece, nullptr) == VK_SUCCESS)
            vmaFreeMemory(mHandle, piece);
    }
    pretendFull(false);
}

std::vector<HeapUsage> Allocator::heaps() {
    const std::lock_guard lock(mTrimMutex);
    const Context::Use use(*mContext);
    mContext->budget.forget();
    vmaSetCurrentFrameIndex(mHandle, ++mTrims); // asks for the budget again
    VmaBudget budgets[VK_MAX_MEMORY_HEAPS]{};
    vmaGetHeapBudgets(mHandle, budgets);
    const VkPhysicalDeviceMemoryProperties& memory = mDevice.physical().memory;
    std::vector<HeapUsage> heaps;
    for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        heaps.push_back({(memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0,
                         memory.memoryHeaps[i].size, budgets[i].budget, budgets[i].usage,
                         budgets[i].statistics.blockBytes});
    return heaps;
}

Allocator::Usage Allocator::usage() const {
    const Context::Use use(*mContext);
    VmaBudget budgets[VK_MAX_MEMORY_HEAPS]{};
    vmaGetHeapBudgets(mHandle, budgets);
    Usage usage;
    for (const VmaBudget& budget : budgets) {
        usage.blockBytes += budget.statistics.blockBytes;
        usage.allocationBytes += budget.statistics.allocationBytes;
        usage.allocations += budget.statistics.allocationCount;
        usage.blocks += budget.statistics.blockCount;
    }
    return usage;
}

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Buffer.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <kompute/Error.hpp>

#include "vulkan/Device.hpp"
#include "vulkan/Result.hpp"
#include "vulkan/Transfer.hpp"

namespace kp::vulkan {
namespace {

std::shared_ptr<ResourceUse> sharedUse(VkDevice device, VkBuffer handle) {
    static std::mutex mutex;
    static std::map<std::pair<VkDevice, VkBuffer>, std::weak_ptr<ResourceUse>> uses;
    const std::lock_guard lock(mutex);
    std::erase_if(uses, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<ResourceUse>& slot = uses[{device, handle}];
    std::shared_ptr<ResourceUse> use = slot.lock();
    if (!use) {
        use = std::make_shared<ResourceUse>();
        slot = use;
    }
    return use;
}

VkBuffer createHandle(Device& device, uint64_t bytes, const void* next) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, next};
    // Fill commands work on whole 32-bit words.
    info.size = (bytes + 3) & ~uint64_t{3};
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (device.has(Feature::eBufferDeviceAddress))
        info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    // Any queue of the device may use it, without handing it over.
    const std::vector<uint32_t>& families = device.families();
    if (families.size() > 1) {
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
        info.queueFamilyIndexCount = static_cast<uint32_t>(families.size());
        info.pQueueFamilyIndices = families.data();
    }
    VkBuffer handle = VK_NULL_HANDLE;
    device.check(device.vk().vkCreateBuffer(device.handle(), &info, nullptr, &handle),
                 "vkCreateBuffer");
    return handle;
}

/// A coherent type among @p types, cached where there is one; VK_MAX_MEMORY_TYPES where none is.
uint32_t hostMemoryType(const Device& device, uint32_t types) {
    constexpr VkMemoryPropertyFlags kCoherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkPhysicalDeviceMemoryProperties& memory = device.physical().memory;
    for (const VkMemoryPropertyFlags wanted :
         {kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kCoherent})
        for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
            if ((types >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
                return i;
    return VK_MAX_MEMORY_TYPES;
}

} // namespace

std::shared_ptr<Buffer> Buffer::create(Device& device, uint64_t bytes, MemoryPlace place) {
    if (bytes == 0)
        throw InvalidArgument("a zero-sized buffer cannot be created");
    const uint64_t limit = device.physical().maxBufferSize;
    if (limit != 0 && bytes > limit)
        throw InvalidArgument("a buffer of " + std::to_string(bytes) + " bytes is over " +
                              device.name() + "'s maxBufferSize of " + std::to_string(limit));
    const uint64_t heap = device.allocator().heapSize(place);
    if (bytes > heap)
        throw OutOfMemory("a buffer of " + std::to_string(bytes) + " bytes does not fit into " +
                          device.name() + "'s memory heap of " + std::to_string(heap) + " bytes");
    device.requireAlive();

    std::shared_ptr<Buffer> buffer(new Buffer(device));
    buffer->mOwned = true;
    buffer->mSize = bytes;
    buffer->mHasHostView = place != MemoryPlace::eDevice;
    buffer->mHandle = createHandle(device, bytes, nullptr);
    if (place == MemoryPlace::eDevice && device.transfer().mapsDeviceMemory(bytes)) {
        try {
            buffer->mAllocation =
                device.allocator().bind(buffer->mHandle, MemoryPlace::eDeviceWritable, bytes);
            return buffer;
        } catch (const OutOfMemory&) { // there may be more of the kind that is not mapped
        }
    }
    buffer->mAllocation = device.allocator().bind(buffer->mHandle, place, bytes);
    return buffer;
}

std::shared_ptr<Buffer> Buffer::importHost(Device& device, void* memory, uint64_t bytes) {
    const VolkDeviceTable& vk = device.vk();
    if (!device.plan().hasExtension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) ||
        !vk.vkGetMemoryHostPointerPropertiesEXT)
        throw Unsupported(device.name() + " has no " VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    device.requireAlive();
    constexpr VkExternalMemoryHandleTypeFlagBits kKind =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const auto taken = [&](VkResult result, const char* what) {
        // What a driver says of memory that it cannot pin (a file, pages that may not be written)
        // is not an error of ours. NVIDIA's calls it a want of memory.
        if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
            throw Unsupported("the driver does not import this host memory (" + std::string(what) +
                              ": " + nameOf(result) + ")");
        device.check(result, what);
    };
    VkMemoryHostPointerPropertiesEXT pointer{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    taken(vk.vkGetMemoryHostPointerPropertiesEXT(device.handle(), kKind, memory, &pointer),
          "vkGetMemoryHostPointerPropertiesEXT");

    std::shared_ptr<Buffer> buffer(new Buffer(device));
    buffer->mOwned = true;
    buffer->mSize = bytes;
    VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    external.handleTypes = kKind;
    buffer->mHandle = createHandle(device, bytes, &external);
    VkMemoryRequirements requirements{};
    vk.vkGetBufferMemoryRequirements(device.handle(), buffer->mHandle, &requirements);

    VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
    import.handleType = kKind;
    import.pHostPointer = memory;
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import};
    info.allocationSize = bytes;
    info.memoryTypeIndex =
        hostMemoryType(device, pointer.memoryTypeBits & requirements.memoryTypeBits);
    if (info.memoryTypeIndex == VK_MAX_MEMORY_TYPES || requirements.size > bytes)
        throw Unsupported(device.name() + " cannot use this host memory for a buffer");
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    if (device.has(Feature::eBufferDeviceAddress)) {
        flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
        import.pNext = &flags;
    }
    VkDeviceMemory imported = VK_NULL_HANDLE;
    taken(vk.vkAllocateMemory(device.handle(), &info, nullptr, &imported), "importing host memory");
    buffer->mImported = imported;
    device.check(vk.vkBindBufferMemory(device.handle(), buffer->mHandle, buffer->mImported, 0),
                 "vkBindBufferMemory");
    return buffer;
}

std::shared_ptr<Buffer> Buffer::wrap(Device& device, VkBuffer handle, uint64_t offset,
                                     uint64_t bytes) {
    if (handle == VK_NULL_HANDLE)
        throw InvalidArgument("the VkBuffer to wrap is VK_NULL_HANDLE");
    if (bytes == 0)
        throw InvalidArgument("a zero-sized range of a buffer cannot be wrapped");
    const uint64_t alignment = device.physical().properties.limits.minStorageBufferOffsetAlignment;
    if (alignment != 0 && offset % alignment != 0)
        throw InvalidArgument("offset " + std::to_string(offset) +
                              " into the wrapped buffer is not a "
                              "multiple of the device's minStorageBufferOffsetAlignment of " +
                              std::to_string(alignment));
    std::shared_ptr<Buffer> buffer(new Buffer(device));
    buffer->mHandle = handle;
    buffer->mOffset = offset;
    buffer->mSize = bytes;
    buffer->shareUse(sharedUse(device.handle(), handle));
    return buffer;
}

Buffer::~Buffer() {
    if (!mOwned || !mHandle)
        return;
    retire([device = &mDevice, handle = mHandle, allocation = mAllocation, imported = mImported] {
        const VolkDeviceTable& vk = device->vk();
        vk.vkDestroyBuffer(device->handle(), handle, nullptr);
        if (allocation.handle)
            device->allocator().free(allocation);
        if (imported)
            vk.vkFreeMemory(device->handle(), imported, nullptr);
    });
}

uint64_t Buffer::deviceAddress() const {
    if (!mDevice.has(Feature::eBufferDeviceAddress))
        return 0;
    const VolkDeviceTable& vk = mDevice.vk();
    const PFN_vkGetBufferDeviceAddress get =
        vk.vkGetBufferDeviceAddress ? vk.vkGetBufferDeviceAddress : vk.vkGetBufferDeviceAddressKHR;
    if (!get)
        return 0;
    VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    info.buffer = mHandle;
    return get(mDevice.handle(), &info) + mOffset;
}

} // namespace kp::vulkan

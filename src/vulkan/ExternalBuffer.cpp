// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Buffer.hpp"

#include <string>
#include <utility>

#ifdef __unix__
#include <unistd.h>
#endif

#include <kompute/Error.hpp>

#include "vulkan/Device.hpp"
#include "vulkan/HostPages.hpp"
#include "vulkan/Result.hpp"

// Memory that does not come from the allocator: the caller's, another device's, and memory that
// others shall open.

namespace kp::vulkan {
namespace {

constexpr VkExternalMemoryHandleTypeFlagBits kHostKind =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
constexpr VkExternalMemoryHandleTypeFlagBits kFdKind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

/// The first type among @p types with all of @p wanted; VK_MAX_MEMORY_TYPES where none is.
uint32_t memoryType(const Device& device, uint32_t types, VkMemoryPropertyFlags wanted) {
    const VkPhysicalDeviceMemoryProperties& memory = device.physical().memory;
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((types >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return VK_MAX_MEMORY_TYPES;
}

/// A coherent type, cached where there is one.
uint32_t hostMemoryType(const Device& device, uint32_t types) {
    constexpr VkMemoryPropertyFlags kCoherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const uint32_t cached =
        memoryType(device, types, kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    return cached != VK_MAX_MEMORY_TYPES ? cached : memoryType(device, types, kCoherent);
}

void requireFileDescriptors(const Device& device) {
    if (!device.plan().hasExtension(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) ||
        !device.vk().vkGetMemoryFdKHR)
        throw Unsupported(device.name() + " has no " VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    device.requireAlive();
}

VkExternalMemoryBufferCreateInfo externalInfo(VkExternalMemoryHandleTypeFlagBits kind) {
    VkExternalMemoryBufferCreateInfo info{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    info.handleTypes = kind;
    return info;
}

} // namespace

VkResult Buffer::allocateOwn(uint64_t bytes, uint32_t type, const void* next) {
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, next};
    if (mDevice.has(Feature::eBufferDeviceAddress)) {
        flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
        next = &flags;
    }
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next};
    info.allocationSize = bytes;
    info.memoryTypeIndex = type;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const VkResult result =
        mDevice.vk().vkAllocateMemory(mDevice.handle(), &info, nullptr, &memory);
    if (result == VK_SUCCESS)
        mMemory = memory;
    return result;
}

void Buffer::bindOwn(uint64_t offset) {
    mDevice.check(mDevice.vk().vkBindBufferMemory(mDevice.handle(), mHandle, mMemory, offset),
                  "vkBindBufferMemory");
}

VkMemoryRequirements Buffer::requirements() const {
    VkMemoryRequirements requirements{};
    mDevice.vk().vkGetBufferMemoryRequirements(mDevice.handle(), mHandle, &requirements);
    return requirements;
}

std::shared_ptr<Buffer> Buffer::importHost(Device& device, void* memory, uint64_t bytes) {
    const VolkDeviceTable& vk = device.vk();
    if (!device.plan().hasExtension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) ||
        !vk.vkGetMemoryHostPointerPropertiesEXT)
        throw Unsupported(device.name() + " has no " VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    device.requireAlive();
    const auto taken = [&](VkResult result, const char* what) {
        // What a driver says of memory that it cannot pin (a file, pages that may not be written)
        // is not an error of ours. NVIDIA's calls it a want of memory.
        if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
            throw Unsupported("the driver does not import this host memory (" + std::string(what) +
                              ": " + nameOf(result) + ")");
        device.check(result, what);
    };
    VkMemoryHostPointerPropertiesEXT pointer{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    taken(vk.vkGetMemoryHostPointerPropertiesEXT(device.handle(), kHostKind, memory, &pointer),
          "vkGetMemoryHostPointerPropertiesEXT");

    std::shared_ptr<Buffer> buffer(new Buffer(device));
    buffer->mOwned = true;
    buffer->mPadded = true;
    buffer->mSize = bytes;
    const VkExternalMemoryBufferCreateInfo external = externalInfo(kHostKind);
    buffer->mHandle = createHandle(device, bytes, &external);
    const VkMemoryRequirements requirements = buffer->requirements();
    const uint32_t type =
        hostMemoryType(device, pointer.memoryTypeBits & requirements.memoryTypeBits);
    if (type == VK_MAX_MEMORY_TYPES || requirements.size > bytes)
        throw Unsupported(device.name() + " cannot use this host memory for a buffer");
    VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
    import.handleType = kHostKind;
    import.pHostPointer = memory;
    taken(buffer->allocateOwn(bytes, type, &import), "importing host memory");
    buffer->bindOwn(0);
    return buffer;
}

std::shared_ptr<Buffer> Buffer::overHost(Device& device, void* memory, uint64_t bytes,
                                         std::shared_ptr<void> owner) {
    const auto address = reinterpret_cast<uintptr_t>(memory);
    const uint64_t unit = device.physical().importedHostPointerAlignment;
    if (unit > kPageBytes)
        throw Unsupported(device.name() + " imports host memory in units of " +
                          std::to_string(unit) + " bytes only, more than a page");
    const uint64_t inPage = address % kPageBytes;
    const uint64_t alignment = device.physical().properties.limits.minStorageBufferOffsetAlignment;
    if (alignment != 0 && inPage % alignment != 0)
        throw InvalidArgument("host memory for a tensor must lie at a multiple of " +
                              device.name() + "'s minStorageBufferOffsetAlignment of " +
                              std::to_string(alignment) + " bytes; it is " +
                              std::to_string(inPage % alignment) + " bytes behind one");
    const uint64_t pages = (inPage + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    const std::shared_ptr<Buffer> buffer =
        importHost(device, reinterpret_cast<void*>(address - inPage), pages);
    buffer->mOffset = inPage;
    buffer->mSize = bytes;
    buffer->mPadded = false; // what follows in the page is not the caller's
    buffer->mHasHostView = true;
    buffer->mOwner = std::move(owner);
    buffer->mAllocation.mapped = memory;
    buffer->mAllocation.cached = true;
    return buffer;
}

std::shared_ptr<Buffer> Buffer::createExportable(Device& device, uint64_t bytes) {
    requireFileDescriptors(device);
    std::shared_ptr<Buffer> buffer(new Buffer(device));
    buffer->mOwned = true;
    buffer->mPadded = true;
    buffer->mSize = bytes;
    const VkExternalMemoryBufferCreateInfo external = externalInfo(kFdKind);
    buffer->mHandle = createHandle(device, bytes, &external);
    const VkMemoryRequirements requirements = buffer->requirements();
    buffer->mMemoryBytes = requirements.size;
    buffer->mMemoryType =
        memoryType(device, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (buffer->mMemoryType == VK_MAX_MEMORY_TYPES)
        throw Unsupported(device.name() + " has no device memory that can be exported");
    VkExportMemoryAllocateInfo info{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    info.handleTypes = kFdKind;
    device.check(buffer->allocateOwn(buffer->mMemoryBytes, buffer->mMemoryType, &info),
                 "allocating memory to export");
    buffer->bindOwn(0);
    return buffer;
}

ExternalMemory Buffer::exportMemory() const {
    if (mMemoryBytes == 0)
        throw InvalidArgument("this memory cannot be exported; make the tensor as one that can be");
    VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
    info.memory = mMemory;
    info.handleType = kFdKind;
    ExternalMemory exported{-1, mMemoryBytes, mMemoryType, 0};
    mDevice.check(mDevice.vk().vkGetMemoryFdKHR(mDevice.handle(), &info, &exported.fd),
                  "vkGetMemoryFdKHR");
    return exported;
}

std::shared_ptr<Buffer> Buffer::importMemory(Device& device, const ExternalMemory& memory,
                                             uint64_t bytes) {
    requireFileDescriptors(device);
    if (memory.offset > memory.allocationBytes || bytes > memory.allocationBytes - memory.offset)
        throw InvalidArgument(std::to_string(bytes) + " bytes at offset " +
                              std::to_string(memory.offset) +
                              " do not fit into external memory of " +
                              std::to_string(memory.allocationBytes) + " bytes");
    std::shared_ptr<Buffer> buffer(new Buffer(device));
    buffer->mOwned = true;
    buffer->mSize = bytes;
    const VkExternalMemoryBufferCreateInfo external = externalInfo(kFdKind);
    buffer->mHandle = createHandle(device, bytes, &external);
    const VkMemoryRequirements requirements = buffer->requirements();
    const uint32_t type =
        memory.memoryType != ExternalMemory::kAnyType
            ? memory.memoryType
            : memoryType(device, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type >= VK_MAX_MEMORY_TYPES || (requirements.memoryTypeBits >> type & 1) == 0)
        throw InvalidArgument(device.name() + " cannot bind a buffer to memory of type " +
                              std::to_string(type));
    if (memory.offset % requirements.alignment != 0)
        throw InvalidArgument("offset " + std::to_string(memory.offset) +
                              " into external memory is no multiple of the buffer's alignment of " +
                              std::to_string(requirements.alignment));
    if (memory.offset + requirements.size > memory.allocationBytes)
        throw InvalidArgument("a buffer of " + std::to_string(requirements.size) +
                              " bytes does not fit into external memory of " +
                              std::to_string(memory.allocationBytes) + " bytes at offset " +
                              std::to_string(memory.offset));
    // A successful import takes the descriptor over; the caller keeps its own.
    VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
    import.handleType = kFdKind;
#ifdef __unix__
    import.fd = dup(memory.fd);
    if (import.fd < 0)
        throw InvalidArgument("file descriptor " + std::to_string(memory.fd) +
                              " of external memory is not open");
#endif
    const VkResult result = buffer->allocateOwn(memory.allocationBytes, type, &import);
#ifdef __unix__
    if (result < 0)
        close(import.fd);
#endif
    if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE)
        throw InvalidArgument("file descriptor " + std::to_string(memory.fd) +
                              " is not memory that " + device.name() + " can open");
    device.check(result, "importing external memory");
    buffer->bindOwn(memory.offset);
    return buffer;
}

} // namespace kp::vulkan

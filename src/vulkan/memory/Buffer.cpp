// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/WrittenMemory.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/Result.hpp"
#include "vulkan/memory/ExternalHandle.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::vulkan {
namespace {

std::shared_ptr<ResourceUse> sharedUse(VkDevice device, VkBuffer handle) {
    static auto& mutex = *new std::mutex;
    static auto& uses = *new std::map<std::pair<VkDevice, VkBuffer>, std::weak_ptr<ResourceUse>>;
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

/// The buffers of the library whose handles a program has, by handle.
class GivenBuffers {
public:
    void add(const std::shared_ptr<Buffer>& buffer) {
        const std::lock_guard lock(mMutex);
        mBuffers[{buffer->device().handle(), buffer->handle()}] = buffer;
        if (mBuffers.size() < mSweepAt)
            return;
        std::erase_if(mBuffers, [](const auto& entry) { return entry.second.expired(); });
        mSweepAt = 2 * mBuffers.size() + 16;
    }
    std::shared_ptr<Buffer> find(VkDevice device, VkBuffer handle) const {
        const std::lock_guard lock(mMutex);
        const auto found = mBuffers.find({device, handle});
        return found == mBuffers.end() ? nullptr : found->second.lock();
    }

private:
    mutable std::mutex mMutex;
    std::map<std::pair<VkDevice, VkBuffer>, std::weak_ptr<Buffer>> mBuffers;
    size_t mSweepAt = 16;
};

/// Never destroyed, because buffers may outlive static objects.
GivenBuffers& givenBuffers() {
    static auto& given = *new GivenBuffers;
    return given;
}

constexpr VkExternalMemoryHandleTypeFlagBits kHostKind =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

/// Returns the driver's first type among @p types with all properties, or VK_MAX_MEMORY_TYPES.
uint32_t memoryType(const Device& device, uint32_t types, VkMemoryPropertyFlags properties) {
    const VkPhysicalDeviceMemoryProperties& memory = device.physical().driverMemory();
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((types >> i & 1) != 0 &&
            (memory.memoryTypes[i].propertyFlags & properties) == properties)
            return i;
    return VK_MAX_MEMORY_TYPES;
}

/// Returns a coherent type, cached if there is one.
uint32_t hostMemoryType(const Device& device, uint32_t types) {
    constexpr VkMemoryPropertyFlags kCoherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const uint32_t cached =
        memoryType(device, types, kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    return cached != VK_MAX_MEMORY_TYPES ? cached : memoryType(device, types, kCoherent);
}

void requireExtension(const Device& device, const char* name, bool loaded) {
    if (!device.plan().hasExtension(name) || !loaded)
        fail<Unsupported>("{} has no {}", device.name(), name);
    device.requireAlive();
}

/// Reports memory that a driver cannot pin (a mapped file, read-only pages) as Unsupported.
/// NVIDIA's driver calls that out of memory.
void checkHostImport(const Device& device, VkResult result, const char* what) {
    if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
        fail<Unsupported>("the driver of {} does not import this host memory ({}: {}); copy it to "
                          "ordinary writable memory first",
                          device.name(), what, nameOf(result));
    device.check(result, what);
}

} // namespace

void Buffer::createHandle(const void* next) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, next};
    info.size = wholeWords(mSize);
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (mDevice.has(Feature::eBufferDeviceAddress))
        info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    shareBetween(mDevice.families(), info);
    mDevice.check(mDevice.vk().vkCreateBuffer(mDevice.handle(), &info, nullptr, &mHandle),
                  "vkCreateBuffer");
}

std::shared_ptr<Buffer> Buffer::create(Device& device, uint64_t bytes, MemoryPlace place) {
    return create(device, bytes, place, device.bufferPool());
}

std::shared_ptr<Buffer> Buffer::createScratch(Device& device, uint64_t bytes) {
    return create(device, BufferPool::scratchBytes(bytes), MemoryPlace::eDevice,
                  device.scratchPool());
}

std::shared_ptr<Buffer> Buffer::create(Device& device, uint64_t bytes, MemoryPlace place,
                                       BufferPool& pool) {
    if (bytes == 0)
        throw InvalidArgument("a zero-sized buffer cannot be created");
    const uint64_t limit = device.physical().maxBufferSize;
    if (limit != 0 && bytes > limit)
        fail<InvalidArgument>("a buffer of {} bytes is over {}'s maxBufferSize of {}", bytes,
                              device.name(), limit);
    const uint64_t heap = device.allocator().heapSize(place);
    if (bytes > heap)
        fail<OutOfMemory>("a buffer of {} bytes does not fit into {}'s memory heap of {} bytes",
                          bytes, device.name(), heap);
    device.requireAlive();

    const auto buffer = std::make_shared<Buffer>(Key{}, device);
    buffer->mOwned = true;
    buffer->mSize = bytes;
    buffer->mPadded = true;
    buffer->mHasHostView = place != MemoryPlace::eDevice;
    buffer->mKind = {place, wholeWords(bytes)};
    if (pool.keeps(buffer->mKind)) {
        buffer->mPool = &pool;
        if (const std::optional<BufferPool::Idle> idle = pool.take(buffer->mKind)) {
            buffer->mHandle = idle->handle;
            buffer->mAllocation = idle->allocation;
            return buffer;
        }
    }
    buffer->createHandle(nullptr);
    if (place == MemoryPlace::eDevice && device.transfer().mapsDeviceMemory(bytes)) {
        try {
            buffer->mAllocation =
                device.allocator().bind(buffer->mHandle, MemoryPlace::eDeviceWritable, bytes);
            return buffer;
        } catch (const OutOfMemory&) { // there may be more unmapped memory
        }
    }
    buffer->mAllocation = device.allocator().bind(buffer->mHandle, place, bytes);
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
        fail<InvalidArgument>("offset {} into the wrapped buffer is not a multiple of the device's "
                              "minStorageBufferOffsetAlignment of {}",
                              offset, alignment);
    VkMemoryRequirements requirements{}; // Vulkan does not tell the size of a buffer itself
    device.vk().vkGetBufferMemoryRequirements(device.handle(), handle, &requirements);
    if (offset > requirements.size || bytes > requirements.size - offset)
        fail<InvalidArgument>(
            "{} bytes at offset {} do not fit into the buffer to wrap, which has at "
            "most {}",
            bytes, offset, requirements.size);
    const auto buffer = std::make_shared<Buffer>(Key{}, device);
    buffer->mHandle = handle;
    buffer->mOffset = offset;
    buffer->mSize = bytes;
    if (const std::shared_ptr<Buffer> given = givenBuffers().find(device.handle(), handle))
        buffer->shareUseOf(given);
    else
        buffer->shareUse(sharedUse(device.handle(), handle));
    return buffer;
}

void Buffer::noteGiven(const std::shared_ptr<Buffer>& buffer) {
    if (buffer->wrapped())
        return;
    buffer->noteViews();
    givenBuffers().add(buffer);
}

/// A buffer that is being built.
struct Buffer::External {
    Device& device;
    std::shared_ptr<Buffer> buffer;
    VkMemoryRequirements requirements{};

    External(Device& owner, uint64_t bytes, VkExternalMemoryHandleTypeFlagBits kind)
        : device(owner) {
        VkExternalMemoryBufferCreateInfo info{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
        info.handleTypes = kind;
        buffer = std::make_shared<Buffer>(Key{}, device);
        buffer->mOwned = true;
        buffer->mSize = bytes;
        buffer->createHandle(&info);
        device.vk().vkGetBufferMemoryRequirements(device.handle(), buffer->mHandle, &requirements);
        buffer->mHandleKind = kind;
        buffer->mAlignment = requirements.alignment;
    }

    /// @param next  pNext of VkMemoryAllocateInfo
    VkResult allocate(uint64_t bytes, uint32_t type, const void* next) const {
        VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, next};
        if (device.has(Feature::eBufferDeviceAddress)) {
            flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
            next = &flags;
        }
        VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next};
        info.allocationSize = bytes;
        info.memoryTypeIndex = type;
        VkDeviceMemory memory = VK_NULL_HANDLE;
        const VkResult result =
            device.vk().vkAllocateMemory(device.handle(), &info, nullptr, &memory);
        if (result == VK_SUCCESS)
            buffer->mMemory = memory;
        return result;
    }

    void bind(uint64_t offset) const {
        device.check(device.vk().vkBindBufferMemory(device.handle(), buffer->mHandle,
                                                    buffer->mMemory, offset),
                     "vkBindBufferMemory");
    }
};

std::shared_ptr<Buffer> Buffer::importHost(Device& device, void* memory, uint64_t bytes) {
    const VolkDeviceTable& vk = device.vk();
    requireExtension(device, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
                     vk.vkGetMemoryHostPointerPropertiesEXT);
    VkMemoryHostPointerPropertiesEXT pointer{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    checkHostImport(
        device,
        vk.vkGetMemoryHostPointerPropertiesEXT(device.handle(), kHostKind, memory, &pointer),
        "vkGetMemoryHostPointerPropertiesEXT");

    const External parts(device, bytes, kHostKind);
    parts.buffer->mPadded = true;
    const uint32_t type =
        hostMemoryType(device, pointer.memoryTypeBits & parts.requirements.memoryTypeBits);
    if (type == VK_MAX_MEMORY_TYPES || parts.requirements.size > bytes)
        fail<Unsupported>("{} cannot use this host memory for a buffer", device.name());
    VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
    import.handleType = kHostKind;
    import.pHostPointer = memory;
    checkHostImport(device, parts.allocate(bytes, type, &import), "importing host memory");
    parts.bind(0);
    return parts.buffer;
}

std::shared_ptr<Buffer> Buffer::importHostView(Device& device, void* memory, uint64_t bytes,
                                               std::shared_ptr<void> owner) {
    const auto address = reinterpret_cast<uintptr_t>(memory);
    const uint64_t unit = device.physical().importedHostPointerAlignment;
    if (unit > kPageBytes)
        fail<Unsupported>("{} imports host memory only in units of {} bytes, more than a page",
                          device.name(), unit);
    const uint64_t inPage = address % kPageBytes;
    const uint64_t alignment = device.physical().properties.limits.minStorageBufferOffsetAlignment;
    if (alignment != 0 && inPage % alignment != 0)
        fail<InvalidArgument>("host memory for a tensor must lie at a multiple of {}'s "
                              "minStorageBufferOffsetAlignment of {} bytes; it is {} bytes behind "
                              "one",
                              device.name(), alignment, inPage % alignment);
    const uint64_t pages = (inPage + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    const std::shared_ptr<Buffer> buffer =
        importHost(device, reinterpret_cast<void*>(address - inPage), pages);
    buffer->mOffset = inPage;
    buffer->mSize = bytes;
    buffer->mPadded = false; // the rest of the page is not the caller's
    buffer->mHasHostView = true;
    buffer->mOwner = std::move(owner);
    buffer->mAllocation.mapped = memory;
    buffer->mAllocation.cached = true;
    return buffer;
}

std::shared_ptr<Buffer> Buffer::createExportable(Device& device, uint64_t bytes) {
    requireExtension(device, kExternalMemoryExtension, sharesMemory(device));
    const External parts(device, bytes, kExternalMemoryKind);
    Buffer& buffer = *parts.buffer;
    buffer.mPadded = true;
    buffer.mMemoryBytes = parts.requirements.size;
    buffer.mMemoryType =
        memoryType(device, parts.requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (buffer.mMemoryType == VK_MAX_MEMORY_TYPES)
        fail<Unsupported>("{} has no device memory that can be exported", device.name());
    VkExportMemoryAllocateInfo info{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    info.handleTypes = kExternalMemoryKind;
    device.check(parts.allocate(buffer.mMemoryBytes, buffer.mMemoryType, &info),
                 "allocating memory to export");
    parts.bind(0);
    return parts.buffer;
}

ExternalMemory Buffer::exportMemory(const Buffer& buffer) {
    if (buffer.mMemoryBytes == 0)
        throw InvalidArgument("this memory cannot be exported; create the tensor as exportable");
    const Device& device = buffer.device();
    ExternalMemory exported;
    exported.allocationBytes = buffer.mMemoryBytes;
    exported.memoryType = buffer.mMemoryType;
    exportHandle(device, buffer.mMemory, exported);
    return exported;
}

std::shared_ptr<Buffer> Buffer::importMemory(Device& device, const ExternalMemory& memory,
                                             uint64_t bytes) {
    requireExtension(device, kExternalMemoryExtension, sharesMemory(device));
    if (memory.offset > memory.allocationBytes || bytes > memory.allocationBytes - memory.offset)
        fail<InvalidArgument>("{} bytes at offset {} do not fit into external memory of {} bytes",
                              bytes, memory.offset, memory.allocationBytes);
    const External parts(device, bytes, kExternalMemoryKind);
    const VkMemoryRequirements& requirements = parts.requirements;
    const uint32_t type =
        memory.memoryType != ExternalMemory::kAnyType
            ? memory.memoryType
            : memoryType(device, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type >= VK_MAX_MEMORY_TYPES || (requirements.memoryTypeBits >> type & 1) == 0)
        fail<InvalidArgument>("{} cannot bind a buffer to memory of type {}", device.name(), type);
    if (memory.offset % requirements.alignment != 0)
        fail<InvalidArgument>("offset {} into external memory is not a multiple of the buffer's "
                              "alignment of {}",
                              memory.offset, requirements.alignment);
    if (memory.offset + requirements.size > memory.allocationBytes)
        fail<InvalidArgument>("a buffer of {} bytes at offset {} does not fit into external memory "
                              "of {} bytes",
                              requirements.size, memory.offset, memory.allocationBytes);
    MemoryImport import(memory);
    const VkResult result = parts.allocate(memory.allocationBytes, type, import.info());
    if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE)
        fail<InvalidArgument>("{} is not memory that {} can open", describeHandle(memory),
                              device.name());
    device.check(result, "importing external memory");
    import.succeeded();
    parts.bind(memory.offset);
    return parts.buffer;
}

std::shared_ptr<Buffer> Buffer::part(const std::shared_ptr<Buffer>& whole, uint64_t offset,
                                     uint64_t bytes, std::shared_ptr<void> owner,
                                     std::shared_ptr<ResourceUse> use, bool padded) {
    struct Owners {
        std::shared_ptr<Buffer> whole; // declared first, so destroyed last
        std::shared_ptr<void> owner;
    };
    if (bytes == 0 || offset > whole->mSize || bytes > whole->mSize - offset)
        fail<InvalidArgument>("{} bytes at offset {} are not a part of memory of {} bytes", bytes,
                              offset, whole->mSize);
    const External parts(whole->mDevice, bytes,
                         static_cast<VkExternalMemoryHandleTypeFlagBits>(whole->mHandleKind));
    const VkMemoryRequirements& requirements = parts.requirements;
    if (offset % requirements.alignment != 0)
        fail<InvalidArgument>("offset {} into shared memory is not a multiple of {} bytes, which "
                              "{} requires of a buffer",
                              offset, requirements.alignment, whole->mDevice.name());
    Buffer& buffer = *parts.buffer;
    // The driver may ask for more bytes than the buffer has; the memory ends where it ends.
    if (offset + requirements.size > whole->mSize)
        fail<InvalidArgument>(
            "a buffer of {} bytes at offset {} does not fit into shared memory of "
            "{} bytes",
            requirements.size, offset, whole->mSize);
    whole->mDevice.check(whole->mDevice.vk().vkBindBufferMemory(
                             whole->mDevice.handle(), buffer.mHandle, whole->mMemory, offset),
                         "vkBindBufferMemory");
    buffer.shareUse(std::move(use));
    buffer.mPadded = padded;
    buffer.mOwner = std::make_shared<Owners>(Owners{whole, std::move(owner)});
    return parts.buffer;
}

Buffer::~Buffer() {
    if (!mOwned || !mHandle)
        return;
    std::shared_ptr<Buffer> written = WrittenMemory::forget(*this);
    if (mPool && mAllocation.handle) {
        deferDeletion([pool = mPool, kind = mKind, handle = mHandle, allocation = mAllocation,
                       written = std::move(written)] {
            pool->give(kind, {handle, allocation});
        });
        return;
    }
    deferDeletion([device = &mDevice, handle = mHandle, allocation = mAllocation, memory = mMemory,
                   owner = std::move(mOwner), written = std::move(written)] {
        const VolkDeviceTable& vk = device->vk();
        vk.vkDestroyBuffer(device->handle(), handle, nullptr);
        if (allocation.handle)
            device->allocator().free(allocation);
        if (memory)
            vk.vkFreeMemory(device->handle(), memory, nullptr);
    });
}

uint64_t Buffer::deviceAddress() const {
    const PFN_vkGetBufferDeviceAddress get = mDevice.vk().vkGetBufferDeviceAddress;
    if (!get || !mDevice.has(Feature::eBufferDeviceAddress))
        return 0;
    VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    info.buffer = mHandle;
    return get(mDevice.handle(), &info) + mOffset;
}

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/Buffer.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/transfer/Transfer.hpp"

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

} // namespace

std::shared_ptr<Buffer> Buffer::createUnbound(Device& device, uint64_t bytes, const void* next) {
    std::shared_ptr<Buffer> buffer(new Buffer(device));
    buffer->mOwned = true;
    buffer->mSize = bytes;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, next};
    // Fill commands work on whole 32-bit words.
    info.size = (bytes + 3) & ~uint64_t{3};
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (device.has(Feature::eBufferDeviceAddress))
        info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    // Any queue of the device may use it without an ownership transfer.
    const std::vector<uint32_t>& families = device.families();
    if (families.size() > 1) {
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
        info.queueFamilyIndexCount = static_cast<uint32_t>(families.size());
        info.pQueueFamilyIndices = families.data();
    }
    device.check(device.vk().vkCreateBuffer(device.handle(), &info, nullptr, &buffer->mHandle),
                 "vkCreateBuffer");
    return buffer;
}

std::shared_ptr<Buffer> Buffer::create(Device& device, uint64_t bytes, MemoryPlace place) {
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

    std::shared_ptr<Buffer> buffer = createUnbound(device, bytes, nullptr);
    buffer->mPadded = true;
    buffer->mHasHostView = place != MemoryPlace::eDevice;
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
    deferDeletion([device = &mDevice, handle = mHandle, allocation = mAllocation, memory = mMemory,
                   owner = std::move(mOwner)] {
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

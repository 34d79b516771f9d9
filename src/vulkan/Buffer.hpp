// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "vulkan/Allocator.hpp"
#include "vulkan/Resource.hpp"

namespace kp::vulkan {

/// A VkBuffer with its memory, or a range of a host application's VkBuffer. Usable as storage,
/// uniform, indirect and transfer buffer. Its destruction never waits for the device.
class Buffer final : public Resource {
public:
    /// @throws InvalidArgument for 0 bytes or more than the device's maxBufferSize,
    ///         OutOfMemory where there is no room
    static std::shared_ptr<Buffer> create(Device& device, uint64_t bytes, MemoryPlace place);

    /// A range of a buffer that the host application owns and keeps alive. All wraps of one
    /// VkBuffer share one record of uses, so that overlapping ranges are ordered.
    /// @throws InvalidArgument where the offset is not a multiple of the device's
    ///         minStorageBufferOffsetAlignment
    static std::shared_ptr<Buffer> wrap(Device& device, VkBuffer handle, uint64_t offset,
                                        uint64_t bytes);

    /// Host memory of the caller that the device reaches directly. It must stay as it is until the
    /// buffer is gone.
    /// @param memory  address and @p bytes are multiples of the device's
    ///                importedHostPointerAlignment
    /// @throws Unsupported where the device or its driver does not take this memory (reasons say
    ///         why), OutOfMemory
    static std::shared_ptr<Buffer> importHost(Device& device, void* memory, uint64_t bytes);
    ~Buffer() override;

    VkBuffer handle() const { return mHandle; }
    uint64_t offset() const { return mOffset; } ///< 0 unless wrapped
    uint64_t size() const { return mSize; }     ///< bytes
    /// Bytes a fill command may cover: size() rounded up to 4 where the library made the buffer.
    uint64_t fillSize() const { return mOwned ? (mSize + 3) & ~uint64_t{3} : mSize; }
    /// The host view; null for MemoryPlace::eDevice.
    void* mapped() const { return mHasHostView ? mAllocation.mapped : nullptr; }
    /// Device memory as the host may write it, also where there is no host view; null where it is
    /// not mapped. Only for reading where hostReadable().
    void* hostWritable() const { return mAllocation.mapped; }
    bool hostReadable() const { return mAllocation.mapped && (mHasHostView || mAllocation.cached); }
    bool wrapped() const { return mHandle && !mOwned; }
    /// Address for shaders with buffer references; 0 where the device has none.
    uint64_t deviceAddress() const;

private:
    using Resource::Resource;

    VkBuffer mHandle = VK_NULL_HANDLE;
    uint64_t mOffset = 0;
    uint64_t mSize = 0;
    bool mOwned = false;
    bool mHasHostView = false;
    Allocation mAllocation;
    VkDeviceMemory mImported = VK_NULL_HANDLE;
};

} // namespace kp::vulkan

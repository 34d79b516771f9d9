// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "vulkan/memory/Allocator.hpp"
#include "vulkan/memory/Resource.hpp"

namespace kp::vulkan {

/// A VkBuffer with its memory, or a range of a host application's VkBuffer. Usable as a storage,
/// uniform, indirect and transfer buffer. Destruction never waits for the device. ExternalBuffer
/// makes buffers on memory that does not come from the allocator.
class Buffer final : public Resource {
public:
    /// @throws InvalidArgument for 0 bytes or more than the device's maxBufferSize, OutOfMemory
    static std::shared_ptr<Buffer> create(Device& device, uint64_t bytes, MemoryPlace place);

    /// Wraps a range of a buffer that the host application owns and keeps alive. All wraps of one
    /// VkBuffer share one ResourceUse, so that overlapping ranges are ordered.
    /// @throws InvalidArgument if the offset is not a multiple of the device's
    ///         minStorageBufferOffsetAlignment
    static std::shared_ptr<Buffer> wrap(Device& device, VkBuffer handle, uint64_t offset,
                                        uint64_t bytes);

    ~Buffer() override;

    VkBuffer handle() const { return mHandle; }
    uint64_t offset() const { return mOffset; } ///< 0 unless wrapped or a view of host memory
    uint64_t size() const { return mSize; }     ///< bytes
    /// Bytes that a fill command may cover: size(), rounded up to 4 if the library owns the memory.
    uint64_t fillSize() const { return mPadded ? (mSize + 3) & ~uint64_t{3} : mSize; }
    /// The host view; null for MemoryPlace::eDevice.
    void* mapped() const { return mHasHostView ? mAllocation.mapped : nullptr; }
    /// The mapped memory, even without a host view; null if it is not mapped. Read it only if
    /// hostReadable().
    void* hostWritable() const { return mAllocation.mapped; }
    bool hostReadable() const { return mAllocation.mapped && (mHasHostView || mAllocation.cached); }
    bool wrapped() const { return mHandle && !mOwned; }
    /// Address for shaders with buffer references; 0 if the device does not support them.
    uint64_t deviceAddress() const;

private:
    friend class ExternalBuffer;

    using Resource::Resource;

    /// An owned VkBuffer without memory. @param next  pNext of VkBufferCreateInfo
    static std::shared_ptr<Buffer> createUnbound(Device& device, uint64_t bytes, const void* next);

    VkBuffer mHandle = VK_NULL_HANDLE;
    uint64_t mOffset = 0;
    uint64_t mSize = 0;
    bool mOwned = false;
    bool mPadded = false; ///< the library owns whole 4-byte words
    bool mHasHostView = false;
    Allocation mAllocation;
    // Of external buffers only.
    VkDeviceMemory mMemory = VK_NULL_HANDLE;
    std::shared_ptr<void> mOwner; ///< of host memory; may be null
    uint64_t mMemoryBytes = 0;    ///< 0 unless exportable
    uint32_t mMemoryType = 0;
};

} // namespace kp::vulkan

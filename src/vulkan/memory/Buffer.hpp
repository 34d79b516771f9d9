// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/memory/ExternalMemory.hpp>

#include "vulkan/memory/BufferPool.hpp"
#include "vulkan/memory/Resource.hpp"

namespace kp::vulkan {

/// A VkBuffer with its memory, or a range of a host application's VkBuffer. Usable as a storage,
/// uniform, indirect and transfer buffer. Destruction never waits for the device.
class Buffer final : public Resource {
    struct Key {}; ///< only this class creates buffers

public:
    Buffer(Key, Device& device) : Resource(device) {}

    /// @throws InvalidArgument for 0 bytes or more than the device's maxBufferSize, OutOfMemory
    static std::shared_ptr<Buffer> create(Device& device, uint64_t bytes, MemoryPlace place);
    /// Creates device memory for intermediate results, of BufferPool::scratchBytes(bytes).
    /// @throws as create()
    static std::shared_ptr<Buffer> createScratch(Device& device, uint64_t bytes);

    /// Wraps a range of a buffer that the host application owns and keeps alive. All wraps of one
    /// VkBuffer share one ResourceUse, so that overlapping ranges are ordered. If it is the
    /// VkBuffer of another Buffer, see noteGiven(), they share that one's.
    /// @throws InvalidArgument if the offset is not a multiple of the device's
    ///         minStorageBufferOffsetAlignment, or the range ends behind the buffer's memory
    static std::shared_ptr<Buffer> wrap(Device& device, VkBuffer handle, uint64_t offset,
                                        uint64_t bytes);
    /// Call before a program gets the handle of a buffer, so that wrap() knows it.
    static void noteGiven(const std::shared_ptr<Buffer>& buffer);

    // Buffers on memory that does not come from the allocator: the caller's host memory, memory
    // that others open, and memory of other devices. Each takes a VkDeviceMemory of its own, so
    // they are for few and large buffers. All functions are thread-safe.

    /// No machine with Vulkan has smaller pages, so memory may be accessed up to a multiple of this
    /// if any byte of it may be.
    static constexpr uint64_t kPageBytes = 4096;

    /// Imports host memory, which must stay valid until the buffer is destroyed. The buffer has no
    /// host view.
    /// @param memory  address and @p bytes are multiples of the device's
    ///                importedHostPointerAlignment
    /// @throws Unsupported if the device or its driver does not import this memory, OutOfMemory
    static std::shared_ptr<Buffer> importHost(Device& device, void* memory, uint64_t bytes);

    /// Imports the pages around host memory at any address. The buffer is that memory alone, and
    /// has a host view.
    /// @param owner  released once the device has finished with the memory; may be null
    /// @throws InvalidArgument if the offset of @p memory in its page is not a multiple of the
    ///         device's minStorageBufferOffsetAlignment; Unsupported, OutOfMemory
    static std::shared_ptr<Buffer> importHostView(Device& device, void* memory, uint64_t bytes,
                                                  std::shared_ptr<void> owner);

    /// Creates device memory for exportMemory().
    /// @throws Unsupported if the device exports no memory, OutOfMemory
    static std::shared_ptr<Buffer> createExportable(Device& device, uint64_t bytes);

    /// Returns a handle to the memory of a buffer; the caller owns the handle.
    /// @throws InvalidArgument unless createExportable() made the buffer
    static ExternalMemory exportMemory(const Buffer& buffer);

    /// Imports memory that another VkDevice exported, in this process or another. The handle stays
    /// the caller's.
    /// @param memory  as the exporter described it
    /// @throws InvalidArgument if it is not memory of this physical device and driver, or @p bytes
    ///         do not fit; Unsupported
    static std::shared_ptr<Buffer> importMemory(Device& device, const ExternalMemory& memory,
                                                uint64_t bytes);

    /// Makes a buffer on a part of the memory of an imported buffer.
    /// @param offset  multiple of partAlignment() into @p whole
    /// @param owner   released once the device has finished with the part; may be null
    /// @param use     of all parts that may overlap this one
    /// @param padded  the part owns the rest of its last 4 bytes
    /// @throws InvalidArgument for a wrong offset or if the part does not fit
    static std::shared_ptr<Buffer> part(const std::shared_ptr<Buffer>& whole, uint64_t offset,
                                        uint64_t bytes, std::shared_ptr<void> owner,
                                        std::shared_ptr<ResourceUse> use, bool padded);
    /// Returns the alignment of parts, in bytes.
    uint64_t partAlignment() const { return mAlignment; }

    ~Buffer() override;

    VkBuffer handle() const { return mHandle; }
    uint64_t offset() const { return mOffset; } ///< 0 unless wrapped or a view of host memory
    uint64_t size() const { return mSize; }     ///< bytes
    /// Bytes that a fill command may cover: size(), rounded up to 4 if the library owns the memory.
    uint64_t fillSize() const { return mPadded ? wholeWords(mSize) : mSize; }
    /// The host view; null for MemoryPlace::eDevice.
    void* mapped() const { return mHasHostView ? mAllocation.mapped : nullptr; }
    /// The mapped memory, even without a host view; null if it is not mapped. Read it only if
    /// hostReadable().
    void* hostWritable() const { return mAllocation.mapped; }
    bool hostReadable() const { return mAllocation.mapped && (mHasHostView || mAllocation.cached); }
    bool wrapped() const { return mHandle && !mOwned; }
    /// Returns true if the memory comes from the device's allocator.
    bool allocated() const { return mAllocation.handle != nullptr; }
    /// Address for shaders with buffer references; 0 if the device does not support them.
    uint64_t deviceAddress() const;
    /// Notes that the VkBuffer got a name, so that no other buffer gets the VkBuffer.
    void noteName() { mPool = nullptr; }

private:
    struct External;

    /// Fill commands work on whole 32-bit words.
    static constexpr uint64_t wholeWords(uint64_t bytes) { return (bytes + 3) & ~uint64_t{3}; }

    static std::shared_ptr<Buffer> create(Device& device, uint64_t bytes, MemoryPlace place,
                                          BufferPool& pool);
    /// Creates the VkBuffer, without memory. @param next  pNext of VkBufferCreateInfo
    void createHandle(const void* next);

    VkBuffer mHandle = VK_NULL_HANDLE;
    uint64_t mOffset = 0;
    uint64_t mSize = 0;
    bool mOwned = false;
    bool mPadded = false; ///< the library owns whole 4-byte words
    bool mHasHostView = false;
    BufferPool* mPool = nullptr; ///< that gets the VkBuffer and its memory; may be null
    BufferPool::Kind mKind;      ///< for that
    Allocation mAllocation;
    // Of external buffers only.
    VkDeviceMemory mMemory = VK_NULL_HANDLE;
    std::shared_ptr<void> mOwner; ///< of host memory; may be null
    uint64_t mMemoryBytes = 0;    ///< 0 unless exportable
    uint32_t mMemoryType = 0;
    uint32_t mHandleKind = 0; ///< VkExternalMemoryHandleTypeFlagBits
    uint64_t mAlignment = 1;
};

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/ExternalMemory.hpp>

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
    /// The same of any address, with a host view: the pages that the memory lies on are imported.
    /// @throws InvalidArgument where the place of @p memory in its page is no multiple of the
    ///         device's minStorageBufferOffsetAlignment; Unsupported, OutOfMemory
    /// @param owner  let go of once the device needs the memory no more; may be null
    static std::shared_ptr<Buffer> overHost(Device& device, void* memory, uint64_t bytes,
                                            std::shared_ptr<void> owner);

    /// Device memory that exportMemory() can hand out. Not from the allocator's blocks: for few and
    /// large buffers. @throws Unsupported where the device exports no memory, OutOfMemory
    static std::shared_ptr<Buffer> createExportable(Device& device, uint64_t bytes);
    /// Memory that another VkDevice, of this process or another, exported. What @p memory says is
    /// what the exporter said; its file descriptor stays the caller's.
    /// @throws Unsupported, InvalidArgument where it is not memory of this physical device and
    ///         driver, or @p bytes do not fit
    static std::shared_ptr<Buffer> importMemory(Device& device, const ExternalMemory& memory,
                                                uint64_t bytes);
    /// A handle to the memory; the file descriptor becomes the caller's.
    /// @throws InvalidArgument unless it was made by createExportable()
    ExternalMemory exportMemory() const;
    ~Buffer() override;

    VkBuffer handle() const { return mHandle; }
    uint64_t offset() const { return mOffset; } ///< 0 unless wrapped or over host memory
    uint64_t size() const { return mSize; }     ///< bytes
    /// Bytes a fill command may cover: size() rounded up to 4 where the memory is the library's.
    uint64_t fillSize() const { return mPadded ? (mSize + 3) & ~uint64_t{3} : mSize; }
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

    static VkBuffer createHandle(Device& device, uint64_t bytes, const void* next);
    /// Memory that is not the allocator's; @p next says how it comes about.
    VkResult allocateOwn(uint64_t bytes, uint32_t type, const void* next);
    void bindOwn(uint64_t offset);
    VkMemoryRequirements requirements() const;

    VkBuffer mHandle = VK_NULL_HANDLE;
    uint64_t mOffset = 0;
    uint64_t mSize = 0;
    bool mOwned = false;
    bool mPadded = false; ///< whole words of 4 bytes are the buffer's
    bool mHasHostView = false;
    Allocation mAllocation;
    VkDeviceMemory mMemory = VK_NULL_HANDLE; ///< imported or exportable: not the allocator's
    std::shared_ptr<void> mOwner;            ///< of host memory; null: whoever made the buffer
    uint64_t mMemoryBytes = 0;               ///< of it, where it is exportable
    uint32_t mMemoryType = 0;
};

} // namespace kp::vulkan

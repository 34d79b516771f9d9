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
    ~Buffer() override;

    VkBuffer handle() const { return mHandle; }
    uint64_t offset() const { return mOffset; } ///< 0 unless wrapped
    uint64_t size() const { return mSize; }     ///< bytes
    /// Bytes a fill command may cover: size() rounded up to 4 where the library made the buffer.
    uint64_t fillSize() const { return mOwned ? (mSize + 3) & ~uint64_t{3} : mSize; }
    void* mapped() const { return mAllocation.mapped; }
    /// Address for shaders with buffer references; 0 where the device has none.
    uint64_t deviceAddress() const;

private:
    using Resource::Resource;

    VkBuffer mHandle = VK_NULL_HANDLE;
    uint64_t mOffset = 0;
    uint64_t mSize = 0;
    bool mOwned = false;
    Allocation mAllocation;
};

} // namespace kp::vulkan

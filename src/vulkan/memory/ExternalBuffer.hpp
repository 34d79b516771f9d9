// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/ExternalMemory.hpp>

namespace kp::vulkan {

class Buffer;
class Device;

/// Makes buffers on memory that does not come from the allocator: the caller's host memory, memory
/// that others open, and memory of other devices. Each takes a VkDeviceMemory of its own, so they
/// are for few and large buffers. All functions are thread-safe.
class ExternalBuffer {
public:
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

    /// Returns a handle to the memory of a buffer; the caller owns the file descriptor.
    /// @throws InvalidArgument unless createExportable() made the buffer
    static ExternalMemory exportMemory(const Buffer& buffer);

    /// Imports memory that another VkDevice exported, in this process or another. The file
    /// descriptor stays the caller's.
    /// @param memory  as the exporter described it
    /// @throws InvalidArgument if it is not memory of this physical device and driver, or @p bytes
    ///         do not fit; Unsupported
    static std::shared_ptr<Buffer> importMemory(Device& device, const ExternalMemory& memory,
                                                uint64_t bytes);

private:
    struct Parts;
};

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class Buffer;
class DeviceHandle;
struct CopiedRange;

/// Knows which bytes of buffers have been written, for checked mode. A buffer that is followed has
/// a shadow in host memory, with a byte for each of its bytes: 1 once that is written, else 0.
/// Copies, fills and uploads note their writes there, and shaders of checked mode do. Others are
/// taken to write all. Thread-safe. Costs nothing while no buffer is followed.
class WrittenMemory {
public:
    /// From now on the buffer counts as unwritten. Has no effect if it is followed.
    /// @throws OutOfMemory
    static void follow(const Buffer& buffer);
    /// Returns the shadow; null if the buffer is not followed.
    static std::shared_ptr<Buffer> of(const Buffer& buffer) {
        return any() ? find(buffer) : nullptr;
    }
    static bool follows(const Buffer& buffer) { return any() && find(buffer) != nullptr; }
    /// Notes that the host, or what comes before work that is submitted later, writes bytes.
    static void note(const Buffer& buffer, uint64_t offset, uint64_t bytes) {
        if (any()) [[unlikely]]
            noteBytes(buffer, offset, bytes);
    }
    static void noteAll(const Buffer& buffer) { note(buffer, 0, UINT64_MAX); }
    /// Records that a transfer command beside this one writes bytes.
    static void recordFill(VkCommandBuffer commandBuffer, const Buffer& buffer, uint64_t offset,
                           uint64_t bytes) {
        if (any()) [[unlikely]]
            recordBytes(commandBuffer, buffer, offset, bytes);
    }
    struct Range { ///< bytes
        const Buffer* buffer = nullptr;
        uint64_t offset = 0;
        uint64_t bytes = 0;
    };
    /// Records, before a dispatch that notes no writes itself, that it writes ranges.
    static void recordDispatch(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                               std::span<const Range> ranges);
    /// Records that a transfer command beside this one copies ranges, with the notes about them.
    static void recordCopies(VkCommandBuffer commandBuffer, const Buffer& source,
                             const Buffer& destination, std::span<const CopiedRange> ranges) {
        if (any()) [[unlikely]]
            recordRanges(commandBuffer, source, destination, ranges);
    }
    /// Stops following. @return the shadow, which must live as long as work may use the buffer
    static std::shared_ptr<Buffer> forget(const Buffer& buffer) noexcept {
        return any() ? take(buffer) : nullptr;
    }

private:
    static bool any() { return sFollowed.load(std::memory_order_relaxed) != 0; }
    static std::shared_ptr<Buffer> find(const Buffer& buffer);
    static std::shared_ptr<Buffer> take(const Buffer& buffer) noexcept;
    static void noteBytes(const Buffer& buffer, uint64_t offset, uint64_t bytes);
    static void recordBytes(VkCommandBuffer commandBuffer, const Buffer& buffer, uint64_t offset,
                            uint64_t bytes);
    static void recordRanges(VkCommandBuffer commandBuffer, const Buffer& source,
                             const Buffer& destination, std::span<const CopiedRange> ranges);

    static std::atomic<size_t> sFollowed;
};

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "vulkan/Buffer.hpp"
#include "vulkan/CommandBufferPool.hpp"
#include "vulkan/Image.hpp"

namespace kp::vulkan {

class Queue;

/// Moves bytes between ordinary host memory and device memory, in chunks through a small ring of
/// staging buffers: the device copies one chunk while the host fills or empties the next. Returns
/// when the host's memory may be used again and, for downloads, holds the data; ordered after all
/// work already submitted on the same memory. Thread-safe; one transfer runs at a time.
class Transfer {
public:
    explicit Transfer(Device& device);
    ~Transfer();
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    /// Copies @p bytes from @p data to @p offset of @p buffer. Mapped buffers are written directly.
    void upload(const std::shared_ptr<Buffer>& buffer, uint64_t offset, const void* data,
                uint64_t bytes);
    /// Copies @p bytes at @p offset of @p buffer to @p data.
    void download(const std::shared_ptr<Buffer>& buffer, uint64_t offset, void* data,
                  uint64_t bytes);

    /// Whole images; @p data holds rows without padding.
    void upload(const std::shared_ptr<Image>& image, const void* data);
    void download(const std::shared_ptr<Image>& image, void* data);

private:
    struct Slot {
        std::shared_ptr<Buffer> staging;
        CommandBuffer commandBuffer;
        uint64_t done = 0; ///< value of the queue when the slot is free again
    };
    /// Records the copy of one chunk between a staging buffer (offset 0) and the resource.
    using RecordChunk =
        std::function<void(VkCommandBuffer, VkBuffer staging, uint64_t offset, uint64_t bytes)>;

    void move(const std::shared_ptr<Resource>& resource, uint64_t bytes, uint64_t chunkBytes,
              const unsigned char* source, unsigned char* destination, const RecordChunk& record);
    Slot& slot(size_t index, uint64_t bytes);
    void release();

    Device& mDevice;
    Queue* mQueue = nullptr;
    std::mutex mMutex;
    std::array<Slot, 2> mSlots;
};

} // namespace kp::vulkan

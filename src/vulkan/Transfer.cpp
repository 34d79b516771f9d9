// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Transfer.hpp"

#include <algorithm>
#include <cstring>

#include "vulkan/Device.hpp"
#include "vulkan/Submission.hpp"

namespace kp::vulkan {
namespace {

constexpr uint64_t kChunkBytes = 8u << 20;

void recordBarrier(const VolkDeviceTable& vk, VkCommandBuffer commandBuffer,
                   VkPipelineStageFlags before, VkAccessFlags beforeAccess,
                   VkPipelineStageFlags after, VkAccessFlags afterAccess) {
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = beforeAccess;
    barrier.dstAccessMask = afterAccess;
    vk.vkCmdPipelineBarrier(commandBuffer, before, after, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void copyRows(unsigned char* destination, uint64_t destinationPitch, const unsigned char* source,
              uint64_t sourcePitch, uint64_t rowBytes, uint64_t rows) {
    for (uint64_t row = 0; row < rows; ++row)
        std::memcpy(destination + row * destinationPitch, source + row * sourcePitch, rowBytes);
}

VkBufferImageCopy regionOf(const Image& image, uint64_t firstRow, uint64_t rows) {
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageOffset = {0, static_cast<int32_t>(firstRow), 0};
    region.imageExtent = {image.info().width, static_cast<uint32_t>(rows), 1};
    return region;
}

} // namespace

Transfer::Transfer(Device& device) : mDevice(device), mQueue(&device.queue(0)) {}

Transfer::~Transfer() = default;

Transfer::Slot& Transfer::slot(size_t index, uint64_t bytes) {
    Slot& slot = mSlots[index];
    if (slot.done != 0)
        mQueue->wait(slot.done, UINT64_MAX, mDevice.defaultWaitMode());
    if (!slot.staging || slot.staging->size() < bytes)
        slot.staging = Buffer::create(mDevice, bytes, MemoryPlace::eHost);
    if (!slot.commandBuffer)
        slot.commandBuffer = mDevice.commandBuffers().acquire(mQueue->family());
    return slot;
}

void Transfer::release() {
    for (Slot& slot : mSlots) {
        if (slot.done != 0)
            mQueue->wait(slot.done, UINT64_MAX, mDevice.defaultWaitMode());
        slot.done = 0;
    }
}

void Transfer::move(const std::shared_ptr<Resource>& resource, uint64_t bytes, uint64_t chunkBytes,
                    const unsigned char* source, unsigned char* destination,
                    const RecordChunk& record) {
    const std::lock_guard lock(mMutex);
    const VolkDeviceTable& vk = mDevice.vk();
    const bool up = source != nullptr;
    AccessList accesses;
    accesses.add(resource, up);

    struct Chunk {
        uint64_t offset = 0;
        uint64_t bytes = 0;
    };
    std::array<Chunk, 2> inFlight{};
    size_t index = 0;
    const auto empty = [&](size_t which) {
        Chunk& chunk = inFlight[which];
        if (up || chunk.bytes == 0)
            return;
        mQueue->wait(mSlots[which].done, UINT64_MAX, mDevice.defaultWaitMode());
        std::memcpy(destination + chunk.offset, mSlots[which].staging->mapped(), chunk.bytes);
        chunk.bytes = 0;
    };
    for (uint64_t offset = 0; offset < bytes; offset += chunkBytes, index ^= 1) {
        const uint64_t count = std::min(chunkBytes, bytes - offset);
        empty(index);
        Slot& current = slot(index, std::min(chunkBytes, bytes));
        if (up)
            std::memcpy(current.staging->mapped(), source + offset, count);
        const VkCommandBuffer commandBuffer = current.commandBuffer.handle();
        current.commandBuffer.begin(true);
        recordBarrier(vk, commandBuffer,
                      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                      VK_PIPELINE_STAGE_TRANSFER_BIT,
                      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
        record(commandBuffer, current.staging->handle(), offset, count);
        if (!up)
            recordBarrier(vk, commandBuffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                          VK_ACCESS_HOST_READ_BIT);
        current.commandBuffer.end();
        current.done = submitOrdered(*mQueue, {&commandBuffer, 1}, accesses).value;
        inFlight[index] = {offset, count};
    }
    empty(index);
    empty(index ^ 1);
    release();
}

void Transfer::upload(const std::shared_ptr<Buffer>& buffer, uint64_t offset, const void* data,
                      uint64_t bytes) {
    if (bytes == 0)
        return;
    if (buffer->mapped()) {
        buffer->waitUntilFree(true);
        std::memcpy(static_cast<unsigned char*>(buffer->mapped()) + offset, data, bytes);
        return;
    }
    move(buffer, bytes, kChunkBytes, static_cast<const unsigned char*>(data), nullptr,
         [&](VkCommandBuffer commandBuffer, VkBuffer staging, uint64_t at, uint64_t count) {
             const VkBufferCopy region{0, buffer->offset() + offset + at, count};
             mDevice.vk().vkCmdCopyBuffer(commandBuffer, staging, buffer->handle(), 1, &region);
         });
}

void Transfer::download(const std::shared_ptr<Buffer>& buffer, uint64_t offset, void* data,
                        uint64_t bytes) {
    if (bytes == 0)
        return;
    if (buffer->mapped()) {
        buffer->waitUntilFree(false);
        std::memcpy(data, static_cast<const unsigned char*>(buffer->mapped()) + offset, bytes);
        return;
    }
    move(buffer, bytes, kChunkBytes, nullptr, static_cast<unsigned char*>(data),
         [&](VkCommandBuffer commandBuffer, VkBuffer staging, uint64_t at, uint64_t count) {
             const VkBufferCopy region{buffer->offset() + offset + at, 0, count};
             mDevice.vk().vkCmdCopyBuffer(commandBuffer, buffer->handle(), staging, 1, &region);
         });
}

void Transfer::upload(const std::shared_ptr<Image>& image, const void* data) {
    const uint64_t rowBytes = uint64_t{image->info().width} * image->info().texelSize;
    const uint64_t rows = image->info().height;
    const auto* source = static_cast<const unsigned char*>(data);
    if (void* mapped = image->mapped()) {
        image->waitUntilFree(true);
        copyRows(static_cast<unsigned char*>(mapped), image->rowPitch(), source, rowBytes, rowBytes,
                 rows);
        return;
    }
    const uint64_t chunk = std::max<uint64_t>(1, kChunkBytes / rowBytes) * rowBytes;
    move(image, rowBytes * rows, chunk, source, nullptr,
         [&](VkCommandBuffer commandBuffer, VkBuffer staging, uint64_t at, uint64_t count) {
             const VkBufferImageCopy region = regionOf(*image, at / rowBytes, count / rowBytes);
             mDevice.vk().vkCmdCopyBufferToImage(commandBuffer, staging, image->handle(),
                                                 VK_IMAGE_LAYOUT_GENERAL, 1, &region);
         });
}

void Transfer::download(const std::shared_ptr<Image>& image, void* data) {
    const uint64_t rowBytes = uint64_t{image->info().width} * image->info().texelSize;
    const uint64_t rows = image->info().height;
    auto* destination = static_cast<unsigned char*>(data);
    if (const void* mapped = image->mapped()) {
        image->waitUntilFree(false);
        copyRows(destination, rowBytes, static_cast<const unsigned char*>(mapped),
                 image->rowPitch(), rowBytes, rows);
        return;
    }
    const uint64_t chunk = std::max<uint64_t>(1, kChunkBytes / rowBytes) * rowBytes;
    move(image, rowBytes * rows, chunk, nullptr, destination,
         [&](VkCommandBuffer commandBuffer, VkBuffer staging, uint64_t at, uint64_t count) {
             const VkBufferImageCopy region = regionOf(*image, at / rowBytes, count / rowBytes);
             mDevice.vk().vkCmdCopyImageToBuffer(commandBuffer, image->handle(),
                                                 VK_IMAGE_LAYOUT_GENERAL, staging, 1, &region);
         });
}

} // namespace kp::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "vulkan/Allocator.hpp"
#include "vulkan/Resource.hpp"

namespace kp::vulkan {

/// What an Image is made from.
struct ImageInfo {
    VkFormat format = VK_FORMAT_UNDEFINED;
    uint32_t width = 0;     ///< texels
    uint32_t height = 0;    ///< texels
    uint32_t texelSize = 0; ///< bytes
    VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL;
    MemoryPlace place = MemoryPlace::eDevice;
};

/// A 2-D storage image with its memory and view. Between operations it is always in
/// VK_IMAGE_LAYOUT_GENERAL, which storage access needs and transfers accept; so there is no layout
/// to track, however sequences are recorded and evaluated. The first submission that names the
/// image brings it there. Its destruction never waits for the device.
class Image final : public Resource {
public:
    /// True where the device takes a storage image like this.
    static bool supported(Device& device, const ImageInfo& info);

    /// @throws Unsupported where the device does not take the format, tiling or size (names them),
    ///         OutOfMemory where there is no room
    static std::shared_ptr<Image> create(Device& device, const ImageInfo& info);
    ~Image() override;

    VkImage handle() const { return mHandle; }
    VkImageView view() const { return mView; }
    const ImageInfo& info() const { return mInfo; }

    /// First texel in host memory; null unless the place is mapped.
    void* mapped() const;
    /// Bytes from one row to the next in mapped memory; linear tiling only.
    uint64_t rowPitch() const { return mRowPitch; }

    /// Where it awaitsLayout(): brings it there, and notes that it is. The latter is guarded by the
    /// device's submission mutex.
    void recordFirstLayout(VkCommandBuffer commandBuffer);
    void noteFirstLayout() { setAwaitsLayout(false); }

    /// Layout at this point of the recording: general, unless a user operation changed it. The
    /// recorder brings it back after that operation.
    VkImageLayout recordedLayout() const { return mRecordedLayout; }
    void setRecordedLayout(VkImageLayout layout) { mRecordedLayout = layout; }

private:
    explicit Image(Device& device) : Resource(device) { setAwaitsLayout(true); }

    ImageInfo mInfo;
    VkImage mHandle = VK_NULL_HANDLE;
    VkImageView mView = VK_NULL_HANDLE;
    Allocation mAllocation;
    uint64_t mRowPitch = 0;
    uint64_t mOffset = 0;
    VkImageLayout mRecordedLayout = VK_IMAGE_LAYOUT_GENERAL;
};

} // namespace kp::vulkan

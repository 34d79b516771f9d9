// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "vulkan/memory/Allocator.hpp"
#include "vulkan/memory/Resource.hpp"

namespace kp::vulkan {

/// The parameters of an Image.
struct ImageInfo {
    VkFormat format = VK_FORMAT_UNDEFINED;
    uint32_t width = 0;     ///< texels
    uint32_t height = 0;    ///< texels
    uint32_t texelSize = 0; ///< bytes
    VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL;
    MemoryPlace place = MemoryPlace::eDevice;
};

/// A 2-D storage image with its memory and view. Between operations it is always in
/// VK_IMAGE_LAYOUT_GENERAL, which storage access needs and transfers accept, so no layout has to be
/// tracked. The first submission that accesses the image brings it there. Destruction never waits
/// for the device.
class Image final : public Resource {
public:
    /// Returns true if the device supports such a storage image.
    static bool supported(Device& device, const ImageInfo& info);

    /// @throws Unsupported if the device does not support the format or tiling, InvalidArgument if
    ///         the image is too large for it, OutOfMemory
    static std::shared_ptr<Image> create(Device& device, const ImageInfo& info);
    ~Image() override;

    VkImage handle() const { return mHandle; }
    VkImageView view() const { return mView; }
    const ImageInfo& info() const { return mInfo; }

    /// The first texel in mapped memory; null if it is not mapped.
    void* mapped() const { return mMapped; }
    /// Bytes from row to row in mapped memory; linear tiling only.
    uint64_t rowPitch() const { return mRowPitch; }

    /// For an image that awaitsLayout(): records the transition, and ends the waiting. The latter
    /// is guarded by the device's submission mutex.
    void recordFirstLayout(VkCommandBuffer commandBuffer);
    void noteFirstLayout() { setAwaitsLayout(false); }

    /// The layout at this point of the recording: general, unless a user operation changed it. The
    /// recorder restores it after that operation.
    VkImageLayout recordedLayout() const { return mRecordedLayout; }
    void setRecordedLayout(VkImageLayout layout) { mRecordedLayout = layout; }

private:
    explicit Image(Device& device) : Resource(device) { setAwaitsLayout(true); }

    ImageInfo mInfo;
    VkImage mHandle = VK_NULL_HANDLE;
    VkImageView mView = VK_NULL_HANDLE;
    Allocation mAllocation;
    uint64_t mRowPitch = 0;
    unsigned char* mMapped = nullptr;
    VkImageLayout mRecordedLayout = VK_IMAGE_LAYOUT_GENERAL;
};

} // namespace kp::vulkan

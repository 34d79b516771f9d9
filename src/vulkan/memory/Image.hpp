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
    VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D; ///< no cubes
    uint32_t width = 0;                           ///< texels
    uint32_t height = 1;                          ///< texels
    uint32_t depth = 1;                           ///< texels
    uint32_t layers = 1;
    uint32_t texelSize = 0;     ///< bytes
    uint32_t hostTexelSize = 0; ///< bytes; of three channels where the image has four
    VkImageUsageFlags usage =
        VK_IMAGE_USAGE_STORAGE_BIT; ///< by shaders; copies are always possible
    VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL;
    MemoryPlace place = MemoryPlace::eDevice;

    VkImageType dimensions() const;
    VkExtent3D extent() const { return {width, height, depth}; }
    /// Rows of all slices and layers together; packed data holds them in this order.
    uint64_t rows() const { return uint64_t{height} * depth * layers; }
    uint64_t rowBytes() const { return uint64_t{width} * texelSize; }
};

/// An image with its memory and a view of the whole. Between operations it is always in
/// VK_IMAGE_LAYOUT_GENERAL, which storage access needs and transfers accept, so no layout has to be
/// tracked. The first submission that accesses the image brings it there. Destruction never waits
/// for the device.
class Image final : public Resource {
public:
    /// Returns true if the device supports the type, format, tiling and usage, for any size.
    static bool supported(const Device& device, const ImageInfo& info);
    /// Returns true if the device filters between the texels of a format.
    static bool filters(const Device& device, VkFormat format, VkImageTiling tiling);

    /// @throws Unsupported unless supported(), InvalidArgument if the image is too large for the
    ///         device, OutOfMemory
    static std::shared_ptr<Image> create(Device& device, const ImageInfo& info);
    ~Image() override;

    VkImage handle() const { return mHandle; }
    VkImageView view() const { return mView; }
    const ImageInfo& info() const { return mInfo; }

    /// The first texel in mapped memory; null if it is not mapped.
    void* mapped() const { return mMapped; }
    /// Returns where a row begins in mapped memory, in bytes from mapped(); linear tiling only.
    uint64_t offsetOfRow(uint64_t row) const {
        return row / mInfo.height * mSlicePitch + row % mInfo.height * mRowPitch;
    }
    /// Returns true if there is nothing between the rows in mapped memory.
    bool packed() const;

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
    uint64_t mRowPitch = 0;   ///< bytes from row to row
    uint64_t mSlicePitch = 0; ///< bytes from slice to slice, or from layer to layer
    unsigned char* mMapped = nullptr;
    VkImageLayout mRecordedLayout = VK_IMAGE_LAYOUT_GENERAL;
};

} // namespace kp::vulkan

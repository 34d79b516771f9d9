// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/Image.hpp"

#include <string>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/queue/Barriers.hpp"

namespace kp::vulkan {
namespace {

VkImageUsageFlags usageOf(const ImageInfo& info) {
    return info.usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
}

bool formatProperties(const Device& device, const ImageInfo& info,
                      VkImageFormatProperties& properties) {
    return device.instance()->table().vkGetPhysicalDeviceImageFormatProperties(
               device.physical().handle, info.format, info.dimensions(), info.tiling, usageOf(info),
               0, &properties) == VK_SUCCESS;
}

/// The host may write mapped texels before the first submission; this layout preserves them.
VkImageLayout firstLayout(const ImageInfo& info) {
    return info.tiling == VK_IMAGE_TILING_LINEAR ? VK_IMAGE_LAYOUT_PREINITIALIZED
                                                 : VK_IMAGE_LAYOUT_UNDEFINED;
}

std::string describe(const ImageInfo& info) {
    return formatted("{} image of {} dimensions, VkFormat {} and usage {:#x}",
                     info.tiling == VK_IMAGE_TILING_LINEAR ? "linear" : "optimal",
                     static_cast<int>(info.dimensions()) + 1, static_cast<int>(info.format),
                     info.usage);
}

} // namespace

VkImageType ImageInfo::dimensions() const {
    switch (type) {
    case VK_IMAGE_VIEW_TYPE_1D:
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
        return VK_IMAGE_TYPE_1D;
    case VK_IMAGE_VIEW_TYPE_3D:
        return VK_IMAGE_TYPE_3D;
    default:
        return VK_IMAGE_TYPE_2D;
    }
}

bool Image::supported(const Device& device, const ImageInfo& info) {
    VkImageFormatProperties properties{};
    return formatProperties(device, info, properties);
}

bool Image::filters(const Device& device, VkFormat format, VkImageTiling tiling) {
    VkFormatProperties properties{};
    device.instance()->table().vkGetPhysicalDeviceFormatProperties(device.physical().handle, format,
                                                                   &properties);
    return ((tiling == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures
                                              : properties.optimalTilingFeatures) &
            VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0;
}

std::shared_ptr<Image> Image::create(Device& device, const ImageInfo& info) {
    VkImageFormatProperties properties{};
    if (!formatProperties(device, info, properties))
        fail<Unsupported>("{} has no {}; choose another format, tiling or usage", device.name(),
                          describe(info));
    const VkExtent3D& most = properties.maxExtent;
    if (info.width > most.width || info.height > most.height || info.depth > most.depth ||
        info.layers > properties.maxArrayLayers)
        fail<InvalidArgument>("an image of {} x {} x {} texels in {} layers is over {}'s limit of "
                              "{} x {} x {} texels in {} layers for an {}",
                              info.width, info.height, info.depth, info.layers, device.name(),
                              most.width, most.height, most.depth, properties.maxArrayLayers,
                              describe(info));
    device.requireAlive();

    VkImageCreateInfo create{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    create.imageType = info.dimensions();
    create.format = info.format;
    create.extent = info.extent();
    create.mipLevels = 1;
    create.arrayLayers = info.layers;
    create.samples = VK_SAMPLE_COUNT_1_BIT;
    create.tiling = info.tiling;
    create.usage = usageOf(info);
    create.initialLayout = firstLayout(info);
    // Without the copy queues, which never copy images: some GPUs do not compress those that they
    // could access.
    shareBetween(device.userFamilies(), create);
    std::shared_ptr<Image> image(new Image(device));
    image->mInfo = info;
    const VolkDeviceTable& vk = device.vk();
    device.check(vk.vkCreateImage(device.handle(), &create, nullptr, &image->mHandle),
                 "vkCreateImage");
    VkMemoryRequirements requirements{};
    vk.vkGetImageMemoryRequirements(device.handle(), image->mHandle, &requirements);
    image->mAllocation = device.allocator().bind(image->mHandle, info.place, requirements.size);
    image->mMapped = static_cast<unsigned char*>(image->mAllocation.mapped);

    if (info.tiling == VK_IMAGE_TILING_LINEAR) {
        const VkImageSubresource part{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
        VkSubresourceLayout layout{};
        vk.vkGetImageSubresourceLayout(device.handle(), image->mHandle, &part, &layout);
        image->mRowPitch = layout.rowPitch;
        image->mSlicePitch = info.depth > 1    ? layout.depthPitch
                             : info.layers > 1 ? layout.arrayPitch
                                               : layout.rowPitch * info.height;
        if (image->mMapped)
            image->mMapped += layout.offset;
    }

    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image->mHandle;
    view.viewType = info.type;
    view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, info.layers};
    device.check(vk.vkCreateImageView(device.handle(), &view, nullptr, &image->mView),
                 "vkCreateImageView");
    return image;
}

Image::~Image() {
    deferDeletion([device = &mDevice, handle = mHandle, view = mView, allocation = mAllocation] {
        device->vk().vkDestroyImageView(device->handle(), view, nullptr);
        device->vk().vkDestroyImage(device->handle(), handle, nullptr);
        if (allocation.handle)
            device->allocator().free(allocation);
    });
}

bool Image::packed() const {
    return mRowPitch == mInfo.rowBytes() && mSlicePitch == mRowPitch * mInfo.height;
}

void Image::recordFirstLayout(VkCommandBuffer commandBuffer) {
    constexpr VkPipelineStageFlags kStages =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    // An earlier object may have used the memory.
    recordImageBarrier(
        commandBuffer, *this,
        VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
            VK_ACCESS_TRANSFER_WRITE_BIT,
        VK_PIPELINE_STAGE_HOST_BIT | kStages, kStages, firstLayout(mInfo), VK_IMAGE_LAYOUT_GENERAL);
}

} // namespace kp::vulkan

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

constexpr VkImageUsageFlags kUsage =
    VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

bool formatProperties(Device& device, const ImageInfo& info, VkImageFormatProperties& properties) {
    return device.instance()->table().vkGetPhysicalDeviceImageFormatProperties(
               device.physical().handle, info.format, VK_IMAGE_TYPE_2D, info.tiling, kUsage, 0,
               &properties) == VK_SUCCESS;
}

/// The host may write mapped texels before the first submission; this layout preserves them.
VkImageLayout firstLayout(const ImageInfo& info) {
    return info.tiling == VK_IMAGE_TILING_LINEAR ? VK_IMAGE_LAYOUT_PREINITIALIZED
                                                 : VK_IMAGE_LAYOUT_UNDEFINED;
}

std::string describe(const ImageInfo& info) {
    return formatted("{} storage image of VkFormat {}",
                     info.tiling == VK_IMAGE_TILING_LINEAR ? "linear" : "optimal",
                     static_cast<int>(info.format));
}

} // namespace

bool Image::supported(Device& device, const ImageInfo& info) {
    VkImageFormatProperties properties{};
    return formatProperties(device, info, properties) && info.width <= properties.maxExtent.width &&
           info.height <= properties.maxExtent.height;
}

std::shared_ptr<Image> Image::create(Device& device, const ImageInfo& info) {
    VkImageFormatProperties properties{};
    if (!formatProperties(device, info, properties))
        fail<Unsupported>("{} has no {}; choose another data type, channel count or tiling",
                          device.name(), describe(info));
    if (info.width > properties.maxExtent.width || info.height > properties.maxExtent.height)
        fail<InvalidArgument>("an image of {} x {} texels is over {}'s limit of {} x {} for a {}",
                              info.width, info.height, device.name(), properties.maxExtent.width,
                              properties.maxExtent.height, describe(info));
    device.requireAlive();

    VkImageCreateInfo create{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    create.imageType = VK_IMAGE_TYPE_2D;
    create.format = info.format;
    create.extent = {info.width, info.height, 1};
    create.mipLevels = 1;
    create.arrayLayers = 1;
    create.samples = VK_SAMPLE_COUNT_1_BIT;
    create.tiling = info.tiling;
    create.usage = kUsage;
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
        if (image->mMapped)
            image->mMapped += layout.offset;
    }

    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image->mHandle;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
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

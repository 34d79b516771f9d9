// SPDX-License-Identifier: Apache-2.0
#include <kompute/Image.hpp>

#include <optional>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/ImageFormat.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "core/WrapHostDevice.hpp"
#include "vulkan/queue/Barriers.hpp"

namespace kp {
namespace {

bool seenByHost(Memory::MemoryTypes type) {
    return type == Memory::MemoryTypes::eHost || type == Memory::MemoryTypes::eDeviceAndHost;
}

/// Returns the format for a channel type. @throws InvalidArgument if there is none
VkFormat requireImageFormat(Memory::DataTypes dataType, uint32_t channels) {
    if (dataType == Memory::DataTypes::eCustom)
        throw InvalidArgument("an image cannot have the data type eCustom: it holds numbers");
    if (channels < 1 || channels > 4)
        fail<InvalidArgument>("an image has 1 to 4 channels, not {}", channels);
    const VkFormat format = imageFormat(dataType, channels);
    if (format == VK_FORMAT_UNDEFINED)
        fail<InvalidArgument>("there is no image format for the data type {}; use eFloat, eHalf or "
                              "an integer of 8, 16 or 32 bits",
                              Memory::toString(dataType));
    return format;
}

VkImageTiling chooseTiling(std::optional<vk::ImageTiling> asked, Memory::MemoryTypes memoryType,
                           bool mirrored) {
    if (!asked)
        return seenByHost(memoryType) && !mirrored ? VK_IMAGE_TILING_LINEAR
                                                   : VK_IMAGE_TILING_OPTIMAL;
    const auto tiling = static_cast<VkImageTiling>(*asked);
    if (tiling == VK_IMAGE_TILING_OPTIMAL && seenByHost(memoryType))
        fail<InvalidArgument>(
            "optimal tiling is only supported for eDevice and eStorage images, not for {}",
            Memory::toString(memoryType));
    return tiling;
}

std::unique_ptr<Memory::Impl>
makeImageImpl(std::shared_ptr<vulkan::Device> device, const void* data, size_t dataSize,
              uint32_t width, uint32_t height, uint32_t channels, Memory::DataTypes dataType,
              std::optional<vk::ImageTiling> tiling, Memory::MemoryTypes memoryType) {
    const VkFormat format = requireImageFormat(dataType, channels);
    const uint32_t elementSize = Memory::dataTypeMemorySize(dataType);
    checkedBytes(uint64_t{width} * height, uint64_t{elementSize} * channels, "image");
    const uint64_t count = uint64_t{width} * height * channels;
    if (data && dataSize < count)
        fail<InvalidArgument>("an image of {} x {} texels with {} channels needs {} elements, but "
                              "{} were given",
                              width, height, channels, count, dataSize);

    const MemoryPlacement placement = placementOf(*device, memoryType);
    vulkan::ImageInfo info;
    info.format = format;
    info.width = width;
    info.height = height;
    info.texelSize = elementSize * channels;
    info.tiling = chooseTiling(tiling, memoryType, placement.mirrored);
    info.place = placement.place;

    auto impl = std::make_unique<Memory::Impl>();
    impl->memoryType = memoryType;
    impl->dataType = dataType;
    impl->count = count;
    impl->elementSize = elementSize;
    impl->x = width;
    impl->y = height;
    impl->channels = channels;
    impl->mirrored = placement.mirrored;
    try {
        impl->image = vulkan::Image::create(*device, info);
    } catch (const Unsupported&) {
        fail<Unsupported>("{} has no {} storage image of format {} ({}, {} channels); other "
                          "channel counts, data types or tilings may work",
                          device->name(),
                          info.tiling == VK_IMAGE_TILING_LINEAR ? "linear" : "optimal",
                          nameOfFormat(format), Memory::toString(dataType), channels);
    }
    impl->padded = seenByHost(memoryType) && !placement.mirrored &&
                   impl->image->rowPitch() != uint64_t{width} * info.texelSize;
    impl->device = std::move(device);
    impl->initialise(data);
    return impl;
}

} // namespace

Image::Image(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device, void* data,
             size_t dataSize, uint32_t width, uint32_t height, uint32_t numChannels,
             const DataTypes& dataType, vk::ImageTiling tiling, const MemoryTypes& memoryType)
    : Image(findDevice(device), data, dataSize, width, height, numChannels, dataType, tiling,
            memoryType) {}

Image::Image(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device,
             uint32_t width, uint32_t height, uint32_t numChannels, const DataTypes& dataType,
             vk::ImageTiling tiling, const MemoryTypes& memoryType)
    : Image(findDevice(device), nullptr, 0, width, height, numChannels, dataType, tiling,
            memoryType) {}

Image::Image(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device, void* data,
             size_t dataSize, uint32_t width, uint32_t height, uint32_t numChannels,
             const DataTypes& dataType, const MemoryTypes& memoryType)
    : Image(findDevice(device), data, dataSize, width, height, numChannels, dataType, std::nullopt,
            memoryType) {}

Image::Image(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device,
             uint32_t width, uint32_t height, uint32_t numChannels, const DataTypes& dataType,
             const MemoryTypes& memoryType)
    : Image(findDevice(device), nullptr, 0, width, height, numChannels, dataType, std::nullopt,
            memoryType) {}

Image::Image(std::shared_ptr<vulkan::Device> device, const void* data, size_t dataSize,
             uint32_t width, uint32_t height, uint32_t numChannels, DataTypes dataType,
             std::optional<vk::ImageTiling> tiling, MemoryTypes memoryType)
    : Memory(makeImageImpl(std::move(device), data, dataSize, width, height, numChannels, dataType,
                           tiling, memoryType)) {}

Image::~Image() = default;

uint32_t Image::getNumChannels() const {
    return mImpl->channels;
}

VkImage Image::nativeImage() const {
    mImpl->expose();
    return mImpl->image->handle();
}

VkImageView Image::nativeView() const {
    mImpl->expose();
    return mImpl->image->view();
}

vk::ImageLayout Image::getPrimaryImageLayout() const {
    mImpl->requireAlive();
    return static_cast<vk::ImageLayout>(mImpl->image->recordedLayout());
}

void Image::recordLayoutChange(const vk::CommandBuffer& commandBuffer, uint32_t srcAccess,
                               uint32_t dstAccess, uint32_t srcStage, uint32_t dstStage,
                               int layout) {
    mImpl->requireAlive();
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    vulkan::recordImageBarrier(commands, *mImpl->image, srcAccess, dstAccess, srcStage, dstStage,
                               static_cast<VkImageLayout>(layout));
    if (Recorder* recorder = Recorder::active(commands))
        recorder->noteLayout(mImpl->image);
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include <kompute/Image.hpp>

#include <string>

#include <kompute/Error.hpp>

#include "core/ImageFormat.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "vulkan/Commands.hpp"

namespace kp {
namespace {

bool seenByHost(Memory::MemoryTypes type) {
    return type == Memory::MemoryTypes::eHost || type == Memory::MemoryTypes::eDeviceAndHost;
}

std::unique_ptr<Memory::Impl> makeImpl(std::shared_ptr<vulkan::Device> device, const void* data,
                                       size_t dataSize, uint32_t width, uint32_t height,
                                       uint32_t channels, Memory::DataTypes dataType,
                                       std::optional<vk::ImageTiling> tiling,
                                       Memory::MemoryTypes memoryType) {
    if (dataType == Memory::DataTypes::eCustom)
        throw InvalidArgument("an image cannot have the data type eCustom: it holds numbers");
    if (channels < 1 || channels > 4)
        throw InvalidArgument("an image has 1 to 4 channels, not " + std::to_string(channels));
    const VkFormat format = imageFormat(dataType, channels);
    if (format == VK_FORMAT_UNDEFINED)
        throw InvalidArgument("there is no image format for the data type " +
                              Memory::toString(dataType));
    const uint32_t elementSize = Memory::dataTypeMemorySize(dataType);
    checkedBytes(uint64_t{width} * height, uint64_t{elementSize} * channels, "image");
    const uint64_t count = uint64_t{width} * height * channels;
    if (data && dataSize < count)
        throw InvalidArgument("an image of " + std::to_string(width) + " x " +
                              std::to_string(height) + " texels with " + std::to_string(channels) +
                              " channels needs " + std::to_string(count) + " elements, but " +
                              std::to_string(dataSize) + " were given");

    VkImageTiling wanted =
        seenByHost(memoryType) ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL;
    if (tiling)
        wanted = static_cast<VkImageTiling>(*tiling);
    if (wanted == VK_IMAGE_TILING_OPTIMAL && seenByHost(memoryType))
        throw InvalidArgument(
            "optimal tiling is only supported for eDevice and eStorage images, not "
            "for " +
            Memory::toString(memoryType));

    const MemoryPlacement placement = placementOf(*device, memoryType);
    vulkan::ImageInfo info;
    info.format = format;
    info.width = width;
    info.height = height;
    info.texelSize = elementSize * channels;
    info.tiling = wanted;
    info.place = placement.place;
    // Nobody asked for a tiling and the host does not see the memory: take what the device has.
    if (!tiling && placement.mirrored)
        info.tiling = VK_IMAGE_TILING_OPTIMAL;

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
        throw Unsupported(device->name() + " has no " +
                          (info.tiling == VK_IMAGE_TILING_LINEAR ? "linear" : "optimal") +
                          " storage image of format " + nameOfFormat(format) + " (" +
                          Memory::toString(dataType) + ", " + std::to_string(channels) +
                          " channels); other channel counts, data types or tilings may work");
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
    : Image(native::findDevice(device), data, dataSize, width, height, numChannels, dataType,
            std::optional<vk::ImageTiling>(tiling), memoryType) {}

Image::Image(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device,
             uint32_t width, uint32_t height, uint32_t numChannels, const DataTypes& dataType,
             vk::ImageTiling tiling, const MemoryTypes& memoryType)
    : Image(native::findDevice(device), nullptr, 0, width, height, numChannels, dataType,
            std::optional<vk::ImageTiling>(tiling), memoryType) {}

Image::Image(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device, void* data,
             size_t dataSize, uint32_t width, uint32_t height, uint32_t numChannels,
             const DataTypes& dataType, const MemoryTypes& memoryType)
    : Image(native::findDevice(device), data, dataSize, width, height, numChannels, dataType,
            std::nullopt, memoryType) {}

Image::Image(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device,
             uint32_t width, uint32_t height, uint32_t numChannels, const DataTypes& dataType,
             const MemoryTypes& memoryType)
    : Image(native::findDevice(device), nullptr, 0, width, height, numChannels, dataType,
            std::nullopt, memoryType) {}

Image::Image(std::shared_ptr<vulkan::Device> device, const void* data, size_t dataSize,
             uint32_t width, uint32_t height, uint32_t numChannels, DataTypes dataType,
             std::optional<vk::ImageTiling> tiling, MemoryTypes memoryType)
    : Memory(makeImpl(std::move(device), data, dataSize, width, height, numChannels, dataType,
                      tiling, memoryType)) {}

Image::~Image() = default;

uint32_t Image::getNumChannels() const {
    return mImpl->channels;
}

VkImage Image::nativeImage() const {
    mImpl->requireAlive();
    return mImpl->image->handle();
}

VkImageView Image::nativeView() const {
    mImpl->requireAlive();
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

// SPDX-License-Identifier: Apache-2.0
#include <kompute/Image.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/image/ImageFormat.hpp"
#include "core/manager/WrapHostDevice.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "vulkan/queue/Barriers.hpp"

namespace kp {
namespace {

bool seenByHost(Memory::MemoryTypes type) {
    return type == Memory::MemoryTypes::eHost || type == Memory::MemoryTypes::eDeviceAndHost;
}

/// Completes the format and the channels.
/// @throws InvalidArgument if there is no format, or it does not hold the data
void completeFormat(ImageOptions& options, Memory::DataTypes dataType) {
    if (options.format == Format::eUndefined) {
        options.format = formatOf(dataType, options.channels);
        return;
    }
    if (dataTypeOf(options.format) != dataType)
        fail<InvalidArgument>("an image of format {} holds {}, but {} was given; choose another "
                              "format, or convert the data",
                              toString(options.format),
                              Memory::toString(dataTypeOf(options.format)),
                              Memory::toString(dataType));
    const uint32_t held = channelsOf(options.format);
    options.channels = options.channels == 0 ? held : options.channels;
    if (options.channels != held && !(options.channels == 3 && held == 4))
        fail<InvalidArgument>("an image of format {} has {} channels{}, but {} were given",
                              toString(options.format), held,
                              held == 4 ? ", which may hold data of 3" : "", options.channels);
}

struct TypeName {
    ImageType type;
    const char* name;
};
constexpr TypeName kTypeNames[] = {{ImageType::e1D, "e1D"},
                                   {ImageType::e2D, "e2D"},
                                   {ImageType::e3D, "e3D"},
                                   {ImageType::e1DArray, "e1DArray"},
                                   {ImageType::e2DArray, "e2DArray"}};

/// @throws InvalidArgument if an extent does not belong to the type
void requireExtents(const ImageOptions& options) {
    const auto* found = std::ranges::find(kTypeNames, options.type, &TypeName::type);
    if (found == std::end(kTypeNames))
        fail<InvalidArgument>("the image type {} is unknown; kp::ImageType lists those known",
                              static_cast<uint32_t>(options.type));
    const bool line = options.type == ImageType::e1D || options.type == ImageType::e1DArray;
    const bool array = options.type == ImageType::e1DArray || options.type == ImageType::e2DArray;
    const auto require = [&](const char* what, uint32_t given, bool belongs) {
        if (!belongs && given != 1)
            fail<InvalidArgument>("an image of type {} has {} 1, not {}", found->name, what, given);
    };
    require("height", options.height, !line);
    require("depth", options.depth, options.type == ImageType::e3D);
    require("layers", options.layers, array);
}

constexpr uint32_t kStorage = static_cast<uint32_t>(ImageUsage::eStorage);
constexpr uint32_t kSampled = static_cast<uint32_t>(ImageUsage::eSampled);

VkImageUsageFlags usageFlags(uint32_t usage) {
    VkImageUsageFlags flags = 0;
    if (usage & kStorage)
        flags |= VK_IMAGE_USAGE_STORAGE_BIT;
    if (usage & kSampled)
        flags |= VK_IMAGE_USAGE_SAMPLED_BIT;
    return flags;
}

/// Chooses the usage, by the device's abilities if @p options leave it open.
/// @throws Unsupported if the device has no such image
void chooseUsage(const vulkan::Device& device, ImageOptions& options, vulkan::ImageInfo& info) {
    const auto asked = static_cast<uint32_t>(options.usage);
    if (asked > (kStorage | kSampled))
        fail<InvalidArgument>("the image usage {} is unknown; kp::ImageUsage lists those known",
                              asked);
    for (const uint32_t usage : {kStorage | kSampled, kStorage, kSampled}) {
        if (asked != 0 && asked != usage)
            continue;
        info.usage = usageFlags(usage);
        if (!vulkan::Image::supported(device, info))
            continue;
        options.usage = static_cast<ImageUsage>(usage);
        return;
    }
    const char* const wanted = asked == kStorage   ? "VK_IMAGE_USAGE_STORAGE_BIT"
                               : asked == kSampled ? "VK_IMAGE_USAGE_SAMPLED_BIT"
                               : asked == 0        ? "a usage by shaders"
                                                   : "VK_IMAGE_USAGE_STORAGE_BIT and _SAMPLED_BIT";
    fail<Unsupported>("{} has no {} image of format {} and type {} with {} ({} channels of {}); "
                      "another format, tiling or usage may work",
                      device.name(), info.tiling == VK_IMAGE_TILING_LINEAR ? "linear" : "optimal",
                      toString(options.format),
                      std::ranges::find(kTypeNames, options.type, &TypeName::type)->name, wanted,
                      options.channels, Memory::toString(dataTypeOf(options.format)));
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

std::unique_ptr<Memory::Impl> makeImageImpl(std::shared_ptr<vulkan::Device> device,
                                            const void* data, size_t dataSize, ImageOptions options,
                                            Memory::DataTypes dataType) {
    completeFormat(options, dataType);
    requireExtents(options);
    const uint32_t elementSize = Memory::dataTypeMemorySize(dataType);
    const uint32_t held = channelsOf(options.format);
    const uint64_t area = uint64_t{options.width} * options.height;
    checkedBytes(area, uint64_t{elementSize} * held, "image");
    const uint64_t slices = uint64_t{options.depth} * options.layers;
    // No device holds more; so that the products below fit.
    if (slices == 0 || area > UINT64_MAX / 64 / slices)
        checkedBytes(slices == 0 ? 0 : UINT64_MAX, elementSize, "image");
    const uint64_t texels = area * slices;
    const uint64_t needed = texels * options.channels;
    if (data && dataSize < needed)
        fail<InvalidArgument>(
            "an image of {} x {}{} texels with {} needs {}, but {} were given", options.width,
            options.height, slices > 1 ? formatted(" x {}", slices) : std::string(),
            counted(options.channels, "channel"), counted(needed, "element"), dataSize);

    const MemoryPlacement placement = placementOf(*device, options.memoryType);
    vulkan::ImageInfo info;
    info.format = static_cast<VkFormat>(options.format);
    info.type = static_cast<VkImageViewType>(options.type);
    info.width = options.width;
    info.height = options.height;
    info.depth = options.depth;
    info.layers = options.layers;
    info.texelSize = elementSize * held;
    info.hostTexelSize = elementSize * options.channels;
    info.tiling = chooseTiling(options.tiling, options.memoryType, placement.mirrored);
    info.place = placement.place;
    options.tiling = static_cast<vk::ImageTiling>(info.tiling);
    chooseUsage(*device, options, info);

    auto impl = std::make_unique<Memory::Impl>();
    impl->memoryType = options.memoryType;
    impl->dataType = dataType;
    impl->count = texels * held;
    impl->hostCount = needed;
    impl->elementSize = elementSize;
    impl->x = options.width;
    impl->y = options.height;
    impl->mirrored = placement.mirrored;
    impl->image = vulkan::Image::create(*device, info);
    impl->padded = seenByHost(options.memoryType) && !placement.mirrored && !impl->image->packed();
    impl->imageOptions = std::make_unique<const ImageOptions>(options);
    impl->device = std::move(device);
    impl->initialise(data);
    return impl;
}

ImageOptions optionsOf(uint32_t width, uint32_t height, uint32_t channels,
                       std::optional<vk::ImageTiling> tiling, Memory::MemoryTypes memoryType) {
    ImageOptions options;
    options.width = width;
    options.height = height;
    options.channels = channels;
    options.tiling = tiling;
    options.memoryType = memoryType;
    return options;
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
    : Image(std::move(device), data, dataSize,
            optionsOf(width, height, numChannels, tiling, memoryType), dataType) {}

Image::Image(std::shared_ptr<vulkan::Device> device, const void* data, size_t dataSize,
             const ImageOptions& options, DataTypes dataType)
    : Memory(makeImageImpl(std::move(device), data, dataSize, options, dataType)) {}

Image::Image(std::shared_ptr<vulkan::Device> device, const void* data, size_t dataSize,
             const ImageOptions& options)
    : Image(std::move(device), data, dataSize, options, dataTypeOf(options.format)) {}

Image::~Image() = default;

uint32_t Image::getNumChannels() const {
    return mImpl->imageOptions->channels;
}

const ImageOptions& Image::getOptions() const {
    return *mImpl->imageOptions;
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

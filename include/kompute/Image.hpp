// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <kompute/Memory.hpp>
#include <kompute/image/ImageOptions.hpp>

namespace kp {

/// Texels of 1 to 4 channels in one, two or three dimensions, or several layers of them; shaders
/// load, store and sample them. Manager::image and Manager::imageT create images.
///
/// Without ImageOptions, images have two dimensions. Integers of 8, 16 and 32 bits map to integer
/// formats (R8Sint, RG16Uint, ...); float and kp::Half map to floating-point formats. Shaders
/// always find the image in VK_IMAGE_LAYOUT_GENERAL.
///
/// Host data contains layers, slices and rows without padding, with the channels of a texel next to
/// each other. Images of three channels have a fourth one on the device, because no shader can name
/// a format of three. Data given to and copied out of the image (constructor, setData(), upload(),
/// vector(), download()), size() and memorySize() count three; only the memory behind rawData() and
/// data() has texels of four, as on the device.
class KOMPUTE_API Image : public Memory {
public:
    /// Creates an image of width x height texels, neither of them 0, with 1 to 4 channels.
    /// @param physicalDevice  ignored
    /// @param device          the device of an existing Manager
    /// @param data            elements copied to the host view (eStorage: to the device memory);
    ///                        may be null
    /// @param dataSize        number of elements at @p data, at least width x height x channels;
    ///                        further ones are ignored
    /// @param tiling          eOptimal or eLinear. Overloads without it choose linear if the host
    ///                        accesses the memory (eHost, eDeviceAndHost), else optimal
    /// @throws InvalidArgument for eCustom, bool and other types without a format, too little data,
    ///         size 0 ("zero-sized"), an invalid channel count, and optimal tiling of eHost or
    ///         eDeviceAndHost; Unsupported if the device lacks the format; OutOfMemory
    Image(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
          void* data, size_t dataSize, uint32_t width, uint32_t height, uint32_t numChannels,
          const DataTypes& dataType, vk::ImageTiling tiling,
          const MemoryTypes& memoryType = MemoryTypes::eDevice);
    Image(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
          uint32_t width, uint32_t height, uint32_t numChannels, const DataTypes& dataType,
          vk::ImageTiling tiling, const MemoryTypes& memoryType = MemoryTypes::eDevice);
    Image(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
          void* data, size_t dataSize, uint32_t width, uint32_t height, uint32_t numChannels,
          const DataTypes& dataType, const MemoryTypes& memoryType = MemoryTypes::eDevice);
    Image(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
          uint32_t width, uint32_t height, uint32_t numChannels, const DataTypes& dataType,
          const MemoryTypes& memoryType = MemoryTypes::eDevice);
    ~Image() override;

    Type type() const override { return Type::eImage; }
    uint32_t getNumChannels() const; ///< of the host's data
    /// Returns the image's options, with every default resolved (no eUndefined, eAuto or 0).
    const ImageOptions& getOptions() const;

    /// Returns the image handle. The image keeps ownership.
    std::shared_ptr<vk::Image> getPrimaryImage();
    VkImage nativeImage() const;
    VkImageView nativeView() const;

    /// Returns the layout at this point of a recording: eGeneral, or as set by a custom operation.
    vk::ImageLayout getPrimaryImageLayout() const;

    /// Records a barrier that also changes the layout. Sequences restore eGeneral after the
    /// operation that called this.
    void recordPrimaryImageBarrier(const vk::CommandBuffer& commandBuffer,
                                   vk::AccessFlagBits srcAccess, vk::AccessFlagBits dstAccess,
                                   vk::PipelineStageFlagBits srcStage,
                                   vk::PipelineStageFlagBits dstStage, vk::ImageLayout dstLayout);

protected:
    friend class Manager;
    friend struct Internals;
    Image(std::shared_ptr<vulkan::Device> device, const void* data, size_t dataSize, uint32_t width,
          uint32_t height, uint32_t numChannels, DataTypes dataType,
          std::optional<vk::ImageTiling> tiling, MemoryTypes memoryType);
    /// @throws InvalidArgument also if the extents do not belong to the type, and if the format
    ///         does not hold @p dataType or the channels
    Image(std::shared_ptr<vulkan::Device> device, const void* data, size_t dataSize,
          const ImageOptions& options, DataTypes dataType);
    /// With the data type of the format, which must be given.
    Image(std::shared_ptr<vulkan::Device> device, const void* data, size_t dataSize,
          const ImageOptions& options);

private:
    void recordLayoutChange(const vk::CommandBuffer& commandBuffer, uint32_t srcAccess,
                            uint32_t dstAccess, uint32_t srcStage, uint32_t dstStage, int layout);
};

/// An Image whose channel type is known at compile time.
template <typename T>
class ImageT : public Image {
    static_assert(Memory::dataType<T>() != Memory::DataTypes::eCustom,
                  "an image holds numbers, not structs");

public:
    ImageT(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
           const std::vector<T>& data, uint32_t width, uint32_t height, uint32_t numChannels,
           vk::ImageTiling tiling, const MemoryTypes& memoryType = MemoryTypes::eDevice)
        : Image(std::move(physicalDevice), std::move(device), const_cast<T*>(data.data()),
                data.size(), width, height, numChannels, Memory::dataType<T>(), tiling,
                memoryType) {}
    ImageT(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
           const std::vector<T>& data, uint32_t width, uint32_t height, uint32_t numChannels,
           const MemoryTypes& memoryType = MemoryTypes::eDevice)
        : Image(std::move(physicalDevice), std::move(device), const_cast<T*>(data.data()),
                data.size(), width, height, numChannels, Memory::dataType<T>(), memoryType) {}
    ImageT(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
           uint32_t width, uint32_t height, uint32_t numChannels, vk::ImageTiling tiling,
           const MemoryTypes& memoryType = MemoryTypes::eDevice)
        : Image(std::move(physicalDevice), std::move(device), width, height, numChannels,
                Memory::dataType<T>(), tiling, memoryType) {}
    ImageT(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
           uint32_t width, uint32_t height, uint32_t numChannels,
           const MemoryTypes& memoryType = MemoryTypes::eDevice)
        : Image(std::move(physicalDevice), std::move(device), width, height, numChannels,
                Memory::dataType<T>(), memoryType) {}

    std::vector<T> vector() { return Memory::vector<T>(); }
    /// Returns an element of the host view, in the order of vector().
    T& operator[](size_t index) {
        return static_cast<T*>(
            rawData())[getNumChannels() == 3 ? index / 3 * 4 + index % 3 : index];
    }

private:
    friend class Manager;
    ImageT(std::shared_ptr<vulkan::Device> device, const T* data, size_t dataSize, uint32_t width,
           uint32_t height, uint32_t numChannels, std::optional<vk::ImageTiling> tiling,
           MemoryTypes memoryType)
        : Image(std::move(device), data, dataSize, width, height, numChannels,
                Memory::dataType<T>(), tiling, memoryType) {}
    ImageT(std::shared_ptr<vulkan::Device> device, const T* data, size_t dataSize,
           const ImageOptions& options)
        : Image(std::move(device), data, dataSize, options, Memory::dataType<T>()) {}
};

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <kompute/Memory.hpp>

namespace kp {

/// A two-dimensional storage image: width x height texels of 1 to 4 channels. Host data hold rows
/// without padding, channels of a texel side by side. Made by Manager::image and Manager::imageT.
///
/// 8, 16 and 32-bit integers are integer formats (R8Sint, RG16Uint, ...), float and kp::Half are
/// floating-point formats. Three channels need a format that many devices lack; the error says so.
/// In shaders the image is in the general layout and always where imageLoad and imageStore expect
/// it.
class KOMPUTE_API Image : public Memory {
public:
    /// @param data         elements that become the host view (eStorage: the device memory); may be
    ///                     null
    /// @param dataSize     number of elements at @p data, at least width x height x channels; more
    ///                     are ignored
    /// @param width        texels in a row, not 0
    /// @param height       rows, not 0
    /// @param numChannels  1 to 4
    /// @param tiling       eOptimal or eLinear. Without it: linear where the host sees the memory
    ///                     (eHost, eDeviceAndHost), else optimal
    /// @throws InvalidArgument for eCustom, bool and types without a format, too little data, a
    /// size
    ///         of 0 ("zero-sized"), wrong channel counts, and optimal tiling of eHost or
    ///         eDeviceAndHost; Unsupported where the device lacks the format; OutOfMemory
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
    /// What a Manager calls.
    Image(std::shared_ptr<vulkan::Device> device, const void* data, size_t dataSize, uint32_t width,
          uint32_t height, uint32_t numChannels, DataTypes dataType,
          std::optional<vk::ImageTiling> tiling, MemoryTypes memoryType);
    ~Image() override;

    Type type() const override { return Type::eImage; }
    uint32_t getNumChannels() const;

    /// The device memory. The handle stays the image's.
    std::shared_ptr<vk::Image> getPrimaryImage();
    VkImage nativeImage() const;
    VkImageView nativeView() const;

    /// Layout at this point of a recording: eGeneral unless a custom operation changed it.
    vk::ImageLayout getPrimaryImageLayout() const;

    /// Records a barrier that also changes the layout. Sequences bring the image back to eGeneral
    /// after the operation that called this.
    void recordPrimaryImageBarrier(const vk::CommandBuffer& commandBuffer,
                                   vk::AccessFlagBits srcAccess, vk::AccessFlagBits dstAccess,
                                   vk::PipelineStageFlagBits srcStage,
                                   vk::PipelineStageFlagBits dstStage, vk::ImageLayout dstLayout);

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
    ImageT(std::shared_ptr<vulkan::Device> device, const T* data, size_t dataSize, uint32_t width,
           uint32_t height, uint32_t numChannels, std::optional<vk::ImageTiling> tiling,
           MemoryTypes memoryType)
        : Image(std::move(device), data, dataSize, width, height, numChannels,
                Memory::dataType<T>(), tiling, memoryType) {}

    std::vector<T> vector() { return Memory::vector<T>(); }
    T& operator[](size_t index) { return Memory::data<T>()[index]; }
};

} // namespace kp

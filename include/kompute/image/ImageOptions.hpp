// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kompute/Export.hpp>
#include <kompute/Memory.hpp>
#include <kompute/device/VulkanHandles.hpp>

namespace kp {

/// Format of a texel: its channels, and how shaders see them. Names and values are Vulkan's.
/// Shaders read and write Uint and Sint formats as integers, all others as floats. Unorm scales
/// integers to 0 to 1, Snorm to -1 to 1. Srgb is Unorm in the encoding of most pictures, which
/// sampling converts to linear light.
enum class Format : uint32_t {
    eUndefined = 0,
    eR8Unorm = 9,
    eR8Snorm = 10,
    eR8Uint = 13,
    eR8Sint = 14,
    eR8Srgb = 15,
    eR8G8Unorm = 16,
    eR8G8Snorm = 17,
    eR8G8Uint = 20,
    eR8G8Sint = 21,
    eR8G8Srgb = 22,
    eR8G8B8A8Unorm = 37,
    eR8G8B8A8Snorm = 38,
    eR8G8B8A8Uint = 41,
    eR8G8B8A8Sint = 42,
    eR8G8B8A8Srgb = 43,
    eR16Unorm = 70,
    eR16Snorm = 71,
    eR16Uint = 74,
    eR16Sint = 75,
    eR16Sfloat = 76,
    eR16G16Unorm = 77,
    eR16G16Snorm = 78,
    eR16G16Uint = 81,
    eR16G16Sint = 82,
    eR16G16Sfloat = 83,
    eR16G16B16A16Unorm = 91,
    eR16G16B16A16Snorm = 92,
    eR16G16B16A16Uint = 95,
    eR16G16B16A16Sint = 96,
    eR16G16B16A16Sfloat = 97,
    eR32Uint = 98,
    eR32Sint = 99,
    eR32Sfloat = 100,
    eR32G32Uint = 101,
    eR32G32Sint = 102,
    eR32G32Sfloat = 103,
    eR32G32B32A32Uint = 107,
    eR32G32B32A32Sint = 108,
    eR32G32B32A32Sfloat = 109
};

/// Returns Vulkan's name without the prefix: "R8G8B8A8_UNORM".
KOMPUTE_API std::string toString(Format format);
/// Returns the format with a name in upper or lower case: Vulkan's ("R8G8B8A8_UNORM"), or the short
/// form ("rgba8unorm").
/// @throws InvalidArgument listing the known names
KOMPUTE_API Format formatNamed(std::string_view name);
/// Returns the format of an image whose options leave it open: integers or floats, with four
/// channels if the data has three, because no shader can name a format of three.
/// @throws InvalidArgument if there is none
KOMPUTE_API Format formatOf(Memory::DataTypes dataType, uint32_t channels);
/// Returns the type of a channel in host memory: eUnsignedChar for eR8G8B8A8Unorm.
KOMPUTE_API Memory::DataTypes dataTypeOf(Format format);
/// Returns the number of channels, 1, 2 or 4; 0 for eUndefined.
KOMPUTE_API uint32_t channelsOf(Format format);

/// Shape of an image, with the values of VkImageViewType. GLSL's image2DArray and sampler2DArray
/// take an e2DArray, also one with a single layer.
enum class ImageType : uint32_t { e1D = 0, e2D = 1, e3D = 2, e1DArray = 4, e2DArray = 5 };

/// How shaders may use an image. eAuto is everything that the device supports for its format.
enum class ImageUsage : uint32_t {
    eAuto = 0,
    eStorage = 1, ///< imageLoad, imageStore, atomics
    eSampled = 2, ///< texture and texelFetch
    eStorageAndSampled = 3
};

/// Properties of an image.
struct ImageOptions {
    ImageType type = ImageType::e2D;
    uint32_t width = 1;  ///< texels
    uint32_t height = 1; ///< texels; 1 for e1D and e1DArray
    uint32_t depth = 1;  ///< texels; 1 unless e3D
    uint32_t layers = 1; ///< images of an array; 1 unless e1DArray or e2DArray
    /// eUndefined chooses integers or floats by the type of the data and the number of channels.
    Format format = Format::eUndefined;
    /// Channels of the host's data: 0 for the format's number, or 3 for a format with 4. The fourth
    /// channel is then added on the way to the device, as 1 (the largest value of Unorm, Snorm and
    /// Srgb), and left out on the way back. Without a format, 1 to 4.
    uint32_t channels = 0;
    ImageUsage usage = ImageUsage::eAuto;
    /// eOptimal or eLinear; without a value linear if the host accesses the memory in place.
    std::optional<vk::ImageTiling> tiling;
    Memory::MemoryTypes memoryType = Memory::MemoryTypes::eDevice;
};

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include "core/image/ImageFormat.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp {
namespace {

using DataTypes = Memory::DataTypes;

struct FormatRow {
    DataTypes dataType;
    uint32_t channels;
    VkFormat format;
    uint32_t spirv; ///< ImageFormat of the SPIR-V specification, section 3.11; 0 if it has none
    const char* name;

    std::string_view numeric() const {
        const std::string_view text(name);
        return text.substr(text.find('_') + 1);
    }
};

/// Of formats with equal data types and channels, the first is the one of an image without a
/// format: integers.
constexpr FormatRow kFormatRows[] = {
    {DataTypes::eChar, 1, VK_FORMAT_R8_SINT, 29, "R8_SINT"},
    {DataTypes::eChar, 2, VK_FORMAT_R8G8_SINT, 27, "R8G8_SINT"},
    {DataTypes::eChar, 4, VK_FORMAT_R8G8B8A8_SINT, 23, "R8G8B8A8_SINT"},
    {DataTypes::eShort, 1, VK_FORMAT_R16_SINT, 28, "R16_SINT"},
    {DataTypes::eShort, 2, VK_FORMAT_R16G16_SINT, 26, "R16G16_SINT"},
    {DataTypes::eShort, 4, VK_FORMAT_R16G16B16A16_SINT, 22, "R16G16B16A16_SINT"},
    {DataTypes::eInt, 1, VK_FORMAT_R32_SINT, 24, "R32_SINT"},
    {DataTypes::eInt, 2, VK_FORMAT_R32G32_SINT, 25, "R32G32_SINT"},
    {DataTypes::eInt, 4, VK_FORMAT_R32G32B32A32_SINT, 21, "R32G32B32A32_SINT"},
    {DataTypes::eUnsignedChar, 1, VK_FORMAT_R8_UINT, 39, "R8_UINT"},
    {DataTypes::eUnsignedChar, 2, VK_FORMAT_R8G8_UINT, 37, "R8G8_UINT"},
    {DataTypes::eUnsignedChar, 4, VK_FORMAT_R8G8B8A8_UINT, 32, "R8G8B8A8_UINT"},
    {DataTypes::eUnsignedShort, 1, VK_FORMAT_R16_UINT, 38, "R16_UINT"},
    {DataTypes::eUnsignedShort, 2, VK_FORMAT_R16G16_UINT, 36, "R16G16_UINT"},
    {DataTypes::eUnsignedShort, 4, VK_FORMAT_R16G16B16A16_UINT, 31, "R16G16B16A16_UINT"},
    {DataTypes::eUnsignedInt, 1, VK_FORMAT_R32_UINT, 33, "R32_UINT"},
    {DataTypes::eUnsignedInt, 2, VK_FORMAT_R32G32_UINT, 35, "R32G32_UINT"},
    {DataTypes::eUnsignedInt, 4, VK_FORMAT_R32G32B32A32_UINT, 30, "R32G32B32A32_UINT"},
    {DataTypes::eHalf, 1, VK_FORMAT_R16_SFLOAT, 9, "R16_SFLOAT"},
    {DataTypes::eHalf, 2, VK_FORMAT_R16G16_SFLOAT, 7, "R16G16_SFLOAT"},
    {DataTypes::eHalf, 4, VK_FORMAT_R16G16B16A16_SFLOAT, 2, "R16G16B16A16_SFLOAT"},
    {DataTypes::eFloat, 1, VK_FORMAT_R32_SFLOAT, 3, "R32_SFLOAT"},
    {DataTypes::eFloat, 2, VK_FORMAT_R32G32_SFLOAT, 6, "R32G32_SFLOAT"},
    {DataTypes::eFloat, 4, VK_FORMAT_R32G32B32A32_SFLOAT, 1, "R32G32B32A32_SFLOAT"},
    {DataTypes::eUnsignedChar, 1, VK_FORMAT_R8_UNORM, 15, "R8_UNORM"},
    {DataTypes::eUnsignedChar, 2, VK_FORMAT_R8G8_UNORM, 13, "R8G8_UNORM"},
    {DataTypes::eUnsignedChar, 4, VK_FORMAT_R8G8B8A8_UNORM, 4, "R8G8B8A8_UNORM"},
    {DataTypes::eUnsignedShort, 1, VK_FORMAT_R16_UNORM, 14, "R16_UNORM"},
    {DataTypes::eUnsignedShort, 2, VK_FORMAT_R16G16_UNORM, 12, "R16G16_UNORM"},
    {DataTypes::eUnsignedShort, 4, VK_FORMAT_R16G16B16A16_UNORM, 10, "R16G16B16A16_UNORM"},
    {DataTypes::eChar, 1, VK_FORMAT_R8_SNORM, 20, "R8_SNORM"},
    {DataTypes::eChar, 2, VK_FORMAT_R8G8_SNORM, 18, "R8G8_SNORM"},
    {DataTypes::eChar, 4, VK_FORMAT_R8G8B8A8_SNORM, 5, "R8G8B8A8_SNORM"},
    {DataTypes::eShort, 1, VK_FORMAT_R16_SNORM, 19, "R16_SNORM"},
    {DataTypes::eShort, 2, VK_FORMAT_R16G16_SNORM, 17, "R16G16_SNORM"},
    {DataTypes::eShort, 4, VK_FORMAT_R16G16B16A16_SNORM, 16, "R16G16B16A16_SNORM"},
    {DataTypes::eUnsignedChar, 1, VK_FORMAT_R8_SRGB, 0, "R8_SRGB"},
    {DataTypes::eUnsignedChar, 2, VK_FORMAT_R8G8_SRGB, 0, "R8G8_SRGB"},
    {DataTypes::eUnsignedChar, 4, VK_FORMAT_R8G8B8A8_SRGB, 0, "R8G8B8A8_SRGB"},
};

const FormatRow* rowOf(VkFormat format) {
    const auto* found = std::ranges::find(kFormatRows, format, &FormatRow::format);
    return found == std::end(kFormatRows) ? nullptr : found;
}

/// Returns "rgba8unorm" for R8G8B8A8_UNORM, and "rgba16float" for R16G16B16A16_SFLOAT.
std::string shortName(const FormatRow& row) {
    const std::string_view name(row.name);
    const std::string_view bits =
        name.substr(1, name.find_first_not_of("0123456789", 1) - 1); // of the first channel
    std::string numeric = lowerCase(std::string(row.numeric()));
    if (numeric == "sfloat")
        numeric.erase(0, 1);
    return formatted("{}{}{}", std::string_view("rgba").substr(0, row.channels), bits, numeric);
}

} // namespace

VkFormat formatOfSpirv(uint32_t spirvImageFormat) {
    for (const FormatRow& row : kFormatRows)
        if (row.spirv == spirvImageFormat && row.spirv != 0)
            return row.format;
    return VK_FORMAT_UNDEFINED;
}

std::string nameOfFormat(VkFormat format) {
    const FormatRow* const row = rowOf(format);
    return row ? row->name : formatted("VkFormat {}", static_cast<int>(format));
}

shader::ScalarType shaderTypeOf(VkFormat format) {
    const FormatRow* const row = rowOf(format);
    if (!row)
        return shader::ScalarType::eUnknown;
    return row->numeric() == "SINT"   ? shader::ScalarType::eInt32
           : row->numeric() == "UINT" ? shader::ScalarType::eUint32
                                      : shader::ScalarType::eFloat32;
}

uint32_t bitsOfOne(VkFormat format) {
    const FormatRow* const row = rowOf(format);
    const std::string_view numeric = row ? row->numeric() : std::string_view();
    const uint32_t bits = row ? 8 * Memory::dataTypeMemorySize(row->dataType) : 0;
    if (numeric == "UNORM" || numeric == "SRGB")
        return (1u << bits) - 1;
    if (numeric == "SNORM")
        return (1u << (bits - 1)) - 1;
    if (numeric == "SFLOAT")
        return bits == 16 ? 0x3C00u : 0x3F800000u;
    return 1;
}

std::string toString(Format format) {
    return format == Format::eUndefined ? "UNDEFINED" : nameOfFormat(static_cast<VkFormat>(format));
}

Format formatNamed(std::string_view name) {
    const std::string wanted = lowerCase(std::string(name));
    std::vector<std::string> names;
    for (const FormatRow& row : kFormatRows) {
        names.push_back(shortName(row));
        if (wanted == names.back() || wanted == lowerCase(row.name))
            return static_cast<Format>(row.format);
    }
    fail<InvalidArgument>("\"{}\" is not a known image format; expected one of {} (or Vulkan's "
                          "name, as R8G8B8A8_UNORM)",
                          name, join(names));
}

Format formatOf(Memory::DataTypes dataType, uint32_t channels) {
    if (dataType == Memory::DataTypes::eCustom)
        throw InvalidArgument("an image holds numbers, not elements of eCustom");
    if (channels < 1 || channels > 4)
        fail<InvalidArgument>("an image has 1 to 4 channels, not {}", channels);
    const uint32_t held = channels == 3 ? 4 : channels;
    for (const FormatRow& row : kFormatRows)
        if (row.dataType == dataType && row.channels == held)
            return static_cast<Format>(row.format);
    fail<InvalidArgument>("there is no image format for the data type {}; use eFloat, eHalf or an "
                          "integer of 8, 16 or 32 bits",
                          Memory::toString(dataType));
}

Memory::DataTypes dataTypeOf(Format format) {
    const FormatRow* const row = rowOf(static_cast<VkFormat>(format));
    if (!row)
        fail<InvalidArgument>("{} is not a format of images; kp::Format lists those known",
                              toString(format));
    return row->dataType;
}

uint32_t channelsOf(Format format) {
    const FormatRow* const row = rowOf(static_cast<VkFormat>(format));
    return row ? row->channels : 0;
}

} // namespace kp

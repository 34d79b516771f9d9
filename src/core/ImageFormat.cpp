// SPDX-License-Identifier: Apache-2.0
#include "core/ImageFormat.hpp"

#include "base/Text.hpp"

namespace kp {
namespace {

using DataTypes = Memory::DataTypes;

struct FormatRow {
    DataTypes dataType;
    uint32_t channels;
    VkFormat format;
    uint32_t spirv;   ///< ImageFormat of the SPIR-V specification, section 3.11; 0 if it has none
    const char* name; ///< null without a SPIR-V format
};

constexpr FormatRow kFormatRows[] = {
    {DataTypes::eChar, 1, VK_FORMAT_R8_SINT, 29, "R8_SINT"},
    {DataTypes::eChar, 2, VK_FORMAT_R8G8_SINT, 27, "R8G8_SINT"},
    {DataTypes::eChar, 3, VK_FORMAT_R8G8B8_SINT, 0, nullptr},
    {DataTypes::eChar, 4, VK_FORMAT_R8G8B8A8_SINT, 23, "R8G8B8A8_SINT"},
    {DataTypes::eUnsignedChar, 1, VK_FORMAT_R8_UINT, 39, "R8_UINT"},
    {DataTypes::eUnsignedChar, 2, VK_FORMAT_R8G8_UINT, 37, "R8G8_UINT"},
    {DataTypes::eUnsignedChar, 3, VK_FORMAT_R8G8B8_UINT, 0, nullptr},
    {DataTypes::eUnsignedChar, 4, VK_FORMAT_R8G8B8A8_UINT, 32, "R8G8B8A8_UINT"},
    {DataTypes::eShort, 1, VK_FORMAT_R16_SINT, 28, "R16_SINT"},
    {DataTypes::eShort, 2, VK_FORMAT_R16G16_SINT, 26, "R16G16_SINT"},
    {DataTypes::eShort, 3, VK_FORMAT_R16G16B16_SINT, 0, nullptr},
    {DataTypes::eShort, 4, VK_FORMAT_R16G16B16A16_SINT, 22, "R16G16B16A16_SINT"},
    {DataTypes::eUnsignedShort, 1, VK_FORMAT_R16_UINT, 38, "R16_UINT"},
    {DataTypes::eUnsignedShort, 2, VK_FORMAT_R16G16_UINT, 36, "R16G16_UINT"},
    {DataTypes::eUnsignedShort, 3, VK_FORMAT_R16G16B16_UINT, 0, nullptr},
    {DataTypes::eUnsignedShort, 4, VK_FORMAT_R16G16B16A16_UINT, 31, "R16G16B16A16_UINT"},
    {DataTypes::eInt, 1, VK_FORMAT_R32_SINT, 24, "R32_SINT"},
    {DataTypes::eInt, 2, VK_FORMAT_R32G32_SINT, 25, "R32G32_SINT"},
    {DataTypes::eInt, 3, VK_FORMAT_R32G32B32_SINT, 0, nullptr},
    {DataTypes::eInt, 4, VK_FORMAT_R32G32B32A32_SINT, 21, "R32G32B32A32_SINT"},
    {DataTypes::eUnsignedInt, 1, VK_FORMAT_R32_UINT, 33, "R32_UINT"},
    {DataTypes::eUnsignedInt, 2, VK_FORMAT_R32G32_UINT, 35, "R32G32_UINT"},
    {DataTypes::eUnsignedInt, 3, VK_FORMAT_R32G32B32_UINT, 0, nullptr},
    {DataTypes::eUnsignedInt, 4, VK_FORMAT_R32G32B32A32_UINT, 30, "R32G32B32A32_UINT"},
    {DataTypes::eHalf, 1, VK_FORMAT_R16_SFLOAT, 9, "R16_SFLOAT"},
    {DataTypes::eHalf, 2, VK_FORMAT_R16G16_SFLOAT, 7, "R16G16_SFLOAT"},
    {DataTypes::eHalf, 3, VK_FORMAT_R16G16B16_SFLOAT, 0, nullptr},
    {DataTypes::eHalf, 4, VK_FORMAT_R16G16B16A16_SFLOAT, 2, "R16G16B16A16_SFLOAT"},
    {DataTypes::eFloat, 1, VK_FORMAT_R32_SFLOAT, 3, "R32_SFLOAT"},
    {DataTypes::eFloat, 2, VK_FORMAT_R32G32_SFLOAT, 6, "R32G32_SFLOAT"},
    {DataTypes::eFloat, 3, VK_FORMAT_R32G32B32_SFLOAT, 0, nullptr},
    {DataTypes::eFloat, 4, VK_FORMAT_R32G32B32A32_SFLOAT, 1, "R32G32B32A32_SFLOAT"},
};

} // namespace

VkFormat imageFormat(Memory::DataTypes dataType, uint32_t channels) {
    for (const FormatRow& row : kFormatRows)
        if (row.dataType == dataType && row.channels == channels)
            return row.format;
    return VK_FORMAT_UNDEFINED;
}

VkFormat formatOfSpirv(uint32_t spirvImageFormat) {
    for (const FormatRow& row : kFormatRows)
        if (row.spirv == spirvImageFormat && row.name)
            return row.format;
    return VK_FORMAT_UNDEFINED;
}

std::string nameOfFormat(VkFormat format) {
    for (const FormatRow& row : kFormatRows)
        if (row.format == format && row.name)
            return row.name;
    return formatted("VkFormat {}", static_cast<int>(format));
}

} // namespace kp

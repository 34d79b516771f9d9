// SPDX-License-Identifier: Apache-2.0
#include "core/ImageFormat.hpp"

#include "base/Text.hpp"

namespace kp {
namespace {

struct FormatRow {
    Memory::DataTypes dataType;
    VkFormat formats[4]; ///< by channels - 1
};

#define KOMPUTE_FORMATS(bits, kind)                                                                \
    {                                                                                              \
        VK_FORMAT_R##bits##_##kind, VK_FORMAT_R##bits##G##bits##_##kind,                           \
            VK_FORMAT_R##bits##G##bits##B##bits##_##kind,                                          \
            VK_FORMAT_R##bits##G##bits##B##bits##A##bits##_##kind                                  \
    }

constexpr FormatRow kFormatRows[] = {
    {Memory::DataTypes::eChar, KOMPUTE_FORMATS(8, SINT)},
    {Memory::DataTypes::eUnsignedChar, KOMPUTE_FORMATS(8, UINT)},
    {Memory::DataTypes::eShort, KOMPUTE_FORMATS(16, SINT)},
    {Memory::DataTypes::eUnsignedShort, KOMPUTE_FORMATS(16, UINT)},
    {Memory::DataTypes::eInt, KOMPUTE_FORMATS(32, SINT)},
    {Memory::DataTypes::eUnsignedInt, KOMPUTE_FORMATS(32, UINT)},
    {Memory::DataTypes::eHalf, KOMPUTE_FORMATS(16, SFLOAT)},
    {Memory::DataTypes::eFloat, KOMPUTE_FORMATS(32, SFLOAT)},
};

#undef KOMPUTE_FORMATS

struct FormatName {
    uint32_t spirv; ///< ImageFormat of the SPIR-V specification, section 3.11
    VkFormat format;
    const char* name;
};

constexpr FormatName kFormatNames[] = {
    {1, VK_FORMAT_R32G32B32A32_SFLOAT, "R32G32B32A32_SFLOAT"},
    {2, VK_FORMAT_R16G16B16A16_SFLOAT, "R16G16B16A16_SFLOAT"},
    {3, VK_FORMAT_R32_SFLOAT, "R32_SFLOAT"},
    {6, VK_FORMAT_R32G32_SFLOAT, "R32G32_SFLOAT"},
    {7, VK_FORMAT_R16G16_SFLOAT, "R16G16_SFLOAT"},
    {9, VK_FORMAT_R16_SFLOAT, "R16_SFLOAT"},
    {21, VK_FORMAT_R32G32B32A32_SINT, "R32G32B32A32_SINT"},
    {22, VK_FORMAT_R16G16B16A16_SINT, "R16G16B16A16_SINT"},
    {23, VK_FORMAT_R8G8B8A8_SINT, "R8G8B8A8_SINT"},
    {24, VK_FORMAT_R32_SINT, "R32_SINT"},
    {25, VK_FORMAT_R32G32_SINT, "R32G32_SINT"},
    {26, VK_FORMAT_R16G16_SINT, "R16G16_SINT"},
    {27, VK_FORMAT_R8G8_SINT, "R8G8_SINT"},
    {28, VK_FORMAT_R16_SINT, "R16_SINT"},
    {29, VK_FORMAT_R8_SINT, "R8_SINT"},
    {30, VK_FORMAT_R32G32B32A32_UINT, "R32G32B32A32_UINT"},
    {31, VK_FORMAT_R16G16B16A16_UINT, "R16G16B16A16_UINT"},
    {32, VK_FORMAT_R8G8B8A8_UINT, "R8G8B8A8_UINT"},
    {33, VK_FORMAT_R32_UINT, "R32_UINT"},
    {35, VK_FORMAT_R32G32_UINT, "R32G32_UINT"},
    {36, VK_FORMAT_R16G16_UINT, "R16G16_UINT"},
    {37, VK_FORMAT_R8G8_UINT, "R8G8_UINT"},
    {38, VK_FORMAT_R16_UINT, "R16_UINT"},
    {39, VK_FORMAT_R8_UINT, "R8_UINT"},
};

} // namespace

VkFormat imageFormat(Memory::DataTypes dataType, uint32_t channels) {
    if (channels < 1 || channels > 4)
        return VK_FORMAT_UNDEFINED;
    for (const FormatRow& row : kFormatRows)
        if (row.dataType == dataType)
            return row.formats[channels - 1];
    return VK_FORMAT_UNDEFINED;
}

VkFormat formatOfSpirv(uint32_t spirvImageFormat) {
    for (const FormatName& name : kFormatNames)
        if (name.spirv == spirvImageFormat)
            return name.format;
    return VK_FORMAT_UNDEFINED;
}

std::string nameOfFormat(VkFormat format) {
    for (const FormatName& name : kFormatNames)
        if (name.format == format)
            return name.name;
    return formatted("VkFormat {}", static_cast<int>(format));
}

} // namespace kp

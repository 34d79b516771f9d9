// SPDX-License-Identifier: Apache-2.0
#include "primitives/sort/SortKeys.hpp"

#include "base/Text.hpp"
#include "operations/GlslType.hpp"

namespace kp::primitives {

uint32_t sortKeyBits(Memory::DataTypes type) {
    return 8 * Memory::dataTypeMemorySize(type);
}

std::string keyMacros(Memory::DataTypes type) {
    using DataTypes = Memory::DataTypes;
    int kind = 0;
    const char* infinity = "0u";
    switch (type) {
    case DataTypes::eChar:
    case DataTypes::eShort:
    case DataTypes::eInt:
    case DataTypes::eLong:
        kind = 1;
        break;
    case DataTypes::eHalf:
        kind = 2;
        infinity = "0x7c00u";
        break;
    case DataTypes::eBFloat16:
        kind = 2;
        infinity = "0x7f80u";
        break;
    case DataTypes::eFloat:
        kind = 2;
        infinity = "0x7f800000u";
        break;
    case DataTypes::eDouble:
        kind = 2;
        infinity = "0x7ff00000u";
        break;
    default:
        break;
    }
    const uint32_t bits = sortKeyBits(type);
    const char* const stored = bits == 8    ? "uint8_t"
                               : bits == 16 ? "uint16_t"
                               : bits == 32 ? "uint"
                                            : "uvec2";
    return formatted("#define KEY_STORED {}\n#define KEY_BITS {}\n#define KEY_KIND {}\n"
                     "#define KEY_INFINITY {}\n",
                     stored, bits, kind, infinity);
}

} // namespace kp::primitives

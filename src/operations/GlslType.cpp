// SPDX-License-Identifier: Apache-2.0
#include "operations/GlslType.hpp"

#include <array>
#include <cstddef>

#include "base/Text.hpp"

namespace kp {
namespace {

using DataTypes = Memory::DataTypes;

// In the order of Memory::DataTypes.
constexpr std::array<GlslType, 14> kGlslTypes = {{
    {"uint8_t", DataTypes::eUnsignedInt, "Bool"},
    {"int", DataTypes::eInt, "Int"},
    {"uint", DataTypes::eUnsignedInt, "Uint"},
    {"float", DataTypes::eFloat, "Float"},
    {"double", DataTypes::eDouble, "Double"},
    {nullptr, DataTypes::eCustom, nullptr},
    {"int16_t", DataTypes::eInt, "Int16"},
    {"uint16_t", DataTypes::eUnsignedInt, "Uint16"},
    {"int8_t", DataTypes::eInt, "Int8"},
    {"uint8_t", DataTypes::eUnsignedInt, "Uint8"},
    {"int64_t", DataTypes::eLong, "Int64"},
    {"uint64_t", DataTypes::eUnsignedLong, "Uint64"},
    {"float16_t", DataTypes::eFloat, "Half"},
    {"uint16_t", DataTypes::eFloat, "Bfloat16"},
}};

/// Returns GLSL for a number of its bits, the uvec2 w.
const char* fromWords(DataTypes computed) {
    switch (computed) {
    case DataTypes::eInt:
        return "int((w).x)";
    case DataTypes::eUnsignedInt:
        return "((w).x)";
    case DataTypes::eFloat:
        return "uintBitsToFloat((w).x)";
    case DataTypes::eDouble:
        return "packDouble2x32(w)";
    case DataTypes::eLong:
        return "packInt2x32(ivec2(w))";
    default:
        return "packUint2x32(w)";
    }
}

/// Returns the vector of four of a GLSL type: "f16vec4" of "float16_t".
std::string vectorOf(const std::string& scalar) {
    if (scalar == "float")
        return "vec4";
    if (scalar == "double" || scalar == "int" || scalar == "uint")
        return scalar.substr(0, 1) + "vec4";
    const size_t digits = scalar.find_first_of("0123456789");
    return scalar.substr(0, 1) + scalar.substr(digits, scalar.find('_') - digits) + "vec4";
}

} // namespace

const GlslType& glslTypeOf(DataTypes type, const char* verb) {
    const GlslType& found = kGlslTypes.at(static_cast<size_t>(type));
    if (!found.stored)
        fail<InvalidArgument>("elements of {} cannot be {}; real numbers can",
                              Memory::toString(type), verb);
    return found;
}

const char* glslComputedName(DataTypes type) {
    return glslTypeOf(glslTypeOf(type, "computed with").computed, "computed with").stored;
}

std::string glslTypeMacros(const std::string& prefix, DataTypes type) {
    const GlslType& glsl = glslTypeOf(type, "computed with");
    const char* const value = glslComputedName(type);
    std::string load = formatted("{}(x)", value);
    std::string store = formatted("{}(x)", glsl.stored);
    if (type == DataTypes::eBool) {
        load = "(uint(x) != 0u ? 1u : 0u)";
        store = "uint8_t((x) != 0u ? 1u : 0u)";
    } else if (type == DataTypes::eBFloat16) {
        load = "fromBfloat16(uint(x))";
        store = "uint16_t(toBfloat16(x))";
    }
    return formatted("#define HAS_{6}\n"
                     "#define {0}_STORED {1}\n"
                     "#define {0}_VALUE {2}\n"
                     "#define {0}_LOAD(x) {3}\n"
                     "#define {0}_STORE(x) {4}\n"
                     "#define {0}_PER_BLOCK {5}\n"
                     "#define {0}_UNPACK unpack{6}\n"
                     "#define {0}_PACK pack{6}\n"
                     "#define {0}_OF_WORDS(w) {7}\n",
                     prefix, glsl.stored, value, load, store, 16 / Memory::dataTypeMemorySize(type),
                     glsl.name, fromWords(glsl.computed));
}

std::string glslComputedVector(DataTypes type) {
    return vectorOf(glslComputedName(type));
}

std::string glslVectorMacros(const std::string& prefix, DataTypes type) {
    if (type == DataTypes::eBool)
        fail<InvalidArgument>("elements of eBool cannot be in vectors; numbers can");
    const std::string vector = vectorOf(glslTypeOf(type, "in vectors").stored);
    std::string load = glslComputedVector(type) + "(v)";
    std::string store = vector + "(v)";
    if (type == DataTypes::eBFloat16) {
        load = "uintBitsToFloat(uvec4(v) << 16)";
        store = vector + "(uvec4(toBfloat16((v).x), toBfloat16((v).y), toBfloat16((v).z), "
                         "toBfloat16((v).w)))";
    }
    return formatted("#define {0}_VECTOR {1}\n"
                     "#define {0}_FOUR(v) {2}\n"
                     "#define {0}_VECTOR_OF(v) {3}\n",
                     prefix, vector, load, store);
}

} // namespace kp

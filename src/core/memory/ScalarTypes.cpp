// SPDX-License-Identifier: Apache-2.0
#include "core/memory/ScalarTypes.hpp"

#include <cstddef>

#include "shader/reflect/Reflection.hpp"

namespace kp {

using shader::ScalarType;

namespace {

bool isInteger(ScalarType type) {
    return type >= ScalarType::eInt8 && type <= ScalarType::eUint64;
}

} // namespace

ScalarType scalarTypeOf(Memory::DataTypes type) {
    // In the order of Memory::DataTypes.
    static constexpr ScalarType kTypes[] = {
        ScalarType::eBool,    ScalarType::eInt32,  ScalarType::eUint32, ScalarType::eFloat32,
        ScalarType::eFloat64, ScalarType::eStruct, ScalarType::eInt16,  ScalarType::eUint16,
        ScalarType::eInt8,    ScalarType::eUint8,  ScalarType::eInt64,  ScalarType::eUint64,
        ScalarType::eFloat16, ScalarType::eStruct};
    return kTypes[static_cast<size_t>(type)];
}

bool takes(ScalarType declared, Memory::DataTypes given) {
    const ScalarType type = scalarTypeOf(given);
    if (declared == ScalarType::eUnknown || declared == ScalarType::eStruct || type == declared)
        return true;
    if (type == ScalarType::eStruct) // bfloat16 is raw storage, eCustom is anything
        return given != Memory::DataTypes::eBFloat16 || declared == ScalarType::eUint16;
    if (type == ScalarType::eBool)
        return declared == ScalarType::eInt8 || declared == ScalarType::eUint8;
    return isInteger(type) && isInteger(declared) &&
           shader::sizeOf(type) == shader::sizeOf(declared);
}

} // namespace kp

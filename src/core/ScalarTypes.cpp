// SPDX-License-Identifier: Apache-2.0
#include "core/ScalarTypes.hpp"

#include <cstddef>

namespace kp {

shader::ScalarType scalarTypeOf(Memory::DataTypes type) {
    using shader::ScalarType;
    // In the order of Memory::DataTypes.
    static constexpr ScalarType kTypes[] = {
        ScalarType::eBool,    ScalarType::eInt32,  ScalarType::eUint32, ScalarType::eFloat32,
        ScalarType::eFloat64, ScalarType::eStruct, ScalarType::eInt16,  ScalarType::eUint16,
        ScalarType::eInt8,    ScalarType::eUint8,  ScalarType::eInt64,  ScalarType::eUint64,
        ScalarType::eFloat16, ScalarType::eStruct};
    return kTypes[static_cast<size_t>(type)];
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <kompute/Memory.hpp>
#include <kompute/memory/Half.hpp>

namespace kp {

/// Type of the elements of an array, with NumPy's names.
enum class DType : uint8_t {
    eBool,
    eInt8,
    eUint8,
    eInt16,
    eUint16,
    eInt32,
    eUint32,
    eInt64,
    eUint64,
    eFloat16,
    eFloat32,
    eFloat64,
    eComplex64, ///< two floats
    eComplex128 ///< two doubles
};

/// Returns NumPy's name, such as "float32".
KOMPUTE_API const char* toString(DType dtype);
/// Returns the bytes of an element.
KOMPUTE_API size_t itemSize(DType dtype);

/// Returns the type of a tensor's elements. Complex numbers are structs there.
KOMPUTE_API Memory::DataTypes dataTypeOf(DType dtype);
/// Returns the type that holds a tensor's elements.
/// @throws InvalidArgument for eCustom and eBFloat16
KOMPUTE_API DType dtypeOf(Memory::DataTypes type);

} // namespace kp

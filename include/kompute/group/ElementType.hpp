// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kompute/Memory.hpp>

namespace kp {

/// The element type of a Buffer: a number, a complex number, a vector or matrix of numbers, or a
/// struct. Elements, and the numbers in them, are tightly packed, as in GLSL's scalar block layout.
/// A value type.
struct KOMPUTE_API ElementType {
    ElementType() = default;
    /// @throws InvalidArgument for eCustom; use structOf()
    ElementType(Memory::DataTypes number);
    /// Returns a vector type.
    /// @param number  any numeric type; not bool
    /// @param count   numbers per vector, 2 to 4
    /// @throws InvalidArgument for other values
    static ElementType vectorOf(Memory::DataTypes number, uint32_t count);
    /// Returns a matrix type in column-major order, as in GLSL.
    /// @param number   any numeric type; not bool
    /// @param columns  2 to 4
    /// @param rows     2 to 4
    /// @throws InvalidArgument for other values
    static ElementType matrixOf(Memory::DataTypes number, uint32_t columns, uint32_t rows);
    /// Returns a complex type: a real and an imaginary part.
    /// @param number  eHalf, eFloat or eDouble
    /// @throws InvalidArgument for other types
    static ElementType complexOf(Memory::DataTypes number);
    /// Returns a struct type.
    /// @param bytes  size of the struct, not 0
    /// @throws InvalidArgument for size 0
    static ElementType structOf(uint32_t bytes);

    /// Returns the numbers per element; 1 for a struct.
    uint32_t components() const { return isComplex ? 2 : columns * rows; }
    /// Returns the bytes per number; the bytes of the struct for a struct.
    uint32_t numberBytes() const;
    /// Returns the bytes per element.
    uint32_t bytes() const { return components() * numberBytes(); }
    /// Returns a name such as "float", "float[3]", "float[4][4]", "complex of float" or "struct of
    /// 12 bytes".
    std::string name() const;

    bool operator==(const ElementType& other) const {
        return number == other.number && columns == other.columns && rows == other.rows &&
               isComplex == other.isComplex && structBytes == other.structBytes;
    }
    bool operator!=(const ElementType& other) const { return !(*this == other); }

    Memory::DataTypes number = Memory::DataTypes::eFloat;
    uint32_t columns = 1; ///< matrices only
    uint32_t rows = 1;    ///< rows of a matrix, or numbers of a vector
    bool isComplex = false;
    uint32_t structBytes = 0;
};

} // namespace kp

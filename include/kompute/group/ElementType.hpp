// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kompute/Memory.hpp>

namespace kp {

/// What a Buffer has many of: a number, a complex number, a vector or matrix of numbers, or a
/// struct. Elements, and the numbers in them, lie one after the other without padding: what GLSL
/// calls the scalar block layout.
struct KOMPUTE_API ElementType {
    ElementType() = default;
    /// @throws InvalidArgument for eCustom, which needs structOf()
    ElementType(Memory::DataTypes number);
    /// @param number  any type but bool; @param count 2 to 4
    static ElementType vectorOf(Memory::DataTypes number, uint32_t count);
    /// Columns one after the other, as in GLSL. @param columns, rows 2 to 4
    static ElementType matrixOf(Memory::DataTypes number, uint32_t columns, uint32_t rows);
    /// Real and imaginary part. @param number  eHalf, eFloat or eDouble
    static ElementType complexOf(Memory::DataTypes number);
    static ElementType structOf(uint32_t bytes);

    /// Numbers in one element; 1 for a struct.
    uint32_t components() const { return isComplex ? 2 : columns * rows; }
    uint32_t numberBytes() const;
    uint32_t bytes() const { return components() * numberBytes(); }
    /// "float", "float[3]", "float[4][4]", "complex of float", "struct of 12 bytes".
    std::string name() const;

    bool operator==(const ElementType& other) const {
        return number == other.number && columns == other.columns && rows == other.rows &&
               isComplex == other.isComplex && structBytes == other.structBytes;
    }
    bool operator!=(const ElementType& other) const { return !(*this == other); }

    Memory::DataTypes number = Memory::DataTypes::eFloat;
    uint32_t columns = 1; ///< of a matrix
    uint32_t rows = 1;    ///< of a matrix; numbers of a vector
    bool isComplex = false;
    uint32_t structBytes = 0;
};

} // namespace kp

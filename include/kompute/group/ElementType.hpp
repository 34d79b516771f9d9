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
    /// Returns a vector of 2 to 4 numbers. @throws InvalidArgument for other counts, and for bool
    static ElementType vectorOf(Memory::DataTypes number, uint32_t count);
    /// Returns a matrix of 2 to 4 columns and rows, in column-major order as in GLSL.
    /// @throws InvalidArgument for other sizes, and for bool
    static ElementType matrixOf(Memory::DataTypes number, uint32_t columns, uint32_t rows);
    /// Returns a complex type: a real and an imaginary part.
    /// @throws InvalidArgument unless @p number is eHalf, eFloat or eDouble
    static ElementType complexOf(Memory::DataTypes number);
    /// Returns a struct type. @throws InvalidArgument for size 0
    static ElementType structOf(uint32_t bytes);

    /// Returns the numbers per element; 1 for a struct.
    uint32_t components() const { return isComplex ? 2 : columns * rows; }
    uint32_t numberBytes() const; ///< bytes per number; of the whole struct for a struct
    uint32_t bytes() const { return components() * numberBytes(); } ///< per element
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <kompute/arrays/DType.hpp>

namespace kp {

/// How GLSL stores, computes, converts and passes the elements of a type. `{}` in a text is the
/// value.
struct NumberType {
    DType dtype;
    char family; ///< b, i, u, f or c: bool, integers with and without a sign, real, complex
    std::string_view stored;   ///< type in buffers
    std::string_view computed; ///< type in registers
    std::string_view load;     ///< of the stored type, in the computed one
    std::string_view store;    ///< of the computed type, in the stored one
    /// Brings a result back to the range or precision of the type. Empty if it is there.
    std::string_view wrap;
    uint32_t words;             ///< number of uint words of a constant
    std::string_view constant;  ///< value of a constant, of its words `{0}`, `{1}`, ...
    std::string_view extension; ///< that the stored type needs; empty if none
};

/// Returns how GLSL treats a type. Texts last as long as the program.
KOMPUTE_API const NumberType& numberType(DType dtype);

/// Returns the type of the parts of complex numbers, and other types as they are.
KOMPUTE_API DType realOf(DType dtype);

/// Returns a text with values in place of `{0}`, `{1}`, ... of one digit; `{}` is the first, too.
/// @throws InvalidArgument if there are fewer values
KOMPUTE_API std::string filled(std::string_view text,
                               std::initializer_list<std::string_view> values);

/// Returns the function of shader::LibraryText that rounds a computed type to another regardless of
/// compiler optimizations; empty if the conversion is exact.
KOMPUTE_API std::string_view roundingFunction(std::string_view from, std::string_view to);

/// Returns GLSL that converts a value from one type to another, as NumPy's astype does. It may name
/// functions of shader::LibraryText.
/// @param value     GLSL: a name, or an expression in brackets
/// @param observed  whether the result may be converted again in the same kernel; then no compiler
///                  can remove the rounding
KOMPUTE_API std::string convert(std::string_view value, DType from, DType to, bool observed);

} // namespace kp

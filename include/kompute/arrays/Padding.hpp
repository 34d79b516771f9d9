// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/Array.hpp>

namespace kp {

/// The elements that pad() puts before and after an axis.
struct PadWidth {
    int64_t before = 0;
    int64_t after = 0;
};

/// How pad() fills the border, other than with a number.
enum class PadMode : uint8_t {
    eEdge,      ///< the outermost element: a a | a b c | c c
    eReflect,   ///< mirrored about the outermost element: c b | a b c | b a
    eSymmetric, ///< mirrored about the edge: b a | a b c | c b
    eWrap       ///< as if the array repeated: b c | a b c | a b
};

/// Returns an array with a border of one number, in the type of x.
/// @param widths  one for each axis, or one number for all sides. Not negative
/// @throws InvalidArgument if the type cannot hold the number
KOMPUTE_API Array pad(const Array& x, const std::vector<PadWidth>& widths,
                      const Operand& value = 0);
KOMPUTE_API Array pad(const Array& x, int64_t width, const Operand& value = 0);
/// Returns an array with a border of its own elements.
/// @throws InvalidArgument for a border of an axis without elements
KOMPUTE_API Array pad(const Array& x, const std::vector<PadWidth>& widths, PadMode mode);
KOMPUTE_API Array pad(const Array& x, int64_t width, PadMode mode);

} // namespace kp

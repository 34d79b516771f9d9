// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <kompute/Array.hpp>

namespace kp::arrays {

/// Returns a number as the words from which NumberType::constant makes it.
/// @throws InvalidArgument if the type cannot hold an integer, or has no place for a fraction or an
///         imaginary part
std::array<uint32_t, 4> constantWords(const Operand& number, DType dtype);

} // namespace kp::arrays

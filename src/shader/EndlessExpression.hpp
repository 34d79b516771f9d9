// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kp::shader {

/// What messages say about an expression that findEndlessExpression() found.
constexpr const char* kEndlessExpression =
    "one expression has more than 8000 operators; split it into several statements";

/// glslang walks an expression one call deep per operator, so that a generated sum of tens of
/// thousands of terms would overflow the stack of the process.
/// @return the line (from 1) where an expression passes 8000 operators; nothing where none does.
///         Comments do not count.
std::optional<uint32_t> findEndlessExpression(std::string_view source);

} // namespace kp::shader

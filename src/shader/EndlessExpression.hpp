// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kp::shader {

/// Message for an expression that findEndlessExpression() found.
constexpr const char* kEndlessExpression =
    "one expression has more than 8000 operators; split it into several statements";

/// Finds an expression with more than 8000 operators, outside comments. glslang recurses once per
/// operator, so a generated sum of tens of thousands of terms would overflow the stack.
/// @return the line where it exceeds the limit, starting at 1; nothing if there is none
std::optional<uint32_t> findEndlessExpression(std::string_view source);

} // namespace kp::shader

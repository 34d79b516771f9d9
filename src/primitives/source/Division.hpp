// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp::primitives {

/// Returns a / b, rounded up.
constexpr uint64_t divideUp(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

// The words of a 64-bit number, for push constants.
constexpr uint32_t lowWord(uint64_t value) {
    return static_cast<uint32_t>(value);
}
constexpr uint32_t highWord(uint64_t value) {
    return static_cast<uint32_t>(value >> 32);
}

} // namespace kp::primitives

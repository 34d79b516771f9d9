// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace kp {

/// Division of numbers below 2^31 by a multiplication and a shift, as `quotient()` in
/// shaders/primitives/parts/Units.glsl does it (Granlund and Montgomery, "Division by invariant
/// integers using multiplication", 1994).
struct Divider {
    uint32_t divisor = 1;
    uint32_t multiplier = 1;
    uint32_t shift = 0;

    /// @param by  at least 1, below 2^31
    static Divider of(uint32_t by) {
        Divider divider;
        divider.divisor = by;
        divider.shift = static_cast<uint32_t>(std::bit_width(by - 1));
        const uint64_t power = uint64_t{1} << divider.shift;
        divider.multiplier = static_cast<uint32_t>(((power - by) << 32) / by + 1);
        return divider;
    }
    uint32_t quotient(uint32_t n) const {
        return static_cast<uint32_t>((uint64_t{multiplier} * n >> 32) + n) >> shift;
    }
};

} // namespace kp

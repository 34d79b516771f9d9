// SPDX-License-Identifier: Apache-2.0
//
// Shared by the kernels that move elements. The macros of unitMacros() precede it.

// Division of n < 2^31 by a divisor that the host prepared: (divisor, multiplier, shift).
struct Divider { uint divisor; uint multiplier; uint shift; };

uint quotient(uint n, Divider by) {
    uint high;
    uint low;
    umulExtended(n, by.multiplier, high, low);
    return (high + n) >> by.shift;
}

// SPDX-License-Identifier: Apache-2.0
//
// Words of 64 bits as uvec2, the low half in x: shared by the functions of wide numbers.
//
// All of shaders/lib/wide is GLSL for 32-bit integers, for devices that have no others. Conditions are
// values and results are selected, because branches cost drivers more than the work that they save:
// `a ? b : c` and `p && q` of names, mix() and any() compile to no branch. Parameters are const: these
// are passed as values.

uvec2 kp_wide_add(const uvec2 a, const uvec2 b) {
    uint low = a.x + b.x;
    return uvec2(low, a.y + b.y + uint(low < a.x));
}

uvec2 kp_wide_subtract(const uvec2 a, const uvec2 b) {
    return uvec2(a.x - b.x, a.y - b.y - uint(a.x < b.x));
}

uvec2 kp_wide_negate_if(const uvec2 a, const bool negative) {
    uvec2 negated = uvec2(0u - a.x, ~a.y + uint(a.x == 0u));
    return negative ? negated : a;
}

bool kp_u64_less(const uvec2 a, const uvec2 b) {
    bool low = a.x < b.x;
    bool high = a.y < b.y;
    bool same = a.y == b.y;
    return same ? low : high;
}

bool kp_wide_is_zero(const uvec2 a) { return (a.x | a.y) == 0u; }

int kp_wide_leading_zeros(const uvec2 a) {  // 64 for 0
    int low = 63 - findMSB(a.x);
    int high = 31 - findMSB(a.y);
    bool upper = a.y != 0u;
    return upper ? high : low;
}

int kp_wide_trailing_zeros(const uvec2 a) {  // 63 for 0
    int low = findLSB(a.x);
    int high = 32 + findLSB(a.y | 0x80000000u);
    bool upper = a.x == 0u;
    return upper ? high : low;
}

uvec2 kp_wide_shift_left(const uvec2 a, const uint count) {  // by less than 64 bits
    uint bits = count & 31u;
    uint low = a.x << bits;
    uvec2 near = uvec2(low, a.y << bits | a.x >> 1 >> (31u - bits));
    uvec2 far = uvec2(0u, low);
    bool whole = count > 31u;
    return whole ? far : near;
}

uvec2 kp_wide_shift_right(const uvec2 a, const uint count) {  // by less than 64 bits
    uint bits = count & 31u;
    uint high = a.y >> bits;
    uvec2 near = uvec2(a.x >> bits | a.y << 1 << (31u - bits), high);
    uvec2 far = uvec2(high, 0u);
    bool whole = count > 31u;
    return whole ? far : near;
}

// Shifts right, and sets the last bit if a bit that is not 0 was lost.
uvec2 kp_wide_shift_sticky(const uvec2 a, const uint count) {
    uint bits = min(count, 63u);
    uvec2 shifted = kp_wide_shift_right(a, bits);
    shifted.x |= uint(kp_wide_trailing_zeros(a) < int(bits));
    return shifted;
}

uvec4 kp_wide_product(const uvec2 a, const uvec2 b) {  // all 128 bits, the lowest in x
    uint high0, low0, high1, low1, high2, low2, high3, low3;
    umulExtended(a.x, b.x, high0, low0);
    umulExtended(a.x, b.y, high1, low1);
    umulExtended(a.y, b.x, high2, low2);
    umulExtended(a.y, b.y, high3, low3);
    uint middle = high0 + low1;
    uint carry = uint(middle < low1);
    uint second = middle + low2;
    carry += uint(second < low2);
    uvec2 upper = kp_wide_add(uvec2(low3, high3), uvec2(high1, 0u));
    upper = kp_wide_add(upper, uvec2(high2, 0u));
    upper = kp_wide_add(upper, uvec2(carry, 0u));
    return uvec4(low0, second, upper.x, upper.y);
}

// (2^64 - 1) / d - 2^32 for 2^31 <= d, by Newton's method. Moeller and Granlund, "Improved division by
// invariant integers" (2011), section 3.2.
uint kp_wide_reciprocal_of_word(const uint d) {
    uint high, low, high2, low2;
    uint start = 16761344u / (d >> 22);
    umulExtended(start * start, (d >> 11) + 1u, high, low);
    uint v = (start << 4) - high - 1u;
    uint error = (v >> 1) * (d & 1u) - v * ((d >> 1) + (d & 1u));
    umulExtended(v, error, high, low);
    v = (v << 15) + (high >> 1);
    umulExtended(v, d, high2, low2);
    return v - high2 - d - uint(low2 > ~d);
}

// (2^96 - 1) / d - 2^32 for 2^63 <= d. Moeller and Granlund, algorithm 6.
uint kp_wide_reciprocal(const uvec2 d) {
    uint high, low;
    uint v = kp_wide_reciprocal_of_word(d.y);
    uint p = d.y * v + d.x;
    bool over = p < d.x;
    bool twice = p >= d.y;
    twice = twice && over;
    uint times = uint(over) + uint(twice);
    v -= times;
    p -= times * d.y;
    umulExtended(v, d.x, high, low);
    p += high;
    bool carried = p < high;
    bool again = !kp_u64_less(uvec2(low, p), d);
    again = again && carried;
    return v - uint(carried) - uint(again);
}

// Divides (rest 2^32 + next) by d, for rest < d and 2^63 <= d, with v = kp_wide_reciprocal(d). Returns
// the quotient in x and the new rest in yz. Moeller and Granlund, algorithm 4.
uvec3 kp_wide_divide_step(const uvec2 rest, const uint next, const uvec2 d, const uint v) {
    uint high, low, high2, low2;
    umulExtended(v, rest.y, high, low);
    uint fraction = low + rest.x;
    uint quotient = high + rest.y + uint(fraction < low);
    umulExtended(quotient, d.x, high2, low2);
    uvec2 left = kp_wide_subtract(uvec2(next, rest.x - quotient * d.y), uvec2(low2, high2));
    left = kp_wide_subtract(left, d);
    uvec2 back = kp_wide_add(left, d);
    bool large = left.y >= fraction;
    left = large ? back : left;
    uvec2 beyond = kp_wide_subtract(left, d);
    bool small = kp_u64_less(left, d);
    left = small ? left : beyond;
    return uvec3(quotient + 1u - uint(large) + uint(!small), left);
}

// Divides (high 2^64 + low) by d, for high < d and 2^63 <= d. Returns the quotient in xy and the rest in
// zw.
uvec4 kp_wide_divide(const uvec2 high, const uvec2 low, const uvec2 d) {
    uint v = kp_wide_reciprocal(d);
    uvec3 first = kp_wide_divide_step(high, low.y, d, v);
    uvec3 second = kp_wide_divide_step(first.yz, low.x, d, v);
    return uvec4(second.x, first.x, second.yz);
}

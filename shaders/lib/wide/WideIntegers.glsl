// SPDX-License-Identifier: Apache-2.0
//
// Integers of 64 bits as uvec2, the low word in x; the sign is the last bit of y. Sums, products and
// shifts wrap, as the types of other sizes do. Division by 0 gives 0, for the rest, too.

uvec2 kp_i64_mul(const uvec2 a, const uvec2 b) {
    uint high, low;
    umulExtended(a.x, b.x, high, low);
    return uvec2(low, high + a.x * b.y + a.y * b.x);
}

bool kp_i64_less(const uvec2 a, const uvec2 b) {
    bool low = a.x < b.x;
    bool high = int(a.y) < int(b.y);
    bool same = a.y == b.y;
    return same ? low : high;
}

// Shifts count modulo 64.
uvec2 kp_i64_shl(const uvec2 a, const uint count) { return kp_wide_shift_left(a, count & 63u); }

uvec2 kp_u64_shr(const uvec2 a, const uint count) { return kp_wide_shift_right(a, count & 63u); }

uvec2 kp_i64_shr(const uvec2 a, const uint count) {
    uint sign = uint(int(a.y) >> 31);
    return kp_wide_shift_right(a ^ sign, count & 63u) ^ sign;
}

uvec4 kp_u64_divide(const uvec2 a, const uvec2 b) {  // the quotient in xy, the rest in zw
    bool none = kp_wide_is_zero(b);
    uvec2 divisor = uvec2(b.x | uint(none), b.y);
    uint shift = uint(kp_wide_leading_zeros(divisor));
    uvec2 above = kp_wide_shift_right(kp_wide_shift_right(a, 63u - shift), 1u);
    uvec4 both = kp_wide_divide(above, kp_wide_shift_left(a, shift), kp_wide_shift_left(divisor, shift));
    both = uvec4(both.xy, kp_wide_shift_right(both.zw, shift));
    return mix(both, uvec4(0u), bvec4(none));
}

uvec2 kp_u64_div(const uvec2 a, const uvec2 b) { return kp_u64_divide(a, b).xy; }

uvec2 kp_u64_rem(const uvec2 a, const uvec2 b) { return kp_u64_divide(a, b).zw; }

uvec2 kp_i64_size(const uvec2 a) {  // without the sign
    return kp_wide_negate_if(a, int(a.y) < 0);
}

uvec2 kp_i64_div(const uvec2 a, const uvec2 b) {  // towards 0
    return kp_wide_negate_if(kp_u64_div(kp_i64_size(a), kp_i64_size(b)), int(a.y ^ b.y) < 0);
}

uvec2 kp_i64_rem(const uvec2 a, const uvec2 b) {  // with the sign of a
    return kp_wide_negate_if(kp_u64_rem(kp_i64_size(a), kp_i64_size(b)), int(a.y) < 0);
}

uvec2 kp_i64_mod(const uvec2 a, const uvec2 b) {  // with the sign of b
    uvec2 rest = kp_i64_rem(a, b);
    uvec2 other = kp_wide_add(rest, b);
    bool apart = int(rest.y ^ b.y) < 0;
    bool left = !kp_wide_is_zero(rest);
    bool add = left && apart;
    return add ? other : rest;
}

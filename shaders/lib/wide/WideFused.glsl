// SPDX-License-Identifier: Apache-2.0
//
// The fused multiplication and addition of doubles: a sum of 128 bits, rounded once. The first words of
// uvec4 are the lowest.

uvec4 kp_wide_long_add(const uvec4 a, const uvec4 b) {
    uvec2 low = kp_wide_add(a.xy, b.xy);
    uvec2 high = kp_wide_add(a.zw, b.zw);
    return uvec4(low, kp_wide_add(high, uvec2(uint(kp_u64_less(low, a.xy)), 0u)));
}

uvec4 kp_wide_long_negate_if(const uvec4 a, const bool negative) {
    uint mask = uint(-int(negative));
    return kp_wide_long_add(a ^ mask, uvec4(uint(negative), 0u, 0u, 0u));
}

// The bits that a shift to the right by less than 64 loses, from bit 63 on.
uvec2 kp_wide_lost(const uvec2 a, const uint count) {
    return kp_wide_shift_left(kp_wide_shift_left(a, 63u - count), 1u);
}

uvec4 kp_wide_long_shift_left(const uvec4 a, const uint count) {  // by less than 128 bits
    uint bits = count & 63u;
    uvec2 low = kp_wide_shift_left(a.xy, bits);
    uvec2 carried = kp_wide_shift_right(kp_wide_shift_right(a.xy, 63u - bits), 1u);
    uvec4 near = uvec4(low, kp_wide_shift_left(a.zw, bits) | carried);
    uvec4 far = uvec4(0u, 0u, low);
    bool whole = count > 63u;
    return whole ? far : near;
}

// Shifts right, and sets the last bit if a bit that is not 0 was lost.
uvec4 kp_wide_long_shift_sticky(const uvec4 a, const uint count) {
    uint distance = min(count, 127u);
    uint bits = distance & 63u;
    uvec2 high = kp_wide_shift_right(a.zw, bits);
    uvec2 carried = kp_wide_lost(a.zw, bits);
    uvec4 near = uvec4(kp_wide_shift_right(a.xy, bits) | carried, high);
    near.x |= uint(!kp_wide_is_zero(kp_wide_lost(a.xy, bits)));
    uvec4 far = uvec4(high, 0u, 0u);
    far.x |= uint(!kp_wide_is_zero(carried | a.xy));
    bool whole = distance > 63u;
    return whole ? far : near;
}

int kp_wide_long_leading_zeros(const uvec4 a) {
    int low = 64 + kp_wide_leading_zeros(a.xy);
    int high = kp_wide_leading_zeros(a.zw);
    return mix(high, low, high == 64);
}

uvec2 kp_f64_fma(const uvec2 a, const uvec2 b, const uvec2 c) {  // a b + c
    uvec3 p = kp_f64_unpack(a);
    uvec3 q = kp_f64_unpack(b);
    uvec3 r = kp_f64_unpack(c);
    uint sign = (a.y ^ b.y) & 0x80000000u;
    bool apart = sign != (c.y & 0x80000000u);
    // Both get their first one at bit 124 or 125. The last bits of the product are 0.
    uvec4 product = kp_wide_long_shift_sticky(kp_wide_product(p.xy, q.xy), 2u);
    uvec4 addend = kp_wide_long_shift_sticky(uvec4(0u, 0u, r.xy), 3u);
    bool no_product = kp_wide_is_zero(product.zw);
    bool no_addend = kp_wide_is_zero(r.xy);
    int exponent = mix(int(p.z + q.z) - 1023, -9999, no_product);
    int other = mix(int(r.z), -9999, no_addend);
    bool swapped = exponent < other;
    uvec4 large = swapped ? addend : product;
    uvec4 small = swapped ? product : addend;
    small = kp_wide_long_shift_sticky(small, uint(abs(exponent - other)));
    uvec4 sum = kp_wide_long_add(large, kp_wide_long_negate_if(small, apart));
    bool negative = int(sum.w) < 0;
    sum = kp_wide_long_negate_if(sum, negative);
    int zeros = kp_wide_long_leading_zeros(sum);
    bool none = zeros == 128;
    bool cancelled = none && apart;
    uint sum_sign = mix(sign, c.y & 0x80000000u, swapped) ^ uint(negative) << 31;
    sum_sign = mix(sum_sign, 0u, cancelled);
    sum = kp_wide_long_shift_left(sum, uint(zeros - 1));
    uvec2 digits = uvec2(sum.z | uint(!kp_wide_is_zero(sum.xy)), sum.w);
    uvec2 finite = kp_f64_round(sum_sign, mix(max(exponent, other) + 3 - zeros, 0, none), digits);

    bool infinite = max(kp_f64_exponent(a), kp_f64_exponent(b)) == 2047;
    bool undefined = infinite && no_product;
    bool other_infinite = kp_f64_exponent(c) == 2047;  // or NaN
    bool both = infinite && other_infinite;
    bool opposite = both && apart;
    bool alone = infinite && !other_infinite;
    bool nan = any(bvec4(undefined, opposite, kp_f64_is_nan(a), kp_f64_is_nan(b)));
    uvec2 result = mix(finite, kp_f64_quiet(c), bvec2(other_infinite));
    return kp_f64_special(result, sign, nan, alone, false);
}

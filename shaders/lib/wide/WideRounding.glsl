// SPDX-License-Identifier: Apache-2.0
//
// Rounding of doubles to whole numbers, remainders, and exponents. Doubles are bits in uvec2.

uvec2 kp_f64_fraction_bits(const int exponent) {  // of numbers from 2^exponent on
    return kp_wide_shift_right(uvec2(0xffffffffu, 0xfffffu), uint(clamp(exponent, 0, 52)));
}

uvec2 kp_f64_round_away(const uvec2 a, const bool away) {  // from 0, or towards it
    int exponent = kp_f64_exponent(a) - 1023;
    uvec2 fraction = kp_f64_fraction_bits(exponent);
    uvec2 up = kp_wide_add(a, fraction);  // a carry goes into the exponent
    uvec2 whole = (away ? up : a) & ~fraction;
    bool zero = kp_f64_is_zero(a);
    bool one = away && !zero;
    uvec2 small = uvec2(0u, (a.y & 0x80000000u) | 0x3ff00000u * uint(one));
    return kp_f64_quiet(mix(whole, small, bvec2(exponent < 0)));
}

uvec2 kp_f64_trunc(const uvec2 a) { return kp_f64_round_away(a, false); }

uvec2 kp_f64_floor(const uvec2 a) { return kp_f64_round_away(a, int(a.y) < 0); }

uvec2 kp_f64_ceil(const uvec2 a) { return kp_f64_round_away(a, int(a.y) >= 0); }

uvec2 kp_f64_round_even(const uvec2 a) {
    int exponent = kp_f64_exponent(a) - 1023;
    uvec2 fraction = kp_f64_fraction_bits(exponent);
    // The unit's bit is the implicit one's, in the exponent, for numbers from 1 to 2.
    uint odd = uint(!kp_wide_is_zero(a & kp_wide_add(fraction, uvec2(1u, 0u))));
    odd &= uint(!kp_wide_is_zero(fraction));
    uvec2 half_ = kp_wide_add(kp_wide_shift_right(fraction, 1u), uvec2(odd, 0u));
    uvec2 whole = kp_wide_add(a, half_) & ~fraction;
    bool one = kp_u64_less(uvec2(0u, 0x3fe00000u), kp_f64_abs(a));  // above 1/2
    uvec2 small = uvec2(0u, (a.y & 0x80000000u) | 0x3ff00000u * uint(one));
    return kp_f64_quiet(mix(whole, small, bvec2(exponent < 0)));
}

uvec2 kp_f64_fract(const uvec2 a) { return kp_f64_sub(a, kp_f64_floor(a)); }

uvec2 kp_f64_rem(const uvec2 a, const uvec2 b) {  // with the sign of a; exact, as fmod() of C
    uvec3 p = kp_f64_unpack(a);
    uvec3 q = kp_f64_unpack(b);
    uvec2 divisor = uvec2(q.x, q.y | 0x80000000u);  // of zeros, too
    uint v = kp_wide_reciprocal(divisor);
    int distance = int(p.z - q.z);
    uvec2 less = kp_wide_subtract(p.xy, divisor);
    uvec2 rest = mix(less, p.xy, bvec2(kp_u64_less(p.xy, divisor)));
    // The rest of rest 2^distance: up to 32 bits of the distance are one step of a division.
    uint bits = uint(distance) & 31u;
    rest = kp_wide_divide_step(kp_wide_shift_right(rest, 32u - bits), rest.x << bits, divisor, v).yz;
    for (int i = distance >> 5; i > 0; --i) rest = kp_wide_divide_step(rest, 0u, divisor, v).yz;
    int zeros = kp_wide_leading_zeros(rest);
    uvec2 digits = kp_f64_half_digits(kp_wide_shift_left(rest, uint(zeros)));
    int exponent = mix(int(q.z) - zeros, 0, zeros == 64);
    uvec2 result = kp_f64_round(a.y & 0x80000000u, exponent, digits);
    bool nan = any(bvec3(kp_f64_exponent(a) == 2047, kp_f64_is_nan(b), kp_f64_is_zero(b)));
    bool same = any(bvec3(distance < 0, kp_f64_is_zero(a), kp_f64_is_inf(b)));
    result = mix(result, a, bvec2(same));
    return mix(result, uvec2(0u, 0x7ff80000u), bvec2(nan));
}

uvec2 kp_f64_mod(const uvec2 a, const uvec2 b) {  // with the sign of b
    uvec2 rest = kp_f64_rem(a, b);
    uvec2 other = kp_f64_add(rest, b);
    bool apart = int(rest.y ^ b.y) < 0;
    uvec2 result = apart ? other : rest;
    uvec2 zero = uvec2(0u, b.y & 0x80000000u);
    result = mix(result, zero, bvec2(kp_f64_is_zero(rest)));
    return mix(result, rest, bvec2(kp_f64_is_nan(rest)));
}

uvec2 kp_f64_frexp_significand(const uvec2 a) {  // from 1/2 to 1; special numbers stay
    uvec2 digits = kp_wide_shift_right(kp_f64_unpack(a).xy, 11u);
    digits.y = (digits.y & 0xfffffu) | 0x3fe00000u | (a.y & 0x80000000u);
    return mix(digits, kp_f64_quiet(a), bvec2(kp_f64_is_special(a)));
}

int kp_f64_frexp_exponent(const uvec2 a) {  // 0 for special numbers
    return mix(int(kp_f64_unpack(a).z) - 1022, 0, kp_f64_is_special(a));
}

uvec2 kp_f64_ldexp(const uvec2 a, const int exponent) {  // a 2^exponent, rounded once
    uvec3 p = kp_f64_unpack(a);
    int sum = int(p.z) + clamp(exponent, -9999, 9999);
    uvec2 result = kp_f64_round(a.y & 0x80000000u, sum, kp_f64_half_digits(p.xy));
    return mix(result, kp_f64_quiet(a), bvec2(kp_f64_is_special(a)));
}

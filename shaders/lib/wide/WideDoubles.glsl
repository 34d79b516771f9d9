// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of doubles as IEEE 754 has it, on their bits in uvec2, the low word in x. Results round to
// nearest, ties to even; denormal numbers, signs of zeros, infinities and NaN are as the standard says.
// NaNs are quiet; most lose their payload.

uvec2 kp_f64_abs(const uvec2 a) { return uvec2(a.x, a.y & 0x7fffffffu); }

bool kp_f64_is_nan(const uvec2 a) { return kp_u64_less(uvec2(0u, 0x7ff00000u), kp_f64_abs(a)); }

uvec2 kp_f64_quiet(const uvec2 a) { return uvec2(a.x, a.y | uint(kp_f64_is_nan(a)) << 19); }

bool kp_f64_is_inf(const uvec2 a) { return kp_f64_abs(a) == uvec2(0u, 0x7ff00000u); }

bool kp_f64_is_zero(const uvec2 a) { return kp_wide_is_zero(kp_f64_abs(a)); }

uvec2 kp_f64_neg(const uvec2 a) { return uvec2(a.x, a.y ^ 0x80000000u); }

int kp_f64_exponent(const uvec2 a) {  // as it is stored
    return int(a.y >> 20 & 0x7ffu);
}

uvec2 kp_f64_digits(const uvec2 a) {  // 53 bits
    return uvec2(a.x, (a.y & 0xfffffu) | uint((a.y & 0x7ff00000u) != 0u) << 20);
}

bool kp_f64_is_special(const uvec2 a) {  // 0, infinite or NaN
    return any(bvec2(kp_f64_is_zero(a), kp_f64_exponent(a) == 2047));
}

// The digits in xy, with the first one at bit 63 unless they are 0, and the exponent in z as normal
// numbers have it.
uvec3 kp_f64_unpack(const uvec2 a) {
    uvec2 digits = kp_f64_digits(a);
    int zeros = kp_wide_leading_zeros(digits);
    digits = kp_wide_shift_left(digits, uint(zeros));
    return uvec3(digits, uint(max(kp_f64_exponent(a), 1) + 11 - zeros));
}

// Halves a significand, and sets the last bit if a bit that is not 0 was lost.
uvec2 kp_f64_half_digits(const uvec2 a) {
    return uvec2(a.x >> 1 | a.y << 31 | (a.x & 1u), a.y >> 1);
}

// Rounds to a double.
//   sign         in the last bit
//   exponent     as the result has it, if the number is normal; at most 1 for 0
//   significand  of which bit 62 is the first one, and bit 0 says if lower ones follow
uvec2 kp_f64_round(const uint sign, const int exponent, const uvec2 significand) {
    uvec2 bits = kp_wide_shift_sticky(significand, uint(max(1 - exponent, 0)));
    bits = kp_wide_add(bits, uvec2(0x1ffu + (bits.x >> 10 & 1u), 0u));
    uint field = uint(max(exponent, 1) - 1) << 20;
    uvec2 finite = uvec2(bits.x >> 10 | bits.y << 22, (bits.y >> 10) + field);
    bool over = exponent > 2046;
    finite = mix(finite, uvec2(0u, 0x7ff00000u), bvec2(over));
    return uvec2(finite.x, finite.y | sign);
}

uvec2 kp_f64_add(const uvec2 a, const uvec2 b) {
    bool swapped = kp_u64_less(kp_f64_abs(a), kp_f64_abs(b));
    uvec2 large = swapped ? b : a;
    uvec2 small = swapped ? a : b;
    bool apart = int(a.y ^ b.y) < 0;
    int exponent = max(kp_f64_exponent(large), 1);
    int other = max(kp_f64_exponent(small), 1);
    uvec2 first = kp_wide_shift_left(kp_f64_digits(large), 9u);
    uvec2 second = kp_wide_shift_sticky(kp_wide_shift_left(kp_f64_digits(small), 9u), uint(exponent - other));
    uvec2 sum = kp_wide_add(first, second);
    uvec2 difference = kp_wide_subtract(first, second);
    sum = apart ? difference : sum;
    int zeros = kp_wide_leading_zeros(sum);
    bool zero = zeros == 64;
    bool cancelled = zero && apart;
    uint sign = mix(large.y & 0x80000000u, 0u, cancelled);
    uvec2 digits = kp_wide_shift_left(sum, uint(zeros - 1));
    uvec2 result = kp_f64_round(sign, mix(exponent + 2 - zeros, 0, zero), digits);
    // An infinity less an infinity is NaN.
    bool beyond = other == 2047;
    bool invalid = beyond && apart;
    uvec2 special = kp_f64_quiet(uvec2(large.x, large.y | uint(invalid) << 19));
    bool infinite = exponent == 2047;
    return infinite ? special : result;
}

uvec2 kp_f64_sub(const uvec2 a, const uvec2 b) { return kp_f64_add(a, kp_f64_neg(b)); }

// The result of a product or quotient of special numbers: NaN, or an infinity or zero of the sign.
uvec2 kp_f64_special(const uvec2 finite, const uint sign, const bool nan, const bool infinite, const bool zero) {
    uvec2 result = mix(finite, uvec2(0u, sign), bvec2(zero));
    result = mix(result, uvec2(0u, sign | 0x7ff00000u), bvec2(infinite));
    return mix(result, uvec2(0u, 0x7ff80000u), bvec2(nan));
}

uvec2 kp_f64_mul(const uvec2 a, const uvec2 b) {
    uint sign = (a.y ^ b.y) & 0x80000000u;
    uvec3 p = kp_f64_unpack(a);
    uvec3 q = kp_f64_unpack(b);
    uvec4 product = kp_wide_product(p.xy, q.xy);
    uvec2 digits = uvec2(product.z | uint((product.x | product.y) != 0u), product.w);
    int carry = int(digits.y >> 31);
    digits = mix(digits, kp_f64_half_digits(digits), bvec2(carry != 0));
    uvec2 finite = kp_f64_round(sign, int(p.z + q.z) - 1023 + carry, digits);
    bool zero = kp_wide_is_zero(digits);
    bool infinite = max(kp_f64_exponent(a), kp_f64_exponent(b)) == 2047;
    bool undefined = infinite && zero;
    bool nan = any(bvec3(undefined, kp_f64_is_nan(a), kp_f64_is_nan(b)));
    return kp_f64_special(finite, sign, nan, infinite, zero);
}

uvec2 kp_f64_div(const uvec2 a, const uvec2 b) {
    uint sign = (a.y ^ b.y) & 0x80000000u;
    uvec3 p = kp_f64_unpack(a);
    uvec3 q = kp_f64_unpack(b);
    uvec2 divisor = uvec2(q.x, q.y | 0x80000000u);  // of zeros, too
    uvec4 both = kp_wide_divide(kp_f64_half_digits(p.xy), uvec2(0u), divisor);
    uvec2 digits = uvec2(both.x | uint(!kp_wide_is_zero(both.zw)), both.y);
    int carry = int(digits.y >> 31);
    digits = mix(digits, kp_f64_half_digits(digits), bvec2(carry != 0));
    uvec2 finite = kp_f64_round(sign, int(p.z - q.z) + 1022 + carry, digits);
    bool zero = any(bvec2(kp_f64_is_zero(a), kp_f64_is_inf(b)));
    bool infinite = any(bvec2(kp_f64_is_zero(b), kp_f64_is_inf(a)));
    bool undefined = zero && infinite;
    bool nan = any(bvec3(undefined, kp_f64_is_nan(a), kp_f64_is_nan(b)));
    return kp_f64_special(finite, sign, nan, infinite, zero);
}

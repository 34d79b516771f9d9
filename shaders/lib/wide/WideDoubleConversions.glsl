// SPDX-License-Identifier: Apache-2.0
//
// Conversions of doubles, which are bits in uvec2. They round once, to nearest, ties to even.
// Conversions to integers round towards 0, take the nearest integer of the type for numbers beyond it,
// and 0 for NaN.

// The first 31 of a double's digits, of which the last says if lower ones follow; normal numbers alone.
uint kp_f64_upper_digits(const uvec2 a) {
    uint digits = (a.y & 0xfffffu) << 10 | 0x40000000u | a.x >> 22;
    return digits | uint((a.x & 0x3fffffu) != 0u);
}

float kp_f64_to_f32(const uvec2 a) {
    uint bits = kp_wide_narrow(kp_f64_exponent(a) - 896, kp_f64_upper_digits(a), 7u, 255);
    bits = mix(bits, 0x7fc00000u | (a.y & 0x7ffffu) << 3, kp_f64_is_nan(a));
    return uintBitsToFloat(a.y & 0x80000000u | bits);
}

uint kp_f64_to_f16(const uvec2 a) {
    uint bits = kp_wide_narrow(kp_f64_exponent(a) - 1008, kp_f64_upper_digits(a), 20u, 31);
    bits = mix(bits, 0x7e00u | (a.y >> 10 & 0x1ffu), kp_f64_is_nan(a));
    return a.y >> 16 & 0x8000u | bits;
}

uvec2 kp_f64_of_word(const uint word, const int scale) {  // word 2^scale
    int first = findMSB(word);
    uint digits = word << (31 - max(first, 0));
    uvec2 result = uvec2(digits << 21, (digits >> 11) + (uint(first + scale + 1022) << 20));
    return mix(result, uvec2(0u), bvec2(word == 0u));
}

uvec2 kp_f32_to_f64(const float x) {
    uint bits = floatBitsToUint(x);
    int exponent = int(bits >> 23 & 0xffu);
    uint digits = bits & 0x7fffffu;
    uvec2 finite = kp_f64_of_word(digits | uint(exponent != 0) << 23, max(exponent, 1) - 150);
    uvec2 special = uvec2(digits << 29, 0x7ff00000u | digits >> 3 | uint(digits != 0u) << 19);
    uvec2 result = mix(finite, special, bvec2(exponent == 255));
    return uvec2(result.x, result.y | (bits & 0x80000000u));
}

uvec2 kp_u32_to_f64(const uint x) { return kp_f64_of_word(x, 0); }

uvec2 kp_i32_to_f64(const int x) {
    uvec2 size = kp_f64_of_word(uint(abs(x)), 0);
    return uvec2(size.x, size.y | (uint(x) & 0x80000000u));
}

uvec2 kp_f64_of_size(const uvec2 size, const uint sign) {
    int zeros = kp_wide_leading_zeros(size);
    uvec2 digits = kp_f64_half_digits(kp_wide_shift_left(size, uint(zeros)));
    return kp_f64_round(sign, mix(1086 - zeros, 0, zeros == 64), digits);
}

uvec2 kp_u64_to_f64(const uvec2 a) { return kp_f64_of_size(a, 0u); }

uvec2 kp_i64_to_f64(const uvec2 a) { return kp_f64_of_size(kp_i64_size(a), a.y & 0x80000000u); }

uvec2 kp_f64_size(const uvec2 a) {  // the whole part without the sign; 0 for NaN
    uvec2 digits = kp_wide_shift_left(kp_f64_digits(a), 11u);
    uvec2 size = kp_wide_whole(digits, kp_f64_exponent(a) - 1023);
    return mix(size, uvec2(0u), bvec2(kp_f64_is_nan(a)));
}

uvec2 kp_f64_to_i64(const uvec2 a) { return kp_wide_signed(kp_f64_size(a), int(a.y) < 0); }

uvec2 kp_f64_to_u64(const uvec2 a) { return mix(kp_f64_size(a), uvec2(0u), bvec2(int(a.y) < 0)); }

uint kp_f64_to_u32(const uvec2 a) {
    uvec2 size = kp_f64_to_u64(a);
    return mix(size.x, 0xffffffffu, size.y != 0u);
}

int kp_f64_to_i32(const uvec2 a) {
    uvec2 size = kp_f64_size(a);
    bool negative = int(a.y) < 0;
    uint end = 0x7fffffffu + uint(negative);
    uint least = mix(size.x, end, any(bvec2(size.y != 0u, size.x > end)));
    int result = int(least);
    int negated = int(0u - least);
    return negative ? negated : result;
}

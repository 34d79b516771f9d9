// SPDX-License-Identifier: Apache-2.0
//
// Conversions between 64-bit integers, floats and halves. Results are made of bits: they round to
// nearest, ties to even, and handle denormal numbers, independently of a driver's own conversions.
// Conversions to integers round towards 0, take the nearest integer of the type for numbers beyond
// it, and 0 for NaN. A half is its 16 bits in a uint.

// Rounds a number to the bits of a smaller type.
//   exponent     as the result has it, if the number is normal there
//   significand  of which bit 30 is the first one, and bit 0 says if lower ones follow; 0 if exponent is
//   drop         bits of it that the result does not have: 7 for floats, 20 for halves
//   top          exponent of infinity
uint kp_wide_narrow(const int exponent, const uint significand, const uint drop, const int top) {
    uint below = uint(clamp(1 - exponent, 0, 31));
    uint bits = significand >> below;
    bits |= uint(bits << below != significand);
    uint odd = bits >> drop & 1u;
    uint rounded = (bits + (1u << (drop - 1u)) - 1u + odd) >> drop;
    uint finite = rounded + (uint(max(exponent, 1) - 1) << (30u - drop));
    uint infinite = uint(top) << (30u - drop);
    bool over = exponent >= top;
    return over ? infinite : finite;
}

// The whole part of significand 2^(exponent - 63), of which bit 63 is the first one; at most 2^64 - 1.
uvec2 kp_wide_whole(const uvec2 significand, const int exponent) {
    uvec2 shifted = kp_wide_shift_right(significand, uint(clamp(63 - exponent, 0, 63)));
    uvec2 result = mix(shifted, uvec2(0u), bvec2(exponent < 0));
    return mix(result, uvec2(0xffffffffu), bvec2(exponent > 63));
}

uvec2 kp_wide_signed(const uvec2 size, const bool negative) {  // at most 2^63 - 1, at least -2^63
    uvec2 result = kp_wide_negate_if(size, negative);
    uvec2 end = uvec2(0u, 0x80000000u) - uint(!negative);
    bool over = int(size.y) < 0;
    return over ? end : result;
}

uvec2 kp_f32_size(const uint bits) {  // the whole part without the sign; 0 for NaN
    int exponent = int(bits >> 23 & 0xffu) - 127;
    uvec2 size = kp_wide_whole(uvec2(0u, (bits | 0x800000u) << 8), exponent);
    return mix(size, uvec2(0u), bvec2((bits & 0x7fffffffu) > 0x7f800000u));
}

uvec2 kp_f32_to_i64(const float x) {
    uint bits = floatBitsToUint(x);
    return kp_wide_signed(kp_f32_size(bits), int(bits) < 0);
}

uvec2 kp_f32_to_u64(const float x) {
    uint bits = floatBitsToUint(x);
    return mix(kp_f32_size(bits), uvec2(0u), bvec2(int(bits) < 0));
}

float kp_u64_to_f32_signed(const uvec2 size, const uint sign) {
    int zeros = kp_wide_leading_zeros(size);
    uvec2 first = kp_wide_shift_left(size, uint(zeros));
    uint significand = first.y >> 1 | uint(((first.y & 1u) | first.x) != 0u);
    int exponent = mix(190 - zeros, 0, zeros == 64);
    return uintBitsToFloat(sign | kp_wide_narrow(exponent, significand, 7u, 255));
}

float kp_u64_to_f32(const uvec2 a) { return kp_u64_to_f32_signed(a, 0u); }

float kp_i64_to_f32(const uvec2 a) { return kp_u64_to_f32_signed(kp_i64_size(a), a.y & 0x80000000u); }

uint kp_f32_to_f16(const float x) {
    uint bits = floatBitsToUint(x);
    uint size = bits & 0x7fffffffu;
    uint digits = (bits & 0x7fffffu) | 0x800000u;
    uint half_ = kp_wide_narrow(int(size >> 23) - 112, digits << 7, 20u, 31);
    half_ = mix(half_, 0x7e00u | (bits >> 13 & 0x3ffu), size > 0x7f800000u);
    return bits >> 16 & 0x8000u | half_;
}

float kp_f16_to_f32(const uint bits) {
    uint size = bits & 0x7fffu;
    uint normal = (size << 13) + 0x38000000u;
    int first = findMSB(size);  // of a denormal number
    uint denormal = (uint(first + 103) << 23) | (size << (23 - max(first, 0)) & 0x7fffffu);
    denormal = mix(denormal, 0u, size == 0u);
    uint special = 0x7f800000u | (size & 0x3ffu) << 13 | uint(size > 0x7c00u) << 22;
    uint result = mix(normal, denormal, size < 0x400u);
    result = mix(result, special, size >= 0x7c00u);
    return uintBitsToFloat((bits & 0x8000u) << 16 | result);
}

// SPDX-License-Identifier: Apache-2.0
//
// Conversions that round, in GLSL that no compiler can undo.
//
// Compilers turn double(float(x)) into x, and int(float(i)) into i, in spite of `precise`. These
// functions round by the bits, or in a sum of exact parts, so that there is no conversion left to
// remove. They round to nearest, ties to even, on every device; Vulkan leaves the direction of its own
// conversions to the driver. Integers of 64 bits need their extension.

float kp_half(float x) {  // rounded to half precision
    uint bits = floatBitsToUint(x);
    uint size = bits & 0x7fffffffu;
    if (size >= 0x7f800000u) return x;
    if (size >= 0x477ff000u) return uintBitsToFloat((bits & 0x80000000u) | 0x7f800000u);
    if (size < 0x38800000u) {
        float steps = roundEven(uintBitsToFloat(size) * 16777216.0) * 5.9604644775390625e-8;
        return uintBitsToFloat(floatBitsToUint(steps) | (bits & 0x80000000u));
    }
    bits += 0xfffu + (bits >> 13 & 1u);
    return uintBitsToFloat(bits & ~0x1fffu);
}

float kp_float_of_double(double x) {
    uvec2 words = unpackDouble2x32(x);
    uint sign = words.y & 0x80000000u;
    int exponent = int(words.y >> 20 & 0x7ffu) - 896;
    uint digits = (words.y & 0xfffffu) << 3 | words.x >> 29;
    uint rest = words.x & 0x1fffffffu;
    if (exponent >= 255) {
        bool nan = exponent == 1151 && (digits | rest) != 0u;
        return uintBitsToFloat(sign | 0x7f800000u | (nan ? 0x400000u | digits : 0u));
    }
    if (exponent > 0) {
        uint bits = uint(exponent) << 23 | digits;
        bits += uint(rest > 0x10000000u || (rest == 0x10000000u && (bits & 1u) != 0u));
        return uintBitsToFloat(sign | bits);
    }
    if (exponent < -23) return uintBitsToFloat(sign);
    digits |= 0x800000u;  // a denormal number
    uint dropped = digits << (31 + exponent);
    digits >>= 1 - exponent;
    bool up = dropped > 0x80000000u || (dropped == 0x80000000u && (rest != 0u || (digits & 1u) != 0u));
    return uintBitsToFloat(sign | (digits + uint(up)));
}

float kp_half_of_double(double x) {  // rounded once, to half precision
    uvec2 words = unpackDouble2x32(x);
    uint sign = words.y & 0x80000000u;
    int exponent = int(words.y >> 20 & 0x7ffu) - 896;
    if (exponent <= 0) return uintBitsToFloat(sign);
    if (exponent >= 255) return kp_float_of_double(x);
    // Rounding to odd first: the last bit says whether anything follows.
    uint odd = uint((words.x & 0x1fffffffu) != 0u);
    uint bits = sign | uint(exponent) << 23 | (words.y & 0xfffffu) << 3 | words.x >> 29 | odd;
    return kp_half(uintBitsToFloat(bits));
}

float kp_float_of_int(int x) {
    precise float sum = float(x & ~0xffff) + float(x & 0xffff);
    return sum;
}

float kp_float_of_uint(uint x) {
    precise float sum = float(x & ~0xffffu) + float(x & 0xffffu);
    return sum;
}

float kp_float_of_ulong(uint64_t x) {
    uvec2 words = unpackUint2x32(x);
    if (words.y == 0u) return kp_float_of_uint(words.x);
    int shift = findMSB(words.y) + 1;
    uint top = uint(x >> shift) | uint((words.x & (0xffffffffu >> (32 - shift))) != 0u);  // rounded to odd
    return kp_float_of_uint(top) * uintBitsToFloat(uint(shift + 127) << 23);
}

float kp_float_of_long(int64_t x) {
    return x < int64_t(0) ? -kp_float_of_ulong(uint64_t(-x)) : kp_float_of_ulong(uint64_t(x));
}

double kp_double_of_ulong(uint64_t x) {
    uvec2 words = unpackUint2x32(x);
    precise double sum = double(words.y) * 4294967296.0lf + double(words.x);
    return sum;
}

double kp_double_of_long(int64_t x) {
    uvec2 words = unpackUint2x32(uint64_t(x));
    precise double sum = double(int(words.y)) * 4294967296.0lf + double(words.x);
    return sum;
}

vec2 kp_complex_of_double(dvec2 z) { return vec2(kp_float_of_double(z.x), kp_float_of_double(z.y)); }

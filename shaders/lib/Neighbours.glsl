// SPDX-License-Identifier: Apache-2.0
//
// Neighbouring numbers, and exponents. Halves are computed as floats, which hold them exactly.

float kp_nextafter(float x, float y) {
    uint from = floatBitsToUint(x);
    uint to = floatBitsToUint(y);
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    if (from == to || ((from | to) << 1) == 0u) return y;
    if ((from << 1) == 0u) return uintBitsToFloat((to & 0x80000000u) | 1u);
    bool grows = (from >> 31) != 0u ? ((to >> 31) != 0u && to > from)
                                    : ((to >> 31) == 0u && to > from);
    return uintBitsToFloat(grows ? from + 1u : from - 1u);
}

double kp_nextafter(double x, double y) {
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    if (x == y) return y;
    uvec2 words = unpackDouble2x32(x);
    if (x == 0.0) return packDouble2x32(uvec2(1u, y < 0.0 ? 0x80000000u : 0u));
    if ((x < y) == (x > 0.0)) {
        words.x += 1u;
        if (words.x == 0u) words.y += 1u;
    } else {
        if (words.x == 0u) words.y -= 1u;
        words.x -= 1u;
    }
    return packDouble2x32(words);
}

float kp_half_nextafter(float x, float y) {
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    if (x == y) return y;
    if (x == 0.0) return kp_copysign(5.9604644775390625e-8, y);
    float size = abs(x);
    bool grows = (x < y) == (x > 0.0);
    if (kp_isinf(x)) return kp_copysign(65504.0, x);
    if (size == 65504.0 && grows) return kp_infinity(x);
    int exponent = max(kp_exponent(x), 113);
    bool border = !grows && exponent > 113 && (floatBitsToUint(x) & 0x7fffffu) == 0u;
    float unit = uintBitsToFloat(uint(exponent - (border ? 11 : 10)) << 23);
    return kp_copysign(grows ? size + unit : size - unit, x);
}

// The distance to the next number away from 0, with the sign of x.
float kp_spacing(float x) {
    if (!kp_isfinite(x)) return kp_nan(x);
    if (abs(x) == 3.40282347e38) return kp_infinity(x);
    int exponent = max(kp_exponent(x), 1);
    uint bits = exponent > 23 ? uint(exponent - 23) << 23 : 1u << (exponent - 1);
    bool negative = x < 0.0;
    return uintBitsToFloat(negative ? bits | 0x80000000u : bits);
}

double kp_spacing(double x) {
    if (!kp_isfinite(x)) return kp_nan(x);
    if (abs(x) == 1.7976931348623157e308lf) return kp_infinity(x);
    int exponent = max(kp_exponent(x), 1);
    uvec2 words = exponent > 52 ? uvec2(0u, uint(exponent - 52) << 20)
                : exponent > 32 ? uvec2(0u, 1u << (exponent - 33))
                                : uvec2(1u << (exponent - 1), 0u);
    if (x < 0.0lf) words.y |= 0x80000000u;
    return packDouble2x32(words);
}

float kp_half_spacing(float x) {  // to the next number above, where NumPy has it so
    if (!kp_isfinite(x)) return kp_nan(x);
    if (x == 65504.0) return kp_infinity(x);
    int exponent = max(kp_exponent(x), 113);
    bool border = x < 0.0 && exponent > 113 && (floatBitsToUint(x) & 0x7fffffu) == 0u;
    return uintBitsToFloat(uint(exponent - (border ? 11 : 10)) << 23);
}

// x 2^k, rounded once. Exponents are set in the bits; results below the normal numbers are products.
float kp_ldexp(float x, int k) {
    if (x == 0.0 || !kp_isfinite(x)) return x;
    if (kp_exponent(x) == 0) {
        x *= 16777216.0;
        k -= 24;
    }
    int exponent = kp_exponent(x) + k;
    if (exponent > 254) return kp_infinity(x);
    bool small = exponent < 1;
    if (small) exponent = max(exponent, -63) + 64;
    float result = uintBitsToFloat((floatBitsToUint(x) & 0x807fffffu) | uint(exponent) << 23);
    return small ? result * 5.421010862427522e-20 : result;
}

double kp_ldexp(double x, int k) {
    if (x == 0.0lf || !kp_isfinite(x)) return x;
    if (kp_exponent(x) == 0) {
        x *= 18014398509481984.0lf;
        k -= 54;
    }
    int exponent = kp_exponent(x) + k;
    if (exponent > 2046) return kp_infinity(x);
    bool small = exponent < 1;
    if (small) exponent = max(exponent, -63) + 64;
    uvec2 words = unpackDouble2x32(x);
    words.y = (words.y & 0x800fffffu) | uint(exponent) << 20;
    double result = packDouble2x32(words);
    return small ? result * 5.421010862427522e-20lf : result;
}

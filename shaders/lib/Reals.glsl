// SPDX-License-Identifier: Apache-2.0
//
// Special values, signs and extremes of floats and doubles.
//
// Tests of bits stand in for isnan() and isinf(), because compilers may assume that there are no such
// numbers.

bool kp_isnan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }

bool kp_isnan(double x) {
    uvec2 words = unpackDouble2x32(x);
    uint high = words.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && words.x != 0u);
}

bool kp_isinf(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }

bool kp_isinf(double x) {
    uvec2 words = unpackDouble2x32(x);
    return (words.y & 0x7fffffffu) == 0x7ff00000u && words.x == 0u;
}

bool kp_isfinite(float x) { return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u; }

bool kp_isfinite(double x) { return (unpackDouble2x32(x).y & 0x7ff00000u) != 0x7ff00000u; }

bool kp_signbit(float x) { return floatBitsToUint(x) >> 31 != 0u; }

bool kp_signbit(double x) { return unpackDouble2x32(x).y >> 31 != 0u; }

float kp_copysign(float x, float y) {
    return uintBitsToFloat((floatBitsToUint(x) & 0x7fffffffu) | (floatBitsToUint(y) & 0x80000000u));
}

double kp_copysign(double x, double y) {
    uvec2 words = unpackDouble2x32(x);
    words.y = (words.y & 0x7fffffffu) | (unpackDouble2x32(y).y & 0x80000000u);
    return packDouble2x32(words);
}

float kp_nan(float x) { return uintBitsToFloat(0x7fc00000u); }

double kp_nan(double x) { return packDouble2x32(uvec2(0u, 0x7ff80000u)); }

float kp_infinity(float x) {  // with the sign of x
    return uintBitsToFloat(0x7f800000u | (floatBitsToUint(x) & 0x80000000u));
}

double kp_infinity(double x) {
    return packDouble2x32(uvec2(0u, 0x7ff00000u | (unpackDouble2x32(x).y & 0x80000000u)));
}

int kp_exponent(float x) { return int(floatBitsToUint(x) >> 23 & 0xffu); }

int kp_exponent(double x) { return int(unpackDouble2x32(x).y >> 20 & 0x7ffu); }

T kp_minimum(T x, T y) { return kp_isnan(x) || (!kp_isnan(y) && x < y) ? x : y; }

T kp_maximum(T x, T y) { return kp_isnan(x) || (!kp_isnan(y) && x > y) ? x : y; }

T kp_fmin(T x, T y) { return kp_isnan(y) || x < y ? x : y; }

T kp_fmax(T x, T y) { return kp_isnan(y) || x > y ? x : y; }

T kp_clip(T x, T low, T high) { return kp_minimum(kp_maximum(x, low), high); }

T kp_sign(T x) { return kp_isnan(x) ? x : T(x > T(0)) - T(x < T(0)); }

T kp_heaviside(T x, T y) {
    if (kp_isnan(x)) return x;
    return x == T(0) ? y : T(x > T(0));
}

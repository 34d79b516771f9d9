# SPDX-License-Identifier: Apache-2.0
"""Special values, rounding and remainders of floats in GLSL. T is float or double.

Tests of bits stand in for isnan() and isinf(), because compilers may assume that there are no such numbers.
"""

from __future__ import annotations

#: Name -> text, as in helpers.
REALS: dict[str, str] = {
    "kp_isnan": """
#if IS_DOUBLE
bool kp_isnan(double x) {
    uvec2 words = unpackDouble2x32(x);
    uint high = words.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && words.x != 0u);
}
#else
bool kp_isnan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
#endif
""",
    "kp_isinf": """
#if IS_DOUBLE
bool kp_isinf(double x) {
    uvec2 words = unpackDouble2x32(x);
    return (words.y & 0x7fffffffu) == 0x7ff00000u && words.x == 0u;
}
#else
bool kp_isinf(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }
#endif
""",
    "kp_isfinite": """
#if IS_DOUBLE
bool kp_isfinite(double x) { return (unpackDouble2x32(x).y & 0x7ff00000u) != 0x7ff00000u; }
#else
bool kp_isfinite(float x) { return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u; }
#endif
""",
    "kp_signbit": """
#if IS_DOUBLE
bool kp_signbit(double x) { return unpackDouble2x32(x).y >> 31 != 0u; }
#else
bool kp_signbit(float x) { return floatBitsToUint(x) >> 31 != 0u; }
#endif
""",
    "kp_copysign": """
#if IS_DOUBLE
double kp_copysign(double x, double y) {
    uvec2 words = unpackDouble2x32(x);
    words.y = (words.y & 0x7fffffffu) | (unpackDouble2x32(y).y & 0x80000000u);
    return packDouble2x32(words);
}
#else
float kp_copysign(float x, float y) {
    return uintBitsToFloat((floatBitsToUint(x) & 0x7fffffffu) | (floatBitsToUint(y) & 0x80000000u));
}
#endif
""",
    "kp_trunc": """
T kp_trunc(T x) { return x < T(0) ? ceil(x) : floor(x); }
""",
    "kp_round": """
T kp_round(T x) {  // ties to the even number
    T below = floor(x);
    precise T rest = x - below;
    bool up = rest == T(0.5) ? below * T(0.5) != floor(below * T(0.5)) : rest > T(0.5);
    return kp_copysign(up ? below + T(1) : below, x);
}
""",
    "kp_round_by": """
T kp_round_by(T x, T scale) {  // to a multiple of 1 / scale, ties to the even one
    precise T scaled = x * scale;
    if (!kp_isfinite(scaled) || scaled == floor(scaled)) return x;
    return kp_round(scaled) / scale;
}
""",
    "kp_round_to": """
T kp_round_to(T x, T unit) {  // to a multiple of a unit, ties to the even one
    if (!kp_isfinite(x)) return x;
    precise T parts = x / unit;
    return kp_round(parts) * unit;
}
""",
    "kp_nan": """
#if IS_DOUBLE
double kp_nan(double x) { return packDouble2x32(uvec2(0u, 0x7ff80000u)); }
#else
float kp_nan(float x) { return uintBitsToFloat(0x7fc00000u); }
#endif
""",
    "kp_infinity": """
#if IS_DOUBLE
double kp_infinity(double x) {
    return packDouble2x32(uvec2(0u, 0x7ff00000u | (unpackDouble2x32(x).y & 0x80000000u)));
}
#else
float kp_infinity(float x) {  // with the sign of x
    return uintBitsToFloat(0x7f800000u | (floatBitsToUint(x) & 0x80000000u));
}
#endif
""",
    "kp_minimum": """
T kp_minimum(T x, T y) { return kp_isnan(x) || (!kp_isnan(y) && x < y) ? x : y; }
""",
    "kp_maximum": """
T kp_maximum(T x, T y) { return kp_isnan(x) || (!kp_isnan(y) && x > y) ? x : y; }
""",
    "kp_fmin": """
T kp_fmin(T x, T y) { return kp_isnan(y) || x < y ? x : y; }
""",
    "kp_fmax": """
T kp_fmax(T x, T y) { return kp_isnan(y) || x > y ? x : y; }
""",
    "kp_clip": """
T kp_clip(T x, T low, T high) { return kp_minimum(kp_maximum(x, low), high); }
""",
    "kp_sign": """
T kp_sign(T x) { return kp_isnan(x) ? x : T(x > T(0)) - T(x < T(0)); }
""",
    "kp_exponent": """
#if IS_DOUBLE
int kp_exponent(double x) { return int(unpackDouble2x32(x).y >> 20 & 0x7ffu); }
#else
int kp_exponent(float x) { return int(floatBitsToUint(x) >> 23 & 0xffu); }
#endif
""",
    "kp_near_rest": """
#if IS_DOUBLE
double kp_near_rest(double rest, double divisor) { return rest; }
#else
float kp_near_rest(float rest, float divisor) {  // rest % divisor in one step if the quotient is small
    if (divisor < 1e-20 || rest > 1e38 || rest >= divisor * 1048576.0) return rest;
    vec2 product = kp_two_product(floor(rest / divisor + 0.5), divisor);
    precise float left = (rest - product.x) - product.y;  // exact, as its size is less than the divisor's
    if (left < 0.0) left += divisor;
    return left;
}
#endif
""",
    "kp_fmod": """
T kp_fmod(T x, T y) {
    T rest = abs(x);
    T divisor = abs(y);
    if (kp_isnan(x) || kp_isnan(y) || kp_isinf(x) || divisor == T(0)) return kp_nan(x);
    if (kp_isinf(y)) return x;
    if (rest >= divisor) rest = kp_near_rest(rest, divisor);
    while (rest >= divisor) {  // rest / 2 < part <= rest, so the difference is exact
        T part = ldexp(divisor, kp_exponent(rest) - kp_exponent(divisor));
        if (part > rest) part *= T(0.5);
        rest -= part;
    }
    return kp_copysign(rest, x);
}
""",
    "kp_ieee_remainder": """
T kp_ieee_remainder(T x, T y) {  // x - n y for the integer n nearest to x / y, the even one of two
    T divisor = abs(y);
    if (kp_isnan(x) || kp_isnan(y) || kp_isinf(x) || divisor == T(0)) return kp_nan(x);
    if (kp_isinf(y)) return x;
    precise T rest = abs(kp_fmod(x, divisor));
    precise T other = divisor - rest;  // rounds to rest only if it is
    bool up = rest > other;
    if (rest == other) {
        precise T twice = abs(kp_fmod(T(0.5) * x, divisor));
        up = twice > rest;
    }
    if (up) rest = -other;
    return kp_signbit(x) ? -rest : rest;
}
""",
    "kp_remainder": """
T kp_remainder(T x, T y) {  // with the sign of y
    precise T rest = kp_fmod(x, y);
    if (kp_isnan(rest)) return rest;
    if (rest == T(0)) return kp_copysign(rest, y);
    if ((rest < T(0)) != (y < T(0))) rest += y;
    return rest;
}
""",
    "kp_floor_divide": """
T kp_floor_divide(T x, T y) {
    if (y == T(0)) return x == T(0) || kp_isnan(x) ? kp_nan(x) : kp_infinity(kp_signbit(y) ? -x : x);
    T rest = kp_fmod(x, y);
    precise T quotient = (x - rest) / y;
    if (kp_isnan(rest)) return kp_nan(x);
    if (rest != T(0) && (rest < T(0)) != (y < T(0))) quotient -= T(1);
    if (quotient == T(0)) return kp_copysign(T(0), kp_signbit(x) != kp_signbit(y) ? T(-1) : T(1));
    precise T whole = floor(quotient);
    if (quotient - whole > T(0.5)) whole += T(1);
    return whole;
}
""",
    "kp_count_power": """
T kp_count_power(T x, uint n) {  // of integers, too
    precise T result = T(1);
    for (; n != 0u; n >>= 1) {
        if ((n & 1u) != 0u) result *= x;
        x *= x;
    }
    return result;
}
""",
    "kp_root_power": """
#if IS_DOUBLE
double kp_root_power(double x) {
    if (x == 0.0lf) return 0.0lf;
    return kp_isinf(x) ? kp_infinity(1.0lf) : sqrt(x);
}
#else
float kp_root_power(float x) {  // x ** 0.5, which is not sqrt(x) for -inf and -0.0
    if (x == 0.0) return 0.0;
    if (kp_isinf(x)) return kp_infinity(1.0);
    precise float root = sqrt(x);
    if (!(root > 1e-15 && root < 1e15)) return root;
    vec2 square = kp_two_product(root, root);  // devices may be off by some units, which int() would show
    precise float rest = (x - square.x) - square.y;
    root += rest / (root + root);
    return root;
}
#endif
""",
    "kp_heaviside": """
T kp_heaviside(T x, T y) {
    if (kp_isnan(x)) return x;
    return x == T(0) ? y : T(x > T(0));
}
""",
    "kp_nextafter": """
#if IS_DOUBLE
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
#else
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
#endif
""",
    "kp_hypot": """
T kp_hypot(T x, T y) {
    if (kp_isinf(x) || kp_isinf(y)) return kp_infinity(T(1));
    T large = max(abs(x), abs(y));
    T small = min(abs(x), abs(y));
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    if (large == T(0)) return large;
    precise T ratio = small / large;
    return large * sqrt(T(1) + ratio * ratio);
}
""",
}

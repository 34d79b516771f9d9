# SPDX-License-Identifier: Apache-2.0
"""GLSL functions behind the functions of arrays, one text for all types T that have them.

Names in other texts pull in what they need. Results are NumPy's, for special values, too: tests of
bits stand in for isnan() and isinf(), because compilers may assume that there are no such numbers.
"""

from __future__ import annotations

import re

from .mathematics import MATHEMATICS

#: Name -> text. T is the type, S the type of its parts (T itself if it is not complex).
HELPERS: dict[str, str] = {
    "kp_half": """
float kp_half(float x) {  // rounded to half precision: to nearest, ties to even
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
""",
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
    "kp_sign": """
T kp_sign(T x) { return kp_isnan(x) ? x : T(x > T(0)) - T(x < T(0)); }
""",
    "kp_integer_sign": """
T kp_integer_sign(T x) { return T(x > T(0)) - T(x < T(0)); }
""",
    "kp_exponent": """
#if IS_DOUBLE
int kp_exponent(double x) { return int(unpackDouble2x32(x).y >> 20 & 0x7ffu); }
#else
int kp_exponent(float x) { return int(floatBitsToUint(x) >> 23 & 0xffu); }
#endif
""",
    "kp_fmod": """
T kp_fmod(T x, T y) {
    T rest = abs(x);
    T divisor = abs(y);
    if (kp_isnan(x) || kp_isnan(y) || kp_isinf(x) || divisor == T(0)) return kp_nan(x);
    if (kp_isinf(y)) return x;
    while (rest >= divisor) {  // rest / 2 < part <= rest, so the difference is exact
        T part = ldexp(divisor, kp_exponent(rest) - kp_exponent(divisor));
        if (part > rest) part *= T(0.5);
        rest -= part;
    }
    return kp_copysign(rest, x);
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
    "kp_signed_divide": """
T kp_signed_divide(T x, T y) {  // rounded down; 0 if y is 0
    if (y == T(0)) return T(0);
    if (y == T(-1)) return -x;
    T quotient = x / y;
    T rest = x - quotient * y;
    return rest != T(0) && (rest < T(0)) != (y < T(0)) ? quotient - T(1) : quotient;
}
""",
    "kp_signed_remainder": """
T kp_signed_remainder(T x, T y) {  // with the sign of y; 0 if y is 0
    return y == T(0) || y == T(-1) ? T(0) : x - kp_signed_divide(x, y) * y;
}
""",
    "kp_signed_fmod": """
T kp_signed_fmod(T x, T y) {  // with the sign of x; 0 if y is 0
    return y == T(0) || y == T(-1) ? T(0) : x - (x / y) * y;
}
""",
    "kp_unsigned_divide": """
T kp_unsigned_divide(T x, T y) { return y == T(0) ? T(0) : x / y; }
""",
    "kp_unsigned_remainder": """
T kp_unsigned_remainder(T x, T y) { return y == T(0) ? T(0) : x - (x / y) * y; }
""",
    "kp_integer_power": """
T kp_integer_power(T x, T y) {
    T result = T(1);
    for (; y > T(0); y = y >> 1) {
        if ((y & T(1)) != T(0)) result *= x;
        x *= x;
    }
    return result;
}
""",
    "kp_gcd": """
T kp_gcd(T x, T y) {
    while (y != T(0)) {
        T rest = x - (x / y) * y;
        x = y;
        y = rest;
    }
    return x < T(0) ? -x : x;
}
""",
    "kp_lcm": """
T kp_lcm(T x, T y) {
    T divisor = kp_gcd(x, y);
    if (divisor == T(0)) return T(0);
    return (x < T(0) ? -x : x) / divisor * (y < T(0) ? -y : y);
}
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
    "kp_cmul": """
T kp_cmul(T x, T y) {
    precise T product = T(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
    return product;
}
""",
    "kp_over_zero": """
S kp_over_zero(S x) {
    if (x == S(0) || kp_isnan(x)) return kp_nan(x);
    return kp_infinity(x);
}
""",
    "kp_cdiv": """
T kp_cdiv(T x, T y) {  // by Smith's method, which does not overflow needlessly
    precise T result;
    if (kp_isnan(y.x) || kp_isnan(y.y)) return T(kp_nan(y.x));
    if (abs(y.x) >= abs(y.y)) {
        if (y == T(0)) return T(kp_over_zero(x.x), kp_over_zero(x.y));
        precise S ratio = y.y / y.x;
        precise S scale = S(1) / (y.x + y.y * ratio);
        result = T((x.x + x.y * ratio) * scale, (x.y - x.x * ratio) * scale);
    } else {
        precise S ratio = y.x / y.y;
        precise S scale = S(1) / (y.y + y.x * ratio);
        result = T((x.x * ratio + x.y) * scale, (x.y * ratio - x.x) * scale);
    }
    return result;
}
""",
    "kp_cabs": """
S kp_cabs(T z) { return kp_hypot(z.x, z.y); }
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
    "kp_csqrt": """
T kp_csqrt(T z) {
    S size = kp_cabs(z);
    if (size == S(0)) return T(0, z.y);
    S part = sqrt((size + abs(z.x)) * S(0.5));
    return z.x >= S(0) ? T(part, z.y / (S(2) * part))
                       : T(abs(z.y) / (S(2) * part), kp_copysign(part, z.y));
}
""",
    "kp_csign": """
T kp_csign(T z) { return z == T(0) ? T(0) : z / kp_cabs(z); }
""",
}

HELPERS.update(MATHEMATICS)

_NAME = re.compile(r"\bkp_\w+")

#: Types of parts.
_PARTS = {"vec2": "float", "dvec2": "double"}


def define(name: str, computed: str, texts: dict[str, str]) -> None:
    """Add the definition of a function for a type to `texts`, after those that it calls.

    Does nothing for names that are not in HELPERS.
    """
    text = HELPERS.get(name)
    if name == "kp_half" or name in MATHEMATICS:
        computed = "float"
    key = f"{name} {computed}"
    if text is None or key in texts:
        return
    part = _PARTS.get(computed, computed)
    own = "#else" not in text
    if not own:  # one text for float, another for double
        double, single = text.split("#else")
        text = double.replace("#if IS_DOUBLE", "") if part == "double" else single
        text = text.replace("#endif", "")
        key = f"{name} {part}"
        if key in texts:
            return
    for called in dict.fromkeys(_NAME.findall(text)):
        if called != name:
            on_parts = called in ("kp_hypot", "kp_copysign", "kp_isnan", "kp_isinf")
            define(called, part if on_parts else computed, texts)
    texts[key] = re.sub(r"\bS\b", part, re.sub(r"\bT\b", computed, text)).strip() + "\n"


def functions_in(text: str) -> list[str]:
    """Return the names of helpers in a text."""
    return [name for name in dict.fromkeys(_NAME.findall(text)) if name in HELPERS]

# SPDX-License-Identifier: Apache-2.0
"""GLSL functions with Python's meaning of operators and functions that GLSL has not, or otherwise.

In the texts, T is the type of the operands.
"""

from __future__ import annotations

from .types import Type

_INDEX = """int kp_index() {
    return int(gl_GlobalInvocationID.x
        + gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x);
}
"""
_GROUP = """int kp_group() {
    return int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
}
"""
_GROUPS = """int kp_groups() {
    return int((kp_global_size.x + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x);
}
"""
# GLSL leaves % of negative numbers undefined, and / rounds towards 0.
_FLOORDIV = """T kp_floordiv(T a, T b) {
    T q = a / b;
    return q * b != a && (a < T(0)) != (b < T(0)) ? q - T(1) : q;
}
"""
_MOD = """T kp_mod(T a, T b) {
    T q = a / b;
    T r = a - q * b;
    return r != T(0) && (r < T(0)) != (b < T(0)) ? r + b : r;
}
"""
# GLSL leaves pow() of negative numbers undefined.
_POW = """T kp_pow(T x, T y) {
    if (y == T(0) || x == T(1))
        return T(1);
    if (x > T(0))
        return pow(x, y);
    if (x == T(0))
        return y > T(0) ? T(0) : T(1) / T(0);
    if (y != floor(y))
        return T(0) / T(0);
    T size = pow(-x, y);
    return mod(y, T(2)) == T(0) ? size : -size;
}
"""
_IPOW = """T kp_ipow(T x, uint n) {
    T result = T(1);
    for (; n != 0u; n >>= 1) {
        if ((n & 1u) != 0u)
            result *= x;
        x *= x;
    }
    return result;
}
"""
# Series near 0, where 1 + x would lose the digits of x.
_LOG1P = """T kp_log1p(T x) {
    if (abs(x) > T(0.25))
        return log(T(1) + x);
    T s = x / (T(2) + x);
    T q = s * s;
    return T(2) * s * (T(1) + q * (T(1) / T(3) + q * (T(0.2) + q * (T(1) / T(7) + q / T(9)))));
}
"""
_EXPM1 = """T kp_expm1(T x) {
    if (abs(x) > T(0.25))
        return exp(x) - T(1);
    T sum = T(1) + x / T(6) * (T(1) + x / T(7));
    sum = T(1) + x / T(3) * (T(1) + x / T(4) * (T(1) + x / T(5) * sum));
    return x * (T(1) + x / T(2) * sum);
}
"""
_CBRT = """T kp_cbrt(T x) {
    return x == T(0) ? x : sign(x) * pow(abs(x), T(1) / T(3));
}
"""
# Of doubles, vectors too. Mesa's software driver rounds them by way of 32-bit integers otherwise.
_TRUNC = """T kp_trunc(T x) {
    return sign(x) * floor(abs(x));
}
"""
_ROUND_EVEN = """T kp_round_even(T x) {
    T size = min(abs(x), 4503599627370496.0lf); // doubles from here on are whole
    precise T whole = (size + 4503599627370496.0lf) - 4503599627370496.0lf;
    return sign(x) * (whole + (abs(x) - size));
}
"""
_FMOD = """T kp_fmod(T a, T b) {
    T q = a / b;
    return isinf(b) && !isinf(a) ? a : a - b * (sign(q) * floor(abs(q)));
}
"""
_FLOAT_MOD = """T kp_float_mod(T a, T b) {
    if (isinf(b) && !isinf(a) && !isnan(a))
        return a == T(0) || (a < T(0)) == (b < T(0)) ? a : b;
    return mod(a, b);
}
"""
# 1 / b tells -0 from 0.
_COPYSIGN = """T kp_copysign(T a, T b) {
    return b < T(0) || (b == T(0) && T(1) / b < T(0)) ? -abs(a) : abs(a);
}
"""
# GLSL leaves atan(0, 0) undefined.
_ATAN2 = """T kp_atan2(T y, T x) {
    if (y != T(0) || x != T(0))
        return atan(y, x);
    T size = T(1) / x < T(0) ? T(3.14159265358979) : T(0);
    return T(1) / y < T(0) ? -size : size;
}
"""
# GLSL leaves these undefined for NaN.
_MAXIMUM = """T kp_maximum(T a, T b) {
    return isnan(a) || a > b ? a : b;
}
"""
_MINIMUM = """T kp_minimum(T a, T b) {
    return isnan(a) || a < b ? a : b;
}
"""
_FMAX = """T kp_fmax(T a, T b) {
    return isnan(b) || a > b ? a : b;
}
"""
_FMIN = """T kp_fmin(T a, T b) {
    return isnan(b) || a < b ? a : b;
}
"""
_CLIP = """T kp_clip(T x, T low, T high) {
    return isnan(x) || isnan(low) || isnan(high) ? x + low + high : min(max(x, low), high);
}
"""
_SIGN = """T kp_sign(T x) {
    return isnan(x) ? x : sign(x);
}
"""
_HYPOT = """T kp_hypot(T a, T b) {
    if (isnan(a) || isnan(b))
        return isinf(a) || isinf(b) ? T(1) / T(0) : a + b;
    T large = max(abs(a), abs(b));
    T small = min(abs(a), abs(b));
    return large == T(0) || isinf(large) ? large : large * sqrt(T(1) + (small / large) * (small / large));
}
"""
_CMUL = """T kp_complex_mul(T a, T b) {
    return T(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
"""
_CDIV = """T kp_complex_div(T a, T b) {
    return T(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y) / dot(b, b);
}
"""

TEXTS = {
    "kp_index": _INDEX,
    "kp_group": _GROUP,
    "kp_groups": _GROUPS,
    "kp_floordiv": _FLOORDIV,
    "kp_mod": _MOD,
    "kp_pow": _POW,
    "kp_ipow": _IPOW,
    "kp_log1p": _LOG1P,
    "kp_expm1": _EXPM1,
    "kp_cbrt": _CBRT,
    "kp_trunc": _TRUNC,
    "kp_round_even": _ROUND_EVEN,
    "kp_fmod": _FMOD,
    "kp_float_mod": _FLOAT_MOD,
    "kp_atan2": _ATAN2,
    "kp_maximum": _MAXIMUM,
    "kp_minimum": _MINIMUM,
    "kp_fmax": _FMAX,
    "kp_fmin": _FMIN,
    "kp_clip": _CLIP,
    "kp_sign": _SIGN,
    "kp_copysign": _COPYSIGN,
    "kp_hypot": _HYPOT,
    "kp_complex_mul": _CMUL,
    "kp_complex_div": _CDIV,
}


def text_of(name: str, type: Type | None) -> str:
    """Return the GLSL of a function for operands of a type."""
    text = TEXTS[name]
    if type is None:
        return text
    return "".join(type.glsl if word == "T" else word for word in _words(text))


def _words(text: str) -> list[str]:
    words, word = [], ""
    for letter in text:
        if letter.isalnum() or letter == "_":
            word += letter
        else:
            words += [word, letter]
            word = ""
    return [*words, word]

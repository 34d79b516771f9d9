# SPDX-License-Identifier: Apache-2.0
"""Complex arithmetic in GLSL. T is vec2 or dvec2, S the type of its parts."""

from __future__ import annotations

#: Name -> text, as in helpers.
COMPLEX: dict[str, str] = {
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

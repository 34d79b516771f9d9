// SPDX-License-Identifier: Apache-2.0
//
// Complex arithmetic. C is vec2 or dvec2, T the type of its parts.

C kp_cmul(C x, C y) {
    precise C product = C(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
    return product;
}

T kp_over_zero(T x) {
    if (x == T(0) || kp_isnan(x)) return kp_nan(x);
    return kp_infinity(x);
}

C kp_cdiv(C x, C y) {  // by Smith's method, which does not overflow needlessly
    precise C result;
    if (kp_isnan(y.x) || kp_isnan(y.y)) return C(kp_nan(y.x));
    if (abs(y.x) >= abs(y.y)) {
        if (y == C(0)) return C(kp_over_zero(x.x), kp_over_zero(x.y));
        precise T ratio = y.y / y.x;
        precise T scale = T(1) / (y.x + y.y * ratio);
        result = C((x.x + x.y * ratio) * scale, (x.y - x.x * ratio) * scale);
    } else {
        precise T ratio = y.x / y.y;
        precise T scale = T(1) / (y.y + y.x * ratio);
        result = C((x.x * ratio + x.y) * scale, (x.y * ratio - x.x) * scale);
    }
    return result;
}

T kp_cabs(C z) { return kp_hypot(z.x, z.y); }

C kp_csqrt(C z) {
    T size = kp_cabs(z);
    if (size == T(0)) return C(0, z.y);
    T part = sqrt((size + abs(z.x)) * T(0.5));
    return z.x >= T(0) ? C(part, z.y / (T(2) * part))
                       : C(abs(z.y) / (T(2) * part), kp_copysign(part, z.y));
}

C kp_csign(C z) { return z == C(0) ? C(0) : z / kp_cabs(z); }

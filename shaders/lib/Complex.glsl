// SPDX-License-Identifier: Apache-2.0
//
// Complex arithmetic and functions. C is vec2 or dvec2, T the type of its parts. Special values
// follow the C standard's annex G, as in NumPy.

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

C kp_csign(C z) { return z == C(0) ? C(0) : z / kp_cabs(z); }

// Bounds of sizes whose squares, and quotients of them, are far from overflow and underflow.
float kp_large_of(float x) { return 1e18; }

double kp_large_of(double x) { return 1e150lf; }

C kp_csqrt(C z) {
    if (kp_isinf(z.y)) return C(kp_infinity(T(1)), z.y);
    if (kp_isinf(z.x)) {
        T other = kp_isnan(z.y) ? z.y : kp_copysign(T(0), z.y);
        if (z.x > T(0)) return C(z.x, other);
        return C(abs(other), kp_copysign(kp_infinity(T(1)), z.y));
    }
    if (z == C(0)) return C(0, z.y);
    // Scaled by a power of 4 where squares would overflow or lose digits.
    T size = max(abs(z.x), abs(z.y));
    T large = kp_large_of(size);
    int k = size > large ? -100 : size * large < T(1) ? 100 : 0;
    if (k != 0) z = C(kp_ldexp(z.x, k), kp_ldexp(z.y, k));
    precise T part = sqrt((kp_cabs(z) + abs(z.x)) * T(0.5));
    precise T rest = abs(z.y) / (part + part);
    if (k != 0) {
        part = kp_ldexp(part, -k / 2);
        rest = kp_ldexp(rest, -k / 2);
    }
    return z.x >= T(0) ? C(part, kp_copysign(rest, z.y))
                       : C(rest, kp_isnan(z.x) ? z.x : kp_copysign(part, z.y));
}

// exp(x) (a + b i), where exp(x) alone may overflow.
C kp_cexp_scaled(T x, T a, T b) {
    bool large = x > T(80) && kp_isinf(kp_exp(x)) && !kp_isinf(x);
    precise T e = kp_exp(large ? x - T(64) : x);
    precise C result = C(a * e, b * e);
    if (large) result *= kp_exp(T(64));
    return result;
}

C kp_cexp(C z) {
    if (z.y == T(0)) return C(kp_exp(z.x), z.y);
    if (!kp_isfinite(z.y)) {
        if (!kp_isinf(z.x)) return C(kp_nan(z.x));
        return z.x < T(0) ? C(0, kp_copysign(T(0), z.y)) : C(z.x, kp_nan(z.x));
    }
    if (kp_isnan(z.x)) return C(z.x);
    return kp_cexp_scaled(z.x, kp_cos(z.y), kp_sin(z.y));
}

// The error of the type's number next to log(2).
float kp_ln2_low(float x) { return -1.9046542e-9; }

double kp_ln2_low(double x) { return 2.3190468138462996e-17lf; }

C kp_cexp2(C z) {
    if (z.y == T(0) || !kp_isfinite(z.x) || !kp_isfinite(z.y)) {
        C whole = kp_cexp(z * T(0.6931471805599453lf));
        return z.y == T(0) ? C(kp_exp2(z.x), z.y) : whole;
    }
    // The angle y log(2) with its rounding error.
    C angle = kp_two_product(z.y, T(0.6931471805599453lf));
    precise T low = angle.y + z.y * kp_ln2_low(z.y);
    T s = kp_sin(angle.x), c = kp_cos(angle.x);
    bool large = z.x > T(100) && kp_isinf(kp_exp2(z.x));
    precise T e = kp_exp2(large ? z.x - T(64) : z.x);
    precise C result = C((c - s * low) * e, (s + c * low) * e);
    if (large) result *= kp_exp2(T(64));
    return result;
}

C kp_cexpm1(C z) {  // expm1(x) cos(y) - 2 sin(y / 2)^2 + exp(x) sin(y) i
    precise T half_ = kp_sin(T(0.5) * z.y);
    precise T real = kp_expm1(z.x) * kp_cos(z.y) - T(2) * half_ * half_;
    precise T imaginary = kp_exp(z.x) * kp_sin(z.y);
    return C(real, imaginary);
}

T kp_log_size(T x, T y) {  // log |x + i y|
    T large = max(abs(x), abs(y));
    T bound = kp_large_of(large);
    if (kp_isinf(x) || kp_isinf(y)) return kp_infinity(T(1));
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    if (large > bound) return kp_log(kp_hypot(T(0.25) * x, T(0.25) * y)) + T(1.3862943611198906lf);
    if (large < T(0.01) || large > T(100)) return kp_log(kp_hypot(x, y));
    // Half the logarithm of 1 + (x^2 + y^2 - 1), of which the second part is a sum.
    C first = kp_two_square(large);
    C second = kp_two_square(min(abs(x), abs(y)));
    C less = kp_two_sum(T(-1), first.x);
    C sum = kp_two_sum(less.x, second.x);
    precise T low = sum.y + less.y + (first.y + second.y);
    sum = kp_two_sum(sum.x, low);
    return T(0.5) * (sum.x == T(0) ? sum.y : kp_log1p_of(sum.x, sum.y));
}

C kp_clog(C z) { return C(kp_log_size(z.x, z.y), kp_atan2(z.y, z.x)); }

C kp_clog2(C z) { return kp_clog(z) * T(1.4426950408889634lf); }

C kp_clog10(C z) { return kp_clog(z) * T(0.4342944819032518lf); }

C kp_clog1p(C z) {
    C sum = kp_two_sum(z.x, T(1));
    T angle = kp_atan2(z.y, sum.x);
    // |1 + z|^2 - 1 = x (2 + x) + y^2, where it is small
    T size = max(abs(z.x), abs(z.y));
    if (z == C(0)) return C(0, angle);
    if (kp_isnan(z.x) || kp_isnan(z.y) || size >= T(0.5)) return C(kp_log_size(sum.x, z.y), angle);
    C first = kp_two_product(z.x, z.x);
    C second = kp_two_product(z.y, z.y);
    C total = kp_two_sum(T(2) * z.x, first.x);
    C whole = kp_two_sum(total.x, second.x);
    precise T low = (total.y + whole.y) + (first.y + second.y);
    whole = kp_two_sum(whole.x, low);
    return C(whole.x == T(0) ? T(0) : T(0.5) * kp_log1p_of(whole.x, whole.y), angle);
}

C kp_csinh(C z) {
    if (z.y == T(0)) return C(kp_sinh(z.x), z.y);
    if (!kp_isfinite(z.y)) {
        if (z.x == T(0)) return C(z.x, kp_nan(z.y));
        return kp_isinf(z.x) ? C(abs(z.x), kp_nan(z.y)) : C(kp_nan(z.x));
    }
    T s = kp_sin(z.y), c = kp_cos(z.y);
    if (abs(z.x) > T(80) && kp_isfinite(z.x))
        return kp_cexp_scaled(abs(z.x), kp_copysign(T(0.5), z.x) * c, T(0.5) * s);
    precise C result = C(kp_sinh(z.x) * c, kp_cosh(z.x) * s);
    return result;
}

C kp_ccosh(C z) {
    if (z.y == T(0)) {
        T zero = kp_isnan(z.x) ? z.y : kp_signbit(z.x) ? -z.y : z.y;
        return C(kp_cosh(z.x), zero);
    }
    if (!kp_isfinite(z.y)) {
        if (z.x == T(0)) return C(kp_nan(z.y), T(0));
        return kp_isinf(z.x) ? C(kp_infinity(T(1)), kp_nan(z.y)) : C(kp_nan(z.x));
    }
    T s = kp_sin(z.y), c = kp_cos(z.y);
    if (abs(z.x) > T(80) && kp_isfinite(z.x))
        return kp_cexp_scaled(abs(z.x), T(0.5) * c, kp_copysign(T(0.5), z.x) * s);
    precise C result = C(kp_cosh(z.x) * c, kp_sinh(z.x) * s);
    return result;
}

// (sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh(x)^2 + cos(y)^2)
C kp_ctanh(C z) {
    if (kp_isnan(z.x)) return C(z.x, z.y == T(0) ? z.y : z.x);
    if (!kp_isfinite(z.y)) {
        if (kp_isinf(z.x)) return C(kp_copysign(T(1), z.x), kp_copysign(T(0), z.y));
        return C(z.x == T(0) ? z.x : kp_nan(z.x), kp_nan(z.y));
    }
    T s = kp_sin(z.y), c = kp_cos(z.y);
    if (abs(z.x) > T(22)) {
        precise T e = kp_exp(-abs(z.x));
        return C(kp_copysign(T(1), z.x), T(4) * (s * e) * (c * e));
    }
    T sh = kp_sinh(z.x), ch = kp_cosh(z.x);
    precise T under = sh * sh + c * c;
    precise C result = C(sh * ch / under, s * c / under);
    return C(z.x == T(0) ? z.x : result.x, z.y == T(0) ? z.y : result.y);
}

C kp_csin(C z) {  // -i sinh(i z), of a function with symmetries
    C w = kp_csinh(C(z.y, z.x));
    return C(w.y, w.x);
}

C kp_ccos(C z) { return kp_ccosh(C(-z.y, z.x)); }

C kp_ctan(C z) {
    C w = kp_ctanh(C(z.y, z.x));
    return C(w.y, w.x);
}

// SPDX-License-Identifier: Apache-2.0
//
// Inverses of complex functions, and complex powers. C is vec2 or dvec2, T the type of its parts.
//
// asin and acos are as in Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine
// functions using exception handling" (1997).

C kp_casin_large(C z) {  // asinh of z whose reciprocal square vanishes
    T size = kp_log_size(z.x, z.y) + T(0.6931471805599453lf);
    return C(kp_copysign(size, z.x), kp_copysign(kp_atan2(abs(z.y), abs(z.x)), z.y));
}

// What asin and acos of x + i y share, for x and y from 0 on: b, whose arcsine and arccosine are the real
// parts; over / under, the tangent of the arcsine, for b near 1; and the imaginary part.
void kp_hull(T x, T y, out T b, out T over, out T under, out T imaginary) {
    precise T up = x + T(1);
    precise T down = x - T(1);
    T r = kp_hypot(up, y);
    T s = kp_hypot(down, y);
    precise T a = T(0.5) * (r + s);
    b = x / a;
    over = x;
    T distance = abs(down);
    T bound = kp_large_of(x);
    if (y * bound < T(0.0001) * max(distance, T(1) / bound)) {  // y^2 is lost
        if (x < T(1)) {
            imaginary = y / sqrt(-down * up);
            under = sqrt(-down * up);
        } else if (x == T(1)) {
            imaginary = sqrt(y);
            under = sqrt(y);
        } else {
            imaginary = kp_log1p(down + sqrt(down * up));
            under = y * x / sqrt(down * up);
        }
        return;
    }
    precise T first = r + up;
    precise T more;
    if (x <= T(1)) {
        more = s - down;
        under = sqrt(T(0.5) * (a + x) * (y * y / first + more));
    } else {
        more = s + down;
        under = y * sqrt(T(0.5) * ((a + x) / first + (a + x) / more));
    }
    if (a > T(1.5)) {
        imaginary = kp_log(a + sqrt((a - T(1)) * (a + T(1))));
        return;
    }
    precise T above = x < T(1) ? T(0.5) * (y * y / first + y * y / more)
                               : T(0.5) * (y * y / first + more);
    imaginary = kp_log1p(above + sqrt(above * (a + T(1))));
}

C kp_casin(C z) {
    if (kp_isnan(z.x) || kp_isnan(z.y)) {
        if (kp_isinf(z.y)) return C(kp_nan(z.x), z.y);
        if (kp_isinf(z.x)) return C(kp_nan(z.x), kp_infinity(T(1)));
        return z.x == T(0) ? z : C(kp_nan(z.x));
    }
    T x = abs(z.x), y = abs(z.y);
    T bound = kp_large_of(x);
    if (x > bound || y > bound) {
        C w = kp_casin_large(C(z.y, z.x));
        return C(w.y, w.x);
    }
    if (z == C(0)) return z;
    T b, over, under, imaginary;
    kp_hull(x, y, b, over, under, imaginary);
    T real = b <= T(0.6417) ? kp_asin(b) : kp_atan2(over, under);
    return C(kp_copysign(real, z.x), kp_copysign(imaginary, z.y));
}

C kp_cacos(C z) {
    if (kp_isnan(z.x) || kp_isnan(z.y)) {
        if (kp_isinf(z.x)) return C(kp_nan(z.x), -kp_infinity(T(1)));
        if (kp_isinf(z.y)) return C(kp_nan(z.x), -z.y);
        return z.x == T(0) ? C(T(1.5707963267948966lf), z.y) : C(kp_nan(z.x));
    }
    T x = abs(z.x), y = abs(z.y);
    T bound = kp_large_of(x);
    if (x > bound || y > bound) {
        T size = kp_log_size(z.x, z.y) + T(0.6931471805599453lf);
        return C(kp_atan2(y, z.x), kp_signbit(z.y) ? size : -size);
    }
    T b, over, under, imaginary;
    kp_hull(x, y, b, over, under, imaginary);
    T real = b <= T(0.6417) ? kp_acos(kp_copysign(b, z.x)) : kp_atan2(under, kp_copysign(over, z.x));
    return C(real, kp_signbit(z.y) ? imaginary : -imaginary);
}

C kp_casinh(C z) {  // -i asin(i z), of a function with symmetries
    C w = kp_casin(C(z.y, z.x));
    return C(w.y, w.x);
}

C kp_cacosh(C z) {
    C w = kp_cacos(z);
    if (kp_isnan(w.x)) return C(abs(w.y), w.x);
    if (kp_isnan(w.y)) return C(w.y, w.x);
    return C(abs(w.y), kp_copysign(w.x, z.y));
}

C kp_catanh(C z) {  // log1p(4 x / ((1 - x)^2 + y^2)) / 4 + i atan2(2 y, (1 - x) (1 + x) - y^2) / 2
    T x = abs(z.x), y = abs(z.y);
    if (y == T(0) && x <= T(1)) return C(kp_atanh(z.x), z.y);
    if (z.x == T(0)) return C(z.x, kp_atan(z.y));
    if (kp_isnan(x) || kp_isnan(y)) {
        if (kp_isinf(x)) return C(kp_copysign(T(0), z.x), kp_nan(y));
        return kp_isinf(y) ? C(kp_copysign(T(0), z.x), kp_copysign(T(1.5707963267948966lf), z.y))
                           : C(kp_nan(x));
    }
    T bound = kp_large_of(x);
    if (x > bound || y > bound) {
        // x / (x^2 + y^2)
        T size = kp_hypot(T(0.25) * x, T(0.25) * y);
        precise T real = T(0.0625) * (x / size) / size;
        if (kp_isinf(size)) real = T(0);
        return C(kp_copysign(real, z.x), kp_copysign(T(1.5707963267948966lf), z.y));
    }
    C left = kp_two_sum(T(1), -x);
    C right = kp_two_sum(T(1), x);
    T real;
    if (left.x == T(0) && y * bound < T(1)) {
        real = T(0.5) * (T(0.6931471805599453lf) - kp_log(y));
    } else {
        precise T under = left.x * left.x + y * y;
        real = T(0.25) * kp_log1p(T(4) * x / under);
    }
    // 1 - x^2 - y^2 to twice the digits
    C product = kp_two_square(x);
    C square = kp_two_square(y);
    C sum = kp_two_sum(T(1), -product.x);
    C whole = kp_two_sum(sum.x, -square.x);
    precise T other = whole.x + ((sum.y + whole.y) - (product.y + square.y));
    T imaginary = T(0.5) * kp_atan2(T(2) * y, other);
    return C(kp_copysign(real, z.x), kp_copysign(imaginary, z.y));
}

C kp_catan(C z) {
    C w = kp_catanh(C(z.y, z.x));
    return C(w.y, w.x);
}

// exp(y log(x)) for x other than 0.
vec2 kp_exp_of_log(vec2 x, vec2 y) { return kp_cexp(kp_cmul(y, kp_clog(x))); }

dvec2 kp_exp_of_log(dvec2 x, dvec2 y) {  // with the logarithm and the products as sums
    int k = clamp(kp_exponent(max(abs(x.x), abs(x.y))) - 1023, -1021, 1021);
    dvec2 scaled = x * kp_power_of_two(-k);
    dvec2 first = kp_two_square(scaled.x);
    dvec2 second = kp_two_square(scaled.y);
    dvec2 square = kp_two_sum(first.x, second.x);
    precise double rest = first.y + second.y;
    rest += square.y;
    square = kp_fast_sum(square.x, rest);
    dvec2 part = kp_log_pair(square.x);
    dvec2 size = kp_two_sum(0.5lf * part.x, double(k) * 0.6931471805598903lf);
    precise double low = 0.5lf * (part.y + square.y / square.x) + double(k) * 5.497923018708371e-14lf;
    low += size.y;
    size = kp_fast_sum(size.x, low);
    dvec2 angle = kp_angle(x.y, x.x);
    if (kp_signbit(x.y)) angle = -angle;
    dvec2 real = kp_sum_of_products(size, y.x, angle, -y.y);
    dvec2 turn = kp_sum_of_products(angle, y.x, size, y.y);
    if (!kp_isfinite(real.x) || !kp_isfinite(turn.x)) {
        // The plain product, with infinities and NaN as C has them.
        bool unordered = kp_isnan(x.x) || kp_isnan(x.y);
        double large = kp_isinf(x.x) || kp_isinf(x.y) ? kp_infinity(1.0lf) : size.x;
        dvec2 plain = kp_cmul(y, dvec2(large, unordered ? kp_nan(x.x) : angle.x));
        if (!kp_isfinite(plain.y)) {
            if (!kp_isinf(plain.x)) return dvec2(kp_nan(plain.x));
            return plain.x < 0.0lf ? dvec2(0.0lf, kp_copysign(0.0lf, plain.y))
                                   : dvec2(plain.x, kp_nan(plain.x));
        }
        if (kp_isnan(plain.x)) return dvec2(plain.x, plain.y == 0.0lf ? plain.y : plain.x);
        if (kp_isinf(plain.x) && plain.y == 0.0lf) return dvec2(max(plain.x, 0.0lf), plain.y);
        real = dvec2(plain.x, 0.0lf);
        turn = dvec2(plain.y, 0.0lf);
    }
    int power;
    if (abs(real.x) > 1400.0lf) real = dvec2(kp_copysign(1400.0lf, real.x), 0.0lf);
    dvec2 e = kp_exp_of_pair(real, power);
    int q;
    dvec2 r = kp_reduce(turn.x, q);
    r = kp_fast_sum(r.x, r.y + turn.y);
    double s = kp_sin_part(r), c = kp_cos_part(r);
    dvec2 turned = (q & 1) != 0 ? dvec2(-s, c) : dvec2(c, s);
    if ((q & 2) != 0) turned = -turned;
    return dvec2(kp_scale(e.x * turned.x, power), kp_scale(e.x * turned.y, power));
}

dvec2 kp_sum_of_products(dvec2 a, double x, dvec2 b, double y) {  // a x + b y, of sums
    dvec2 first = kp_product_pair(a, dvec2(x, 0.0lf));
    dvec2 second = kp_product_pair(b, dvec2(y, 0.0lf));
    dvec2 sum = kp_two_sum(first.x, second.x);
    precise double low = sum.y + (first.y + second.y);
    return kp_fast_sum(sum.x, low);
}

C kp_cpow(C x, C y) {
    if (y == C(0)) return C(1, 0);
    if (x == C(0)) return y.x > T(0) ? C(0) : C(kp_nan(x.x));
    if (y.y == T(0) && y.x == floor(y.x) && abs(y.x) < T(100)) {
        C result = C(1, 0);
        C factor = x;
        for (int n = int(abs(y.x)); n != 0; n >>= 1) {
            if ((n & 1) != 0) result = result == C(1, 0) ? factor : kp_cmul(result, factor);
            factor = kp_cmul(factor, factor);
        }
        return y.x < T(0) ? kp_cdiv(C(1, 0), result) : result;
    }
    return kp_exp_of_log(x, y);
}

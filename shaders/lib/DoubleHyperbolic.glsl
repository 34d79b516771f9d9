// SPDX-License-Identifier: Apache-2.0
//
// Hyperbolic functions of doubles, and sums of exponentials, to one unit in the last place.

// Half the sum of exp(size) and `sign` times its reciprocal, for 1/2 <= size <= 711.
double kp_half_exponentials(double size, double sign) {
    int k;
    dvec2 e = kp_exp_of_pair(dvec2(size, 0.0lf), k);
    precise double other = sign * (k < 50 ? kp_scale(1.0lf / e.x, -2 * k) : 0.0lf);
    dvec2 sum = kp_fast_sum(e.x, other);
    precise double result = sum.x + (sum.y + e.y);
    return kp_scale(result, k - 1);
}

double kp_sinh(double x) {
    if (!kp_isfinite(x)) return x;
    double size = abs(x);
    if (size > 711.0lf) return kp_infinity(x);
    if (size >= 1.0lf) return kp_copysign(kp_half_exponentials(size, -1.0lf), x);
    precise double z = x * x;
    precise double p = 7.759311407207491e-13lf;
    p = fma(p, z, 1.605724036683538e-10lf);
    p = fma(p, z, 2.5052123398235493e-08lf);
    p = fma(p, z, 2.755731915533883e-06lf);
    p = fma(p, z, 0.00019841269841437676lf);
    p = fma(p, z, 0.008333333333333139lf);
    p = fma(p, z, 0.16666666666666669lf);
    precise double result = x + x * (p * z);
    return result;
}

double kp_cosh(double x) {
    if (kp_isnan(x)) return x;
    double size = abs(x);
    return size > 711.0lf ? kp_infinity(1.0lf) : kp_half_exponentials(size, 1.0lf);
}

double kp_tanh(double x) {
    if (kp_isnan(x)) return x;
    double size = abs(x);
    if (size > 20.0lf) return kp_copysign(1.0lf, x);
    precise double result;
    if (size < 0.55lf) {
        precise double z = x * x;
        precise double p = -1.9516803418836404e-05lf;
        p = fma(p, z, 8.335340383495055e-05lf);
        p = fma(p, z, -0.00023340820293213716lf);
        p = fma(p, z, 0.0005884553200247322lf);
        p = fma(p, z, -0.0014555455760050073lf);
        p = fma(p, z, 0.003592092471079738lf);
        p = fma(p, z, -0.008863232646896693lf);
        p = fma(p, z, 0.021869488388755822lf);
        p = fma(p, z, -0.053968253963866925lf);
        p = fma(p, z, 0.13333333333326813lf);
        p = fma(p, z, -0.333333333333333lf);
        result = size + size * (p * z);
        return kp_copysign(result, x);
    }
    int k;
    dvec2 e = kp_exp_of_pair(dvec2(2.0lf * size, 0.0lf), k);
    e *= kp_power_of_two(k);
    dvec2 under = kp_two_sum(e.x, 1.0lf);
    result = 1.0lf - 2.0lf / (under.x + (under.y + e.y));
    return kp_copysign(result, x);
}

double kp_asinh(double x) {
    if (!kp_isfinite(x)) return x;
    double size = abs(x);
    if (size < 1e-9lf) return x;
    // log(1 + t) with t = x + x^2 / (1 + sqrt(1 + x^2))
    double result;
    if (size > 1e9lf) {
        result = kp_log(size) + 0.6931471805599453lf;
    } else {
        precise double square = size * size;
        precise double more = square / (1.0lf + sqrt(1.0lf + square));
        dvec2 sum = kp_two_sum(size, more);
        result = kp_log1p_of(sum.x, sum.y);
    }
    return kp_copysign(result, x);
}

double kp_acosh(double x) {
    if (kp_isnan(x) || x < 1.0lf) return kp_nan(x);
    if (kp_isinf(x)) return x;
    if (x > 1e9lf) return kp_log(x) + 0.6931471805599453lf;
    // log(1 + t + sqrt(2 t + t^2))
    precise double t = x - 1.0lf;
    dvec2 inside = kp_two_product(t, t);
    dvec2 sum = kp_two_sum(2.0lf * t, inside.x);
    precise double root = sqrt(sum.x);
    if (root == 0.0lf) return 0.0lf;
    dvec2 square = kp_two_product(root, root);
    precise double low = (((sum.x - square.x) - square.y) + (sum.y + inside.y)) / (root + root);
    dvec2 total = kp_two_sum(root, t);
    return kp_log1p_of(total.x, total.y + low);
}

double kp_atanh(double x) {
    double size = abs(x);
    if (kp_isnan(x) || size > 1.0lf) return kp_nan(x);
    if (size == 1.0lf) return kp_infinity(x);
    // Half the logarithm of (1 + x) / (1 - x) = 2^k m, with (m - 1) / (m + 1) from exact parts.
    int k;
    kp_split((1.0lf + size) / (1.0lf - size), k);
    if (k == 0) {
        precise double z = size * size;
        precise double q = kp_log_series(z);
        precise double small = size + 0.5lf * (size * (q * z));
        return kp_copysign(small, x);
    }
    dvec2 over = kp_two_sum(1.0lf, size);
    dvec2 under = kp_two_sum(1.0lf, -size);
    double scale = kp_power_of_two(k);
    under *= scale;
    dvec2 difference = kp_two_sum(over.x, -under.x);
    dvec2 sum = kp_two_sum(over.x, under.x);
    precise double s = (difference.x + (difference.y + (over.y - under.y))) /
                       (sum.x + (sum.y + (over.y + under.y)));
    precise double u = s * s;
    precise double p = kp_log_series(u);
    double whole = double(k);
    precise double low = s * (p * u) + whole * 5.497923018708371e-14lf;
    precise double result = 0.5lf * (whole * 0.6931471805598903lf + (2.0lf * s + low));
    return kp_copysign(result, x);
}

double kp_logaddexp(double x, double y) {
    if (x == y) return x + 0.6931471805599453lf;
    double large = kp_maximum(x, y);
    if (kp_isnan(large)) return large;
    precise double result = large + kp_log1p(kp_exp(min(x, y) - large));
    return result;
}

double kp_logaddexp2(double x, double y) {
    if (x == y) return x + 1.0lf;
    double large = kp_maximum(x, y);
    if (kp_isnan(large)) return large;
    precise double result = large + kp_log1p(kp_exp2(min(x, y) - large)) * 1.4426950408889634lf;
    return result;
}

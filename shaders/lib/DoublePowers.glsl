// SPDX-License-Identifier: Apache-2.0
//
// Powers and roots of doubles, to one unit in the last place.

dvec2 kp_log_pair(double x) {  // log(x) as a sum, to 2^-66 of its size, for finite x > 0
    int k;
    double f = kp_split(x, k) - 1.0lf;
    dvec2 sum = kp_fast_sum(2.0lf, f);
    precise double s = f / sum.x;
    dvec2 back = kp_two_product(s, sum.x);
    precise double s_low = (((f - back.x) - back.y) - s * sum.y) / sum.x;
    // log(1 + f) = 2 (s + s^3 / 3 + ...), of which the first two terms need more than a double.
    dvec2 u = kp_two_product(s, s);
    precise double u_low = u.y + 2.0lf * s * s_low;
    precise double p = 0.0599458170899498lf;
    p = fma(p, u.x, 0.05837400264767531lf);
    p = fma(p, u.x, 0.06668159150673193lf);
    p = fma(p, u.x, 0.07692278424075524lf);
    p = fma(p, u.x, 0.09090909435324192lf);
    p = fma(p, u.x, 0.11111111108766876lf);
    p = fma(p, u.x, 0.14285714285722562lf);
    p = fma(p, u.x, 0.1999999999999999lf);
    dvec2 third = kp_two_product(u.x, 0.3333333333333333lf);
    precise double third_low = third.y + (u.x * 1.850371707708594e-17lf + u_low * 0.3333333333333333lf);
    dvec2 factor = kp_fast_sum(third.x, third_low + p * (u.x * u.x));
    dvec2 more = kp_two_product(s, factor.x);
    precise double more_low = more.y + (s * factor.y + s_low * factor.x);
    dvec2 half_ = kp_fast_sum(s, more.x);
    precise double half_low = half_.y + (s_low + more_low);
    double whole = double(k);
    dvec2 total = kp_two_sum(whole * 0.6931471805598903lf, 2.0lf * half_.x);
    precise double low = total.y + (2.0lf * half_low + whole * 5.497923018708371e-14lf);
    return kp_fast_sum(total.x, low);
}

double kp_pow(double x, double y) {
    if (y == 0.0lf || x == 1.0lf) return 1.0lf;
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    double size = abs(x);
    double large = abs(y);
    bool whole = large >= 4503599627370496.0lf || floor(y) == y;
    bool odd = whole && large < 9007199254740992.0lf && floor(0.5lf * y) != 0.5lf * y;
    double direction = kp_signbit(x) && odd ? -1.0lf : 1.0lf;
    if (x == 0.0lf || kp_isinf(x))
        return (x == 0.0lf) == (y < 0.0lf) ? kp_infinity(direction) : kp_copysign(0.0lf, direction);
    if (kp_isinf(y))
        return size == 1.0lf ? 1.0lf : ((size > 1.0lf) == (y > 0.0lf) ? kp_infinity(1.0lf) : 0.0lf);
    if (x < 0.0lf && !whole) return kp_nan(x);
    if (size == 1.0lf) return direction;
    dvec2 logarithm = kp_log_pair(size);
    precise double rough = y * logarithm.x;
    if (rough >= 709.8lf) return kp_infinity(direction);
    if (rough < -745.2lf) return kp_copysign(0.0lf, direction);
    dvec2 power = kp_two_product(y, logarithm.x);
    precise double tail = power.y + y * logarithm.y;
    int k;
    dvec2 result = kp_exp_of_pair(dvec2(power.x, tail), k);
    return direction * kp_scale(result.x, k);
}

double kp_cbrt(double x) {  // by a step of Halley's method, from a root to 20 bits
    if (x == 0.0lf || kp_isnan(x) || kp_isinf(x)) return x;
    int k;
    double m = kp_split(abs(x), k);
    int third = (k + 3072) / 3 - 1024;
    m *= kp_power_of_two(k - 3 * third);
    double guess = double(exp2(log2(float(m)) * 0.33333334));
    precise double square = guess * guess;
    precise double ratio = m / square;
    precise double root = guess + guess * ((ratio - guess) / (guess + guess + ratio));
    return kp_copysign(kp_scale(root, third), x);
}

double kp_hypot(double x, double y) {
    if (kp_isinf(x) || kp_isinf(y)) return kp_infinity(1.0lf);
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    double large = max(abs(x), abs(y));
    double small = min(abs(x), abs(y));
    if (small == 0.0lf) return large;
    int k = clamp(kp_exponent(large) - 1023, -1021, 1021);
    double scale = kp_power_of_two(-k);
    precise double a = large * scale;
    precise double b = small * scale;
    precise double size = sqrt(a * a + b * b);
    // The missing part, from the exact squares.
    dvec2 first = kp_two_product(a, a);
    dvec2 second = kp_two_product(b, b);
    dvec2 square = kp_two_product(size, size);
    precise double rest = ((first.x - square.x) + second.x) + ((first.y - square.y) + second.y);
    size += rest / (size + size);
    return size * kp_power_of_two(k);
}

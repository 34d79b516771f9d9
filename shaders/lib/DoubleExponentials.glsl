// SPDX-License-Identifier: Apache-2.0
//
// Exponentials and logarithms of doubles, to one unit in the last place.
//
// Arguments are reduced with constants in two parts (Cody and Waite, "Software Manual for the
// Elementary Functions", 1980). Logarithms are series of (m - 1) / (m + 1) around the first term
// m - 1, which is exact (Ng, in fdlibm's description of log). Polynomials are minimax fits
// (scripts/shaders/library_polynomials.py). fma() may round twice: nothing relies on it.

double kp_power_of_two(int k) {  // 2^k for -1022 <= k <= 1023
    return packDouble2x32(uvec2(0u, uint(k + 1023) << 20));
}

double kp_scale(double x, int k) {  // x 2^k for -2044 <= k <= 2046, rounded once
    int half_ = k >> 1;
    return x * kp_power_of_two(half_) * kp_power_of_two(k - half_);
}

double kp_exp_tail(double r) {  // exp(r) - 1 - r for |r| <= ln(2) / 2
    precise double p = 2.5117799446954665e-08lf;
    p = fma(p, r, 2.763128000706193e-07lf);
    p = fma(p, r, 2.755721648377327e-06lf);
    p = fma(p, r, 2.4801489942765976e-05lf);
    p = fma(p, r, 0.0001984126991719232lf);
    p = fma(p, r, 0.0013888888947015813lf);
    p = fma(p, r, 0.008333333333307286lf);
    p = fma(p, r, 0.04166666666651542lf);
    p = fma(p, r, 0.166666666666667lf);
    p = fma(p, r, 0.5000000000000012lf);
    return p * (r * r);
}

double kp_exp_reduce(double x, out int k, out double lost) {  // x - k ln(2), and its error
    precise double shifted = x * 1.4426950408889634lf + 6755399441055744.0lf;
    k = int(unpackDouble2x32(shifted).x);
    precise double whole = shifted - 6755399441055744.0lf;
    precise double high = x - whole * 0.6931471805598903lf;
    precise double low = whole * 5.497923018708371e-14lf;
    precise double r = high - low;
    precise double rest = (high - r) - low;
    lost = rest;
    return r;
}

double kp_exp(double x) {
    if (kp_isnan(x)) return x;
    if (x > 709.8lf) return kp_infinity(1.0lf);
    if (x < -745.2lf) return 0.0lf;
    int k;
    double lost;
    double r = kp_exp_reduce(x, k, lost);
    precise double result = 1.0lf + (r + (kp_exp_tail(r) + lost));
    return kp_scale(result, k);
}

dvec2 kp_exp_of_pair(dvec2 x, out int k) {
    precise double lost;
    double r = kp_exp_reduce(x.x, k, lost);
    lost += x.y;
    dvec2 sum = kp_fast_sum(r, lost);
    precise double tail = kp_exp_tail(sum.x) + sum.y * (1.0lf + sum.x);
    dvec2 one = kp_fast_sum(1.0lf, sum.x);
    tail += one.y;
    return kp_fast_sum(one.x, tail);
}

double kp_exp2(double x) {
    if (kp_isnan(x)) return x;
    if (x >= 1024.0lf) return kp_infinity(1.0lf);
    if (x < -1075.0lf) return 0.0lf;
    precise double shifted = x + 6755399441055744.0lf;
    int k = int(unpackDouble2x32(shifted).x);
    precise double part = x - (shifted - 6755399441055744.0lf);
    precise double r = part * 0.6931471805599453lf;
    dvec2 exact = kp_two_product(part, 0.6931471805599453lf);
    precise double lost = exact.y + part * 2.3190468138462996e-17lf;
    precise double result = 1.0lf + (r + (kp_exp_tail(r) + lost));
    return kp_scale(result, k);
}

double kp_expm1(double x) {
    if (kp_isnan(x) || x == 0.0lf) return x;
    if (x > 709.8lf) return kp_infinity(1.0lf);
    if (x < -40.0lf) return -1.0lf;
    int k;
    double lost;
    double r = kp_exp_reduce(x, k, lost);
    precise double tail = kp_exp_tail(r) + lost;
    precise double result;
    if (k == 0) {
        result = r + tail;
    } else if (k < 1023) {
        double scale = kp_power_of_two(k);
        dvec2 sum = kp_fast_sum(r, tail);
        dvec2 whole = kp_two_sum(scale * sum.x, scale - 1.0lf);
        result = whole.x + (whole.y + scale * sum.y);
    } else {
        result = kp_scale(1.0lf + (r + tail), k);
    }
    return result;
}

double kp_split(double x, out int k) {  // m with x = m 2^k and sqrt(1/2) <= m < sqrt(2)
    uvec2 words = unpackDouble2x32(x);
    k = 0;
    if (words.y < 0x00100000u) {
        words = unpackDouble2x32(x * 18014398509481984.0lf);
        k = -54;
    }
    uint bits = words.y + 0x00095f62u;
    k += int(bits >> 20) - 1023;
    return packDouble2x32(uvec2(words.x, (bits & 0x000fffffu) + 0x3fe6a09eu));
}

bool kp_log_special(double x, out double result) {
    result = x;
    if (kp_isnan(x)) return true;
    if (x == 0.0lf) {
        result = kp_infinity(-1.0lf);
        return true;
    }
    if (x < 0.0lf) {
        result = kp_nan(x);
        return true;
    }
    return kp_isinf(x);
}

double kp_log_series(double z) {  // (log((1 + s) / (1 - s)) - 2 s) / s^3 for z = s^2, |s| <= 0.1716
    precise double p = 0.14796250788226312lf;
    p = fma(p, z, 0.1531402214378353lf);
    p = fma(p, z, 0.18183565367185012lf);
    p = fma(p, z, 0.2222219855457103lf);
    p = fma(p, z, 0.2857142874255412lf);
    p = fma(p, z, 0.39999999999414004lf);
    p = fma(p, z, 0.6666666666666734lf);
    return p;
}

double kp_log_tail(double f) {  // log(1 + f) - f for sqrt(1/2) <= 1 + f <= sqrt(2)
    precise double s = f / (2.0lf + f);
    precise double z = s * s;
    precise double p = kp_log_series(z);
    precise double half_ = 0.5lf * f * f;
    precise double tail = s * (half_ + p * z) - half_;
    return tail;
}

double kp_log(double x) {
    double special;
    if (kp_log_special(x, special)) return special;
    int k;
    double f = kp_split(x, k) - 1.0lf;
    double whole = double(k);
    precise double low = kp_log_tail(f) + whole * 5.497923018708371e-14lf;
    precise double result = whole * 0.6931471805598903lf + (f + low);
    return result;
}

double kp_log1p(double x) {
    if (x == 0.0lf || kp_isnan(x) || x == kp_infinity(1.0lf)) return x;
    if (x <= -1.0lf) return x == -1.0lf ? kp_infinity(-1.0lf) : kp_nan(x);
    return kp_log1p_of(x, 0.0lf);
}

double kp_log1p_of(double x, double low) {  // log(1 + x + low) for finite x > -1 and |low| far below |x|
    dvec2 sum = kp_two_sum(1.0lf, x);
    int k;
    double f = kp_split(sum.x, k) - 1.0lf;
    double whole = double(k);
    precise double lost = (sum.y + low) / sum.x;
    precise double rest = kp_log_tail(f) + (whole * 5.497923018708371e-14lf + lost);
    precise double result = whole * 0.6931471805598903lf + (f + rest);
    return result;
}

// k top + log(1 + f) unit, for units of which `high` has 32 bits and `low` is the rest.
double kp_log_in_units(double f, double k, double high, double low, double top, double top_low) {
    dvec2 sum = kp_fast_sum(f, kp_log_tail(f));
    precise double first = packDouble2x32(uvec2(0u, unpackDouble2x32(sum.x).y));
    precise double rest = (sum.x - first) + sum.y;
    precise double large = first * high;
    precise double small = (first * low + rest * (high + low)) + k * top_low;
    dvec2 whole = kp_two_sum(k * top, large);
    precise double result = whole.x + (whole.y + small);
    return result;
}

double kp_log2(double x) {
    double special;
    if (kp_log_special(x, special)) return special;
    int k;
    double f = kp_split(x, k) - 1.0lf;
    return kp_log_in_units(f, double(k), 1.4426950407214463lf, 1.6751713164886512e-10lf, 1.0lf, 0.0lf);
}

double kp_log10(double x) {
    double special;
    if (kp_log_special(x, special)) return special;
    int k;
    double f = kp_split(x, k) - 1.0lf;
    return kp_log_in_units(f, double(k), 0.4342944818781689lf, 2.5082946711645275e-11lf,
                           0.3010299955494702lf, 1.1451100898021838e-10lf);
}

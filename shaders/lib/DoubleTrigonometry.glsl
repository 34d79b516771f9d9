// SPDX-License-Identifier: Apache-2.0
//
// Trigonometric functions of doubles, to one unit in the last place.
//
// Arguments are reduced with pi / 2 in four parts (Cody and Waite, "Software Manual for the Elementary
// Functions", 1980), above 1e6 by the digits of 2 / pi that matter (Payne and Hanek, "Radian reduction
// for trigonometric functions", 1983).

dvec2 kp_reduce_large(double x, out int quadrant) {  // for |x| > 1e6
    const uint digits[37] = uint[37](
        0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
        0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu,
        0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u,
        0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
        0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du,
        0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u,
        0x56033046u);  // of 2 / pi
    uvec2 words = unpackDouble2x32(x);
    int exponent = int(words.y >> 20 & 0x7ffu) - 1075;
    uint low_digits = words.x;
    uint high_digits = (words.y & 0xfffffu) | 0x100000u;
    int skipped = max(exponent - 2, 0);  // digits that count multiples of 4 quadrants only
    int word = skipped >> 5, bit = skipped & 31;
    // The product with 192 digits, lowest word first. Its unit is 2^-190, if there is no shift.
    uint product[8] = uint[8](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
    for (int i = 0; i < 6; ++i) {
        int at = word + 5 - i;
        uint window = bit == 0 ? digits[at] : digits[at] << bit | digits[at + 1] >> (32 - bit);
        uint high, low, carry, more;
        umulExtended(window, low_digits, high, low);
        product[i] = uaddCarry(product[i], low, carry);
        high += carry;
        product[i + 1] = uaddCarry(product[i + 1], high, more);
        umulExtended(window, high_digits, high, low);
        product[i + 1] = uaddCarry(product[i + 1], low, carry);
        product[i + 2] = high + carry + more;
    }
    int point = 192 - (exponent - skipped);  // 190 to 225
    int first = point - 128;
    word = first >> 5;
    bit = first & 31;
    uint part[4];  // of a quadrant, in 128 digits
    for (int i = 0; i < 4; ++i)
        part[i] = bit == 0 ? product[word + i]
                           : product[word + i] >> bit | product[word + i + 1] << (32 - bit);
    quadrant = int(product[point >> 5] >> (point & 31));
    if ((point & 31) == 31) quadrant |= int(product[(point >> 5) + 1] << 1);
    bool upper = (part[3] & 0x80000000u) != 0u;
    if (upper) {
        quadrant += 1;
        for (int i = 0; i < 4; ++i) part[i] = ~part[i];
    }
    precise double c = double(part[1]) * kp_power_of_two(-96) + double(part[0]) * kp_power_of_two(-128);
    dvec2 sum = kp_fast_sum(double(part[3]) * kp_power_of_two(-32), double(part[2]) * kp_power_of_two(-64));
    sum = kp_fast_sum(sum.x, sum.y + c);
    dvec2 angle = kp_two_product(sum.x, 1.5707963267948966lf);
    precise double low = angle.y + (sum.x * 6.123233995736766e-17lf + sum.y * 1.5707963267948966lf);
    angle = kp_fast_sum(angle.x, low);
    bool negative = words.y >> 31 != 0u;
    if (negative) quadrant = -quadrant;
    return upper != negative ? -angle : angle;
}

dvec2 kp_reduce(double x, out int quadrant) {  // x - quadrant pi / 2 as a sum, at most pi / 4 in size
    if (abs(x) > 1e6lf) return kp_reduce_large(x, quadrant);
    precise double shifted = x * 0.6366197723675814lf + 6755399441055744.0lf;
    quadrant = int(unpackDouble2x32(shifted).x);
    precise double k = shifted - 6755399441055744.0lf;
    // Products with parts of 33 bits are exact.
    precise double first = x - k * 1.5707963267341256lf;
    dvec2 second = kp_two_sum(first, -k * 6.077100506303966e-11lf);
    dvec2 third = kp_two_sum(second.x, -k * 2.0222662487111665e-21lf);
    precise double low = (second.y + third.y) - k * 8.4784276603689e-32lf;
    return kp_fast_sum(third.x, low);
}

double kp_sin_part(dvec2 r) {
    precise double z = r.x * r.x;
    double p = kp_sin_series(z);
    precise double result = r.x + (p * (z * r.x) + r.y * (1.0lf - 0.5lf * z));
    return result;
}

double kp_cos_part(dvec2 r) {
    precise double z = r.x * r.x;
    double p = kp_cos_series(z);
    precise double half_ = 0.5lf * z;
    precise double whole = 1.0lf - half_;
    precise double result = whole + (((1.0lf - whole) - half_) + (p * (z * z) - r.x * r.y));
    return result;
}

double kp_sin(double x) {
    if (!kp_isfinite(x)) return kp_nan(x);
    if (x == 0.0lf) return x;
    int q;
    dvec2 r = kp_reduce(x, q);
    double value = (q & 1) != 0 ? kp_cos_part(r) : kp_sin_part(r);
    return (q & 2) != 0 ? -value : value;
}

double kp_cos(double x) {
    if (!kp_isfinite(x)) return kp_nan(x);
    int q;
    dvec2 r = kp_reduce(x, q);
    double value = (q & 1) != 0 ? kp_sin_part(r) : kp_cos_part(r);
    return ((q + 1) & 2) != 0 ? -value : value;
}

double kp_tan(double x) {
    if (!kp_isfinite(x)) return kp_nan(x);
    if (x == 0.0lf) return x;
    int q;
    dvec2 r = kp_reduce(x, q);
    // Both as sums, so that the quotient is rounded once.
    dvec2 s = kp_sin_pair(r), c = kp_cos_pair(r);
    dvec2 result = (q & 1) != 0 ? kp_quotient_pair(-c, s) : kp_quotient_pair(s, c);
    return result.x + result.y;
}

double kp_asin_tail(double z) {  // asin(x) / x - 1 for z = x^2 <= 1/4
    precise double p = 0.03198129475763289lf;
    p = fma(p, z, -0.01632611604119746lf);
    p = fma(p, z, 0.019593973340042748lf);
    p = fma(p, z, 0.006503654483068302lf);
    p = fma(p, z, 0.01217491150563289lf);
    p = fma(p, z, 0.013884355039844152lf);
    p = fma(p, z, 0.017359795200911094lf);
    p = fma(p, z, 0.02237175196455381lf);
    p = fma(p, z, 0.030381959394505127lf);
    p = fma(p, z, 0.04464285682199527lf);
    p = fma(p, z, 0.07500000000344784lf);
    p = fma(p, z, 0.16666666666665375lf);
    return p * z;
}

double kp_asin(double x) {
    double size = abs(x);
    if (kp_isnan(x) || size > 1.0lf) return kp_nan(x);
    precise double angle;
    if (size <= 0.5lf) {
        angle = size + size * kp_asin_tail(size * size);
        return kp_copysign(angle, x);
    }
    // pi / 2 - 2 asin(root), with root as a sum.
    precise double z = (1.0lf - size) * 0.5lf;
    precise double root = sqrt(z);
    dvec2 square = kp_two_product(root, root);
    precise double low = root == 0.0lf ? 0.0lf : ((z - square.x) - square.y) / (root + root);
    dvec2 first = kp_fast_sum(1.5707963267948966lf, -2.0lf * root);
    precise double rest = root * kp_asin_tail(z) + low;
    angle = first.x + (first.y + (6.123233995736766e-17lf - 2.0lf * rest));
    return kp_copysign(angle, x);
}

double kp_acos(double x) {
    double size = abs(x);
    if (kp_isnan(x) || size > 1.0lf) return kp_nan(x);
    precise double angle;
    if (size <= 0.5lf) {
        dvec2 first = kp_fast_sum(1.5707963267948966lf, -x);
        angle = first.x + (first.y + (6.123233995736766e-17lf - x * kp_asin_tail(x * x)));
        return angle;
    }
    precise double z = (1.0lf - size) * 0.5lf;
    precise double root = sqrt(z);
    dvec2 square = kp_two_product(root, root);
    precise double low = root == 0.0lf ? 0.0lf : ((z - square.x) - square.y) / (root + root);
    precise double rest = root * kp_asin_tail(z) + low;
    if (x > 0.0lf) {
        angle = 2.0lf * (root + rest);
        return angle;
    }
    dvec2 first = kp_fast_sum(3.141592653589793lf, -2.0lf * root);
    angle = first.x + (first.y + (1.2246467991473532e-16lf - 2.0lf * rest));
    return angle;
}

double kp_atan_tail(double z) {  // atan(t) / t - 1 for z = t^2 <= 0.1716
    precise double p = 0.015206665909438815lf;
    p = fma(p, z, -0.033485781850015044lf);
    p = fma(p, z, 0.04504035447716941lf);
    p = fma(p, z, -0.05218523819669402lf);
    p = fma(p, z, 0.05877040337711763lf);
    p = fma(p, z, -0.06666228649412746lf);
    p = fma(p, z, 0.07692282886714301lf);
    p = fma(p, z, -0.09090908150189184lf);
    p = fma(p, z, 0.11111111088334638lf);
    p = fma(p, z, -0.14285714285390524lf);
    p = fma(p, z, 0.1999999999999769lf);
    p = fma(p, z, -0.33333333333333326lf);
    return p * z;
}

// The angle of a vector with 0 <= y <= x, as a sum: atan(y / x). x is at most 1e300.
dvec2 kp_atan_of(double y, double x) {
    bool large = y > 0.41421356237309503lf * x;
    dvec2 over = large ? kp_two_sum(y, -x) : dvec2(y, 0.0lf);
    dvec2 under = large ? kp_two_sum(x, y) : dvec2(x, 0.0lf);
    precise double t = over.x / under.x;
    dvec2 back = kp_two_product(t, under.x);
    precise double low = (((over.x - back.x) - back.y) + (over.y - t * under.y)) / under.x;
    precise double rest = t * kp_atan_tail(t * t) + low;
    if (!large) return kp_fast_sum(t, rest);
    dvec2 sum = kp_fast_sum(0.7853981633974483lf, t);
    rest += 3.061616997868383e-17lf;
    rest += sum.y;
    return kp_fast_sum(sum.x, rest);
}

double kp_atan(double x) {
    if (kp_isnan(x)) return x;
    double size = abs(x);
    if (size > 1e18lf) return kp_copysign(1.5707963267948966lf, x);
    if (size < 1e-10lf) return x;
    dvec2 angle = kp_atan_of(min(size, 1.0lf), max(size, 1.0lf));
    precise double result = angle.x;
    if (size > 1.0lf) {
        dvec2 sum = kp_fast_sum(1.5707963267948966lf, -angle.x);
        result = sum.x + (sum.y + (6.123233995736766e-17lf - angle.y));
    }
    return kp_copysign(result, x);
}

dvec2 kp_angle(double y, double x) {  // |atan2(y, x)| as a sum, of numbers that are not NaN
    double large = max(abs(x), abs(y));
    double small = min(abs(x), abs(y));
    dvec2 angle = dvec2(0.0lf);
    if (kp_isinf(large)) {
        if (kp_isinf(small)) angle = dvec2(0.7853981633974483lf, 3.061616997868383e-17lf);
    } else if (small != 0.0lf) {
        // Scaled where products of parts would overflow or lose digits.
        double scale = kp_power_of_two(large > 1e290lf ? -100 : large < 1e-200lf ? 300 : 0);
        angle = small < large * 1e-18lf ? dvec2(small / large, 0.0lf)
                                        : kp_atan_of(small * scale, large * scale);
    }
    dvec2 sum;
    precise double low;
    bool steep = abs(y) > abs(x);
    if (steep) {
        sum = kp_fast_sum(1.5707963267948966lf, -angle.x);
        low = 6.123233995736766e-17lf - angle.y;
        low += sum.y;
        angle = kp_fast_sum(sum.x, low);
    }
    if (kp_signbit(x)) {
        sum = kp_fast_sum(3.141592653589793lf, -angle.x);
        low = 1.2246467991473532e-16lf - angle.y;
        low += sum.y;
        angle = kp_fast_sum(sum.x, low);
    }
    return angle;
}

double kp_atan2(double y, double x) {
    return kp_isnan(x) || kp_isnan(y) ? kp_nan(x) : kp_copysign(kp_angle(y, x).x, y);
}

// SPDX-License-Identifier: Apache-2.0
//
// Trigonometric functions of floats, to a few units in the last place: see FloatExponentials.glsl.
//
// Above 8192, arguments are reduced as Payne and Hanek do ("Radian reduction for trigonometric
// functions", 1983). Vulkan lets drivers compute sin() with an absolute error of 2^-11 and asin() with
// thousands of units in the last place.

float kp_reduce_large(float x, out int quadrant) {  // for |x| > 8192
    const uint digits[7] = uint[7](0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
                                   0x3c439041u, 0xfe5163abu);  // of 2 / pi
    uint bits = floatBitsToUint(x);
    int exponent = int(bits >> 23 & 0xffu) - 150;
    uint mantissa = (bits & 0x7fffffu) | 0x800000u;
    int skipped = max(exponent - 2, 0);  // digits that count multiples of 4 quadrants only
    int word = skipped >> 5, bit = skipped & 31;
    uint window[3];
    for (int i = 0; i < 3; ++i)
        window[i] = bit == 0 ? digits[word + i]
                             : digits[word + i] << bit | digits[word + i + 1] >> (32 - bit);
    uint high, low, carry, p0, p1, p2, p3;
    umulExtended(mantissa, window[2], p1, p0);
    umulExtended(mantissa, window[1], high, low);
    p1 = uaddCarry(p1, low, carry);
    p2 = high + carry;
    umulExtended(mantissa, window[0], high, low);
    p2 = uaddCarry(p2, low, carry);
    p3 = high + carry;
    int shift = exponent - skipped;  // -10 to 2
    if (shift > 0) {
        p3 = p3 << shift | p2 >> (32 - shift);
        p2 = p2 << shift | p1 >> (32 - shift);
        p1 = p1 << shift | p0 >> (32 - shift);
    } else if (shift < 0) {
        p1 = p1 >> -shift | p2 << (32 + shift);
        p2 = p2 >> -shift | p3 << (32 + shift);
        p3 = p3 >> -shift;
    }
    quadrant = int(p3);
    bool upper = (p2 & 0x80000000u) != 0u;
    if (upper) {
        quadrant += 1;
        p1 = ~p1;
        p2 = ~p2;
    }
    float rest = (float(p2) * 2.3283064365386963e-10 + float(p1) * 5.421010862427522e-20) *
                 1.5707964;
    bool negative = bits >> 31 != 0u;
    if (negative) quadrant = -quadrant;
    return upper != negative ? -rest : rest;
}

float kp_reduce(float x, out int quadrant) {  // x - quadrant pi / 2, at most pi / 4 in size
    if (abs(x) > 8192.0) return kp_reduce_large(x, quadrant);
    float k = roundEven(x * 0.63661975);
    quadrant = int(k);
    precise float r = (x - k * 1.5703125) - k * 0.0004837512969970703;
    precise float small = k * 7.549533620476723e-8;
    precise float first = r - small;
    precise float lost = (r - first) - small;
    precise float result = first + (lost - k * 2.5633440682570896e-12);
    return result;
}

float kp_sin_part(float r) {
    precise float u = r * r;
    precise float p = 2.7175668e-6;
    p = p * u - 0.00019839258;
    p = p * u + 0.008333329;
    p = p * u - 0.16666667;
    p = p * (u * r) + r;
    return p;
}

float kp_cos_part(float r) {
    precise float u = r * r;
    precise float p = -2.7203288e-7;
    p = p * u + 2.4799436e-5;
    p = p * u - 0.0013888883;
    p = p * u + 0.041666668;
    precise float half_ = 0.5 * u;
    precise float whole = 1.0 - half_;
    p = whole + (((1.0 - whole) - half_) + p * (u * u));
    return p;
}

float kp_sin(float x) {
    if (kp_isnan(x) || kp_isinf(x)) return kp_nan(x);
    if (x == 0.0) return x;
    int q;
    float r = kp_reduce(x, q);
    float value = (q & 1) != 0 ? kp_cos_part(r) : kp_sin_part(r);
    return (q & 2) != 0 ? -value : value;
}

float kp_cos(float x) {
    if (kp_isnan(x) || kp_isinf(x)) return kp_nan(x);
    int q;
    float r = kp_reduce(x, q);
    float value = (q & 1) != 0 ? kp_sin_part(r) : kp_cos_part(r);
    return ((q + 1) & 2) != 0 ? -value : value;
}

float kp_tan(float x) {
    if (kp_isnan(x) || kp_isinf(x)) return kp_nan(x);
    if (x == 0.0) return x;
    int q;
    float r = kp_reduce(x, q);
    bool turned = (q & 1) != 0;
    float above = turned ? -kp_cos_part(r) : kp_sin_part(r);
    float below = turned ? kp_sin_part(r) : kp_cos_part(r);
    // Division may be off by 2.5 units, which a step of Newton's method takes away.
    precise float quotient = above / below;
    precise float rest = fma(-quotient, below, above);
    return kp_isinf(quotient) ? quotient : quotient + rest / below;
}

float kp_asin_part(float x) {  // asin(x) - x for 0 <= x <= 1/2
    precise float u = x * x;
    precise float p = 0.037563838;
    p = p * u + 0.014403678;
    p = p * u + 0.03181729;
    p = p * u + 0.044515766;
    p = p * u + 0.07500511;
    p = p * u + 0.1666666;
    return p * (u * x);
}

float kp_asin(float x) {
    float size = abs(x);
    if (kp_isnan(x) || size > 1.0) return kp_nan(x);
    if (size <= 0.5) return kp_copysign(size + kp_asin_part(size), x);
    float s = sqrt((1.0 - size) * 0.5);
    precise float angle = 1.5707964 - (2.0 * (s + kp_asin_part(s)) + 4.371139e-8);
    return kp_copysign(angle, x);
}

float kp_acos(float x) {
    float size = abs(x);
    if (kp_isnan(x) || size > 1.0) return kp_nan(x);
    precise float angle;
    if (size <= 0.5) {
        angle = 1.5707964 - (x + (kp_copysign(kp_asin_part(size), x) + 4.371139e-8));
        return angle;
    }
    float s = sqrt((1.0 - size) * 0.5);
    angle = 2.0 * (s + kp_asin_part(s));
    if (x < 0.0) angle = 3.1415927 - (angle + 8.742278e-8);
    return angle;
}

float kp_atan_part(float t, float high, float low) {  // high + low + atan(t) for |t| < 0.4143
    precise float u = t * t;
    precise float p = 0.04726886;
    p = p * u - 0.08468478;
    p = p * u + 0.11043395;
    p = p * u - 0.14281912;
    p = p * u + 0.199999;
    p = p * u - 0.3333333;
    p = high + (t + (p * (u * t) + low));
    return p;
}

float kp_atan(float x) {
    if (kp_isnan(x)) return x;
    float size = abs(x);
    float angle = size > 2.4142135 ? kp_atan_part(-1.0 / size, 1.5707964, -4.371139e-8)
                  : size > 0.41421357
                      ? kp_atan_part((size - 1.0) / (size + 1.0), 0.7853982, -2.1855695e-8)
                      : kp_atan_part(size, 0.0, 0.0);
    return kp_copysign(angle, x);
}

float kp_atan2(float y, float x) {
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    float large = max(abs(x), abs(y));
    float small = min(abs(x), abs(y));
    float t = large == 0.0 ? 0.0 : (kp_isinf(large) ? (kp_isinf(small) ? 1.0 : 0.0) : small / large);
    precise float angle = kp_atan(t);
    if (abs(y) > abs(x)) angle = 1.5707964 - (angle + 4.371139e-8);
    if (kp_signbit(x)) angle = 3.1415927 - (angle + 8.742278e-8);
    return kp_copysign(angle, y);
}

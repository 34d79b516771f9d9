# SPDX-License-Identifier: Apache-2.0
"""Elementary functions of floats in GLSL, to a few units in the last place.

Vulkan lets drivers compute sin() with an absolute error of 2^-11 and asin() with thousands of units
in the last place, and leaves special values to them. These functions give NumPy's values on every
device. Arguments are reduced with constants in several parts (Cody and Waite, "Software Manual for
the Elementary Functions", 1980; above 8192 as Payne and Hanek, "Radian reduction for trigonometric
functions", 1983). Polynomials are fits with least relative error, weighted after Lawson, far below
half a unit.
"""

from __future__ import annotations

#: Name -> text, as in helpers.
MATHEMATICS: dict[str, str] = {
    "kp_scale": """
float kp_scale(float x, int k) {  // x 2^k for -252 <= k <= 254, in two steps that are in range
    int half_ = k >> 1;
    return x * uintBitsToFloat(uint(half_ + 127) << 23) *
           uintBitsToFloat(uint(k - half_ + 127) << 23);
}
""",
    "kp_exp_part": """
float kp_exp_part(float r) {  // exp(r) - 1 for |r| <= ln(2) / 2
    precise float p = 1.3952958e-3;
    p = p * r + 8.370319e-3;
    p = p * r + 0.04166617;
    p = p * r + 0.16666506;
    p = p * r + 0.5;
    p = p * (r * r) + r;
    return p;
}
""",
    "kp_exp": """
float kp_exp(float x) {
    if (kp_isnan(x)) return x;
    if (x > 88.8) return kp_infinity(1.0);
    if (x < -104.0) return 0.0;
    float k = roundEven(x * 1.442695);
    precise float r = (x - k * 0.693145751953125) - k * 1.428606765330187e-6;
    return kp_scale(1.0 + kp_exp_part(r), int(k));
}
""",
    "kp_exp2": """
float kp_exp2(float x) {
    if (kp_isnan(x)) return x;
    if (x >= 128.0) return kp_infinity(1.0);
    if (x < -150.0) return 0.0;
    float k = roundEven(x);
    return kp_scale(1.0 + kp_exp_part((x - k) * 0.6931472), int(k));
}
""",
    "kp_expm1": """
float kp_expm1(float x) {
    if (kp_isnan(x) || x == 0.0) return x;
    if (x > 88.0) return kp_exp(x);
    if (x < -18.0) return -1.0;
    float k = roundEven(x * 1.442695);
    precise float r = (x - k * 0.693145751953125) - k * 1.428606765330187e-6;
    float scale = kp_scale(1.0, int(k));
    precise float result = scale * kp_exp_part(r) + (scale - 1.0);
    return result;
}
""",
    "kp_log_part": """
float kp_log_part(float f) {  // log(1 + f) - f for sqrt(1/2) <= 1 + f <= sqrt(2)
    precise float p = 0.06915462;
    p = p * f - 0.11789742;
    p = p * f + 0.11872895;
    p = p * f - 0.12384356;
    p = p * f + 0.14218672;
    p = p * f - 0.16669251;
    p = p * f + 0.20002227;
    p = p * f - 0.24999987;
    p = p * f + 0.3333331;
    precise float square = f * f;
    p = p * f * square - 0.5 * square;
    return p;
}
""",
    "kp_split": """
float kp_split(float x, out int k) {  // m with x = m 2^k and sqrt(1/2) <= m < sqrt(2)
    k = 0;
    if (x < 1.17549435e-38) {
        x *= 33554432.0;
        k = -25;
    }
    uint bits = floatBitsToUint(x) + 0x004afb0du;
    k += int(bits >> 23) - 127;
    return uintBitsToFloat((bits & 0x007fffffu) + 0x3f3504f3u);
}
""",
    "kp_log_special": """
bool kp_log_special(float x, out float result) {
    result = x;
    if (kp_isnan(x)) return true;
    if (x == 0.0) {
        result = kp_infinity(-1.0);
        return true;
    }
    if (x < 0.0) {
        result = kp_nan(x);
        return true;
    }
    return kp_isinf(x);
}
""",
    "kp_log": """
float kp_log(float x) {
    float special;
    if (kp_log_special(x, special)) return special;
    int k;
    float f = kp_split(x, k) - 1.0;
    precise float low = kp_log_part(f) + float(k) * 1.428606765330187e-6;
    precise float result = (low + f) + float(k) * 0.693145751953125;
    return result;
}
""",
    "kp_log2": """
float kp_log2(float x) {
    float special;
    if (kp_log_special(x, special)) return special;
    int k;
    float f = kp_split(x, k) - 1.0;
    float tail = kp_log_part(f);
    // log2(e) = 1 + 0.44269502, so that the largest term is not rounded.
    precise float result = ((tail * 0.44269502 + f * 0.44269502) + tail) + f + float(k);
    return result;
}
""",
    "kp_log10": """
float kp_log10(float x) {
    float special;
    if (kp_log_special(x, special)) return special;
    int k;
    float f = kp_split(x, k) - 1.0;
    precise float natural = kp_log_part(f) + f;
    precise float low = natural * 0.4342945 + float(k) * 4.605039066518657e-6;
    precise float result = low + float(k) * 0.301025390625;
    return result;
}
""",
    "kp_log1p": """
float kp_log1p(float x) {
    if (x == 0.0 || kp_isnan(x) || x == kp_infinity(1.0)) return x;
    precise float sum = 1.0 + x;
    if (sum <= 0.0) return kp_log(sum);
    precise float lost = sum >= 2.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
    return kp_log(sum) + lost / sum;
}
""",
    "kp_reduce_large": """
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
""",
    "kp_reduce": """
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
""",
    "kp_sin_part": """
float kp_sin_part(float r) {
    precise float u = r * r;
    precise float p = 2.7175668e-6;
    p = p * u - 0.00019839258;
    p = p * u + 0.008333329;
    p = p * u - 0.16666667;
    p = p * (u * r) + r;
    return p;
}
""",
    "kp_cos_part": """
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
""",
    "kp_sin": """
float kp_sin(float x) {
    if (kp_isnan(x) || kp_isinf(x)) return kp_nan(x);
    if (x == 0.0) return x;
    int q;
    float r = kp_reduce(x, q);
    float value = (q & 1) != 0 ? kp_cos_part(r) : kp_sin_part(r);
    return (q & 2) != 0 ? -value : value;
}
""",
    "kp_cos": """
float kp_cos(float x) {
    if (kp_isnan(x) || kp_isinf(x)) return kp_nan(x);
    int q;
    float r = kp_reduce(x, q);
    float value = (q & 1) != 0 ? kp_sin_part(r) : kp_cos_part(r);
    return ((q + 1) & 2) != 0 ? -value : value;
}
""",
    "kp_tan": """
float kp_tan(float x) {
    if (kp_isnan(x) || kp_isinf(x)) return kp_nan(x);
    if (x == 0.0) return x;
    int q;
    float r = kp_reduce(x, q);
    return (q & 1) != 0 ? -kp_cos_part(r) / kp_sin_part(r) : kp_sin_part(r) / kp_cos_part(r);
}
""",
    "kp_asin_part": """
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
""",
    "kp_asin": """
float kp_asin(float x) {
    float size = abs(x);
    if (kp_isnan(x) || size > 1.0) return kp_nan(x);
    if (size <= 0.5) return kp_copysign(size + kp_asin_part(size), x);
    float s = sqrt((1.0 - size) * 0.5);
    precise float angle = 1.5707964 - (2.0 * (s + kp_asin_part(s)) + 4.371139e-8);
    return kp_copysign(angle, x);
}
""",
    "kp_acos": """
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
""",
    "kp_atan_part": """
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
""",
    "kp_atan": """
float kp_atan(float x) {
    if (kp_isnan(x)) return x;
    float size = abs(x);
    float angle = size > 2.4142135 ? kp_atan_part(-1.0 / size, 1.5707964, -4.371139e-8)
                  : size > 0.41421357
                      ? kp_atan_part((size - 1.0) / (size + 1.0), 0.7853982, -2.1855695e-8)
                      : kp_atan_part(size, 0.0, 0.0);
    return kp_copysign(angle, x);
}
""",
    "kp_atan2": """
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
""",
    "kp_sinh": """
float kp_sinh(float x) {
    float size = abs(x);
    if (kp_isnan(x) || kp_isinf(x) || x == 0.0) return x;
    if (size > 88.0) {
        float root = kp_exp(0.5 * size);
        return kp_copysign(0.5 * root * root, x);
    }
    float e = kp_expm1(size);
    precise float result = 0.5 * (e + e / (e + 1.0));
    return kp_copysign(result, x);
}
""",
    "kp_cosh": """
float kp_cosh(float x) {
    float size = abs(x);
    if (size > 88.0) {
        float root = kp_exp(0.5 * size);
        return 0.5 * root * root;
    }
    float e = kp_exp(size);
    precise float result = 0.5 * e + 0.5 / e;
    return result;
}
""",
    "kp_tanh": """
float kp_tanh(float x) {
    if (kp_isnan(x) || x == 0.0) return x;
    float size = abs(x);
    if (size > 9.1) return kp_copysign(1.0, x);
    float e = kp_expm1(-2.0 * size);
    return kp_copysign(-e / (e + 2.0), x);
}
""",
    "kp_asinh": """
float kp_asinh(float x) {
    if (kp_isnan(x) || kp_isinf(x) || x == 0.0) return x;
    float size = abs(x);
    float result = size > 1.0e9 ? kp_log(size) + 0.6931472
                                : kp_log1p(size + size * size / (1.0 + sqrt(1.0 + size * size)));
    return kp_copysign(result, x);
}
""",
    "kp_acosh": """
float kp_acosh(float x) {
    if (kp_isnan(x) || x < 1.0) return kp_nan(x);
    if (x > 1.0e9) return kp_log(x) + 0.6931472;
    precise float t = x - 1.0;
    return kp_log1p(t + sqrt(2.0 * t + t * t));
}
""",
    "kp_atanh": """
float kp_atanh(float x) {
    if (kp_isnan(x) || x == 0.0) return x;
    float size = abs(x);
    if (size > 1.0) return kp_nan(x);
    if (size == 1.0) return kp_infinity(x);
    return kp_copysign(0.5 * kp_log1p(2.0 * size / (1.0 - size)), x);
}
""",
    "kp_cbrt": """
float kp_cbrt(float x) {  // by Newton's method, from a third of the exponent
    if (x == 0.0 || kp_isnan(x) || kp_isinf(x)) return x;
    float size = abs(x);
    precise float root = uintBitsToFloat(floatBitsToUint(size) / 3u + 0x2a514067u);
    for (int i = 0; i < 4; ++i)
        root -= (root - size / (root * root)) * 0.33333334;
    return kp_copysign(root, x);
}
""",
    "kp_two_product": """
vec2 kp_two_product(float x, float y) {  // the exact product, as a sum (Dekker)
    // Halves by their bits: whatever a driver makes of multiplications and additions, these stay.
    precise float x1 = uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u);
    precise float x2 = x - x1;
    precise float y1 = uintBitsToFloat(floatBitsToUint(y) & 0xfffff000u);
    precise float y2 = y - y1;
    precise float product = x * y;
    precise float error = ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2;
    return vec2(product, error);
}
""",
    "kp_log2_pair": """
vec2 kp_log2_pair(float x) {  // log2(x) as a sum, to 2^-31, for normal x > 0
    int k;
    float f = kp_split(x, k) - 1.0;
    precise float sum = 2.0 + f;
    precise float sum_low = f - (sum - 2.0);
    precise float s = f / sum;
    vec2 back = kp_two_product(s, sum);
    precise float s_low = (((f - back.x) - back.y) - s * sum_low) / sum;
    precise float u = s * s;
    precise float p = 0.23594727;
    p = p * u + 0.28536683;
    p = p * u + 0.40000343;
    p = p * u + 0.6666666;
    precise float low = 2.0 * s_low + p * (u * s);
    precise float high = 2.0 * s + low;
    low = low - (high - 2.0 * s);
    vec2 scaled = kp_two_product(high, 1.442695);
    precise float tail = scaled.y + (high * 1.925963e-8 + low * 1.442695);
    precise float whole = float(k) + scaled.x;
    precise float error = k == 0 ? 0.0 : (scaled.x - (whole - float(k)));
    return vec2(whole, error + tail);
}
""",
    "kp_pow": """
float kp_pow(float x, float y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    float size = abs(x);
    bool whole = abs(y) >= 8388608.0 || floor(y) == y;
    bool odd = whole && abs(y) < 16777216.0 && fract(0.5 * y) != 0.0;
    float direction = kp_signbit(x) && odd ? -1.0 : 1.0;
    if (x == 0.0 || kp_isinf(x))
        return (x == 0.0) == (y < 0.0) ? kp_infinity(direction) : kp_copysign(0.0, direction);
    if (kp_isinf(y)) return size == 1.0 ? 1.0 : ((size > 1.0) == (y > 0.0) ? kp_infinity(1.0) : 0.0);
    if (x < 0.0 && !whole) return kp_nan(x);
    if (size == 1.0) return direction;
    vec2 logarithm = kp_log2_pair(size);
    precise float rough = y * logarithm.x;
    if (rough >= 129.0) return kp_infinity(direction);
    if (rough < -151.0) return kp_copysign(0.0, direction);
    vec2 power = kp_two_product(y, logarithm.x);
    precise float tail = power.y + y * logarithm.y;
    float k = roundEven(power.x);
    precise float r = (power.x - k) + tail;
    float result = kp_scale(1.0 + kp_exp_part(r * 0.6931472), int(k));
    return direction * result;
}
""",
    "kp_logaddexp": """
float kp_logaddexp(float x, float y) {
    if (x == y) return x + 0.6931472;
    float large = kp_maximum(x, y);
    if (kp_isnan(large)) return large;
    return large + kp_log1p(kp_exp(min(x, y) - large));
}
""",
}

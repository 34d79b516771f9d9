// SPDX-License-Identifier: Apache-2.0
//
// Exponentials and logarithms of floats, to a few units in the last place.
//
// Vulkan leaves special values to drivers, and lets some of them be off by many units. These functions
// give NumPy's values on every device. Arguments are reduced with constants in several parts (Cody and
// Waite, "Software Manual for the Elementary Functions", 1980). Polynomials are fits with least
// relative error, weighted after Lawson, far below half a unit.

float kp_scale(float x, int k) {  // x 2^k for -252 <= k <= 254, in two steps that are in range
    int half_ = k >> 1;
    return x * uintBitsToFloat(uint(half_ + 127) << 23) *
           uintBitsToFloat(uint(k - half_ + 127) << 23);
}

float kp_exp_part(float r) {  // exp(r) - 1 for |r| <= ln(2) / 2
    precise float p = 1.3952958e-3;
    p = p * r + 8.370319e-3;
    p = p * r + 0.04166617;
    p = p * r + 0.16666506;
    p = p * r + 0.5;
    p = p * (r * r) + r;
    return p;
}

float kp_exp(float x) {
    if (kp_isnan(x)) return x;
    if (x > 88.8) return kp_infinity(1.0);
    if (x < -104.0) return 0.0;
    float k = roundEven(x * 1.442695);
    precise float r = (x - k * 0.693145751953125) - k * 1.428606765330187e-6;
    return kp_scale(1.0 + kp_exp_part(r), int(k));
}

vec2 kp_exp_of_pair(vec2 x, out int k) {  // exp(x) / 2^k as a sum
    float whole = roundEven(x.x * 1.442695);
    k = int(whole);
    precise float high = x.x - whole * 0.693145751953125;
    precise float low = whole * 1.428606765330187e-6;
    precise float r = high - low;
    precise float rest = ((high - r) - low) + x.y;
    vec2 sum = kp_fast_sum(r, rest);
    precise float tail = kp_exp_part(sum.x) - sum.x;
    vec2 one = kp_fast_sum(1.0, sum.x);
    precise float lost = one.y + (tail + sum.y * (1.0 + sum.x));
    return kp_fast_sum(one.x, lost);
}

float kp_exp2(float x) {
    if (kp_isnan(x)) return x;
    if (x >= 128.0) return kp_infinity(1.0);
    if (x < -150.0) return 0.0;
    float k = roundEven(x);
    return kp_scale(1.0 + kp_exp_part((x - k) * 0.6931472), int(k));
}

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

float kp_log(float x) {
    float special;
    if (kp_log_special(x, special)) return special;
    int k;
    float f = kp_split(x, k) - 1.0;
    precise float low = kp_log_part(f) + float(k) * 1.428606765330187e-6;
    precise float result = (low + f) + float(k) * 0.693145751953125;
    return result;
}

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

float kp_log1p_of(float x, float low) {  // log(1 + x + low) for finite x > -1 and |low| far below |x|
    vec2 sum = kp_two_sum(1.0, x);
    int k;
    float f = kp_split(sum.x, k) - 1.0;
    precise float lost = (sum.y + low) / sum.x;
    precise float rest = kp_log_part(f) + (float(k) * 1.428606765330187e-6 + lost);
    precise float result = float(k) * 0.693145751953125 + (f + rest);
    return result;
}

float kp_log1p(float x) {
    if (x == 0.0 || kp_isnan(x) || x == kp_infinity(1.0)) return x;
    if (x <= -1.0) return x == -1.0 ? kp_infinity(-1.0) : kp_nan(x);
    return kp_log1p_of(x, 0.0);
}

float kp_logaddexp(float x, float y) {
    if (x == y) return x + 0.6931472;
    float large = kp_maximum(x, y);
    if (kp_isnan(large)) return large;
    return large + kp_log1p(kp_exp(min(x, y) - large));
}

float kp_logaddexp2(float x, float y) {
    if (x == y) return x + 1.0;
    float large = kp_maximum(x, y);
    if (kp_isnan(large)) return large;
    return large + kp_log1p(kp_exp2(min(x, y) - large)) * 1.442695;
}

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

float kp_tanh(float x) {
    if (kp_isnan(x) || x == 0.0) return x;
    float size = abs(x);
    if (size > 9.1) return kp_copysign(1.0, x);
    float e = kp_expm1(-2.0 * size);
    return kp_copysign(-e / (e + 2.0), x);
}

float kp_asinh(float x) {
    if (kp_isnan(x) || kp_isinf(x) || x == 0.0) return x;
    float size = abs(x);
    float result = size > 1.0e9 ? kp_log(size) + 0.6931472
                                : kp_log1p(size + size * size / (1.0 + sqrt(1.0 + size * size)));
    return kp_copysign(result, x);
}

float kp_acosh(float x) {
    if (kp_isnan(x) || x < 1.0) return kp_nan(x);
    if (x > 1.0e9) return kp_log(x) + 0.6931472;
    precise float t = x - 1.0;
    return kp_log1p(t + sqrt(2.0 * t + t * t));
}

float kp_atanh(float x) {
    if (kp_isnan(x) || x == 0.0) return x;
    float size = abs(x);
    if (size > 1.0) return kp_nan(x);
    if (size == 1.0) return kp_infinity(x);
    return kp_copysign(0.5 * kp_log1p(2.0 * size / (1.0 - size)), x);
}

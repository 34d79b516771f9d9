// SPDX-License-Identifier: Apache-2.0
//
// Powers and roots of floats.

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

vec2 kp_log_pair(float x) {  // log(x) as a sum, for normal x > 0
    vec2 power = kp_log2_pair(x);
    vec2 product = kp_two_product(power.x, 0.6931472);
    precise float low = product.y + (power.y * 0.6931472 - power.x * 1.9046543e-9);
    return kp_fast_sum(product.x, low);
}

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

float kp_root_power(float x) {  // x ** 0.5, which is not sqrt(x) for -inf and -0.0
    if (x == 0.0) return 0.0;
    if (kp_isinf(x)) return kp_infinity(1.0);
    precise float root = sqrt(x);
    if (!(root > 1e-15 && root < 1e15)) return root;
    vec2 square = kp_two_product(root, root);  // devices may be off by some units, which int() would show
    precise float rest = (x - square.x) - square.y;
    root += rest / (root + root);
    return root;
}

double kp_root_power(double x) {
    if (x == 0.0lf) return 0.0lf;
    return kp_isinf(x) ? kp_infinity(1.0lf) : sqrt(x);
}

float kp_cbrt(float x) {  // by Newton's method, from a third of the exponent
    if (x == 0.0 || kp_isnan(x) || kp_isinf(x)) return x;
    float size = abs(x);
    precise float root = uintBitsToFloat(floatBitsToUint(size) / 3u + 0x2a514067u);
    for (int i = 0; i < 4; ++i)
        root -= (root - size / (root * root)) * 0.33333334;
    return kp_copysign(root, x);
}

float kp_hypot(float x, float y) {
    if (kp_isinf(x) || kp_isinf(y)) return kp_infinity(1.0);
    float large = max(abs(x), abs(y));
    float small = min(abs(x), abs(y));
    if (kp_isnan(x) || kp_isnan(y)) return kp_nan(x);
    if (large == 0.0) return large;
    precise float ratio = small / large;
    return large * sqrt(1.0 + ratio * ratio);
}

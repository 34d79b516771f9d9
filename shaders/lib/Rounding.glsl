// SPDX-License-Identifier: Apache-2.0
//
// Rounding of floats and doubles, and remainders.

T kp_trunc(T x) { return x < T(0) ? ceil(x) : floor(x); }

T kp_round(T x) {  // ties to the even number
    T below = floor(x);
    precise T rest = x - below;
    bool up = rest == T(0.5) ? below * T(0.5) != floor(below * T(0.5)) : rest > T(0.5);
    return kp_copysign(up ? below + T(1) : below, x);
}

T kp_round_by(T x, T scale) {  // to a multiple of 1 / scale, ties to the even one
    precise T scaled = x * scale;
    if (!kp_isfinite(scaled) || scaled == floor(scaled)) return x;
    return kp_round(scaled) / scale;
}

T kp_round_to(T x, T unit) {  // to a multiple of a unit, ties to the even one
    if (!kp_isfinite(x)) return x;
    precise T parts = x / unit;
    return kp_round(parts) * unit;
}

float kp_near_rest(float rest, float divisor) {  // rest % divisor in one step if the quotient is small
    if (divisor < 1e-20 || rest > 1e38 || rest >= divisor * 1048576.0) return rest;
    vec2 product = kp_two_product(floor(rest / divisor + 0.5), divisor);
    precise float left = (rest - product.x) - product.y;  // exact, as its size is less than the divisor's
    if (left < 0.0) left += divisor;
    return left;
}

double kp_near_rest(double rest, double divisor) { return rest; }

T kp_rest_by(T rest, T divisor) {  // rest % divisor, for normal divisors
    while (rest >= divisor) {  // rest / 2 < part <= rest, so the difference is exact
        T part = ldexp(divisor, kp_exponent(rest) - kp_exponent(divisor));
        if (part > rest) part *= T(0.5);
        rest -= part;
    }
    return rest;
}

T kp_fmod(T x, T y) {
    T rest = abs(x);
    T divisor = abs(y);
    if (kp_isnan(x) || kp_isnan(y) || kp_isinf(x) || divisor == T(0)) return kp_nan(x);
    if (kp_isinf(y)) return x;
    if (rest >= divisor) rest = kp_near_rest(rest, divisor);
    if (kp_exponent(divisor) == 0) {  // a denormal number, whose exponent is not its size
        T scale = T(1152921504606846976.0);
        T normal = divisor * scale;
        if (normal == T(0)) return kp_nan(x);  // the device takes it for 0
        rest = kp_rest_by(rest, normal);
        rest = kp_rest_by(rest * scale, normal) / scale;
    } else {
        rest = kp_rest_by(rest, divisor);
    }
    return kp_copysign(rest, x);
}

T kp_ieee_remainder(T x, T y) {  // x - n y for the integer n nearest to x / y, the even one of two
    T divisor = abs(y);
    if (kp_isnan(x) || kp_isnan(y) || kp_isinf(x) || divisor == T(0)) return kp_nan(x);
    if (kp_isinf(y)) return x;
    precise T rest = abs(kp_fmod(x, divisor));
    precise T other = divisor - rest;  // rounds to rest only if it is
    bool up = rest > other;
    if (rest == other) {
        precise T twice = abs(kp_fmod(T(0.5) * x, divisor));
        up = twice > rest;
    }
    if (up) rest = -other;
    return kp_signbit(x) ? -rest : rest;
}

T kp_remainder(T x, T y) {  // with the sign of y
    precise T rest = kp_fmod(x, y);
    if (kp_isnan(rest)) return rest;
    if (rest == T(0)) return kp_copysign(rest, y);
    if ((rest < T(0)) != (y < T(0))) rest += y;
    return rest;
}

T kp_floor_divide(T x, T y) {
    if (y == T(0)) return x == T(0) || kp_isnan(x) ? kp_nan(x) : kp_infinity(kp_signbit(y) ? -x : x);
    T rest = kp_fmod(x, y);
    precise T quotient = (x - rest) / y;
    if (kp_isnan(rest)) return kp_nan(x);
    if (rest != T(0) && (rest < T(0)) != (y < T(0))) quotient -= T(1);
    if (quotient == T(0)) return kp_copysign(T(0), kp_signbit(x) != kp_signbit(y) ? T(-1) : T(1));
    precise T whole = floor(quotient);
    if (quotient - whole > T(0.5)) whole += T(1);
    return whole;
}

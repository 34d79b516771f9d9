// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of integers.

T kp_integer_sign(T x) { return T(x > T(0)) - T(x < T(0)); }

T kp_divisor(const T y) {  // checked mode reports it if it is 0
    return y;
}

T kp_signed_divide(T x, T y) {  // rounded down; 0 if y is 0
    if (y == T(0)) return T(0);
    if (y == T(-1)) return -x;
    T quotient = x / y;
    T rest = x - quotient * y;
    return rest != T(0) && (rest < T(0)) != (y < T(0)) ? quotient - T(1) : quotient;
}

T kp_signed_remainder(T x, T y) {  // with the sign of y; 0 if y is 0
    return y == T(0) || y == T(-1) ? T(0) : x - kp_signed_divide(x, y) * y;
}

T kp_signed_fmod(T x, T y) {  // with the sign of x; 0 if y is 0
    return y == T(0) || y == T(-1) ? T(0) : x - (x / y) * y;
}

T kp_unsigned_divide(T x, T y) { return y == T(0) ? T(0) : x / y; }

T kp_unsigned_remainder(T x, T y) { return y == T(0) ? T(0) : x - (x / y) * y; }

T kp_integer_power(T x, T y) {
    T result = T(1);
    for (; y > T(0); y = y >> 1) {
        if ((y & T(1)) != T(0)) result *= x;
        x *= x;
    }
    return result;
}

T kp_count_power(T x, uint n) {  // of integers, too
    precise T result = T(1);
    for (; n != 0u; n >>= 1) {
        if ((n & 1u) != 0u) result *= x;
        x *= x;
    }
    return result;
}

T kp_gcd(T x, T y) {
    if (x < T(0)) x = -x;
    if (y < T(0)) y = -y;
    // GPUs divide 64 bits in many steps, so it ends with 32.
    while (y != T(0) && (x >> 31 != T(0) || y >> 31 != T(0))) {
        T rest = x - (x / y) * y;
        x = y;
        y = rest;
    }
    if (y == T(0)) return x < T(0) ? -x : x;
    uint a = uint(x), b = uint(y);
    while (b != 0u) {
        uint rest = a - (a / b) * b;
        a = b;
        b = rest;
    }
    return T(a);
}

T kp_lcm(T x, T y) {
    if (x < T(0)) x = -x;
    if (y < T(0)) y = -y;
    T divisor = kp_gcd(x, y);
    if (x == T(0) || divisor == T(0)) return T(0);
    return (x >> 31 == T(0) ? T(uint(x) / uint(divisor)) : x / divisor) * y;
}

uint kp_quotient(uint n, uint multiplier, uint shift) {  // of n below 2^31; see Divider.hpp
    uint high, low;
    umulExtended(n, multiplier, high, low);
    return (high + n) >> shift;
}

// SPDX-License-Identifier: Apache-2.0
//
// Order of doubles, which are bits in uvec2. Comparisons with NaN are false.

uvec2 kp_f64_key(const uvec2 a) {  // an integer in the order of the numbers; both zeros are 0
    return kp_wide_negate_if(kp_f64_abs(a), int(a.y) < 0);
}

bool kp_f64_unordered(const uvec2 a, const uvec2 b) {
    return any(bvec2(kp_f64_is_nan(a), kp_f64_is_nan(b)));
}

bool kp_f64_less(const uvec2 a, const uvec2 b) {
    bool less = kp_i64_less(kp_f64_key(a), kp_f64_key(b));
    bool unordered = kp_f64_unordered(a, b);
    return less && !unordered;
}

bool kp_f64_less_equal(const uvec2 a, const uvec2 b) {
    bool greater = kp_i64_less(kp_f64_key(b), kp_f64_key(a));
    return !any(bvec2(greater, kp_f64_unordered(a, b)));
}

bool kp_f64_equal(const uvec2 a, const uvec2 b) {
    bool equal = kp_f64_key(a) == kp_f64_key(b);
    bool unordered = kp_f64_unordered(a, b);
    return equal && !unordered;
}

uvec2 kp_f64_min(const uvec2 a, const uvec2 b) {  // the number, if one is NaN; -0 is less than 0
    uvec2 p = kp_f64_key(a);
    uvec2 q = kp_f64_key(b);
    uvec2 result = mix(b, a, bvec2(kp_i64_less(p, q)));
    result = mix(result, a | b, bvec2(p == q));
    result = mix(result, b, bvec2(kp_f64_is_nan(a)));
    return kp_f64_quiet(mix(result, a, bvec2(kp_f64_is_nan(b))));
}

uvec2 kp_f64_max(const uvec2 a, const uvec2 b) {  // the number, if one is NaN; -0 is less than 0
    uvec2 p = kp_f64_key(a);
    uvec2 q = kp_f64_key(b);
    uvec2 result = mix(a, b, bvec2(kp_i64_less(p, q)));
    result = mix(result, a & b, bvec2(p == q));
    result = mix(result, b, bvec2(kp_f64_is_nan(a)));
    return kp_f64_quiet(mix(result, a, bvec2(kp_f64_is_nan(b))));
}

uvec2 kp_f64_sign(const uvec2 a) {  // -1, 0, 1 or NaN
    uvec2 one = uvec2(0u, 0x3ff00000u | (a.y & 0x80000000u));
    uvec2 result = mix(one, uvec2(0u), bvec2(kp_f64_is_zero(a)));
    return mix(result, uvec2(a.x, a.y | 0x80000u), bvec2(kp_f64_is_nan(a)));
}

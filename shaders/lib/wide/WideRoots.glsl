// SPDX-License-Identifier: Apache-2.0
//
// Square roots of doubles, by their bits.

uint kp_wide_high_product(const uint a, const uint b) {
    uint high, low;
    umulExtended(a, b, high, low);
    return high;
}

// One step of Newton's method for an inverse square root r of x / 2^32, in units of 2^-30.
uint kp_wide_inverse_root_step(const uint r, const uint x) {
    uint square = kp_wide_high_product(kp_wide_high_product(r, r), x);
    return kp_wide_high_product(r, (0x30000000u - square) << 2) << 1;
}

uint kp_wide_inverse_root(const uint x) {  // for 2^30 <= x, to 28 bits
    uint r = 3527663618u - kp_wide_high_product(1759416981u, x);  // within 2.5 %
    r = 2867804325u - kp_wide_high_product(r, x);
    r = kp_wide_inverse_root_step(r, x);
    r = kp_wide_inverse_root_step(r, x);
    return kp_wide_inverse_root_step(r, x);
}

uvec2 kp_f64_sqrt(const uvec2 a) {
    uvec3 p = kp_f64_unpack(a);
    int exponent = int(p.z) - 1023;
    uvec2 x = mix(kp_f64_half_digits(p.xy), p.xy, bvec2((exponent & 1) != 0));
    uint r = kp_wide_inverse_root(x.y);
    // A root with 32 bits, and the rest divided by twice the root for 22 more.
    uint upper = min(kp_wide_high_product(x.y, r), 0x3fffffffu) << 2;
    uvec2 rest = kp_wide_subtract(x, kp_i64_mul(uvec2(upper, 0u), uvec2(upper, 0u)));
    int more, low;
    imulExtended(int(rest.y << 24 | rest.x >> 8), int(r >> 1), more, low);
    uvec2 root = kp_wide_add(uvec2(upper << 22, upper >> 10), uvec2(more, more >> 31));
    // That is off by one at most: the root is the last whose square is not larger.
    rest = kp_wide_subtract(uvec2(0u, x.x << 12), kp_i64_mul(root, root));
    uvec2 beyond = kp_wide_subtract(rest, kp_wide_add(kp_wide_shift_left(root, 1u), uvec2(1u, 0u)));
    int step = int(int(beyond.y) >= 0) - int(int(rest.y) < 0);
    root = kp_wide_add(root, uvec2(step, step >> 31));
    // No root lies halfway between two doubles.
    root = kp_wide_shift_right(kp_wide_add(root, uvec2(1u, 0u)), 1u);
    uvec2 finite = uvec2(root.x, root.y + (uint((exponent >> 1) + 1022) << 20));

    uvec2 result = mix(finite, kp_f64_quiet(a), bvec2(kp_f64_is_special(a)));
    bool below = kp_f64_less(a, uvec2(0u));
    return mix(result, uvec2(0u, 0x7ff80000u), bvec2(below));
}

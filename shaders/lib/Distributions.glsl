// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are found by rejection. Each has counters of its own, of which it tries one
// after the other until it accepts a proposal. T is float or double.
//
// Sources: J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011 (Philox 4x32-10 and
// 2x32-10). G. Box, M. Muller, "A note on the generation of random normal deviates", 1958. G. Marsaglia,
// W. Tsang, "A simple method for generating gamma variables", 2000. W. Hormann, "The transformed rejection
// method for generating Poisson random variables", 1993, and "The generation of binomial random variates",
// 1993. C. Loader, "Fast and accurate computation of binomial probabilities", 2000.

uvec4 kp_philox(uvec4 counter, uvec2 key) {
    for (uint turn = 0u; turn < 10u; ++turn) {
        uint high0, low0, high1, low1;
        umulExtended(0xD2511F53u, counter.x, high0, low0);
        umulExtended(0xCD9E8D57u, counter.z, high1, low1);
        counter = uvec4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key += uvec2(0x9E3779B9u, 0xBB67AE85u);
    }
    return counter;
}

uvec2 kp_philox_pair(uvec2 counter, uint key) {
    for (uint turn = 0u; turn < 10u; ++turn) {
        uint high, low;
        umulExtended(0xD256D193u, counter.x, high, low);
        counter = uvec2(high ^ counter.y ^ key, low);
        key += 0x9E3779B9u;
    }
    return counter;
}

float kp_open(float like, uvec2 bits) {  // in (0, 1), without 0 and 1
    return (float(bits.x >> 9) + 0.5) * 1.1920928955078125e-07;
}

double kp_open(double like, uvec2 bits) {
    return (double(bits.y >> 12) * 4294967296.0lf + double(bits.x) + 0.5lf) * 2.220446049250313e-16lf;
}

T kp_random_open(uint i, uvec2 key, T like) {  // by a generator of its own, at half the cost
    return kp_open(like, kp_philox_pair(uvec2(i, key.y), key.x));
}

T kp_cos_of_turns(T u) {  // cos(2 pi u) for u from 0 to 1, to about 1e-16, by Taylor series
    T quarter = floor(T(4) * u + T(0.5));
    T r = T(6.283185307179586lf) * (u - T(0.25) * quarter);
    T z = r * r;
    T even = T(1.0lf / 20922789888000.0lf);
    even = even * z - T(1.0lf / 87178291200.0lf);
    even = even * z + T(1.0lf / 479001600.0lf);
    even = even * z - T(1.0lf / 3628800.0lf);
    even = even * z + T(1.0lf / 40320.0lf);
    even = even * z - T(1.0lf / 720.0lf);
    even = even * z + T(1.0lf / 24.0lf);
    even = (even * z - T(0.5)) * z + T(1);
    T odd = T(-1.0lf / 1307674368000.0lf);
    odd = odd * z + T(1.0lf / 6227020800.0lf);
    odd = odd * z - T(1.0lf / 39916800.0lf);
    odd = odd * z + T(1.0lf / 362880.0lf);
    odd = odd * z - T(1.0lf / 5040.0lf);
    odd = odd * z + T(1.0lf / 120.0lf);
    odd = odd * z - T(1.0lf / 6.0lf);
    odd = (odd * z + T(1)) * r;
    uint q = uint(quarter);
    T size = (q & 1u) != 0u ? odd : even;
    return ((q + 1u) & 2u) != 0u ? -size : size;
}

T kp_normal_of(uvec4 bits, T like) {  // by Box and Muller: without rejection, so that neighbours stay together
    return sqrt(T(-2) * kp_log(kp_open(like, bits.xy))) * kp_cos_of_turns(kp_open(like, bits.zw));
}

T kp_random_normal(uint i, uvec2 key, T like) {  // of counters of its own
    return kp_normal_of(kp_philox(uvec4(i, 0u, 3u, 0u), key), like);
}

T kp_random_raised_gamma(uint i, uvec2 key, T a) {  // of a shape of at least 1
    T d = a - T(1) / T(3);
    T c = T(1) / (T(3) * sqrt(d));
    for (uint attempt = 0u; attempt < 1000u; ++attempt) {
        T x = kp_normal_of(kp_philox(uvec4(i, attempt, 0u, 0u), key), a);
        T step = c * x;
        if (step <= T(-1)) continue;
        T cube = (T(1) + step) * (T(1) + step) * (T(1) + step);
        T u = kp_open(a, kp_philox(uvec4(i, attempt, 1u, 0u), key).xy);
        if (u < T(1) - T(0.0331) * x * x * x * x) return d * cube;
        // 1 - cube + log(cube), without the difference of numbers near 1
        T excess = T(3) * (kp_log1p(step) - step) - step * step * (T(3) + step);
        if (kp_log(u) < T(0.5) * x * x + d * excess) return d * cube;
    }
    return d;
}

T kp_random_gamma(uint i, uvec2 key, T a) {  // of a shape of 0 or more
    T raised = kp_random_raised_gamma(i, key, a < T(1) ? a + T(1) : a);
    return a < T(1) ? raised * kp_exp(kp_log(kp_random_open(i, key, a)) / a) : raised;
}

T kp_random_log_gamma(uint i, uvec2 key, T a) {  // finite however small the gamma number is
    return kp_log(kp_random_raised_gamma(i, key, a + T(1))) + kp_log(kp_random_open(i, key, a)) / a;
}

T kp_deviance(T k, T mean) {  // k log(k / mean) + mean - k without cancellation
    if (k == T(0)) return mean;
    T t = (k - mean) / mean;
    if (abs(t) >= T(0.01)) return mean * ((T(1) + t) * kp_log1p(t) - t);
    T series = T(1.0lf / 12) - t * (T(1.0lf / 20) - t * (T(1.0lf / 30) - t / T(42)));
    return mean * (t * t * (T(0.5) - t * (T(1.0lf / 6) - t * series)));
}

T kp_factorial_rest(T k) {  // log(k!) - (k log(k) - k)
    if (k == T(0)) return T(0);
    T rest = T(0);
    for (; k < T(16); k += T(1))  // log(k!) = log((k + 1)!) - log(k + 1)
        rest -= T(1) - k * kp_log1p(T(1) / k);
    T square = T(1) / (k * k);
    T series = (T(1.0lf / 12) -
                square * (T(1.0lf / 360) - square * (T(1.0lf / 1260) - square * T(1.0lf / 1680)))) / k;
    return rest + T(0.5) * kp_log(T(6.283185307179586lf) * k) + series;
}

// The number of terms that add up to u: the sum of a distribution whose terms have the ratio a / k + b.
T kp_random_inverse(T u, T first, T a, T b, T last) {
    T term = first;
    T rest = u - first;
    T k = T(0);
    while (rest > T(0) && k < last && term > T(1e-18)) {  // the sum may end just below u
        k += T(1);
        term *= a / k + b;
        rest -= term;
    }
    return k;
}

T kp_random_poisson(uint i, uvec2 key, T mean) {
    if (mean < T(10))
        return kp_random_inverse(kp_random_open(i, key, mean), kp_exp(-mean), mean, T(0), T(1000));
    T b = T(0.931) + T(2.53) * sqrt(mean);
    T a = T(-0.059) + T(0.02483) * b;
    for (uint attempt = 0u; attempt < 1000u; ++attempt) {
        uvec4 bits = kp_philox(uvec4(i, attempt, 0u, 0u), key);
        T u = kp_open(mean, bits.xy) - T(0.5);
        T v = kp_open(mean, bits.zw);
        T us = T(0.5) - abs(u);
        T k = floor((T(2) * a / us + b) * u + mean + T(0.43));
        if (us >= T(0.07) && v <= T(0.9277) - T(3.6224) / (b - T(2))) return k;
        if (k < T(0) || (us < T(0.013) && v > us)) continue;
        T chance = kp_log(v * (T(1.1239) + T(1.1328) / (b - T(3.4))) / (a / (us * us) + b));
        if (chance <= -kp_deviance(k, mean) - kp_factorial_rest(k)) return k;
    }
    return floor(mean);
}

T kp_binomial_chance(T k, T n, T mean, T left) {  // log, up to a constant
    return -(kp_factorial_rest(k) + kp_factorial_rest(n - k) + kp_deviance(k, mean) +
             kp_deviance(n - k, left));
}

T kp_random_few_or_many(uint i, uvec2 key, T n, T p) {  // successes of a chance of at most 1/2
    T mean = n * p;
    T odds = p / (T(1) - p);
    if (mean < T(10))
        return kp_random_inverse(kp_random_open(i, key, n), kp_exp(n * kp_log1p(-p)),
                                 (n + T(1)) * odds, -odds, n);
    T left = n * (T(1) - p);
    T deviation = sqrt(mean * (T(1) - p));
    T b = T(1.15) + T(2.53) * deviation;
    T a = T(-0.0873) + T(0.0248) * b + T(0.01) * p;
    T mode = floor((n + T(1)) * p);
    T atMode = kp_binomial_chance(mode, n, mean, left);
    for (uint attempt = 0u; attempt < 1000u; ++attempt) {
        uvec4 bits = kp_philox(uvec4(i, attempt, 0u, 0u), key);
        T u = kp_open(n, bits.xy) - T(0.5);
        T v = kp_open(n, bits.zw);
        T us = T(0.5) - abs(u);
        T k = floor((T(2) * a / us + b) * u + mean + T(0.5));
        if (k < T(0) || k > n) continue;
        if (us >= T(0.07) && v <= T(0.92) - T(4.2) / b) return k;
        if (us < T(0.013) && v > us) continue;
        T chance = kp_log(v * (T(2.83) + T(5.1) / b) * deviation / (a / (us * us) + b));
        if (chance <= kp_binomial_chance(k, n, mean, left) - atMode) return k;
    }
    return mode;
}

T kp_random_binomial(uint i, uvec2 key, T n, T p) {
    bool flipped = p > T(0.5);
    T found = kp_random_few_or_many(i, key, n, flipped ? T(1) - p : p);
    return flipped ? n - found : found;
}

// SPDX-License-Identifier: Apache-2.0
//
// Error functions, gamma functions and I0 of floats and doubles, to two units in the last place.
//
// T is float or double, C a sum of two of them. (1 + 2 x) exp(x^2) erfc(x) is a polynomial of
// (x - 4) / (x + 4), as in Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x"
// (1981). The logarithm of gamma is Stirling's series from 10 on, to which other arguments are moved by
// gamma(x + 1) = x gamma(x), or reflected. I0 is a polynomial of (x / 2)^2 up to 8, and exp(x) / sqrt(x)
// times one of 16 / x - 1 beyond.

T kp_erfc_part(T x) {  // erfc(x) for x >= 1/2
    C square = kp_two_square(x);
    int k;
    C e = kp_exp_of_pair(C(-square.x, -square.y), k);
    precise T q = (x - T(4)) / (x + T(4));
    precise T p = T(1.8675371559976205e-09lf);
    p = fma(p, q, T(-9.676243433415245e-09lf));
    p = fma(p, q, T(-1.8081120184888635e-08lf));
    p = fma(p, q, T(1.0332587718332285e-07lf));
    p = fma(p, q, T(7.496584414071413e-08lf));
    p = fma(p, q, T(-8.195938366337035e-07lf));
    p = fma(p, q, T(2.934658754372094e-07lf));
    p = fma(p, q, T(5.706553538011073e-06lf));
    p = fma(p, q, T(-1.1221826641634835e-05lf));
    p = fma(p, q, T(-2.439808216948718e-05lf));
    p = fma(p, q, T(0.00015062160366847519lf));
    p = fma(p, q, T(-0.00019925695892212755lf));
    p = fma(p, q, T(-0.0007577732727740115lf));
    p = fma(p, q, T(0.00503197001745957lf));
    p = fma(p, q, T(-0.016197734059938258lf));
    p = fma(p, q, T(0.0371675155339056lf));
    p = fma(p, q, T(-0.06633036581204677lf));
    p = fma(p, q, T(0.09373283499852822lf));
    p = fma(p, q, T(-0.10103906603631146lf));
    p = fma(p, q, T(0.06809705425468861lf));
    p = fma(p, q, T(0.015379652102619861lf));
    p = fma(p, q, T(-0.1396211168405625lf));
    p = fma(p, q, T(1.2329951186255526lf));
    C part = kp_quotient_pair(C(p, 0), kp_two_sum(T(2) * x, T(1)));
    C result = kp_product_pair(part, e);
    return kp_scale(result.x + result.y, k);
}

T kp_erf(T x) {
    T size = abs(x);
    if (kp_isnan(x)) return x;
    if (size > T(6)) return kp_copysign(T(1), x);
    if (size >= T(1)) return kp_copysign(T(1) - kp_erfc_part(size), x);
    precise T z = x * x;
    precise T p = T(5.960713096658244e-11lf);
    p = fma(p, z, T(-1.1374971452390842e-09lf));
    p = fma(p, z, T(1.466033259289448e-08lf));
    p = fma(p, z, T(-1.635039676632774e-07lf));
    p = fma(p, z, T(1.6461008525741093e-06lf));
    p = fma(p, z, T(-1.4925595774938278e-05lf));
    p = fma(p, z, T(0.00012055331133059704lf));
    p = fma(p, z, T(-0.0008548326981428048lf));
    p = fma(p, z, T(0.005223977624828467lf));
    p = fma(p, z, T(-0.026866170645077878lf));
    p = fma(p, z, T(0.11283791670954885lf));
    p = fma(p, z, T(-0.3761263890318375lf));
    p = fma(p, z, T(0.1283791670955126lf));
    precise T result = x + x * p;
    return result;
}

// From which erfc() is 0, and gamma() infinite, or 0 for minus that number.
float kp_erfc_limit(float x) { return 10.1; }

double kp_erfc_limit(double x) { return 27.3lf; }

float kp_gamma_limit(float x) { return 35.1; }

double kp_gamma_limit(double x) { return 171.7lf; }

T kp_erfc(T x) {
    if (kp_isnan(x)) return x;
    T size = abs(x);
    if (size < T(0.5)) return T(1) - kp_erf(x);
    T limit = kp_erfc_limit(x);
    T part = size > limit ? T(0) : kp_erfc_part(size);
    return x < T(0) ? T(2) - part : part;
}

// Constants as sums: pi, log(pi), and half of log(2 pi).
vec2 kp_pi(float x) { return vec2(3.1415927, -8.742278e-08); }

dvec2 kp_pi(double x) { return dvec2(3.141592653589793lf, 1.2246467991473532e-16lf); }

vec2 kp_log_pi(float x) { return vec2(1.1447299, 3.317301e-08); }

dvec2 kp_log_pi(double x) { return dvec2(1.1447298858494002lf, 1.0265951162707826e-17lf); }

vec2 kp_half_log_two_pi(float x) { return vec2(0.9189385, 1.5634177e-08); }

dvec2 kp_half_log_two_pi(double x) {
    return dvec2(0.9189385332046728lf, -3.8782941580672414e-17lf);
}

T kp_sin_series(T z) {  // (sin(r) / r - 1) / z of z = r^2, for |r| <= pi / 4
    precise T p = T(1.5896796670029033e-10lf);
    p = fma(p, z, T(-2.5050758131785746e-08lf));
    p = fma(p, z, T(2.7557313692015328e-06lf));
    p = fma(p, z, T(-0.00019841269829808057lf));
    p = fma(p, z, T(0.008333333333322413lf));
    p = fma(p, z, T(-0.16666666666666632lf));
    return p;
}

T kp_cos_series(T z) {  // (cos(r) - 1 + z / 2) / z^2
    precise T p = T(-1.1359648671432102e-11lf);
    p = fma(p, z, T(2.0875723289684577e-09lf));
    p = fma(p, z, T(-2.7557314352451106e-07lf));
    p = fma(p, z, T(2.480158728948258e-05lf));
    p = fma(p, z, T(-0.0013888888888874125lf));
    p = fma(p, z, T(0.0416666666666666lf));
    return p;
}

C kp_sin_pair(C r) {  // sin(r) as a sum, for |r| <= pi / 4
    precise T z = r.x * r.x;
    precise T rest = kp_sin_series(z) * (z * r.x) + r.y * (T(1) - T(0.5) * z);
    return kp_fast_sum(r.x, rest);
}

C kp_cos_pair(C r) {
    C square = kp_two_square(r.x);
    C one = kp_fast_sum(T(1), T(-0.5) * square.x);
    precise T rest = kp_cos_series(square.x) * (square.x * square.x) - r.x * r.y;
    rest += one.y - T(0.5) * square.y;
    return kp_fast_sum(one.x, rest);
}

C kp_sin_of_pi(T x) {  // sin(pi x) as a sum
    precise T r = x - T(2) * kp_round(T(0.5) * x);  // -1 to 1
    T size = abs(r);
    if (size > T(0.75)) size = T(1) - size;
    bool other = size > T(0.25);
    precise T turn = other ? T(0.5) - size : size;
    C angle = kp_product_pair(kp_pi(x), C(turn, 0));
    C result = other ? kp_cos_pair(angle) : kp_sin_pair(angle);
    return r < T(0) ? -result : result;
}

C kp_stirling(C x) {  // log(gamma(x)) for x >= 10
    C l = kp_log_pair(x.x);
    precise T less = x.x - T(0.5);
    precise T r = T(1) / x.x;
    precise T w = r * r;
    C product = kp_two_product(less, l.x);
    precise T low = product.y + (less * l.y + x.y * (l.x - T(0.5) * r));
    C sum = kp_two_sum(product.x, -x.x);
    precise T p = T(0.00549597194207021lf);
    p = fma(p, w, T(-0.0019054820360990096lf));
    p = fma(p, w, T(0.0008416705118789329lf));
    p = fma(p, w, T(-0.0005952378180015795lf));
    p = fma(p, w, T(0.0007936507931934711lf));
    p = fma(p, w, T(-0.0027777777777774943lf));
    p = fma(p, w, T(0.08333333333333333lf));
    C rest = kp_half_log_two_pi(x.x);
    C total = kp_two_sum(sum.x, rest.x);
    low += (sum.y + total.y) + (rest.y + p * r);
    return kp_fast_sum(total.x, low);
}

// A logarithm and a product: gamma(x) is exp(logarithm) / product. x is finite, and no integer below 1.
C kp_gamma_parts(T x, out C product) {
    if (x < T(-10)) {
        C s = kp_sin_of_pi(-x);
        product = kp_product_pair(s, C(x, 0));
        C l = kp_stirling(C(-x, 0));
        C pi = kp_log_pi(x);
        C sum = kp_two_sum(pi.x, -l.x);
        precise T low = pi.y - l.y;
        low += sum.y;
        return kp_fast_sum(sum.x, low);
    }
    product = C(1, 0);
    int steps = x < T(10) ? int(ceil(T(10) - x)) : 0;
    for (int i = 0; i < steps; ++i)
        product = kp_product_pair(product, kp_two_sum(x, T(i)));
    return kp_stirling(kp_two_sum(x, T(steps)));
}

// Below it, gamma(x) is 1 / x.
float kp_tiny_of(float x) { return 1e-30; }

double kp_tiny_of(double x) { return 1e-290lf; }

T kp_gamma(T x) {
    if (kp_isnan(x) || x == kp_infinity(T(1))) return x;
    if (x == T(0)) return kp_infinity(x);
    T limit = kp_gamma_limit(x);
    if (x > limit) return kp_infinity(T(1));
    if (x < T(0) && floor(x) == x) return kp_nan(x);
    if (x < -limit - T(20)) return floor(x * T(0.5)) * T(2) == floor(x) ? T(0) : kp_copysign(T(0), x);
    C product;
    C logarithm = kp_gamma_parts(x, product);
    int k;
    C e = kp_exp_of_pair(logarithm, k);
    if (abs(product.x) < kp_tiny_of(x)) return T(1) / x;
    C result = kp_quotient_pair(e, product);
    return kp_scale(result.x + result.y, k);
}

T kp_lgamma(T x) {
    if (kp_isnan(x)) return x;
    if (kp_isinf(x) || (x <= T(0) && floor(x) == x)) return kp_infinity(T(1));
    if (abs(x) < kp_tiny_of(x)) return -kp_log(abs(x));
    precise T d = x - T(1);
    if (abs(d) <= T(0.125)) {
        precise T p = T(0.07547410994623888lf);
        p = fma(p, d, T(-0.08068874608473242lf));
        p = fma(p, d, T(0.08325106247934033lf));
        p = fma(p, d, T(-0.09087251816962227lf));
        p = fma(p, d, T(0.10010079038618352lf));
        p = fma(p, d, T(-0.11133513839292922lf));
        p = fma(p, d, T(0.12550966021255244lf));
        p = fma(p, d, T(-0.144049891983123lf));
        p = fma(p, d, T(0.16955717703110082lf));
        p = fma(p, d, T(-0.20738555104116146lf));
        p = fma(p, d, T(0.2705808084277302lf));
        p = fma(p, d, T(-0.4006856343865192lf));
        p = fma(p, d, T(0.8224670334241132lf));
        p = fma(p, d, T(-0.5772156649015329lf));
        return d == T(0) ? d : p * d;
    }
    d = x - T(2);
    if (abs(d) <= T(0.125)) {
        precise T q = T(2.0748327104349976e-05lf);
        q = fma(q, d, T(-4.537155011937932e-05lf));
        q = fma(q, d, T(9.945238569981216e-05lf));
        q = fma(q, d, T(-0.00022314691415055437lf));
        q = fma(q, d, T(0.0005096695775251115lf));
        q = fma(q, d, T(-0.001192753975322552lf));
        q = fma(q, d, T(0.0028905103304742758lf));
        q = fma(q, d, T(-0.007385551028440864lf));
        q = fma(q, d, T(0.020580808427785136lf));
        q = fma(q, d, T(-0.06735230105319841lf));
        q = fma(q, d, T(0.3224670334241132lf));
        q = fma(q, d, T(0.42278433509846713lf));
        return q * d;
    }
    if (x > kp_large_of(x)) return x * (kp_log(x) - T(1));
    C product;
    C logarithm = kp_gamma_parts(x, product);
    if (product.x == T(1)) return logarithm.x + logarithm.y;
    C less = kp_log_pair(abs(product.x));
    C sum = kp_two_sum(logarithm.x, -less.x);
    precise T low = sum.y + ((logarithm.y - less.y) - product.y / product.x);
    return sum.x + low;
}

// Beyond, I0 is infinite.
float kp_i0_limit(float x) { return 92.0; }

double kp_i0_limit(double x) { return 714.0lf; }

T kp_i0(T x) {
    T size = abs(x);
    if (kp_isnan(x)) return x;
    if (size <= T(8)) {  // what (x / 2)^2 loses would be several times as large in the result
        C square = kp_two_square(x * T(0.5));
        T z = square.x;
        precise T slope = T(0);
        precise T p = T(9.190401456688822e-25lf);
        slope = fma(slope, z, p);
        p = fma(p, z, T(1.1281529071859839e-22lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(2.6392898893891956e-20lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(4.345729434627322e-18lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(6.277917993825655e-16lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(7.59386873537404e-14lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(7.594072539858431e-12lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(6.151186571163039e-10lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(3.936759917926251e-08lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(1.929012344916782e-06lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(6.944444444579518e-05lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(0.0017361111111096016lf));
        slope = fma(slope, z, p);
        p = fma(p, z, T(0.027777777777778744lf));
        slope = fma(slope, z, p);
        C sum = kp_times_plus(C(p, 0), z, T(0.2499999999999997lf));
        slope = fma(slope, z, sum.x);
        sum = kp_times_plus(sum, z, T(1));
        slope = fma(slope, z, sum.x);
        sum = kp_times_plus(sum, z, T(1));
        precise T rest = sum.y + square.y * slope;
        return sum.x + rest;
    }
    if (size > kp_i0_limit(x)) return kp_infinity(T(1));
    precise T q = T(16) / size - T(1);
    precise T p = T(-1.702955073077565e-11lf);
    p = fma(p, q, T(9.6510343683218e-11lf));
    p = fma(p, q, T(1.343009703325761e-10lf));
    p = fma(p, q, T(-6.790552994838443e-10lf));
    p = fma(p, q, T(-5.255940831707273e-10lf));
    p = fma(p, q, T(2.234241688576245e-09lf));
    p = fma(p, q, T(1.4549135207696308e-09lf));
    p = fma(p, q, T(-4.62567921442637e-09lf));
    p = fma(p, q, T(-3.448017518010117e-09lf));
    p = fma(p, q, T(6.601909461763546e-09lf));
    p = fma(p, q, T(7.519008942495468e-09lf));
    p = fma(p, q, T(-5.060465900298028e-09lf));
    p = fma(p, q, T(-1.3396176714640106e-08lf));
    p = fma(p, q, T(-6.841652078697482e-09lf));
    p = fma(p, q, T(7.551589601696958e-09lf));
    p = fma(p, q, T(2.1564604356381547e-08lf));
    p = fma(p, q, T(3.932630437410953e-08lf));
    p = fma(p, q, T(8.872054974704606e-08lf));
    p = fma(p, q, T(2.9735982083509533e-07lf));
    p = fma(p, q, T(1.483847651920818e-06lf));
    p = fma(p, q, T(1.1143033792377482e-05lf));
    p = fma(p, q, T(0.00013621607439017776lf));
    p = fma(p, q, T(0.0033605519836678453lf));
    p = fma(p, q, T(0.4021765094450081lf));
    int k;
    C e = kp_exp_of_pair(C(size, 0), k);
    precise T root = sqrt(size);
    C square = kp_two_square(root);
    precise T rest = ((size - square.x) - square.y) / (T(2) * root);
    C result = kp_product_pair(e, kp_quotient_pair(C(p, 0), C(root, rest)));
    return kp_scale(result.x + result.y, k);
}

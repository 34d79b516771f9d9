// SPDX-License-Identifier: Apache-2.0
//
// Sums of two numbers, of which the second is the rounding error of the first, for twice the digits.
//
// C is vec2 or dvec2, T the type of its parts. See Dekker, "A floating-point technique for extending
// the available precision" (1971), and Knuth for kp_two_sum().
//
// Sums of rounding errors go into `precise` variables before a function gets them: drivers regroup sums in
// an argument, precise or not inside the function, and lose the errors.

C kp_fast_sum(T x, T y) {  // the exact sum, for |x| >= |y| or x = 0
    precise T sum = x + y;
    precise T error = y - (sum - x);
    return C(sum, error);
}

C kp_two_sum(T x, T y) {  // the exact sum
    precise T sum = x + y;
    precise T other = sum - x;
    precise T error = (x - (sum - other)) + (y - other);
    return C(sum, error);
}

// The first half of a number's digits, by its bits, which no driver's multiplications and additions
// can change.
float kp_upper(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u); }

double kp_upper(double x) {
    uvec2 words = unpackDouble2x32(x);
    return packDouble2x32(uvec2(words.x & 0xf8000000u, words.y));
}

C kp_two_product(T x, T y) {  // the exact product
    precise T x1 = kp_upper(x);
    precise T x2 = x - x1;
    precise T y1 = kp_upper(y);
    precise T y2 = y - y1;
    precise T product = x * y;
    precise T error = ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2;
    return C(product, error);
}

C kp_two_square(T x) {
    precise T x1 = kp_upper(x);
    precise T x2 = x - x1;
    precise T square = x * x;
    precise T error = ((x1 * x1 - square) + T(2) * x1 * x2) + x2 * x2;
    return C(square, error);
}

C kp_quotient_pair(C x, C y) {
    precise T quotient = x.x / y.x;
    C back = kp_two_product(quotient, y.x);
    precise T rest = ((x.x - back.x) - back.y) + (x.y - quotient * y.y);
    return C(quotient, rest / y.x);
}

C kp_product_pair(C x, C y) {
    C product = kp_two_product(x.x, y.x);
    precise T low = product.y + (x.x * y.y + x.y * y.x);
    return kp_fast_sum(product.x, low);
}

C kp_times_plus(C p, T z, T c) {  // p z + c
    C product = kp_two_product(p.x, z);
    C sum = kp_two_sum(product.x, c);
    precise T low = sum.y + (product.y + p.y * z);
    return C(sum.x, low);
}

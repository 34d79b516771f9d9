// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Array.hpp>

namespace kp {

// Elementwise functions. Operands broadcast, and types follow NumPy's function of the same name.
// Each returns an expression.

/// Returns the absolute values.
KOMPUTE_API Array abs(const Operand& x);
/// Returns the square roots.
KOMPUTE_API Array sqrt(const Operand& x);
/// Returns the squares.
KOMPUTE_API Array square(const Operand& x);
/// Returns 1 over each element.
KOMPUTE_API Array reciprocal(const Operand& x);
/// Returns the negated elements.
KOMPUTE_API Array negative(const Operand& x);
/// Returns a copy.
KOMPUTE_API Array positive(const Operand& x);
/// Returns -1, 0 or 1.
KOMPUTE_API Array sign(const Operand& x);
/// Returns the elements rounded down.
KOMPUTE_API Array floor(const Operand& x);
/// Returns the elements rounded up.
KOMPUTE_API Array ceil(const Operand& x);
/// Returns the elements rounded towards 0.
KOMPUTE_API Array trunc(const Operand& x);
/// Returns the elements rounded to the nearest integer, ties to the even one.
KOMPUTE_API Array round(const Operand& x);
/// Returns e to the power of each element.
KOMPUTE_API Array exp(const Operand& x);
/// Returns 2 to the power of each element.
KOMPUTE_API Array exp2(const Operand& x);
/// Returns exp(x) - 1, exact near 0.
KOMPUTE_API Array expm1(const Operand& x);
/// Returns the natural logarithms.
KOMPUTE_API Array log(const Operand& x);
/// Returns the logarithms to base 2.
KOMPUTE_API Array log2(const Operand& x);
/// Returns the logarithms to base 10.
KOMPUTE_API Array log10(const Operand& x);
/// Returns log(1 + x), exact near 0.
KOMPUTE_API Array log1p(const Operand& x);
/// Returns the sines.
KOMPUTE_API Array sin(const Operand& x);
/// Returns the cosines.
KOMPUTE_API Array cos(const Operand& x);
/// Returns the tangents.
KOMPUTE_API Array tan(const Operand& x);
/// Returns the inverse sines.
KOMPUTE_API Array asin(const Operand& x);
/// Returns the inverse cosines.
KOMPUTE_API Array acos(const Operand& x);
/// Returns the inverse tangents.
KOMPUTE_API Array atan(const Operand& x);
/// Returns the hyperbolic sines.
KOMPUTE_API Array sinh(const Operand& x);
/// Returns the hyperbolic cosines.
KOMPUTE_API Array cosh(const Operand& x);
/// Returns the hyperbolic tangents.
KOMPUTE_API Array tanh(const Operand& x);
/// Returns the inverse hyperbolic sines.
KOMPUTE_API Array asinh(const Operand& x);
/// Returns the inverse hyperbolic cosines.
KOMPUTE_API Array acosh(const Operand& x);
/// Returns the inverse hyperbolic tangents.
KOMPUTE_API Array atanh(const Operand& x);
/// Returns the cube roots.
KOMPUTE_API Array cbrt(const Operand& x);
/// Returns the error functions.
KOMPUTE_API Array erf(const Operand& x);
/// Returns 1 - erf(x), exact where it is small.
KOMPUTE_API Array erfc(const Operand& x);
/// Returns the gamma functions.
KOMPUTE_API Array gamma(const Operand& x);
/// Returns the logarithms of the absolute values of the gamma functions.
KOMPUTE_API Array lgamma(const Operand& x);
/// Returns the modified Bessel functions of the first kind, of order 0.
KOMPUTE_API Array i0(const Operand& x);
/// Returns the complex conjugates.
KOMPUTE_API Array conj(const Operand& x);
/// Returns degrees as radians.
KOMPUTE_API Array deg2rad(const Operand& x);
/// Returns radians as degrees.
KOMPUTE_API Array rad2deg(const Operand& x);
/// Returns whether each element is NaN.
KOMPUTE_API Array isnan(const Operand& x);
/// Returns whether each element is infinite.
KOMPUTE_API Array isinf(const Operand& x);
/// Returns whether each element is neither infinite nor NaN.
KOMPUTE_API Array isfinite(const Operand& x);
/// Returns whether the sign is negative.
KOMPUTE_API Array signbit(const Operand& x);
/// Returns whether each element is 0.
KOMPUTE_API Array logicalNot(const Operand& x);
/// Returns all bits inverted.
KOMPUTE_API Array bitwiseInvert(const Operand& x);

/// Returns x + y.
KOMPUTE_API Array add(const Operand& x, const Operand& y);
/// Returns x - y.
KOMPUTE_API Array subtract(const Operand& x, const Operand& y);
/// Returns x * y.
KOMPUTE_API Array multiply(const Operand& x, const Operand& y);
/// Returns x / y; integers become floats.
KOMPUTE_API Array divide(const Operand& x, const Operand& y);
/// Returns the quotients, rounded down; integers divided by 0 are 0.
KOMPUTE_API Array floorDivide(const Operand& x, const Operand& y);
/// Returns the remainders, with the signs of the divisors.
KOMPUTE_API Array remainder(const Operand& x, const Operand& y);
/// Returns the remainders, with the signs of the dividends.
KOMPUTE_API Array fmod(const Operand& x, const Operand& y);
/// Returns x to the power of y.
KOMPUTE_API Array pow(const Operand& x, const Operand& y);
/// Returns the smaller elements, or NaN.
KOMPUTE_API Array minimum(const Operand& x, const Operand& y);
/// Returns the larger elements, or NaN.
KOMPUTE_API Array maximum(const Operand& x, const Operand& y);
/// Returns the smaller elements; a number rather than NaN.
KOMPUTE_API Array fmin(const Operand& x, const Operand& y);
/// Returns the larger elements; a number rather than NaN.
KOMPUTE_API Array fmax(const Operand& x, const Operand& y);
/// Returns the lengths of the vectors (x, y).
KOMPUTE_API Array hypot(const Operand& x, const Operand& y);
/// Returns the angles of the vectors (y, x).
KOMPUTE_API Array atan2(const Operand& x, const Operand& y);
/// Returns x with the sign of y.
KOMPUTE_API Array copysign(const Operand& x, const Operand& y);
/// Returns the next number from x towards y.
KOMPUTE_API Array nextafter(const Operand& x, const Operand& y);
/// Returns 0 where x is negative, y where it is 0, and 1 where it is positive.
KOMPUTE_API Array heaviside(const Operand& x, const Operand& y);
/// Returns log(exp(x) + exp(y)).
KOMPUTE_API Array logaddexp(const Operand& x, const Operand& y);
/// Returns whether x equals y.
KOMPUTE_API Array equal(const Operand& x, const Operand& y);
/// Returns whether x differs from y.
KOMPUTE_API Array notEqual(const Operand& x, const Operand& y);
/// Returns whether x < y.
KOMPUTE_API Array less(const Operand& x, const Operand& y);
/// Returns whether x <= y.
KOMPUTE_API Array lessEqual(const Operand& x, const Operand& y);
/// Returns whether x > y.
KOMPUTE_API Array greater(const Operand& x, const Operand& y);
/// Returns whether x >= y.
KOMPUTE_API Array greaterEqual(const Operand& x, const Operand& y);
/// Returns whether both are not 0.
KOMPUTE_API Array logicalAnd(const Operand& x, const Operand& y);
/// Returns whether one is not 0.
KOMPUTE_API Array logicalOr(const Operand& x, const Operand& y);
/// Returns whether exactly one is not 0.
KOMPUTE_API Array logicalXor(const Operand& x, const Operand& y);
/// Returns x & y.
KOMPUTE_API Array bitwiseAnd(const Operand& x, const Operand& y);
/// Returns x | y.
KOMPUTE_API Array bitwiseOr(const Operand& x, const Operand& y);
/// Returns x ^ y.
KOMPUTE_API Array bitwiseXor(const Operand& x, const Operand& y);
/// Returns x << y; 0 from the number of bits on.
KOMPUTE_API Array bitwiseLeftShift(const Operand& x, const Operand& y);
/// Returns x >> y; 0 or -1 from the number of bits on.
KOMPUTE_API Array bitwiseRightShift(const Operand& x, const Operand& y);
/// Returns the greatest common divisors.
KOMPUTE_API Array gcd(const Operand& x, const Operand& y);
/// Returns the least common multiples.
KOMPUTE_API Array lcm(const Operand& x, const Operand& y);

/// Returns elements of x where a condition is true, and of y elsewhere.
KOMPUTE_API Array where(const Array& condition, const Operand& x, const Operand& y);
/// Returns the elements, but at least @p low and at most @p high, in the type of x.
KOMPUTE_API Array clip(const Array& x, const Operand& low, const Operand& high);
/// Returns the real parts: of an array in memory, a view.
KOMPUTE_API Array real(const Array& x);
/// Returns the imaginary parts: of an array in memory, a view; 0 for real numbers.
KOMPUTE_API Array imag(const Array& x);

inline Array operator+(const Array& x, const Array& y) {
    return add(x, y);
}
inline Array operator+(const Array& x, const Operand& y) {
    return add(x, y);
}
inline Array operator+(const Operand& x, const Array& y) {
    return add(x, y);
}
inline Array operator-(const Array& x, const Array& y) {
    return subtract(x, y);
}
inline Array operator-(const Array& x, const Operand& y) {
    return subtract(x, y);
}
inline Array operator-(const Operand& x, const Array& y) {
    return subtract(x, y);
}
inline Array operator*(const Array& x, const Array& y) {
    return multiply(x, y);
}
inline Array operator*(const Array& x, const Operand& y) {
    return multiply(x, y);
}
inline Array operator*(const Operand& x, const Array& y) {
    return multiply(x, y);
}
inline Array operator/(const Array& x, const Array& y) {
    return divide(x, y);
}
inline Array operator/(const Array& x, const Operand& y) {
    return divide(x, y);
}
inline Array operator/(const Operand& x, const Array& y) {
    return divide(x, y);
}
inline Array operator%(const Array& x, const Array& y) {
    return remainder(x, y);
}
inline Array operator%(const Array& x, const Operand& y) {
    return remainder(x, y);
}
inline Array operator%(const Operand& x, const Array& y) {
    return remainder(x, y);
}
inline Array operator&(const Array& x, const Array& y) {
    return bitwiseAnd(x, y);
}
inline Array operator&(const Array& x, const Operand& y) {
    return bitwiseAnd(x, y);
}
inline Array operator&(const Operand& x, const Array& y) {
    return bitwiseAnd(x, y);
}
inline Array operator|(const Array& x, const Array& y) {
    return bitwiseOr(x, y);
}
inline Array operator|(const Array& x, const Operand& y) {
    return bitwiseOr(x, y);
}
inline Array operator|(const Operand& x, const Array& y) {
    return bitwiseOr(x, y);
}
inline Array operator^(const Array& x, const Array& y) {
    return bitwiseXor(x, y);
}
inline Array operator^(const Array& x, const Operand& y) {
    return bitwiseXor(x, y);
}
inline Array operator^(const Operand& x, const Array& y) {
    return bitwiseXor(x, y);
}
inline Array operator<<(const Array& x, const Array& y) {
    return bitwiseLeftShift(x, y);
}
inline Array operator<<(const Array& x, const Operand& y) {
    return bitwiseLeftShift(x, y);
}
inline Array operator<<(const Operand& x, const Array& y) {
    return bitwiseLeftShift(x, y);
}
inline Array operator>>(const Array& x, const Array& y) {
    return bitwiseRightShift(x, y);
}
inline Array operator>>(const Array& x, const Operand& y) {
    return bitwiseRightShift(x, y);
}
inline Array operator>>(const Operand& x, const Array& y) {
    return bitwiseRightShift(x, y);
}
inline Array operator==(const Array& x, const Array& y) {
    return equal(x, y);
}
inline Array operator==(const Array& x, const Operand& y) {
    return equal(x, y);
}
inline Array operator==(const Operand& x, const Array& y) {
    return equal(x, y);
}
inline Array operator!=(const Array& x, const Array& y) {
    return notEqual(x, y);
}
inline Array operator!=(const Array& x, const Operand& y) {
    return notEqual(x, y);
}
inline Array operator!=(const Operand& x, const Array& y) {
    return notEqual(x, y);
}
inline Array operator<(const Array& x, const Array& y) {
    return less(x, y);
}
inline Array operator<(const Array& x, const Operand& y) {
    return less(x, y);
}
inline Array operator<(const Operand& x, const Array& y) {
    return less(x, y);
}
inline Array operator<=(const Array& x, const Array& y) {
    return lessEqual(x, y);
}
inline Array operator<=(const Array& x, const Operand& y) {
    return lessEqual(x, y);
}
inline Array operator<=(const Operand& x, const Array& y) {
    return lessEqual(x, y);
}
inline Array operator>(const Array& x, const Array& y) {
    return greater(x, y);
}
inline Array operator>(const Array& x, const Operand& y) {
    return greater(x, y);
}
inline Array operator>(const Operand& x, const Array& y) {
    return greater(x, y);
}
inline Array operator>=(const Array& x, const Array& y) {
    return greaterEqual(x, y);
}
inline Array operator>=(const Array& x, const Operand& y) {
    return greaterEqual(x, y);
}
inline Array operator>=(const Operand& x, const Array& y) {
    return greaterEqual(x, y);
}
inline Array operator-(const Array& x) {
    return negative(x);
}
inline Array operator~(const Array& x) {
    return bitwiseInvert(x);
}
inline Array operator!(const Array& x) {
    return logicalNot(x);
}

} // namespace kp

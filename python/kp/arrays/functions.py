# SPDX-License-Identifier: Apache-2.0
"""The elementwise functions of arrays, by NumPy's function.

The library has their GLSL, and knows the types that NumPy would compute in. Where devices cannot
compute a type, NumPy itself computes on the host.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Function:
    """An elementwise function."""

    name: str
    ufunc: Any
    words: str  # a description of the result, for its docstring


class OfFloats:
    """A function of floats without a ufunc in NumPy, with a ufunc's attributes and the types of
    cbrt."""

    nargs = 2
    types = ("e->e", "f->f", "d->d")
    resolve_dtypes = getattr(np.cbrt, "resolve_dtypes", None)

    def __init__(self, name: str) -> None:
        self.__name__ = name
        one_by_one = np.vectorize(self._one, otypes=[np.float64])
        self._compute: Any = _bessel_i0 if name == "i0" else one_by_one

    def _one(self, x: float) -> float:
        """Return the function of `math` with its poles."""
        try:
            return float(getattr(math, self.__name__)(x))
        except OverflowError:
            return math.inf
        except ValueError:  # a pole
            if self.__name__ == "lgamma":
                return math.inf
            return math.copysign(math.inf, x) if x == 0 else math.nan

    def __call__(self, x: Any) -> Any:
        dtype = np.cbrt(x).dtype  # complex numbers are refused
        return self._compute(x).astype(dtype)


def _bessel_i0(x: Any) -> Any:
    """Return NumPy's i0 in double precision, and infinity where NumPy divides infinities."""
    doubles = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        return np.where(np.isinf(doubles), np.inf, np.i0(doubles))


def _function(name: str, words: str, numpy_name: str) -> Function:
    ufunc = getattr(np, numpy_name, None)
    return Function(name, ufunc if isinstance(ufunc, np.ufunc) else OfFloats(name), words)


#: By name.
FUNCTIONS: dict[str, Function] = {
    name: _function(name, words, *numpy_name or (name,))
    for name, words, *numpy_name in (
        ("add", "the sums"),
        ("subtract", "the differences"),
        ("multiply", "the products"),
        ("divide", "the quotients", "true_divide"),
        ("floor_divide", "the quotients, rounded down. Integers divided by 0 are 0"),
        ("remainder", "the remainders, with the signs of the divisors"),
        ("fmod", "the remainders, with the signs of the dividends"),
        ("negative", "the negated elements"),
        ("positive", "a copy"),
        ("abs", "the absolute values", "absolute"),
        ("square", "the squares"),
        ("reciprocal", "1 over each element"),
        ("sqrt", "the square roots"),
        ("sign", "-1, 0 or 1"),
        ("signbit", "whether the sign is negative"),
        ("copysign", "x1 with the sign of x2"),
        ("nextafter", "the next number from x1 towards x2"),
        ("hypot", "the lengths of the vectors (x1, x2)"),
        ("conj", "the complex conjugates", "conjugate"),
        ("floor", "the elements rounded down"),
        ("ceil", "the elements rounded up"),
        ("trunc", "the elements rounded towards 0"),
        ("round", "the elements rounded to the nearest integer, ties to the even one", "rint"),
        ("minimum", "the smaller elements, or NaN"),
        ("maximum", "the larger elements, or NaN"),
        ("fmin", "the smaller elements; a number rather than NaN"),
        ("fmax", "the larger elements; a number rather than NaN"),
        ("equal", "whether x1 equals x2"),
        ("not_equal", "whether x1 differs from x2"),
        ("less", "whether x1 < x2"),
        ("less_equal", "whether x1 <= x2"),
        ("greater", "whether x1 > x2"),
        ("greater_equal", "whether x1 >= x2"),
        ("logical_and", "whether both are not 0"),
        ("logical_or", "whether one is not 0"),
        ("logical_xor", "whether exactly one is not 0"),
        ("logical_not", "whether each element is 0"),
        ("bitwise_and", "x1 & x2"),
        ("bitwise_or", "x1 | x2"),
        ("bitwise_xor", "x1 ^ x2"),
        ("bitwise_invert", "all bits inverted", "invert"),
        ("bitwise_left_shift", "x1 << x2; 0 from the number of bits on", "left_shift"),
        ("bitwise_right_shift", "x1 >> x2; 0 or -1 from the number of bits on", "right_shift"),
        ("gcd", "the greatest common divisors"),
        ("lcm", "the least common multiples"),
        ("fabs", "the absolute values of real numbers, as floats"),
        ("heaviside", "0 where x1 is negative, x2 where it is 0, and 1 where it is positive"),
        ("deg2rad", "degrees as radians"),
        ("rad2deg", "radians as degrees"),
        ("isnan", "whether each element is NaN"),
        ("isinf", "whether each element is infinite"),
        ("isfinite", "whether each element is neither infinite nor NaN"),
        ("pow", "x1 to the power of x2", "power"),
        ("exp", "e to the power of each element"),
        ("exp2", "2 to the power of each element"),
        ("expm1", "exp(x) - 1, exact near 0"),
        ("log", "the natural logarithms"),
        ("log2", "the logarithms to base 2"),
        ("log10", "the logarithms to base 10"),
        ("log1p", "log(1 + x), exact near 0"),
        ("sin", "the sines"),
        ("cos", "the cosines"),
        ("tan", "the tangents"),
        ("asin", "the inverse sines", "arcsin"),
        ("acos", "the inverse cosines", "arccos"),
        ("atan", "the inverse tangents", "arctan"),
        ("sinh", "the hyperbolic sines"),
        ("cosh", "the hyperbolic cosines"),
        ("tanh", "the hyperbolic tangents"),
        ("asinh", "the inverse hyperbolic sines", "arcsinh"),
        ("acosh", "the inverse hyperbolic cosines", "arccosh"),
        ("atanh", "the inverse hyperbolic tangents", "arctanh"),
        ("cbrt", "the cube roots"),
        ("erf", "the error functions"),
        ("erfc", "1 - erf(x), exact where it is small"),
        ("gamma", "the gamma functions"),
        ("lgamma", "the logarithms of the absolute values of the gamma functions"),
        ("i0", "the modified Bessel functions of the first kind, of order 0"),
        ("float_power", "x1 to the power of x2, in double precision"),
        ("ldexp", "x1 times 2 to the power of x2"),
        ("logaddexp2", "log2(2**x1 + 2**x2)"),
        ("spacing", "the distance from each element to the next number away from 0"),
        ("atan2", "the angles of the vectors (x2, x1)", "arctan2"),
        ("logaddexp", "log(exp(x1) + exp(x2))"),
    )
}

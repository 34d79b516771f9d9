# SPDX-License-Identifier: Apache-2.0
"""The elementwise functions of arrays: which NumPy function each one is, and its GLSL.

Types are NumPy's: its functions are asked which types they would compute in. Where there is no GLSL
for a type (the sine of a double, say), NumPy itself computes on the host.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._floats import depends_on_default_float, without_doubles
from .types import Number, number

#: Types that a function is asked about: dtypes, or Python's number types, which adapt to others.
Kinds = tuple[Any, ...]


@dataclass(frozen=True)
class Function:
    """An elementwise function.

    `texts` has GLSL over {0} and {1}, by the family of the first operand's type: b, i, u, f, c, or
    d for float64 and h for float16 if these differ from f. T is its type. None means that the host computes.
    """

    name: str
    ufunc: Any
    texts: dict[str, str | None]
    words: str  # what it returns, for its docstring

    def text(self, first: Number) -> str | None:
        """Return the GLSL for operands of a type, or None if the host computes it."""
        family = first.family
        if first.dtype == np.float64 and "d" in self.texts:
            family = "d"
        if first.dtype == np.float16 and "h" in self.texts:
            family = "h"
        found = self.texts.get(family)
        return None if found is None else found.replace("T(", f"{first.computed}(")


FUNCTIONS: dict[str, Function] = {}


def _add(name: str, numpy_name: str, words: str, **texts: str | None) -> None:
    expanded: dict[str, str | None] = {}
    for families, text in texts.items():
        for family in families:
            expanded[family] = text
    FUNCTIONS[name] = Function(name, getattr(np, numpy_name), expanded, words)


_add("add", "add", "the sums", b="{0} || {1}", iufc="{0} + {1}")
_add("subtract", "subtract", "the differences", iufc="{0} - {1}")
_add(
    "multiply",
    "multiply",
    "the products",
    b="{0} && {1}",
    iuf="{0} * {1}",
    c="kp_cmul({0}, {1})",
)
_add("divide", "true_divide", "the quotients", f="{0} / {1}", c="kp_cdiv({0}, {1})")
_add(
    "floor_divide",
    "floor_divide",
    "the quotients, rounded down. Integers divided by 0 are 0",
    i="kp_signed_divide({0}, {1})",
    u="kp_unsigned_divide({0}, {1})",
    f="kp_floor_divide({0}, {1})",
)
_add(
    "remainder",
    "remainder",
    "the remainders, with the signs of the divisors",
    i="kp_signed_remainder({0}, {1})",
    u="kp_unsigned_remainder({0}, {1})",
    f="kp_remainder({0}, {1})",
)
_add(
    "fmod",
    "fmod",
    "the remainders, with the signs of the dividends",
    i="kp_signed_fmod({0}, {1})",
    u="kp_unsigned_remainder({0}, {1})",
    f="kp_fmod({0}, {1})",
)
_add("negative", "negative", "the negated elements", iufc="-{0}")
_add("positive", "positive", "a copy", iufc="{0}")
_add(
    "abs",
    "absolute",
    "the absolute values",
    b="{0}",
    u="{0}",
    i="abs({0})",
    f="abs({0})",
    c="kp_cabs({0})",
)
_add("square", "square", "the squares", iuf="{0} * {0}", c="kp_cmul({0}, {0})")
_add("reciprocal", "reciprocal", "1 over each element", f="T(1) / {0}", c="kp_cdiv(T(1, 0), {0})")
_add("sqrt", "sqrt", "the square roots", f="sqrt({0})", c="kp_csqrt({0})")
_add(
    "sign",
    "sign",
    "-1, 0 or 1",
    i="kp_integer_sign({0})",
    u="kp_integer_sign({0})",
    f="kp_sign({0})",
    c="kp_csign({0})",
)
_add("signbit", "signbit", "whether the sign is negative", f="kp_signbit({0})")
_add("copysign", "copysign", "x1 with the sign of x2", f="kp_copysign({0}, {1})")
_add(
    "nextafter",
    "nextafter",
    "the next number from x1 towards x2",
    f="kp_nextafter({0}, {1})",
    h=None,
)
_add("hypot", "hypot", "the lengths of the vectors (x1, x2)", f="kp_hypot({0}, {1})")
_add(
    "conj",
    "conjugate",
    "the complex conjugates",
    b="{0}",
    iuf="{0}",
    c="T(({0}).x, -({0}).y)",
)

for _name, _words in (
    ("floor", "the elements rounded down"),
    ("ceil", "the elements rounded up"),
):
    _add(_name, _name, _words, biu="{0}", f=f"{_name}({{0}})")
# Mesa's software driver has neither trunc() nor roundEven() of doubles: it rounds by way of 32-bit integers.
_add(
    "trunc",
    "trunc",
    "the elements rounded towards 0",
    biu="{0}",
    f="trunc({0})",
    d="kp_trunc({0})",
)
_add(
    "round",
    "rint",
    "the elements rounded to the nearest integer, ties to the even one",
    f="roundEven({0})",
    d="kp_round({0})",
)

_add(
    "minimum",
    "minimum",
    "the smaller elements, or NaN",
    b="{0} && {1}",
    iu="min({0}, {1})",
    f="kp_minimum({0}, {1})",
)
_add(
    "maximum",
    "maximum",
    "the larger elements, or NaN",
    b="{0} || {1}",
    iu="max({0}, {1})",
    f="kp_maximum({0}, {1})",
)
_add(
    "fmin",
    "fmin",
    "the smaller elements; a number rather than NaN",
    b="{0} && {1}",
    iu="min({0}, {1})",
    f="kp_fmin({0}, {1})",
)
_add(
    "fmax",
    "fmax",
    "the larger elements; a number rather than NaN",
    b="{0} || {1}",
    iu="max({0}, {1})",
    f="kp_fmax({0}, {1})",
)

_add("equal", "equal", "whether x1 equals x2", biufc="{0} == {1}")
_add("not_equal", "not_equal", "whether x1 differs from x2", biufc="{0} != {1}")
_add("less", "less", "whether x1 < x2", b="!{0} && {1}", iuf="{0} < {1}")
_add("less_equal", "less_equal", "whether x1 <= x2", b="!{0} || {1}", iuf="{0} <= {1}")
_add("greater", "greater", "whether x1 > x2", b="{0} && !{1}", iuf="{0} > {1}")
_add("greater_equal", "greater_equal", "whether x1 >= x2", b="{0} || !{1}", iuf="{0} >= {1}")

_add("logical_and", "logical_and", "whether both are not 0", b="{0} && {1}")
_add("logical_or", "logical_or", "whether one is not 0", b="{0} || {1}")
_add("logical_xor", "logical_xor", "whether exactly one is not 0", b="{0} != {1}")
_add("logical_not", "logical_not", "whether each element is 0", b="!{0}")
_add("bitwise_and", "bitwise_and", "x1 & x2", b="{0} && {1}", iu="{0} & {1}")
_add("bitwise_or", "bitwise_or", "x1 | x2", b="{0} || {1}", iu="{0} | {1}")
_add("bitwise_xor", "bitwise_xor", "x1 ^ x2", b="{0} != {1}", iu="{0} ^ {1}")
_add("bitwise_invert", "invert", "all bits inverted", b="!{0}", iu="~{0}")
_add(
    "bitwise_left_shift",
    "left_shift",
    "x1 << x2; 0 from the number of bits on",
    i="({1} >= T(0) && {1} < T(BITS) ? {0} << int({1}) : T(0))",
    u="({1} < T(BITS) ? {0} << int({1}) : T(0))",
)
_add(
    "bitwise_right_shift",
    "right_shift",
    "x1 >> x2; 0 or -1 from the number of bits on",
    i="{0} >> int({1} >= T(0) && {1} < T(BITS) ? {1} : T(BITS - 1u))",
    u="({1} < T(BITS) ? {0} >> int({1}) : T(0))",
)
_add("gcd", "gcd", "the greatest common divisors", iu="kp_gcd({0}, {1})")
_add("lcm", "lcm", "the least common multiples", iu="kp_lcm({0}, {1})")
_add("fabs", "fabs", "the absolute values of real numbers, as floats", f="abs({0})")
_add(
    "heaviside",
    "heaviside",
    "0 where x1 is negative, x2 where it is 0, and 1 where it is positive",
    f="kp_heaviside({0}, {1})",
)
_add(
    "deg2rad",
    "deg2rad",
    "degrees as radians",
    f="{0} * (3.14159265358979323846 / 180.0)",
    d="{0} * (3.14159265358979323846lf / 180.0lf)",
)
_add(
    "rad2deg",
    "rad2deg",
    "radians as degrees",
    f="{0} * (180.0 / 3.14159265358979323846)",
    d="{0} * (180.0lf / 3.14159265358979323846lf)",
)

_add("isnan", "isnan", "whether each element is NaN", biu="false", f="kp_isnan({0})")
_add("isinf", "isinf", "whether each element is infinite", biu="false", f="kp_isinf({0})")
_add(
    "isfinite",
    "isfinite",
    "whether each element is neither infinite nor NaN",
    biu="true",
    f="kp_isfinite({0})",
)
FUNCTIONS["isnan"].texts["c"] = "(kp_isnan({0}.x) || kp_isnan({0}.y))"
FUNCTIONS["isinf"].texts["c"] = "(kp_isinf({0}.x) || kp_isinf({0}.y))"
FUNCTIONS["isfinite"].texts["c"] = "(kp_isfinite({0}.x) && kp_isfinite({0}.y))"

_add(
    "pow",
    "power",
    "x1 to the power of x2",
    i="kp_integer_power({0}, {1})",
    u="kp_integer_power({0}, {1})",
    f="kp_pow({0}, {1})",
    d=None,
)
for _name, _numpy, _words in (
    ("exp", "exp", "e to the power of each element"),
    ("exp2", "exp2", "2 to the power of each element"),
    ("expm1", "expm1", "exp(x) - 1, exact near 0"),
    ("log", "log", "the natural logarithms"),
    ("log2", "log2", "the logarithms to base 2"),
    ("log10", "log10", "the logarithms to base 10"),
    ("log1p", "log1p", "log(1 + x), exact near 0"),
    ("sin", "sin", "the sines"),
    ("cos", "cos", "the cosines"),
    ("tan", "tan", "the tangents"),
    ("asin", "arcsin", "the inverse sines"),
    ("acos", "arccos", "the inverse cosines"),
    ("atan", "arctan", "the inverse tangents"),
    ("sinh", "sinh", "the hyperbolic sines"),
    ("cosh", "cosh", "the hyperbolic cosines"),
    ("tanh", "tanh", "the hyperbolic tangents"),
    ("asinh", "arcsinh", "the inverse hyperbolic sines"),
    ("acosh", "arccosh", "the inverse hyperbolic cosines"),
    ("atanh", "arctanh", "the inverse hyperbolic tangents"),
    ("cbrt", "cbrt", "the cube roots"),
):
    _add(_name, _numpy, _words, f=f"kp_{_name}({{0}})", d=None)
for _name, _words in (
    ("float_power", "x1 to the power of x2, in double precision"),
    ("ldexp", "x1 times 2 to the power of x2"),
    ("logaddexp2", "log2(2**x1 + 2**x2)"),
    ("spacing", "the distance from each element to the next number away from 0"),
):
    _add(_name, _name, _words, fc=None, d=None)
_add("atan2", "arctan2", "the angles of the vectors (x2, x1)", f="kp_atan2({0}, {1})", d=None)
_add(
    "logaddexp",
    "logaddexp",
    "log(exp(x1) + exp(x2))",
    f="kp_logaddexp({0}, {1})",
    d=None,
)


@depends_on_default_float
@functools.lru_cache(maxsize=None)
def resolve(name: str, kinds: Kinds) -> tuple[np.dtype[Any], ...]:
    """Return the types in which NumPy computes: those of the operands, then that of the result.

    Raises TypeError, as NumPy, if the function does not take these types.
    """
    ufunc = FUNCTIONS[name].ufunc
    if hasattr(ufunc, "resolve_dtypes"):
        types: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*kinds, None))
    else:  # NumPy before 1.25
        empty = [np.empty(0, kind) if isinstance(kind, np.dtype) else kind(0) for kind in kinds]
        common = np.result_type(*empty)
        result = ufunc(*empty).dtype
        inputs = common if result.kind == "b" else np.result_type(common, result)
        types = (*[inputs] * len(kinds), result)
    for each in types:
        number(each)
    if types[-1].kind == "b" or name == "float_power":
        return types
    return tuple(without_doubles(each, *kinds) for each in types)

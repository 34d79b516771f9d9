# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions built from others: limits, rounding, angles, parts and classes of
numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _kp
from .._floats import default_float
from .array import Array, converted
from .groups.traits import by_rows
from .elementwise import (
    apply,
    as_array,
    astype,
    atan2,
    imag,
    broadcast_into,
    manager_of,
    real,
    trunc,
)
from .storage import DType
from .types import NUMBERS, Number, number

__all__ = [
    "angle",
    "around",
    "clip",
    "divmod",
    "fix",
    "iscomplex",
    "iscomplexobj",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "modf",
    "rint",
    "round",
    "sinc",
]


@by_rows("each")
def clip(
    x: Any,
    /,
    min: Any = None,
    max: Any = None,
    out: Array | None = None,
    *,
    a_min: Any = None,
    a_max: Any = None,
) -> Array:
    """Return the elements, but at least `min` and at most `max`, also called `a_min` and `a_max`."""
    if (min is not None and a_min is not None) or (max is not None and a_max is not None):
        raise TypeError("a_min and a_max are other names of min and max; give one of them")
    clipped = _clipped(x, a_min if min is None else min, a_max if max is None else max)
    return broadcast_into(out, clipped)


def _clipped(x: Any, min: Any, max: Any) -> Array:
    result = as_array(x, manager_of(x, min, max))
    dtype = result._dtype
    for bound, name in ((min, "maximum"), (max, "minimum")):
        if bound is not None:
            result = apply(name, result, _in_range(bound, dtype))
    return result if min is not None or max is not None else apply("positive", result)


def _in_range(bound: Any, dtype: DType) -> Any:
    """Return a bound, clamped to the range of the integer type."""
    if isinstance(bound, int) and not isinstance(bound, bool) and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return sorted((int(limits.min), bound, int(limits.max)))[1]
    return bound


@by_rows("each")
def round(x: Any, /, decimals: int = 0, out: Array | None = None) -> Array:
    """Return the elements rounded to `decimals` places, ties to even."""
    rounded = _rounded(x, decimals)
    return broadcast_into(out, rounded)


def _rounded(x: Any, decimals: int) -> Array:
    array = as_array(x, manager_of(x))
    if array._dtype.kind in "iu" and decimals < 0:
        tens = float(10 ** abs(decimals))
        rounded = apply("round", apply("divide", array, tens))
        return astype(apply("multiply", rounded, tens), array._dtype)
    if array._dtype.kind == "b":
        return apply("round", array)  # NumPy's float16
    if array._dtype.kind in "iu":
        return apply("positive", array)
    if decimals == 0:
        return apply("round", array)
    factor = 10.0 ** abs(decimals)
    if decimals > 0:
        return apply("divide", apply("round", apply("multiply", array, factor)), factor)
    return apply("multiply", apply("round", apply("divide", array, factor)), factor)


def _array(x: Any) -> Array:
    return as_array(x, manager_of(x))


@by_rows("each")
def angle(z: Any, /, deg: bool = False) -> Array:
    """Return the angles of complex numbers in radians, or with `deg` in degrees."""
    array = _array(z)
    found = atan2(imag(array), real(array)) if array._dtype.kind == "c" else atan2(0, array)
    return apply("multiply", found, 180 / math.pi) if deg else found


def _sinc_of(kind: Number) -> str:
    """Return GLSL of sinc()."""
    angle = f"({{0}} * {math.pi!r}{'lf' if kind.computed in ('double', 'dvec2') else ''})"
    one, quotient = "(1)", f"kp_sin({angle}) / {angle}"
    if kind.family == "c":
        one, quotient = "(1, 0)", f"kp_cdiv(kp_csin({angle}), {angle})"
    return f"({{0}} == {kind.computed}(0) ? {kind.computed}{one} : {quotient})"


_SINC = {dtype: _sinc_of(kind) for dtype, kind in NUMBERS.items() if kind.family in "fc"}


@by_rows("each")
def sinc(x: Any, /) -> Array:
    """Return sin(pi x) / (pi x), which is 1 at 0."""
    array = _array(x)
    if array._dtype.kind in "biu":
        array = converted(array, default_float(array._manager))
    return _kp._expression(_SINC[array._dtype], array._dtype, array._shape, [array])


@by_rows("each")
def around(x: Any, /, decimals: int = 0, out: Array | None = None) -> Array:
    """Return round(x, decimals)."""
    return round(x, decimals, out)


@by_rows("each")
def rint(x: Any, /, out: Array | None = None) -> Array:
    """Return the elements rounded to the nearest integer, ties to the even one."""
    found = apply("round", x)
    return broadcast_into(out, found)


@by_rows("each")
def fix(x: Any, /, out: Array | None = None) -> Array:
    """Return the elements rounded towards 0."""
    return trunc(x, out=out)


@by_rows("each")
def modf(x: Any, /) -> tuple[Array, Array]:
    """Return the fractional and the whole parts, with the signs of the elements."""
    array = _array(x)
    if array._dtype.kind in "biu":
        array = converted(array, _kp._resolve("sqrt", (array._dtype,))[0])
    whole = apply("trunc", array)
    text = (
        f"kp_copysign(kp_isinf({{0}}) ? {number(array._dtype).computed}(0) : {{0}} - {{1}}, {{0}})"
    )
    part = _kp._expression(text, array._dtype, array._shape, [array, whole])
    _kp._together((part, whole))
    return part, whole


@by_rows("each")
def divmod(x1: Any, x2: Any, /) -> tuple[Array, Array]:
    """Return the quotients, rounded down, and the remainders."""
    quotient, rest = apply("floor_divide", x1, x2), apply("remainder", x1, x2)
    if isinstance(rest, Array):
        _kp._together((quotient, rest))
    return quotient, rest


@by_rows("each")
def isposinf(x: Any, /, out: Array | None = None) -> Array:
    """Return whether each element is positive infinity."""
    return _infinite(x, out, math.inf)


@by_rows("each")
def isneginf(x: Any, /, out: Array | None = None) -> Array:
    """Return whether each element is negative infinity."""
    return _infinite(x, out, -math.inf)


def _infinite(x: Any, out: Array | None, value: float) -> Array:
    array = _array(x)
    if array._dtype.kind == "c":
        raise TypeError("complex numbers have no sign; look at their real and imaginary parts")
    found = apply("isinf", array)
    if array._dtype.kind == "f":
        found = apply("equal", array, value)
    return broadcast_into(out, found)


@by_rows("each")
def iscomplex(x: Any, /) -> Array:
    """Return whether each element has an imaginary part that is not 0."""
    return apply("not_equal", imag(x), 0)


@by_rows("each")
def isreal(x: Any, /) -> Array:
    """Return whether the imaginary part of each element is 0."""
    return apply("equal", imag(x), 0)


def iscomplexobj(x: Any, /) -> bool:
    """Return whether the dtype is complex."""
    return _kind(x) == "c"


def isrealobj(x: Any, /) -> bool:
    """Return whether the dtype is not complex."""
    return _kind(x) != "c"


def _kind(x: Any) -> str:
    return np.dtype(getattr(x, "dtype", None) or np.asarray(x).dtype).kind

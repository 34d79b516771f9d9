# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions made of others: angles, parts of numbers, and what kind they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _kp
from .array import Array, converted
from .groups.traits import by_rows
from .elementwise import (
    apply,
    as_array,
    atan2,
    copysign,
    imag,
    broadcast_into,
    manager_of,
    real,
    round,
    trunc,
    where,
)

__all__ = [
    "angle",
    "around",
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
    "sinc",
]


def _array(x: Any) -> Array:
    return as_array(x, manager_of(x))


@by_rows("each")
def angle(z: Any, /, deg: bool = False) -> Array:
    """Return the angles of complex numbers in radians, or with `deg` in degrees."""
    array = _array(z)
    found = atan2(imag(array), real(array)) if array._dtype.kind == "c" else atan2(0, array)
    return apply("multiply", found, 180 / math.pi) if deg else found


@by_rows("each")
def sinc(x: Any, /) -> Array:
    """Return sin(pi x) / (pi x), which is 1 at 0."""
    array = _array(x)
    tiny = 1e-3 if array._dtype == np.float16 else 1e-20
    scaled = apply("multiply", where(apply("equal", array, 0), tiny, array), math.pi)
    return apply("divide", apply("sin", scaled), scaled)


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
    part = where(apply("isinf", array), 0.0, apply("subtract", array, whole))
    part = copysign(part, array)
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

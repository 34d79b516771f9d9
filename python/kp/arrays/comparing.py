# SPDX-License-Identifier: Apache-2.0
"""Whether arrays are equal, or nearly so."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._kp import Manager
from . import reductions
from .array import Array, converted
from .elementwise import apply, as_array, manager_of
from .group_array import GroupArray
from .group_functions import takes_groups

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]


def isclose(
    a: Any,
    b: Any,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Return whether elements are nearly equal: whether ``|a - b| <= atol + rtol * |b|``.

    Infinities are close to equal ones, and NaNs to none, or with `equal_nan` to each other. Integers are
    compared in float64.
    """
    manager = manager_of(a, b)
    x, y = _operand(a, manager), _operand(b, manager)
    if not isinstance(x, Array) and not isinstance(y, Array):
        x = as_array(x, manager)
    if isinstance(y, Array):
        if y._dtype.kind in "biu":
            y = converted(y, np.dtype(np.float64))
        within: Any = apply("add", apply("multiply", apply("abs", y), rtol), atol)
        near = apply("less_equal", apply("abs", apply("subtract", x, y)), within)
        near = apply("logical_and", near, apply("isfinite", y))
    else:
        y = float(y) if isinstance(y, int) else y
        size = abs(y)
        within = atol + rtol * size if math.isfinite(size) else -1.0
        near = apply("less_equal", apply("abs", apply("subtract", x, y)), within)
    found = apply("logical_or", near, apply("equal", x, y))
    if not equal_nan:
        return found
    nans = apply("logical_and", apply("isnan", x), apply("isnan", y))
    return apply("logical_or", found, nans)


def _operand(x: Any, manager: Manager) -> Any:
    """Return Python's numbers as they are, and anything else as an array."""
    if isinstance(x, (int, float, complex)) and not isinstance(x, np.generic):
        return x
    return as_array(x, manager)


_close = takes_groups(isclose)


def allclose(
    a: Any,
    b: Any,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Return whether all elements are nearly equal. See isclose()."""
    return bool(reductions.all(_close(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Return whether two arrays have the same shape and equal elements.

    NaNs are equal to none, or with `equal_nan` to each other.
    """
    try:
        first, second = _array(a1, a2), _array(a2, a1)
    except TypeError:  # text and objects, which are no elements of arrays
        return _equal_on_host(a1, a2)
    if first.shape != second.shape:
        return False
    same = apply("equal", first, second)
    if equal_nan and first.dtype.kind in "fc" and second.dtype.kind in "fc":
        nans = apply("logical_and", apply("isnan", first), apply("isnan", second))
        same = apply("logical_or", same, nans)
    return bool(reductions.all(same))


def _equal_on_host(a1: Any, a2: Any) -> bool:
    """Compare what arrays on a device do not hold, as NumPy does."""
    first, second = (x.numpy() if hasattr(x, "numpy") else x for x in (a1, a2))
    return bool(np.array_equal(first, second))


def array_equiv(a1: Any, a2: Any) -> bool:
    """Return whether two arrays have equal elements once they are broadcast to one shape."""
    first, second = _array(a1, a2), _array(a2, a1)
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        return False
    return bool(reductions.all(apply("equal", first, second)))


def _array(x: Any, other: Any) -> Any:
    """Return an operand as an array: a host's as NumPy's if the other one is of a group."""
    if isinstance(other, GroupArray) and not isinstance(x, (Array, GroupArray)):
        return np.asarray(x)
    return x if isinstance(x, GroupArray) else as_array(x, manager_of(x, other))

# SPDX-License-Identifier: Apache-2.0
"""Whether arrays are equal, or nearly so, and whether they share memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _kp
from .._kp import Manager, MemoryTypes, Tensor
from .reducing import reductions
from .array import Array, converted
from .elementwise import apply, as_array, broadcast, manager_of
from .groups.array import GroupArray
from .groups.functions import takes_groups
from .groups.traits import by_rows

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "isclose",
    "may_share_memory",
    "shares_memory",
]


@by_rows("each")
def isclose(
    a: Any,
    b: Any,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Return whether elements are nearly equal: whether ``|a - b| <= atol + rtol * |b|``.

    Infinities are close to equal ones. NaNs are close to each other with `equal_nan`, and otherwise
    to nothing. Integers are compared in float64.
    """
    manager = manager_of(a, b)
    x, y = _operand(a, manager), _operand(b, manager)
    if not isinstance(x, Array) and not isinstance(y, Array):
        x = as_array(x, manager)
    if isinstance(y, Array):
        if y._dtype.kind in "biu":
            y = converted(y, np.dtype(np.float64))
        numbers = all(isinstance(each, (int, float)) for each in (rtol, atol))
        if numbers and isinstance(x, Array) and x._dtype == y._dtype in _COMPARED:
            return _close_floats(x, y, rtol, atol, equal_nan)
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


#: Types that are compared by two expressions, which start sooner than many.
_COMPARED = (np.dtype(np.float32), np.dtype(np.float64))


def _close_floats(x: Array, y: Array, rtol: float, atol: float, equal_nan: bool) -> Array:
    """Return isclose() of two arrays of one type."""
    dtype = y._dtype
    limits = [(float(each), dtype) for each in (atol, rtol)]
    within = _kp._expression("({1} + {2} * abs({0}))", dtype, y._shape, [y, *limits])
    near = "{0} == {1} || (abs({0} - {1}) <= {2} && kp_isfinite({1}))"
    both = " || (kp_isnan({0}) && kp_isnan({1}))" if equal_nan else ""
    shape = broadcast(x._shape, y._shape)
    return _kp._expression(f"({near}{both})", np.dtype(np.bool_), shape, [x, y, within])


def _operand(x: Any, manager: Manager) -> Any:
    """Return Python's numbers as they are, and anything else as an array."""
    if isinstance(x, (int, float, complex)) and not isinstance(x, np.generic):
        return x
    return as_array(x, manager)


_close = takes_groups(isclose)


@by_rows("made")
def allclose(
    a: Any,
    b: Any,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Return whether all elements are nearly equal. See isclose()."""
    return bool(reductions.all(_close(a, b, rtol, atol, equal_nan)))


@by_rows("made")
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Return whether two arrays have the same shape and equal elements.

    NaNs are equal to each other with `equal_nan`, and otherwise to nothing.
    """
    try:
        first, second = _array(a1, a2), _array(a2, a1)
    except TypeError:  # text and objects, which arrays cannot hold
        return _equal_on_host(a1, a2)
    if first.shape != second.shape:
        return False
    same = apply("equal", first, second)
    if equal_nan and first.dtype.kind in "fc" and second.dtype.kind in "fc":
        nans = apply("logical_and", apply("isnan", first), apply("isnan", second))
        same = apply("logical_or", same, nans)
    return bool(reductions.all(same))


def _equal_on_host(a1: Any, a2: Any) -> bool:
    """Compare values that arrays on a device cannot hold, as NumPy does."""
    first, second = (x.numpy() if hasattr(x, "numpy") else x for x in (a1, a2))
    return bool(np.array_equal(first, second))


@by_rows("made")
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


class _Place:
    """The location of an array's elements, for NumPy, which does not read them.

    - `space`: the address space: the host, CUDA, or one tensor of a device.
    """

    def __init__(self, array: Array) -> None:
        tensor = array._memory()
        item = array._dtype.itemsize
        address = 0x1000  # NumPy takes 0 for no memory
        self.space: Any = array._memory_id
        if tensor.is_shared:
            self.space, address = "CUDA", tensor.cuda_address
        elif tensor.memory_type() in (MemoryTypes.host, MemoryTypes.deviceAndHost):
            self.space, address = "host", tensor.data().ctypes.data
        self.__array_interface__ = {
            "version": 3,
            "typestr": array._dtype.str,
            "shape": array._shape,
            "strides": tuple(step * item for step in array._strides),
            "data": (address + array._offset * item, True),
        }


def _places(x: Any) -> list[tuple[Any, Any]]:
    """Return the address spaces of an array's parts, and arrays that are there."""
    if isinstance(x, GroupArray):
        return [each for part in x._parts for each in _places(part)]
    if isinstance(x, Tensor):
        x = Array._from_tensor(x)
    if not isinstance(x, Array):
        return [("host", np.asarray(x))]
    if not x._is_evaluated:
        return []  # an expression, which has no memory yet
    if x.size == 0:
        return []
    place = _Place(x)
    return [(place.space, np.asarray(place))]


def _share(function: Any, a: Any, b: Any, max_work: int | None) -> bool:
    if a is b and isinstance(a, Array):
        return a.size > 0
    others = _places(b)
    for space, own in _places(a):
        for where, other in others:
            if space == where and function(own, other, max_work=max_work):
                return True
    return False


@by_rows("made")
def may_share_memory(a: Any, b: Any, max_work: int | None = None) -> bool:
    """Return whether two arrays may share memory: whether the ranges of their memory overlap.

    Pending expressions share memory with no other array.
    """
    return _share(np.may_share_memory, a, b, max_work)


@by_rows("made")
def shares_memory(a: Any, b: Any, max_work: int | None = None) -> bool:
    """Return whether two arrays have elements in the same memory. See may_share_memory()."""
    return _share(np.shares_memory, a, b, max_work)

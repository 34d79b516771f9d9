# SPDX-License-Identifier: Apache-2.0
"""Memory and shapes of arrays, and unsupported types."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _kp
from .._kp import Manager

if TYPE_CHECKING:
    from .array import Array

Shape = tuple[int, ...]
DType = np.dtype[Any]


def unsupported_reason(manager: Manager, dtype: DType) -> str:
    """Return why arrays of a device cannot have a dtype; empty if they can."""
    return _kp._unsupported_reason(manager, dtype)


def require(manager: Manager, dtype: DType) -> None:
    """Raise Unsupported if arrays of a device cannot have a dtype."""
    _kp._require(manager, dtype)


@functools.lru_cache(maxsize=4096)
def contiguous_strides(shape: Shape) -> Shape:
    """Return the strides of an array in C order, in elements."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def broadcast(*shapes: Shape, names: Sequence[str] = ()) -> Shape:
    """Return the shape that all shapes broadcast to.

    Raises ValueError if there is none, with the names of the operands, if they have any.
    """
    first = shapes[0]
    for shape in shapes[1:]:
        if shape != first:
            break
    else:
        return first
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        given = " ".join(map(str, shapes))
        if names:
            given = ", ".join(f"{n} {s}" for n, s in zip(names, shapes, strict=True))
        raise ValueError(f"operands could not be broadcast together with shapes {given}") from None


def broadcast_strides(shape: Shape, strides: Shape, target: Shape) -> list[int]:
    """Return the strides that repeat a view along the axes of a larger shape."""
    missing = len(target) - len(shape)
    repeated = [
        stride if extent == wanted else 0
        for extent, stride, wanted in zip(shape, strides, target[missing:], strict=True)
    ]
    return [0] * missing + repeated


def blank(manager: Manager, shape: Shape, dtype: DType) -> Array:
    """Return an array with undefined contents."""
    return _kp._blank(manager, shape, dtype)


def upload(manager: Manager, values: NDArray[Any]) -> Array:
    """Return an array with the contents of a NumPy array."""
    from .array import Array

    if not values.flags.c_contiguous:
        values = np.ascontiguousarray(values).reshape(values.shape)
    return Array._uploaded(manager, values)


def index_along(manager: Manager, shape: Shape, axis: int, dtype: DType) -> Array:
    """Return the index of each element along an axis."""
    strides = [0] * len(shape)
    strides[operator.index(axis)] = 1
    return _kp._addresses(manager, shape, 0, tuple(strides), dtype)

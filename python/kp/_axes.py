# SPDX-License-Identifier: Apache-2.0
"""Axes of arrays, as arguments."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def whole(name: str, value: Any) -> int:
    """Return an argument as a whole number. Raises TypeError naming the argument."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {value!r}") from None


def normalized(axis: Any, ndim: int) -> int:
    """Return an axis counted from the front. Raises NumPy's AxisError, which is a ValueError."""
    number = whole("axis", axis)
    if not -ndim <= number < ndim:
        error: Any = getattr(np, "exceptions", np)
        made: Exception = error.AxisError(number, ndim)
        raise made
    return number % ndim


def normalized_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return different axes counted from the front; None means all axes."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = tuple(normalized(each, ndim) for each in axes)
    if len(set(found)) != len(found):
        raise ValueError(f"an axis is named twice in {axis}")
    return found

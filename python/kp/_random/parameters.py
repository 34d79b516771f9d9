# SPDX-License-Identifier: Apache-2.0
"""Parameters of distributions: numbers, or arrays that broadcast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays.array import Array
from ..arrays.creation import extents
from ..arrays.elementwise import apply, broadcast
from ..arrays.shapes.manipulation import given

Size = int | Sequence[int] | None


def real(name: str, value: Any) -> Any:
    """Return a parameter as a float or an array. Raises TypeError for anything else."""
    if isinstance(value, (Array, list, tuple)) or (isinstance(value, np.ndarray) and value.ndim):
        array = value if isinstance(value, Array) else np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"{name} has real numbers, not {array.dtype}")
        return array
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number or an array of them, not {value!r}") from None
    if not math.isfinite(found):
        raise ValueError(f"{name} is finite, not {value!r}")
    return found


def size_of(size: Size, *parameters: Any) -> tuple[int, ...]:
    """Return the shape of random numbers whose parameters are arrays."""
    if size is not None and all(isinstance(each, float) for each in parameters):
        return extents(size)
    shape = broadcast((), *[np.shape(each) for each in parameters])
    wanted = shape if size is None else extents(size)
    if broadcast(shape, wanted) != wanted:
        raise ValueError(f"parameters of the shape {shape} do not broadcast to size {wanted}")
    return wanted


def refuse_negative(x: Any, what: str) -> None:
    """Raise ValueError if an element is negative: "`what` in some elements"."""
    array = given(x)
    if array.size and bool(apply("less", array, 0).any()):
        raise ValueError(f"{what} in some elements")


def within(name: str, value: Any, low: float, high: float, open_low: bool = False) -> Any:
    """Return a parameter as real() does. Raises ValueError if a number is not from `low` to `high`.

    - `open_low`: whether `low` itself is refused.
    """
    found = real(name, value)
    if isinstance(found, np.ndarray):
        lowest, highest = (found.min(), found.max()) if found.size else (high, high)
        bad = bool(np.isnan(found).any())
    elif isinstance(found, float):
        lowest = highest = found
        bad = False
    else:
        lowest, highest = (found.min().item(), found.max().item()) if found.size else (high, high)
        bad = bool(np.isnan(lowest) or np.isnan(highest))
    if bad or lowest < low or (open_low and lowest == low) or highest > high:
        worst = highest if highest > high else lowest
        limit = "" if math.isinf(high) else f" and at most {high:g}"
        above = "above" if open_low else "at least"
        raise ValueError(f"{name} is {above} {low:g}{limit}, not {worst:g}")
    return found

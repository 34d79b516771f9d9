# SPDX-License-Identifier: Apache-2.0
"""Reductions over the rows of a group's arrays: each device reduces its own, and the results are combined."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._axes import normalized_axes
from ..array import Array
from ..storage import DType, Shape
from . import exchange
from .array import GroupArray
from .partial import MOST_BYTES, Partial
from .placing import Function, everywhere

_COMBINED: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "prod": np.prod,
    "min": np.min,
    "max": np.max,
    "any": np.any,
    "all": np.all,
}


def over_rows(x: GroupArray, axes: Sequence[int]) -> bool:
    """Return whether a reduction along axes combines rows of several devices."""
    return x._rows is not None and 0 in axes and sum(1 for count in x._rows if count) > 0


def _reduced_shape(shape: Shape, axes: Sequence[int], keepdims: bool) -> Shape:
    return tuple(
        1 if axis in axes else extent
        for axis, extent in enumerate(shape)
        if keepdims or axis not in axes
    )


def _with_rows(x: GroupArray) -> list[tuple[int, Array]]:
    """Return the parts with rows, and the first row of each."""
    assert x._rows is not None
    starts = exchange.offsets(x._rows)
    return [
        (start, part) for start, part, count in zip(starts, x._parts, x._rows, strict=True) if count
    ]


def reduced(
    name: str, x: GroupArray, axes: Sequence[int], keepdims: bool, dtype: DType, function: Function
) -> GroupArray:
    """Reduce on each device, then across the devices.

    `function(part, axes, keepdims, first)` reduces; `first` says whether its result is reduced again.
    """
    group = x._group
    if not over_rows(x, axes):
        parts = [function(part, tuple(axes), keepdims, False) for part in x._parts]
        rows = None if x._rows is None or 0 in axes else x._rows
        return GroupArray._of(group, parts, rows)
    shape = _reduced_shape(x._shape, axes, keepdims)
    found = [function(part, tuple(axes), keepdims, True) for _, part in _with_rows(x)]
    if math.prod(shape) * found[0].itemsize <= MOST_BYTES:
        combine = _COMBINED[name]
        options = {"dtype": found[0].dtype} if name in ("sum", "prod") else {}
        partial = Partial(
            [(each,) for each in found], lambda stacked: combine(stacked, axis=0, **options)
        )
        return GroupArray._of_partial(group, partial, shape, dtype)
    wholes = iter(each.reshape((1, *each.shape)) for each in found)
    parts = [next(wholes) if count else None for count in x._rows or ()]
    stacked = GroupArray._of_some(group, parts)
    return GroupArray._of(
        group, [function(whole, (0,), False, False) for whole in stacked._replicas()], None
    )


def moments(
    x: GroupArray, axes: Sequence[int], dtype: DType, less: float, keepdims: bool, result: DType
) -> GroupArray | None:
    """Return the variances of rows of several devices, or None if they are not few.

    The devices compute their own means and variances, which Chan, Golub and LeVeque's rule combines
    ("Updating formulae and a pairwise algorithm for computing sample variances", 1979).
    """
    from ..reducing.reductions import mean, var

    shape = _reduced_shape(x._shape, axes, keepdims)
    if not over_rows(x, axes) or math.prod(shape) * dtype.itemsize > MOST_BYTES:
        return None
    each = math.prod(x._shape[axis] for axis in axes if axis != 0)
    if not each:
        return None
    found, counts = [], []
    for _, part in _with_rows(x):
        own = mean(part, tuple(axes), dtype, keepdims=True)
        spread = var(part, tuple(axes), dtype, keepdims=True, mean=own)
        found.append((own, spread))
        counts.append(float(part.shape[0] * each))
    total = sum(counts)
    divisor = total - less if total > less else 0.0

    def combine(means: Any, variances: Any) -> Any:
        wide = np.result_type(means.dtype, np.float64)
        weights = np.array(counts).reshape((-1,) + (1,) * (means.ndim - 1))
        middle = np.sum(weights * means.astype(wide), axis=0) / total
        distances = np.abs(means.astype(wide) - middle) ** 2
        return np.sum(weights * (variances.astype(np.float64) + distances), axis=0) / divisor

    return GroupArray._of_partial(x._group, Partial(found, combine), shape, result)


def index_of(
    function: Function, x: Any, /, axis: Any = None, out: None = None, keepdims: bool = False
) -> Any:
    """Return the index of an extreme: the first one among the devices' results."""
    if not isinstance(x, GroupArray) or not x._shape:
        return everywhere(function, x, axis, keepdims=keepdims)
    axes = normalized_axes(axis, len(x._shape))
    if x._rows is not None and 0 not in axes:
        parts = [function(part, axis, keepdims=keepdims) for part in x._parts]
        return GroupArray._of(x._group, parts, x._rows)
    shape = _reduced_shape(x._shape, axes, keepdims)
    if x._rows is None or x.size == 0 or math.prod(shape) * 8 > MOST_BYTES or x._dtype.kind == "c":
        return everywhere(function, x, axis, keepdims=keepdims)
    least = function.__name__ == "argmin"
    step = x.size // x._shape[0] if axis is None else 1
    found, starts = [], []
    for start, part in _with_rows(x):
        found.append(_with_value(part, function(part, axis, keepdims=True), axis))
        starts.append(start * step)

    def combine(indices: Any, values: Any) -> Any:
        first = np.array(starts, np.int64).reshape((-1,) + (1,) * (indices.ndim - 1))
        chosen = (np.argmin if least else np.argmax)(values, axis=0)
        return np.take_along_axis(indices + first, np.expand_dims(chosen, 0), axis=0)[0]

    return GroupArray._of_partial(x._group, Partial(found, combine), shape, np.dtype(np.int64))


def _with_value(part: Array, index: Array, axis: int | None) -> tuple[Array, Array]:
    """Return indices along an axis, or of flat elements, and the elements there."""
    from ..selection.searching import take_along_axis, take_within

    if axis is None:
        row, one = part.reshape((part.size,)), index.reshape((1,))
        return one, take_within(row, one)
    return index, take_along_axis(part, index, axis)

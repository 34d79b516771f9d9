# SPDX-License-Identifier: Apache-2.0
"""Selections from the rows of a group's arrays: all devices select before the host reads the first count."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._kp import OpBase, OpSelect, OpUnique, Tensor
from ..array import Array
from ..storage import blank
from . import exchange
from .array import GroupArray
from .placing import Function, everywhere


def _counted(
    rows: Sequence[Array], operation: Callable[[int, Tensor, Tensor], OpBase]
) -> list[Array]:
    """Return the rows that operations select: `operation(device, memory, count)`."""
    from ..operands import blank as blank_tensor
    from ..operands import launch
    from ..selection.selecting import counter, first

    begun: list[Any] = []
    for device, row in enumerate(rows):
        manager = row._manager
        memory = blank_tensor(manager, row.shape, row.dtype)
        count = counter(manager, row.size) if row.size else None
        if count is not None:
            launch(manager, operation(device, memory, count))
        begun.append((memory, count))
    return [first(memory, 0 if count is None else int(count.item())) for memory, count in begun]


def selected(rows: Sequence[Array], flags: Sequence[Array]) -> list[Array]:
    """Return the elements of each device's row whose flag is true."""
    from ..operands import operand

    sources: list[Any] = [operand(row, row.shape) if row.size else None for row in rows]
    chosen: list[Any] = [operand(each, each.shape) if each.size else None for each in flags]
    return _counted(
        rows, lambda device, memory, count: OpSelect(sources[device], chosen[device], memory, count)
    )


def first_of_runs(rows: Sequence[Array]) -> list[Array]:
    """Return each device's sorted row without repeated elements; NaNs are one."""
    from ..operands import operand
    from ..selection.searching import searchsorted

    sources: list[Any] = [operand(row, row.shape) if row.size else None for row in rows]
    numbers: list[Any] = [None] * len(rows)
    if rows[0].dtype.kind == "f":
        for device, row in enumerate(rows):
            if row.size:  # NaNs are last: the place of the first one
                nan = np.full(1, np.nan, row.dtype)
                numbers[device] = searchsorted(row, nan).evaluate()
    found = _counted(rows, lambda device, memory, count: OpUnique(sources[device], memory, count))
    kept = []
    for row, number, each in zip(rows, numbers, found, strict=True):
        more = 0 if number is None else max(0, row.size - int(number.item()) - 1)
        kept.append(each[: each.shape[0] - more] if more else each)
    return kept


def by_mask(x: GroupArray, masks: Sequence[Any]) -> GroupArray | None:
    """Return the elements of x where flags of its shape are true, or None if some are not on the devices."""
    if any(type(mask) is not Array or mask.shape != part.shape for mask, part in _pairs(x, masks)):
        return None
    rows = [part.reshape((part.size,)) for part in x._parts]
    parts = selected(rows, [mask.reshape((mask.size,)) for mask in masks])
    return GroupArray._of(x._group, parts, tuple(part.shape[0] for part in parts))


def _pairs(x: GroupArray, masks: Sequence[Any]) -> list[tuple[Any, Array]]:
    return list(zip(masks, x._parts, strict=True))


def nonzero(function: Function, x: Any, /) -> Any:
    """Return the places of elements that are not 0: each device finds its own, counted from the first row of all."""
    from ..creation import arange

    if not isinstance(x, GroupArray) or x._rows is None or not x._shape:
        return everywhere(function, x)
    each = math.prod(x._shape[1:])
    rows, flags = [], []
    for part, start in zip(x._parts, exchange.offsets(x._rows), strict=True):
        first, manager = start * each, part._manager
        rows.append(
            arange(first, first + part.size, device=manager)
            if part.size
            else blank(manager, (0,), np.dtype(np.int64))
        )
        flags.append(part.astype(np.bool_).reshape((part.size,)))
    places = selected(rows, flags)
    counts = tuple(part.shape[0] for part in places)
    if function.__name__ == "flatnonzero":
        return GroupArray._of(x._group, places, counts)
    found, step = [], x.size
    for axis, extent in enumerate(x._shape):
        step = step // extent if extent else 1
        index = places if step == 1 else [part // step for part in places]
        if axis:
            index = [part % extent for part in index]
        found.append(GroupArray._of(x._group, index, counts))
    return tuple(found)

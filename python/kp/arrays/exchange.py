# SPDX-License-Identifier: Apache-2.0
"""Rows of a group's arrays, moved between its devices by buffers of the group."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .._kp import Buffer, DeviceGroup, Event, Tensor, wait_all
from .array import Array
from .storage import Shape, blank

Rows = tuple[int, ...]


def even_rows(count: int, devices: int) -> Rows:
    """Return the rows of each device if rows are shared evenly: the first ones have one more."""
    each, more = divmod(count, devices)
    return tuple(each + (device < more) for device in range(devices))


def offsets(rows: Rows) -> Rows:
    """Return the first row of each device."""
    return tuple(sum(rows[:device]) for device in range(len(rows)))


def gathered(group: DeviceGroup, parts: Sequence[Array], rows: Rows) -> list[Array]:
    """Return for each device all rows, of which each has a part."""
    shape = (sum(rows), *parts[0].shape[1:])
    made = [blank(manager, shape, parts[0].dtype) for manager in group]
    if math.prod(shape):
        target = _buffer(group, made, "replicated", math.prod(shape))
        source, kept = _sharded(group, parts, rows)
        _wait(source.all_gather(target))
        del kept
    return made


def redistributed(
    group: DeviceGroup, parts: Sequence[Array], rows: Rows, wanted: Rows
) -> list[Array]:
    """Return the rows as other parts."""
    row = parts[0].shape[1:]
    made = [
        blank(manager, (count, *row), parts[0].dtype)
        for manager, count in zip(group, wanted, strict=True)
    ]
    if sum(rows) * math.prod(row):
        size = sum(rows) * math.prod(row)
        target = _buffer(group, made, "sharded", size)
        source, kept = _sharded(group, parts, rows)
        _wait(source.copy_to(target))
        del kept
    return made


def _wait(events: list[Event]) -> None:
    """Wait for copies. Arrays use other queues, which know only what was submitted already."""
    wait_all(events)


def _sharded(group: DeviceGroup, parts: Sequence[Array], rows: Rows) -> tuple[Buffer, list[Array]]:
    """Return a buffer of the rows, and what keeps its memory from being used again."""
    kept = [part._whole() for part in parts]
    return _buffer(group, kept, "sharded", sum(rows) * math.prod(parts[0].shape[1:])), kept


def _buffer(group: DeviceGroup, parts: Sequence[Array], placement: str, size: int) -> Buffer:
    tensors: list[Tensor | None] = [part._memory() if part.size else None for part in parts]
    counts = [part.size for part in parts] if placement == "sharded" else None
    return Buffer.from_tensors((size,), parts[0].dtype, tensors, group, placement, counts)


def shape_of(rows: Rows, part: Array) -> Shape:
    """Return the shape of all rows."""
    return (sum(rows), *part.shape[1:])

# SPDX-License-Identifier: Apache-2.0
"""Rows of a group's arrays, moved between its devices by buffers of the group."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .._kp import Buffer, DeviceGroup, Event, Tensor, wait_all
from . import launching
from .array import Array
from .storage import DType, Shape, View

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
    views = [View.new(manager, shape, parts[0].dtype) for manager in group]
    if math.prod(shape):
        target = _buffer(group, views, "replicated", math.prod(shape))
        source, kept = _sharded(group, parts, rows)
        _wait(source.all_gather(target))
        del kept
    return [Array._of_view(view) for view in views]


def redistributed(
    group: DeviceGroup, parts: Sequence[Array], rows: Rows, wanted: Rows
) -> list[Array]:
    """Return the rows as other parts."""
    row = parts[0].shape[1:]
    views = [
        View.new(manager, (count, *row), parts[0].dtype)
        for manager, count in zip(group, wanted, strict=True)
    ]
    if sum(rows) * math.prod(row):
        size = sum(rows) * math.prod(row)
        target = _buffer(group, views, "sharded", size)
        source, kept = _sharded(group, parts, rows)
        _wait(source.copy_to(target))
        del kept
    return [Array._of_view(view) for view in views]


def _wait(events: list[Event]) -> None:
    """Wait for copies. Arrays use other queues, which know only what was submitted already."""
    wait_all(events)


def _sharded(group: DeviceGroup, parts: Sequence[Array], rows: Rows) -> tuple[Buffer, list[View]]:
    """Return a buffer of the rows, and what keeps its memory from being used again."""
    views = [launching.whole(part._evaluated()) for part in parts]
    return _buffer(group, views, "sharded", sum(rows) * math.prod(parts[0].shape[1:])), views


def _buffer(group: DeviceGroup, views: list[View], placement: str, size: int) -> Buffer:
    tensors: list[Tensor | None] = [
        view.storage.tensor if math.prod(view.shape) else None for view in views
    ]
    counts = [math.prod(view.shape) for view in views] if placement == "sharded" else None
    return Buffer.from_tensors((size,), dtype_of(views), tensors, group, placement, counts)


def dtype_of(views: list[View]) -> DType:
    """Return the dtype of parts."""
    return views[0].storage.dtype


def shape_of(rows: Rows, part: Array) -> Shape:
    """Return the shape of all rows."""
    return (sum(rows), *part.shape[1:])

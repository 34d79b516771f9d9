# SPDX-License-Identifier: Apache-2.0
"""Rows of a group's arrays, moved between its devices.

Moves are ordered among each device's launches, and nothing waits for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._kp import DeviceGroup
from ..array import Array
from ..storage import DType, Shape, blank

Rows = tuple[int, ...]


def even_rows(count: int, devices: int) -> Rows:
    """Return the rows of each device if rows are shared evenly: the first ones have one more."""
    each, more = divmod(count, devices)
    return tuple(each + (device < more) for device in range(devices))


def offsets(rows: Rows) -> Rows:
    """Return the first row of each device."""
    return tuple(sum(rows[:device]) for device in range(len(rows)))


@dataclass(frozen=True)
class Run:
    """Consecutive rows of an array on a device."""

    device: int
    part: Array
    first: int
    rows: int


def runs_of(parts: Sequence[Array], order: Sequence[int] | None = None) -> list[Run]:
    """Return all rows of parts, in the order of the devices or another one."""
    devices = range(len(parts)) if order is None else order
    return [Run(device, parts[device], 0, parts[device].shape[0]) for device in devices]


@dataclass(frozen=True)
class Place:
    """A destination of rows: all of a contiguous array on a device, which has the rows from `first`
    on."""

    device: int
    part: Array
    first: int


class Moves:
    """Copies of rows between devices, which are submitted together so that all links are busy."""

    def __init__(self, group: DeviceGroup) -> None:
        self._group = group
        self._moves: list[Any] = []
        self._kept: list[Array] = []

    def add(self, runs: Sequence[Run], places: Sequence[Place]) -> None:
        """Copy consecutive runs to the destinations of their rows."""
        sources: list[Any] = []
        for run in runs:
            whole = run.part._contiguous() if run.rows and run.part.size else None
            sources.append(whole if whole is None else (whole._memory(), whole._offset))
            if whole is not None:
                self._kept.append(whole)
        for place in places:
            row = math.prod(place.part.shape[1:]) * place.part.itemsize
            begin, end = place.first, place.first + place.part.shape[0]
            if begin == end or not row:
                continue
            target, start = place.part._memory(), 0
            inside = place.part._offset * place.part.itemsize
            for run, source in zip(runs, sources, strict=True):
                low, high = max(begin, start), min(end, start + run.rows)
                if low < high:
                    memory, offset = source
                    first = offset * place.part.itemsize + (run.first + low - start) * row
                    to = (place.device, target, inside + (low - begin) * row)
                    self._moves.append(((run.device, memory, first), to, (high - low) * row))
                start += run.rows

    def submit(self) -> None:
        """Submit the copies. Later launches that use the memory follow them."""
        if self._moves:
            self._group._move(self._moves)


def _move(group: DeviceGroup, runs: Sequence[Run], places: Sequence[Place]) -> None:
    moves = Moves(group)
    moves.add(runs, places)
    moves.submit()


def gathered(group: DeviceGroup, parts: Sequence[Array], rows: Rows) -> list[Array]:
    """Return all rows for each device, from the parts."""
    shape = (sum(rows), *parts[0].shape[1:])
    made = [blank(manager, shape, parts[0].dtype) for manager in group]
    _move(group, runs_of(parts), [Place(device, each, 0) for device, each in enumerate(made)])
    return made


def redistributed(group: DeviceGroup, parts: Sequence[Array], wanted: Rows) -> list[Array]:
    """Return the rows in other parts."""
    return assembled(group, runs_of(parts), wanted, parts[0].shape[1:], parts[0].dtype)


def assembled(
    group: DeviceGroup, runs: Sequence[Run], wanted: Rows, row: Shape, dtype: DType
) -> list[Array]:
    """Return consecutive runs as parts with these numbers of rows."""
    made = [
        blank(manager, (count, *row), dtype) for manager, count in zip(group, wanted, strict=True)
    ]
    places = [
        Place(device, part, first)
        for device, (part, first) in enumerate(zip(made, offsets(wanted), strict=True))
    ]
    _move(group, runs, places)
    return made


def shared_along(group: DeviceGroup, parts: Sequence[Array], rows: Rows, axis: int) -> list[Array]:
    """Return for each device all rows of its part of another axis, which is shared evenly."""
    shape = (sum(rows), *parts[0].shape[1:])
    counts = even_rows(shape[axis], len(parts))
    moves, made = Moves(group), []
    for device, (first, count) in enumerate(zip(offsets(counts), counts, strict=True)):
        key = (slice(None),) * axis + (slice(first, first + count),)
        own = blank(group[device], (*shape[:axis], count, *shape[axis + 1 :]), parts[0].dtype)
        made.append(own)
        for source, (part, start, own_rows) in enumerate(
            zip(parts, offsets(rows), rows, strict=True)
        ):
            target = own[start : start + own_rows]
            if not target.size:
                continue
            if source == device:
                target[...] = part[key]
            else:
                moves.add([Run(source, part[key], 0, own_rows)], [Place(device, target, 0)])
    moves.submit()
    return made


def shared_by_rows(
    group: DeviceGroup, parts: Sequence[Array], axis: int, wanted: Rows
) -> list[Array]:
    """Return parts of another axis as parts with these numbers of rows: undoes shared_along()."""
    from ..shapes.joining import concatenate

    moves, received = Moves(group), []
    for device, (first, count) in enumerate(zip(offsets(wanted), wanted, strict=True)):
        pieces = []
        for source, part in enumerate(parts):
            if source == device:
                pieces.append(part[first : first + count])
                continue
            own = blank(group[device], (count, *part.shape[1:]), part.dtype)
            if own.size:
                moves.add([Run(source, part, first, count)], [Place(device, own, 0)])
            pieces.append(own)
        received.append(pieces)
    moves.submit()
    return [concatenate(pieces, axis=axis) for pieces in received]


def shape_of(rows: Rows, part: Array) -> Shape:
    """Return the shape of all rows."""
    return (sum(rows), *part.shape[1:])

# SPDX-License-Identifier: Apache-2.0
"""Sorts of a group's arrays, and functions based on them.

Each device sorts its own rows. Splitters, which the host finds from samples and the keys between them, divide
the sorted rows exactly (Varman et al., "Merging multiple lists on hierarchical-memory multiprocessors", 1991).
Then each device receives its part of all rows, and merges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._axes import normalized
from ..array import Array, converted
from ..storage import blank
from . import exchange
from .along import along
from .array import GroupArray
from .exchange import Moves, Place, Rows, Run
from .merging import Sorted, merged
from .placing import Function, everywhere, replicas
from .selecting import first_of_runs


@dataclass
class _Samples:
    """Every `step`th key of a sorted list."""

    keys: NDArray[Any]
    step: int
    count: int


def _sampled(lists: Sequence[Array]) -> list[_Samples]:
    steps = [max(1, math.isqrt(each.shape[0])) for each in lists]
    chosen = [
        each[::step].copy().evaluate() for each, step in zip(lists, steps, strict=True)
    ]  # on all devices, before the first is read
    return [
        _Samples(keys.numpy(), step, each.shape[0])
        for keys, step, each in zip(chosen, steps, lists, strict=True)
    ]


def _merged_order(keys: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the list of each key in a stable merge, and how many keys of each list precede it."""
    owners = np.repeat(np.arange(len(keys)), [len(each) for each in keys])
    owners = owners[np.argsort(np.concatenate(keys), kind="stable")]
    before = np.cumsum(owners[:, None] == np.arange(len(keys)), axis=0)
    before -= owners[:, None] == np.arange(len(keys))
    return owners, before


def _bounds(samples: Sequence[_Samples]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the minimum and maximum number of keys of each list before each place among all
    samples.

    With m samples of a list before a place, that list has more than m - 1 steps and at most m steps of
    keys before it.
    """
    counts = np.array([each.count for each in samples])
    steps = np.array([each.step for each in samples])
    _, before = _merged_order([each.keys for each in samples])
    return np.where(before == 0, 0, (before - 1) * steps + 1), np.minimum(before * steps, counts)


def _ranges(
    least: NDArray[Any], most: NDArray[Any], counts: NDArray[Any], rank: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return between which places of each list a split is that has `rank` keys before it."""
    first, last = np.zeros_like(counts), counts.copy()
    inside = np.flatnonzero(most.sum(axis=1) <= rank)
    if len(inside):
        first = least[inside[-1]]
    beyond = np.flatnonzero(least.sum(axis=1) >= rank)
    if len(beyond):
        last = np.maximum(most[beyond[0]], first)
    return first, last


def splits_of(lists: Sequence[Array], wanted: Rows) -> list[NDArray[Any]]:
    """Return the first key in each sorted list of each part of their merged keys, and the ends."""
    samples = _sampled(lists)
    counts = np.array([each.count for each in samples])
    least, most = _bounds(samples)
    found: list[Any] = []
    for rank in np.cumsum(wanted)[:-1]:
        first, last = _ranges(least, most, counts, int(rank))
        between = [
            each[begin:end].copy().evaluate() if begin < end else None
            for each, begin, end in zip(lists, first.tolist(), last.tolist(), strict=True)
        ]
        found.append((int(rank), first, between))
    splits = [np.zeros_like(counts)]
    for rank, first, between in found:
        keys = [np.empty(0, lists[0].dtype) if each is None else each.numpy() for each in between]
        owners, _ = _merged_order(keys)
        taken = np.bincount(owners[: rank - int(first.sum())], minlength=len(lists))
        splits.append(first + taken)
    return [*splits, counts]


def _sorted_globally(
    x: GroupArray, lists: Sequence[Sorted], wanted: Rows, order: Sequence[int]
) -> list[Sorted]:
    """Merge lists, which are sorted, on devices in the order of their places."""
    group = x._group
    splits = splits_of([each.keys for each in lists], wanted)
    moves, received = Moves(group), []
    for place, device in enumerate(order):
        pieces = []
        for at, (source, each) in enumerate(zip(order, lists, strict=True)):
            begin, end = (int(splits[place + more][at]) for more in (0, 1))
            if begin == end:
                continue
            if source == device:
                pieces.append(each.part(begin, end))
                continue
            own = []
            for array in each.arrays():
                target = blank(group[device], (end - begin,), array.dtype)
                moves.add([Run(source, array, begin, end - begin)], [Place(device, target, 0)])
                own.append(target)
            pieces.append(Sorted(*own))
        received.append(pieces)
    moves.submit()
    made: list[Sorted] = [lists[0]] * len(order)
    for device, pieces in zip(order, received, strict=True):
        made[device] = merged(group[device], pieces, like=lists[0])
    return made


def _flat(x: GroupArray, axis: int | None) -> GroupArray | None:
    """Return the rows to sort if they are numbers, and None if another axis is sorted."""
    if x._rows is None or x._dtype.kind == "c" or not x._shape:
        return None
    if len(x._shape) == 1:
        if axis is not None:
            normalized(axis, 1)
        return x
    if axis is not None:
        return None
    parts = [part.reshape((part.size,)) for part in x._parts]
    return GroupArray._of(x._group, parts, tuple(part.size for part in parts))


def _on_one(row: GroupArray) -> bool:
    """Return whether one device at most has elements."""
    return len([count for count in row._rows or () if count]) < 2


def _each(function: Function, row: GroupArray, *args: Any, **options: Any) -> GroupArray:
    """Return a function of the rows of each device."""
    parts = [function(part, 0, *args, **options) for part in row._parts]
    return GroupArray._of(row._group, parts, row._rows)


def sort(function: Function, x: Any, /, axis: int | None = -1, *args: Any, **options: Any) -> Any:
    """Sort rows of numbers across the devices; other axes as they are on one."""
    row = _flat(x, axis) if isinstance(x, GroupArray) else None
    if row is None:
        return along(function, x, axis, *args, **options)
    if _on_one(row):
        return _each(function, row, *args, **options)
    descending = bool(options.get("descending"))
    if row._dtype.kind == "b":
        flags: GroupArray = sort(function, row.astype(np.uint8), axis, *args, **options)
        return flags.astype(np.bool_)
    parts = [function(part, 0, *args, **options) if part.size else part for part in row._parts]
    lists = [Sorted(_turned(part, descending)) for part in parts]
    found = [each.keys for each in _in_order(row, lists, descending)]
    assert row._rows is not None
    return GroupArray._of(row._group, [_turned(each, descending) for each in found], row._rows)


def argsort(
    function: Function, x: Any, /, axis: int | None = -1, *args: Any, **options: Any
) -> Any:
    """Return the indices that sort rows of numbers across the devices."""
    from ..selection.searching import take

    row = _flat(x, axis) if isinstance(x, GroupArray) else None
    if row is None:
        return along(function, x, axis, *args, **options)
    if _on_one(row):
        return _each(function, row, *args, **options)
    descending = bool(options.get("descending"))
    assert row._rows is not None
    comparable = np.dtype(np.uint8) if row._dtype.kind == "b" else row._dtype
    kind = np.dtype(np.int32 if row._shape[0] < 2**31 else np.int64)  # half the bytes to move
    lists = []
    for part, start in zip(row._parts, exchange.offsets(row._rows), strict=True):
        if not part.size:
            lists.append(Sorted(converted(part, comparable), blank(part._manager, (0,), kind)))
            continue
        order = function(part, 0, *args, **options)
        keys = take(converted(part, comparable), order, 0)
        indices = (order + start).astype(kind)
        lists.append(Sorted(_turned(keys, descending), _turned(indices, descending)))
    found = [each.values for each in _in_order(row, lists, descending)]
    parts = [_turned(each, descending).astype(np.int64) for each in found if each is not None]
    return GroupArray._of(row._group, parts, row._rows)


def _turned(part: Array, descending: bool) -> Array:
    """Return descending elements in ascending order, and the other way: equal ones turn, too."""
    return part[::-1] if descending and part.size else part


def _in_order(x: GroupArray, lists: list[Sorted], descending: bool) -> list[Sorted]:
    """Return each device's part of all lists in ascending order; if descending, before it is
    reversed."""
    assert x._rows is not None
    devices = list(range(len(lists)))
    order = devices[::-1] if descending else devices
    return _sorted_globally(
        x, [lists[device] for device in order], tuple(x._rows[device] for device in order), order
    )


def unique(
    function: Function,
    x: Any,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return the different elements: sorted across the devices, each keeps the first of equal ones."""
    from ..selection import searching

    options = (return_index, return_inverse, return_counts)
    row = _flat(x, None) if isinstance(x, GroupArray) else None
    if row is None or any(options) or axis is not None or not equal_nan or not row.size:
        return everywhere(function, x, *options, axis, equal_nan=equal_nan, sorted=sorted)
    ordered = sort(searching.sort, row, 0)
    distinct = first_of_runs(ordered._parts)
    ends = [
        (part[:1].copy().evaluate(), part[-1:].copy().evaluate()) if part.size else None
        for part in distinct
    ]
    before: Any = None
    parts = []
    for part, end in zip(distinct, ends, strict=True):
        if end is not None:
            first, last = (each.numpy()[0] for each in end)
            if before is not None and (first == before or (first != first and before != before)):
                part = part[1:]
            before = last
        parts.append(part)
    return GroupArray._of(row._group, parts, tuple(part.shape[0] for part in parts))


def unique_values(function: Function, x: Any, /) -> Any:
    """Return the distinct elements; each NaN counts separately."""
    from ..selection import sets

    has_nans = not isinstance(x, GroupArray) or x._dtype.kind in "fc"
    return unique(sets.unique, x, equal_nan=not has_nans)


def searchsorted(
    function: Function, x: Any, values: Any, /, side: str = "left", sorter: Any = None
) -> Any:
    """Return positions in a sorted row: each device for its own values."""
    if not isinstance(values, GroupArray) or values._rows is None:
        return everywhere(function, x, values, side, sorter)
    group = values._group
    rows, orders = replicas(x, group), replicas(sorter, group)
    given = zip(rows, values._parts, orders, strict=True)
    parts = [function(row, part, side, order) for row, part, order in given]
    return GroupArray._of(group, parts, values._rows)

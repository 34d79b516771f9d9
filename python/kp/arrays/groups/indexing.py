# SPDX-License-Identifier: Apache-2.0
"""Indexing of a group's arrays: a key of rows becomes one key for each device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._kp import Tensor
from ..._wording import counted
from . import exchange, moves, selecting
from ..array import Array
from .exchange import Rows
from .array import GroupArray
from .placing import aligned, everywhere, replicas
from ..shapes.indexing import _expanded, _prepare, all_adjacent, require_mask, to_broadcast
from ..storage import Shape


def _entries(x: GroupArray, key: Any) -> list[Any]:
    """Return a key with an entry per axis."""

    def plain(part: Any) -> Any:
        if isinstance(part, GroupArray) and part.ndim == 0 and part.dtype.kind in "iu":
            return int(part)
        return part

    made = tuple(plain(part) for part in key) if isinstance(key, tuple) else plain(key)
    return _expanded(_prepare(made), len(x._shape))


def _is_array(entry: Any) -> bool:
    return isinstance(entry, (GroupArray, Array, np.ndarray)) and entry.ndim > 0


def _is_mask(entry: Any) -> bool:
    return _is_array(entry) and entry.dtype == np.bool_


def _has_array(entries: Sequence[Any]) -> bool:
    return len([entry for entry in entries if _is_array(entry)]) > 0


def _local_slices(key: slice, x: GroupArray) -> tuple[list[slice], Rows]:
    """Return the part of a slice that each device has, and its numbers of rows."""
    assert x._rows is not None
    start, stop, step = key.indices(x._shape[0])
    slices, rows = [], []
    for first, count in zip(exchange.offsets(x._rows), x._rows, strict=True):
        begin = start if start >= first else start + -(-(first - start) // step) * step
        end = sorted((begin, stop, first + count))[1] if begin < stop else begin
        chosen = range(begin, end, step) if begin < first + count else range(0)
        rows.append(len(chosen))
        slices.append(slice(begin - first, end - first, step) if len(chosen) else slice(0, 0))
    return slices, tuple(rows)


def _all_rows(rest: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a key of all rows and of the other axes."""
    return (slice(None), *rest)


def get(x: GroupArray, key: Any) -> GroupArray:
    """Return x[key]. Slices of rows in ascending order are views.

    Single rows are copies that keep their values. Writes to them go to x, too.
    """
    entries = _entries(x, key)
    group = x._group
    if x._rows is None:
        found = _of_replicas(x, tuple(entries))
        if x._source is not None:
            found._source = (x, tuple(entries))
        return found
    first: Any = entries[0] if entries else Ellipsis
    rest = tuple(entries[1:])
    if isinstance(first, slice) and first.indices(x._shape[0])[2] < 0 and not _has_array(rest):
        turned = moves.reversed_rows(x, first)
        return turned[_all_rows(rest)]._read_only() if rest else turned
    if isinstance(first, slice) and first.indices(x._shape[0])[2] > 0:
        if not _has_array(rest) or _stays_first(rest):
            slices, rows = _local_slices(first, x)
            keys = replicas(rest, group) if rest else ((),) * len(group)
            parts = [
                part[(own,) + tuple(each)]
                for part, own, each in zip(x._parts, slices, keys, strict=True)
            ]
            return GroupArray._of(group, parts, rows)
    if _is_mask(first) and not _has_array(rest):
        masks = _masks(first, x)
        chosen = None if rest else selecting.by_mask(x, masks)
        if chosen is not None:
            return chosen
        parts = [part[(mask,) + rest] for part, mask in zip(x._parts, masks, strict=True)]
        return GroupArray._of(group, parts, tuple(part.shape[0] for part in parts))
    if isinstance(first, (int, np.integer)) and not isinstance(first, bool):
        index = _row(int(first), x)
        owned = GroupArray._of(group, x._parts, x._rows)[index : index + 1].replicate()
        row = _of_replicas(owned, (0, *rest))._read_only()
        row._source = (x, tuple(entries))
        return row
    if _is_array(first) and first.dtype.kind in "iu" and not _has_array(rest):
        taken = moves.rows_at(x, first)
        if taken is not None:
            return taken[_all_rows(rest)] if rest else taken
    if _is_array(first) and not _has_array(rest):
        return _of_replicas(x.replicate(), tuple(entries))
    result: GroupArray = everywhere(_item, x, *entries)
    return result._read_only()


def _item(x: Array, *entries: Any) -> Array:
    return x[entries]


def _of_replicas(x: GroupArray, entries: tuple[Any, ...]) -> GroupArray:
    """Index copies: rows of the result are distributed like a first entry that is an array."""
    first = entries[0] if entries else None
    if isinstance(first, GroupArray) and first._rows is not None and not _is_mask(first):
        if not _has_array(entries[1:]):
            parts = [
                part[(own,) + entries[1:]] for part, own in zip(x._parts, first._parts, strict=True)
            ]
            return GroupArray._of(x._group, parts, first._rows)
    keys = replicas(entries, x._group) if entries else ((),) * len(x._group)
    parts = [part[key] for part, key in zip(x._parts, keys, strict=True)]
    return GroupArray._of(x._group, parts, None)


def _stays_first(rest: tuple[Any, ...]) -> bool:
    """Return whether the axes of index arrays come after the first axis, which is a slice."""
    places = [
        i for i, entry in enumerate(rest) if entry is not None and not isinstance(entry, slice)
    ]
    return all_adjacent(places)


def _row(index: int, x: GroupArray) -> int:
    extent = x._shape[0]
    if not -extent <= index < extent:
        raise IndexError(
            f"index {index} is out of bounds for axis 0 with {counted(extent, 'element')}"
        )
    return index % extent


def _masks(mask: Any, x: GroupArray) -> Sequence[Any]:
    wanted = x._shape[: mask.ndim]
    require_mask(tuple(mask.shape), wanted)
    if 0 in mask.shape:
        mask = np.zeros(wanted, np.bool_)
    return aligned(mask, wanted, x._rows, x._group)


def put(x: GroupArray, key: Any, value: Any) -> None:
    """Set x[key] to a value that broadcasts to it."""
    if x._source is not None:
        changed = x.copy()
        put(changed, key, value)
        write_back(x, changed)
        return
    entries = _entries(x, key)
    group = x._group
    if isinstance(value, (list, tuple)):
        value = np.asarray(value)
    if np.ndim(value) > 0 and not isinstance(value, Tensor):
        value = to_broadcast(value, _selected(x, entries))
    if x._rows is None:
        keys = replicas(tuple(entries), group) if entries else ((),) * len(group)
        values = replicas(value, group)
        for part, each, own in zip(x._parts, keys, values, strict=True):
            part[each] = own
        return
    first, rest = entries[0], tuple(entries[1:])
    if isinstance(first, (int, np.integer)) and not isinstance(first, bool):
        index = _row(int(first), x)
        for part, start, count, own, each in zip(
            x._parts,
            exchange.offsets(x._rows),
            x._rows,
            replicas(value, group),
            replicas(rest, group) if rest else ((),) * len(group),
            strict=True,
        ):
            if start <= index < start + count:
                part[(index - start,) + tuple(each)] = own
        return
    if isinstance(first, slice) and first.indices(x._shape[0])[2] > 0:
        if not _has_array(rest) or _stays_first(rest):
            slices, rows = _local_slices(first, x)
            shape = _selected(x, entries)
            _assign(x, slices, rest, aligned(value, shape, rows, group))
            return
    if _is_mask(first) and not _has_array(rest):
        masks = _masks(first, x)
        if np.ndim(value) == 0:
            _assign(x, masks, rest, replicas(value, group))
            return
        rows = tuple(int(mask.sum()) for mask in masks)
        tail = np.broadcast_to(False, (1, *x._shape[first.ndim :]))[(slice(None),) + rest].shape[1:]
        _assign(x, masks, rest, aligned(value, (sum(rows), *tail), rows, group))
        return
    if _is_array(first) and first.ndim == 1 and not _has_array(rest):
        _put_rows(x, np.asarray(first), rest, value)
        return
    raise IndexError(
        "this index cannot be assigned to an array of a group; assign to slices in ascending order, "
        "a mask or indices of rows"
    )


def write_back(x: GroupArray, values: GroupArray) -> None:
    """Set elements of which x has a copy, in the array that has them, and renew the copy."""
    assert x._source is not None
    source, index = x._source
    put(source, index, values)
    x._parts = get(source, index)._parts


def _selected(x: GroupArray, entries: Sequence[Any]) -> Shape:
    """Return the shape of x[entries]."""
    plain = tuple(
        np.asarray(entry) if isinstance(entry, (GroupArray, Array)) else entry for entry in entries
    )
    shape: Shape = np.broadcast_to(False, x._shape)[plain].shape
    return shape


def _assign(x: GroupArray, own: Sequence[Any], rest: tuple[Any, ...], values: Any) -> None:
    keys = replicas(rest, x._group) if rest else ((),) * len(x._group)
    for part, first, each, value in zip(x._parts, own, keys, values, strict=True):
        if part.size:
            part[(first,) + tuple(each)] = value


def _put_rows(x: GroupArray, index: Any, rest: tuple[Any, ...], value: Any) -> None:
    """Set rows by their indices, on each device its own."""
    assert x._rows is not None
    extent = x._shape[0]
    if index.size and not (-extent <= index.min() and index.max() < extent):
        wrong = index[(index < -extent) | (index >= extent)][0]
        raise IndexError(
            f"index {wrong} is out of bounds for axis 0 with {counted(extent, 'element')}"
        )
    index = index % extent if extent else index
    shape = _selected(x, [index, *rest])
    by_row = np.ndim(value) == len(shape) and np.shape(value)[0] == shape[0]
    starts = exchange.offsets(x._rows)
    for part, start, count, own in zip(
        x._parts, starts, x._rows, replicas(value, x._group), strict=True
    ):
        mine = np.flatnonzero((index >= start) & (index < start + count))
        if len(mine):
            chosen = np.asarray(own)[mine] if by_row and not isinstance(own, Array) else own
            chosen = own[mine] if by_row and isinstance(own, Array) else chosen
            part[(index[mine] - start,) + rest] = chosen

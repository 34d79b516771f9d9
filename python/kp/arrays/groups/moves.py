# SPDX-License-Identifier: Apache-2.0
"""Functions that move the rows of a group's arrays: only rows that change their device cross."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._axes import normalized, normalized_axes
from ..array import Array
from ..storage import blank
from . import exchange
from .array import GroupArray
from .exchange import Rows, Run
from .placing import Function, aligned, everywhere, joined, replicas, rows_of


#: Of so many rows, one is taken at most, for its index to cross rather than the rows.
_FEW = 4


def _shared(x: Any) -> bool:
    return isinstance(x, GroupArray) and x._rows is not None


def _of_runs(x: GroupArray, runs: Sequence[Run], wanted: Rows) -> GroupArray:
    parts = exchange.assembled(x._group, runs, wanted, x._shape[1:], x._dtype)
    return GroupArray._of(x._group, parts, wanted)


def concatenate(
    function: Function, arrays: Sequence[Any], /, axis: Any = 0, out: None = None, **options: Any
) -> Any:
    """Join arrays: along the first axis, their rows are shared evenly."""
    first = next(each for each in arrays if isinstance(each, GroupArray))
    group = first._group
    if axis is None or not first._shape:
        return everywhere(function, arrays, axis=axis, **options)
    if normalized(axis, len(first._shape)) != 0:
        rows = rows_of(arrays, first._shape)
        parts = [aligned(each, first._shape, rows, group) for each in arrays]
        results = [function(list(each), axis=axis, **options) for each in zip(*parts, strict=True)]
        return joined(group, results, rows)
    if [each for each in arrays if not _shared(each) or each._group is not group]:
        return everywhere(function, arrays, axis=axis, **options)
    # The checks of one device, and the dtype of the result.
    empty = function([each._parts[0][:0] for each in arrays], axis=0, **options)
    runs: list[Run] = []
    for each in arrays:
        runs += exchange.runs_of([part.astype(empty.dtype, copy=False) for part in each._parts])
    wanted = exchange.even_rows(sum(each._shape[0] for each in arrays), len(group))
    made = exchange.assembled(group, runs, wanted, empty.shape[1:], empty.dtype)
    return GroupArray._of(group, made, wanted)


def flip(function: Function, x: Any, /, axis: Any = None, out: None = None) -> Any:
    """Reverse the order of elements: of rows, also the order of the devices."""
    axes = normalized_axes(tuple(axis) if np.iterable(axis) else axis, len(x._shape))
    parts = [function(part, axis=axes) if part.size else part for part in x._parts]
    if x._rows is None or 0 not in axes:
        return GroupArray._of(x._group, parts, x._rows)
    return _reversed(x, parts)._read_only()


def _reversed(x: GroupArray, parts: Sequence[Array]) -> GroupArray:
    """Return parts in the reverse order of the devices, with as many rows on each as x has."""
    assert x._rows is not None
    runs = exchange.runs_of(parts, range(len(parts) - 1, -1, -1))
    return _of_runs(x, runs, x._rows)


def reversed_rows(x: GroupArray, key: slice) -> GroupArray:
    """Return x[key] for a slice with a negative step."""
    start, stop, step = key.indices(x._shape[0])
    rows = range(start, stop, step)
    chosen = x[rows[-1] : rows[0] + 1 : -step] if len(rows) else x[:0]
    parts = [part[::-1] if part.size else part for part in chosen._parts]
    return _reversed(chosen, parts)._read_only()


def roll(function: Function, x: Any, /, shift: Any, axis: Any = None) -> Any:
    """Move elements along axes: along the first one, rows to the next devices."""
    from ..shapes.manipulation import reshape

    if not _shared(x):
        return everywhere(function, x, shift, axis)
    if axis is None:
        if len(x._shape) != 1:
            flat = _called(reshape, x, (-1,) if x.size else (0,))
            return _called(reshape, roll(function, flat, shift, 0), x._shape)
        axis = 0
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    shifts = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(axes) != len(shifts):
        raise ValueError("shift and axis have different lengths")
    result = x
    for by, each in zip(shifts, axes, strict=True):
        place = normalized(each, len(x._shape))
        if place:
            parts = [function(part, by, place) if part.size else part for part in result._parts]
            result = GroupArray._of(x._group, parts, x._rows)
        elif x._shape[0] and by % x._shape[0]:
            result = _of_runs(x, _turned(result, by % x._shape[0]), x._rows)
    return result.copy() if result is x else result


def _turned(x: GroupArray, by: int) -> list[Run]:
    """Return the rows of x, the last `by` of them first."""
    assert x._rows is not None
    split = x._shape[0] - by
    before, after = [], []
    starts = exchange.offsets(x._rows)
    for run, start in zip(exchange.runs_of(x._parts), starts, strict=True):
        own = min(max(split - start, 0), run.rows)
        before.append(Run(run.device, run.part, 0, own))
        after.append(Run(run.device, run.part, own, run.rows - own))
    return after + before


def _called(function: Function, *args: Any) -> Any:
    from .functions import takes_groups

    return takes_groups(function)(*args)


def take(
    function: Function,
    x: Any,
    /,
    indices: Any,
    axis: Any = None,
    out: None = None,
    mode: str = "raise",
) -> Any:
    """Take elements or slices: of rows, each device its own; the others are sent to it.

    Fewer indices than rows cross as indices, and the rows that they choose come back.
    """
    if axis is None and isinstance(x, GroupArray) and len(x._shape) == 1:
        axis = 0
    if not _shared(x) or axis is None or not np.ndim(indices):
        return everywhere(function, x, indices, axis, mode=mode)
    if normalized(axis, len(x._shape)) != 0:
        given = replicas(indices, x._group)
        pairs = zip(x._parts, given, strict=True)
        parts = [function(part, index, axis, mode=mode) for part, index in pairs]
        return GroupArray._of(x._group, parts, x._rows)
    index: Any = indices if hasattr(indices, "dtype") else np.asarray(indices)
    if index.dtype.kind not in "iu" or not index.shape[0]:
        return everywhere(function, x, indices, axis, mode=mode)
    found = rows_at(x, index, mode)
    if found is not None:
        return found
    rows = index._rows if _shared(index) else None
    rows = rows or exchange.even_rows(int(index.shape[0]), len(x._group))
    own = aligned(index, tuple(index.shape), rows, x._group)
    pairs = zip(x._replicas(), own, strict=True)
    parts = [function(whole, each, axis, mode=mode) for whole, each in pairs]
    return GroupArray._of(x._group, parts, rows)


def rows_at(x: GroupArray, indices: Any, mode: str = "raise") -> GroupArray | None:
    """Return the rows at indices, unless these are so many that all rows had better cross: then None."""
    index = indices if hasattr(indices, "dtype") else np.asarray(indices)
    if index.dtype.kind not in "iu" or index.ndim != 1 or not index.shape[0]:
        return None
    if _FEW * index.shape[0] > x._shape[0]:
        return None
    return _taken_by_owners(x, index, mode)


def _taken_by_owners(x: GroupArray, indices: Any, mode: str) -> GroupArray:
    """Take rows: each device its own, which are then sent to their place in the result."""
    from ..elementwise import as_array, where
    from ..selection.searching import take as taken

    group, rows, extent = x._group, x._rows, x._shape[0]
    assert rows is not None
    columns = tuple(1 for _ in x._shape[1:])
    wanted = indices._rows if _shared(indices) else None
    wanted = wanted or exchange.even_rows(int(np.shape(indices)[0]), len(group))
    given = [
        as_array(each, manager).astype(np.int64)
        for each, manager in zip(replicas(indices, group), group, strict=True)
    ]
    if mode == "raise":
        given = _checked(given, extent)
    else:
        given = [_moded(each, extent, mode) for each in given]
    starts, chosen = exchange.offsets(rows), []
    for part, each, start, own in zip(x._parts, given, starts, rows, strict=True):
        here = where((each >= start) & (each < start + own), each - start, 0)
        chosen.append(taken(part, here, 0) if own else None)
    moves, received = exchange.Moves(group), []
    for device, (first, count) in enumerate(zip(exchange.offsets(wanted), wanted, strict=True)):
        pieces: list[Any] = []
        for source, found in enumerate(chosen):
            if found is None:
                pieces.append(None)
            elif source == device:
                pieces.append(found[first : first + count])
            else:
                target = blank(group[device], (count, *x._shape[1:]), x._dtype)
                if target.size:
                    run = Run(source, found, first, count)
                    moves.add([run], [exchange.Place(device, target, 0)])
                pieces.append(target)
        received.append(pieces)
    moves.submit()
    parts = []
    for device, (first, count) in enumerate(zip(exchange.offsets(wanted), wanted, strict=True)):
        index = given[device][first : first + count]
        result: Any = None
        for piece, start in zip(received[device], starts, strict=True):
            if piece is not None:
                later = (index >= start).reshape((count, *columns))
                result = piece if result is None else where(later, piece, result)
        parts.append(result)
    return GroupArray._of(group, parts, wanted)


def _moded(index: Array, extent: int, mode: str) -> Array:
    """Return indices of rows by a mode of numpy.take."""
    from ..derived import clip

    if mode not in ("wrap", "clip"):
        raise ValueError(f"mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    return index % extent if mode == "wrap" else clip(index, 0, extent - 1)


def _checked(indices: Sequence[Array], extent: int) -> list[Array]:
    """Return indices counted from the front. Raises IndexError if one is not within the rows."""
    from ..elementwise import where
    from ..reducing.reductions import max, min

    first = indices[0]
    least, most = min(first).evaluate(), max(first).evaluate()
    low, high = int(least), int(most)
    if low < -extent or high >= extent:
        wrong = low if low < -extent else high
        raise IndexError(
            f"index {wrong} is out of bounds for axis 0 with {extent} element{'s' * (extent != 1)}"
        )
    if low >= 0:
        return list(indices)
    return [where(each < 0, each + extent, each) for each in indices]

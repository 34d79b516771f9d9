# SPDX-License-Identifier: Apache-2.0
"""Arrays built from others: stacked along an axis, split into parts, with elements added or
removed."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike

from ... import _kp
from ..._axes import normalized
from ..._kp import OpConcatenate, Tensor
from ..._wording import counted, kind_of
from ..array import Array, converted
from ..elementwise import as_array, fitting, into, manager_of, result_dtype
from ..groups.traits import by_rows
from ..operands import in_tensors, operand, written
from ..selection.searching import flatnonzero, take
from ..tensors import in_kind
from ..types import number
from .manipulation import (
    broadcast_to,
    expand_dims,
    given,
    moveaxis,
    ravel,
    reshape,
)

__all__ = [
    "append",
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "delete",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "insert",
    "split",
    "stack",
    "trim_zeros",
    "unstack",
    "vsplit",
    "vstack",
]

Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


def _one_dtype(parts: Any, /, *_: Any, **__: Any) -> None:
    """Refuse tensors of several dtypes."""
    for part in parts:
        if part.dtype != parts[0].dtype:
            raise TypeError(
                f"kp.concatenate takes tensors of one dtype, but there are '{parts[0].dtype}' and "
                f"'{part.dtype}'"
            )


def _all_tensors(args: tuple[Any, ...]) -> bool:
    parts = args[0] if args else None
    if not isinstance(parts, (list, tuple)) or not parts:
        return False
    return {isinstance(each, Tensor) for each in parts} == {True}


@in_kind(moves=True, decides=_all_tensors, arrays_only=("dtype",), check=_one_dtype, strict=False)
@by_rows("moves.concatenate")
def concatenate(
    parts: Sequence[Any],
    /,
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> Array:
    """Return tensors or arrays joined along an axis, or with `axis` None all of their elements.

    Arrays are converted to `dtype`, by default the one that holds all of their elements. `casting`
    is as in numpy.can_cast.
    """
    _require_several("concat", parts)
    manager = manager_of(*parts)
    arrays = [as_array(each, manager) for each in parts]
    if axis is None:
        arrays = [ravel(each) for each in arrays]
        axis = 0
    first = arrays[0]
    if first.ndim == 0:
        raise ValueError("arrays without axes cannot be joined; use stack")
    place = normalized(axis, first.ndim)
    kinds = {each._dtype for each in arrays}
    if dtype is not None:
        kind = number(dtype).dtype
    else:
        kind = first._dtype if len(kinds) == 1 else result_dtype(*kinds, manager=manager)
    for each in arrays:
        if each._dtype != kind and not np.can_cast(each._dtype, kind, casting):
            raise TypeError(
                f"an array of {each._dtype} does not become {kind} by the rule {casting!r}; use astype()"
            )
        rest = [e for i, e in enumerate(each.shape) if i != place]
        wanted = [e for i, e in enumerate(first.shape) if i != place]
        if each.ndim != first.ndim or rest != wanted:
            raise ValueError(
                f"arrays that are joined along axis {axis} have the same other extents, but there are the "
                f"shapes {first.shape} and {each.shape}"
            )
    if in_tensors():
        shape = list(first.shape)
        shape[place] = sum(each.shape[place] for each in arrays)
        parts = [operand(each, each.shape) for each in arrays if each.size]
        return written(
            out, first, tuple(shape), kind, lambda memory: OpConcatenate(parts, memory, axis=place)
        )
    return into(out, _kp._joined([converted(each, kind) for each in arrays], place))


concat = concatenate


def _require_several(name: str, arrays: Any) -> None:
    if not isinstance(arrays, (list, tuple)) and np.ndim(arrays) == 0:
        raise TypeError(f"{name} takes a sequence of arrays, not {kind_of(arrays)}")
    if len(arrays) == 0:
        raise ValueError(f"{name} needs at least one array")


def stack(
    arrays: Sequence[Any],
    /,
    axis: int = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> Array:
    """Return arrays of one shape joined along a new axis. See concat()."""
    _require_several("stack", arrays)
    manager = manager_of(*arrays)
    parts = [expand_dims(as_array(each, manager), axis=axis) for each in arrays]
    joined = concatenate(parts, axis, dtype=dtype, casting=casting)
    return into(out, joined)


@by_rows(view=True)
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Return views of the parts along an axis."""
    array = moveaxis(x, axis, 0)
    return tuple(array[i] for i in range(array.shape[0]))


#: Parts that are joined one by one; elements of more are picked by their indices.
_MOST_PARTS = 16


def _each(arrays: tuple[Any, ...], function: Any) -> Any:
    """Return the function's result for one array, or a tuple for several."""
    made = tuple(function(given(each)) for each in arrays)
    return made[0] if len(made) == 1 else made


@overload
def atleast_1d(x: Any, /) -> Array: ...
@overload
def atleast_1d(x1: Any, x2: Any, /, *arrays: Any) -> tuple[Array, ...]: ...
@by_rows(view=True)
def atleast_1d(*arrays: Any) -> Any:
    """Return views with at least one axis: an array, or a tuple of several."""
    return _each(arrays, lambda x: x if x.ndim else reshape(x, (1,)))


@overload
def atleast_2d(x: Any, /) -> Array: ...
@overload
def atleast_2d(x1: Any, x2: Any, /, *arrays: Any) -> tuple[Array, ...]: ...
@by_rows(view=True)
def atleast_2d(*arrays: Any) -> Any:
    """Return views with at least two axes, new ones in front: an array, or a tuple of several."""
    return _each(arrays, lambda x: x if x.ndim > 1 else reshape(x, (1, x.size)))


@overload
def atleast_3d(x: Any, /) -> Array: ...
@overload
def atleast_3d(x1: Any, x2: Any, /, *arrays: Any) -> tuple[Array, ...]: ...
@by_rows(view=True)
def atleast_3d(*arrays: Any) -> Any:
    """Return views with at least three axes: vectors as (1, n, 1), matrices as (m, n, 1)."""

    def wide(x: Array) -> Array:
        if x.ndim > 2:
            return x
        return expand_dims(x, axis=2) if x.ndim == 2 else reshape(x, (1, x.size, 1))

    return _each(arrays, wide)


def _parts(arrays: Sequence[Any], name: str) -> list[Array]:
    if isinstance(arrays, Array):
        return [arrays[i] for i in range(arrays.shape[0])]
    parts = list(arrays)
    if not parts:
        raise ValueError(f"{name} needs at least one array")
    manager = manager_of(*parts)
    return [as_array(each, manager) for each in parts]


def vstack(
    tup: Sequence[Any], *, dtype: DTypeLike | None = None, casting: Casting = "same_kind"
) -> Array:
    """Return arrays joined along the first axis; vectors are rows. See concat()."""
    parts = [atleast_2d(each) for each in _parts(tup, "vstack")]
    return concat(parts, axis=0, dtype=dtype, casting=casting)


def hstack(
    tup: Sequence[Any], *, dtype: DTypeLike | None = None, casting: Casting = "same_kind"
) -> Array:
    """Return arrays joined along the second axis; vectors along their only one. See concat()."""
    parts = [atleast_1d(each) for each in _parts(tup, "hstack")]
    axis = 0 if parts[0].ndim == 1 else 1
    return concat(parts, axis=axis, dtype=dtype, casting=casting)


def dstack(tup: Sequence[Any]) -> Array:
    """Return arrays joined along the third axis."""
    return concat([atleast_3d(each) for each in _parts(tup, "dstack")], axis=2)


def column_stack(tup: Sequence[Any]) -> Array:
    """Return vectors as the columns of a matrix, joined with matrices."""
    parts = _parts(tup, "column_stack")
    columns = [part if part.ndim > 1 else reshape(part, (part.size, 1)) for part in parts]
    return concat(columns, axis=1)


def block(arrays: Any) -> Array:
    """Return an array of nested lists of blocks: blocks of the innermost lists are side by side."""

    def depth_of(x: Any) -> int:
        if not isinstance(x, list):
            return 0
        depths = {depth_of(each) for each in x}
        if len(depths) != 1:
            raise ValueError("the lists of blocks are empty or of different depths")
        return depths.pop() + 1

    def leaves(x: Any) -> list[Any]:
        return [leaf for each in x for leaf in leaves(each)] if isinstance(x, list) else [x]

    depth = depth_of(arrays)
    manager = manager_of(*leaves(arrays))
    ndim = sorted((depth, *[np.ndim(each) for each in leaves(arrays)]))[-1]

    def joined(x: Any, level: int) -> Array:
        if level == depth:
            part = as_array(x, manager)
            return reshape(part, (1,) * (ndim - part.ndim) + part.shape)
        return concat([joined(each, level + 1) for each in x], axis=level - depth)

    result = joined(arrays, 0)
    return result.copy() if depth == 0 else result


# --- parts ----------------------------------------------------------------------------------------


@by_rows(view=True)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Return views of parts along an axis: a number of nearly equal ones, or cut at indices."""
    array = given(ary)
    place = normalized(axis, array.ndim)
    extent = array.shape[place]
    try:
        count = operator.index(indices_or_sections)
    except TypeError:
        cuts = [0, *[operator.index(each) for each in indices_or_sections], extent]
    else:
        if count < 1:
            raise ValueError(f"an array is split into at least 1 part, not {count}")
        size, more = divmod(extent, count)
        cuts = [i * size + (i if i < more else more) for i in range(count + 1)]
    before = (slice(None),) * place
    return [array[before + (slice(a, b),)] for a, b in zip(cuts[:-1], cuts[1:], strict=True)]


@by_rows(view=True)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Return views of parts along an axis: a number of equal ones, or cut at indices."""
    array = given(ary)
    extent = array.shape[normalized(axis, array.ndim)]
    if isinstance(indices_or_sections, (int, np.integer)) and indices_or_sections > 0:
        if extent % indices_or_sections:
            raise ValueError(
                f"{extent} elements along axis {axis} are not {indices_or_sections} equal parts; "
                "array_split allows parts of different sizes"
            )
    return array_split(array, indices_or_sections, axis)


def _split_along(name: str, ary: Any, where: Any, axis: int, least: int) -> list[Array]:
    array = given(ary)
    if array.ndim < least:
        raise ValueError(f"{name} takes arrays of {least} or more axes, not {array.ndim}")
    return split(array, where, axis)


@by_rows(view=True)
def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Return views of parts along the second axis; of a vector, along its only one."""
    array = given(ary)
    return _split_along("hsplit", array, indices_or_sections, int(array.ndim > 1), 1)


@by_rows(view=True)
def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Return views of parts along the first axis."""
    return _split_along("vsplit", ary, indices_or_sections, 0, 2)


@by_rows(view=True)
def dsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Return views of parts along the third axis."""
    return _split_along("dsplit", ary, indices_or_sections, 2, 3)


# --- elements added and removed -------------------------------------------------------------------


def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """Return a copy with values behind the elements along an axis; without an axis, both flat."""
    return concat([arr, values], axis=axis)


def _places(obj: Any, extent: int) -> Any:
    """Return few integer indices, counted from the front; None if NumPy must interpret them."""
    places = np.arange(*obj.indices(extent)) if isinstance(obj, slice) else np.asarray(obj)
    if places.dtype.kind not in "iu" or places.ndim > 1:
        return None
    counted_back = np.atleast_1d(np.where(places < 0, places + extent, places))
    return counted_back if ((counted_back >= 0) & (counted_back <= extent)).all() else None


def _gaps(array: Array, place: int, removed: Any) -> list[Array] | None:
    """Return the parts of an array before, between and behind sorted indices; None if many."""
    starts = np.concatenate([[0], removed + 1])
    ends = np.concatenate([removed, [array.shape[place]]])
    wanted = np.flatnonzero(starts < ends)
    if len(wanted) > _MOST_PARTS:
        return None
    before: tuple[Any, ...] = (slice(None),) * place
    return [array[before + (slice(int(starts[i]), int(ends[i])),)] for i in wanted]


def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """Return a copy without the elements at indices, in a slice or marked along an axis."""
    array, place = _along(arr, axis)
    extent = array.shape[place]
    obj = _host_indices(obj)
    removed = _places(obj, extent)
    if removed is not None and (removed < extent).all():
        parts = _gaps(array, place, np.unique(removed))
        if parts:
            return concat(parts, axis=place)
    return take(array, np.delete(np.arange(extent), obj), axis=place)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Array:
    """Return a copy with values inserted before indices along an axis, converted to its dtype."""
    array, place = _along(arr, axis)
    extent = array.shape[place]
    obj = _host_indices(obj)
    where = np.arange(*obj.indices(extent)) if isinstance(obj, slice) else np.asarray(obj)
    if where.dtype == np.bool_:
        where = np.flatnonzero(where)
    before, behind = array.shape[:place], array.shape[place + 1 :]
    if isinstance(values, (int, float)):
        count, held = where.size, np.asarray(values, array._dtype).item()
        new = _kp._filled(array._manager, (*before, count, *behind), (held, array._dtype))
    else:
        new = fitting(values, array)
        new = reshape(new, (1,) * (array.ndim - new.ndim) + new.shape)
        if where.ndim == 0:
            new = moveaxis(new, 0, place)
        count = where.size if where.size > 1 else new.shape[place] * where.size
        new = broadcast_to(new, (*before, count, *behind))
    places = _places(where, extent)
    if where.size == 1 and places is not None:
        front: tuple[Any, ...] = (slice(None),) * place
        at = int(places[0])
        parts = [array[front + (slice(at),)], new, array[front + (slice(at, None),)]]
        return concat([part for part in parts if part.shape[place]] or [new], axis=place)
    added = np.arange(extent, extent + count)
    order = np.insert(np.arange(extent), where.astype(np.intp), added)
    return take(concat([array, new], axis=place), order, axis=place)


def trim_zeros(filt: Any, trim: str = "fb") -> Array:
    """Return a view of a vector without the zeros at its front ("f") and back ("b").

    Waits for the device.
    """
    array = given(filt)
    if array.ndim != 1:
        raise ValueError(
            f"trim_zeros takes a vector, not an array of {counted(array.ndim, 'axis')}"
        )
    ends = trim.lower()
    if not set(ends) <= {"f", "b"}:
        raise ValueError(f"trim is made of 'f' and 'b', not {trim!r}")
    found = flatnonzero(array)
    if not found.size:
        return array[:0] if ends else array
    start = int(found[0]) if "f" in ends else 0
    stop = int(found[-1]) + 1 if "b" in ends else array.size
    return array[start:stop]


def _along(arr: Any, axis: int | None) -> tuple[Array, int]:
    array = given(arr)
    if axis is None:
        return ravel(array), 0
    return array, normalized(axis, array.ndim)


def _host_indices(obj: Any) -> Any:
    return obj.numpy() if isinstance(obj, Array) else obj

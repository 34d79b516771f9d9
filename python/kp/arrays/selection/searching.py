# SPDX-License-Identifier: Apache-2.0
"""Sorting, searching and selecting."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ... import _kp
from ..._axes import normalized
from ..._kp import OpArgSort, OpSearchSorted, OpSort
from ..._wording import counted
from ..array import Array, converted
from ..derived import clip
from ..elementwise import apply, as_array, into, manager_of, result_dtype
from ..groups.traits import by_rows
from ..operands import computed_type, in_tensors, operand, written
from ..shapes.manipulation import given, ravel, reshape, squeeze
from ..tensors import in_kind, of_one_dtype

__all__ = [
    "argpartition",
    "argsort",
    "argwhere",
    "flatnonzero",
    "lexsort",
    "nonzero",
    "partition",
    "searchsorted",
    "sort",
    "take",
    "take_along_axis",
]


def _no_order(x: Array) -> None:
    if x._dtype.kind == "c":
        raise TypeError("complex numbers have no order, so they cannot be sorted")


def _check_order(kind: str | None, order: None) -> None:
    """Raise ValueError unless all orders that NumPy's arguments allow are ours."""
    if kind not in (None, "stable", "quicksort", "mergesort", "heapsort"):
        raise ValueError(
            f"kind is None, 'stable', 'quicksort', 'mergesort' or 'heapsort', not {kind!r}"
        )
    if order is not None:
        raise ValueError(f"order names fields, and arrays here have none; leave out {order!r}")


def as_indices(result: Array, out: Any) -> Array:
    """Return indices, stored in an array of integers if the caller gave one."""
    return into(out, converted(result, computed_type(out, result._dtype)))


@in_kind()
@by_rows("sorting.sort")
def sort(
    x: Any,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    out: Array | None = None,
    stable: bool | None = True,
) -> Array:
    """Return a sorted copy, along the last axis (arrays: any), or with `axis` None of all elements.

    NaNs are the largest elements, so they are first if `descending`. -0 is before +0; NumPy, to which
    they are equal, keeps their order. Every sort is stable, regardless of `kind` and `stable`.
    `order` must be None.
    """
    _check_order(kind, order)
    array = given(x)
    _no_order(array)
    if axis is not None:
        normalized(axis, array.ndim)
    if array.size == 0:
        return into(out, ravel(array).copy() if axis is None else array.copy())
    if axis is None or array.ndim == 0:
        array, axis = ravel(array), 0
    if in_tensors():  # into the memory of the tensor
        source = operand(array, array.shape)
        return written(
            out,
            array,
            array.shape,
            array._dtype,
            lambda memory: OpSort(source, axis=axis, descending=descending, sorted_keys=memory),
        )
    return into(out, _kp._sort(array, axis, descending))


@in_kind()
@by_rows("sorting.argsort")
def argsort(
    x: Any,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    out: Array | None = None,
    stable: bool | None = True,
) -> Array:
    """Return the indices (int64) that sort the elements, in a stable way. See sort()."""
    _check_order(kind, order)
    array = given(x)
    _no_order(array)
    if array.ndim == 0:
        array = reshape(array, (1,))  # as NumPy does
    if axis is not None:
        normalized(axis, array.ndim)
    if array.size == 0:
        empty = ravel(array) if axis is None else array
        return as_indices(apply("multiply", converted(empty, np.dtype(np.int64)), 0), out)
    if axis is None:
        array, axis = ravel(array), 0
    if in_tensors():
        source = operand(array, array.shape)
        return written(
            out,
            array,
            array.shape,
            computed_type(out, np.dtype(np.int64)),
            lambda memory: OpArgSort(
                source, memory, axis=axis, descending=descending, equal_zeros=True
            ),
        )
    return as_indices(_kp._argsort(array, axis, descending), out)


def lexsort(keys: Any, axis: int = -1) -> Array:
    """Return the indices (int64) that sort by several keys along an axis, by the last one first."""
    rows = [given(each) for each in keys]
    if not rows:
        raise ValueError("lexsort needs at least one key")
    if len({each.shape for each in rows}) != 1:
        raise ValueError(f"keys have one shape, not {', '.join(str(e.shape) for e in rows)}")
    order = argsort(rows[0], axis=axis)
    for each in rows[1:]:
        again = argsort(take_along_axis(each, order, axis), axis=axis)
        order = take_along_axis(order, again, axis)
    return order


def partition(x: Any, /, kth: Any, axis: int | None = -1) -> Array:
    """Return sort(x, axis): numpy.partition allows any order of the parts; here they are sorted."""
    _check_kth(given(x), kth, axis)
    return sort(x, axis)


def argpartition(x: Any, /, kth: Any, axis: int | None = -1) -> Array:
    """Return argsort(x, axis): numpy.argpartition allows any order of the parts; here they are
    sorted."""
    _check_kth(given(x), kth, axis)
    return argsort(x, axis)


def _check_kth(x: Array, kth: Any, axis: int | None) -> None:
    extent = x.size if axis is None else x.shape[normalized(axis, x.ndim)]
    for each in np.ravel(kth.numpy() if isinstance(kth, Array) else kth):
        if not -extent <= operator.index(each) < extent:
            raise ValueError(f"kth is {each}, but the axis has {counted(extent, 'element')}")


def ordered_dtype(array: Array) -> Array:
    """Return numbers that GLSL can compare: flags become 0 and 1."""
    return converted(array, np.dtype(np.uint8)) if array._dtype.kind == "b" else array


@by_rows("selecting.nonzero")
def nonzero(x: Any, /) -> tuple[Array, ...]:
    """Return the indices (int64) of the elements that are not 0, one array per axis."""
    array = given(x)
    if array.ndim == 0:
        raise ValueError("nonzero needs an array with axes; reshape it to one element first")
    found: tuple[Array, ...] = _kp._nonzero(array)
    return found


@in_kind()
@by_rows("selecting.nonzero")
def flatnonzero(x: Any, /) -> Array:
    """Return the indices (int64) of the flat elements that are not 0."""
    return _kp._flatnonzero(given(x))


def argwhere(x: Any, /) -> Array:
    """Return the indices of the elements that are not 0, a row for each."""
    from ..shapes.joining import stack

    return stack(nonzero(x), axis=1)


def _takes_numbers(
    x: Any, /, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise"
) -> None:
    """Refuse masks and numbers with fractions as indices of tensors."""
    kind = indices.dtype if hasattr(indices, "dtype") else np.asarray(indices).dtype
    if kind.kind not in "iu" and np.size(indices):
        raise TypeError(f"kp.take takes indices of an integer type, not of '{kind}'")


@in_kind(moves=True, arrays_only=("mode",), check=_takes_numbers)
@by_rows("moves.take")
def take(
    x: Any, /, indices: Any, axis: int | None = None, out: Array | None = None, mode: str = "raise"
) -> Array:
    """Return the elements, or slices along an axis, with given indices.

    Without an axis, indices refer to the flat elements. The result has the shape of the indices
    in place of that axis. Negative indices count from the end. Others raise IndexError, for which
    the call waits. For arrays, `mode` "wrap" wraps them around, and "clip" takes the nearest
    element (the first for negative ones).
    """
    array = given(x)
    if mode != "raise":
        indices = _moded(array, indices, axis, mode)
        if isinstance(indices, Array) and indices.ndim and (axis is None or array.ndim == 1):
            return into(out, take_within(ravel(array), indices))
    return into(out, _taken(array, indices, axis))


def _taken(array: Array, indices: Any, axis: int | None) -> Array:
    if axis is None:
        if array.ndim != 1:
            array = ravel(array)
        axis = 0
    place = normalized(axis, array.ndim)
    index = indices if isinstance(indices, Array) else np.asarray(indices)
    if isinstance(index, np.ndarray) and index.size == 0:
        index = index.astype(np.int64)
    if index.ndim == 0:
        one = _taken(array, reshape(as_array(index, array._manager), (1,)), place)
        return squeeze(one, axis=place)
    if isinstance(index, Array) and index._dtype.kind in "iu":
        return _kp._take_of_axis(array, index, place)
    key = (slice(None),) * place + (index,)
    found: Array = array[key]
    return found


def take_within(row: Array, index: Array) -> Array:
    """Return the elements of a row at indices that are known to be within it: as an expression."""
    view = row.evaluate()
    still = view._strided(view._offset, index.shape, (0,) * index.ndim)
    return _kp._take(still, [index], ((row.size, view._strides[0], -1),))


def _moded(x: Array, indices: Any, axis: int | None, mode: str) -> Any:
    """Return indices into an axis by a mode of numpy.take."""
    if mode not in ("wrap", "clip"):
        raise ValueError(f"mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    index = as_array(indices, x._manager)
    if index._dtype.kind not in "iu":
        raise TypeError(f"indices are integers, not {index._dtype}")
    extent = x.size if axis is None else x.shape[normalized(axis, x.ndim)]
    if not extent:
        if index.size:
            raise IndexError("there is no element to take from an empty axis")
        return index
    if mode == "wrap":
        return apply("remainder", index, extent)
    return clip(index, 0, extent - 1)


def take_along_axis(x: Any, /, indices: Any, axis: int = -1) -> Array:
    """Return the elements at indices along an axis, an index for each place of the other axes."""
    array = given(x)
    index = as_array(indices, array._manager)
    if index.dtype.kind not in "iu" or index.ndim != array.ndim:
        raise ValueError(f"indices must be integers with {counted(array.ndim, 'axis')}")
    place = normalized(axis, array.ndim)
    return _kp._take_along_axis(array, index, place)


@in_kind(arrays_only=("sorter",))
@by_rows("sorting.searchsorted")
def searchsorted(x: Any, values: Any, /, side: str = "left", sorter: Array | None = None) -> Array:
    """Return where to insert values among sorted elements so that they stay sorted (int64).

    `side` is "left" for the position before all equal elements, or "right" for the one after them.
    NaNs are the largest elements. `sorter`, for arrays, has the indices that sort x.
    """
    manager = manager_of(x, values)
    if in_tensors():
        return _places_for(x, of_one_dtype("searchsorted", values, x), side)
    edges, needles = ordered_dtype(as_array(x, manager)), ordered_dtype(as_array(values, manager))
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', not {side!r}")
    if edges.ndim != 1:
        raise ValueError(f"kp.searchsorted takes a sorted row, not the shape {edges.shape}")
    if sorter is not None:
        edges = take(edges, sorter)
    dtype = result_dtype(edges.dtype, needles.dtype, manager=manager)
    return _kp._searchsorted(converted(edges, dtype), converted(needles, dtype), side == "right")


def _places_for(row: Array, values: Array, side: str) -> Array:
    """Return searchsorted() of a tensor, by the primitive."""
    if row.ndim != 1:
        raise ValueError(f"kp.searchsorted takes a sorted row, not the shape {row.shape}")
    source, needles = operand(row, row.shape), operand(values, values.shape)
    return written(
        None,
        row,
        values.shape,
        np.dtype(np.int64),
        lambda memory: OpSearchSorted(source, needles, memory, side=side),
    )

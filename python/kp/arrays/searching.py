# SPDX-License-Identifier: Apache-2.0
"""Sorting, searching and selecting."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._axes import normalized
from .._wording import counted
from .. import _kp
from .array import Array, converted
from .elementwise import apply, as_array, clip, into, manager_of, result_dtype
from .manipulation import given, ravel, reshape, squeeze


def _no_order(x: Array) -> None:
    if x._dtype.kind == "c":
        raise TypeError("complex numbers have no order, so they cannot be sorted")


def sort(x: Any, /, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return a sorted copy along an axis; with None, flat. NaNs are the largest elements.

    -0 is before +0; NumPy, to which they are equal, keeps their order.
    """
    array = given(x)
    _no_order(array)
    if axis is not None:
        normalized(axis, array.ndim)
    if array.size == 0:
        return ravel(array).copy() if axis is None else array.copy()
    if axis is None or array.ndim == 0:
        return _kp._sort(ravel(array), 0, descending)
    return _kp._sort(array, axis, descending)


def argsort(
    x: Any, /, axis: int | None = -1, descending: bool = False, stable: bool = True
) -> Array:
    """Return the indices (int64) that sort an array along an axis. Equal elements keep their order."""
    array = given(x)
    _no_order(array)
    if array.ndim == 0:
        array = reshape(array, (1,))  # as NumPy does
    if axis is not None:
        normalized(axis, array.ndim)
    if array.size == 0:
        empty = ravel(array) if axis is None else array
        return apply("multiply", converted(empty, np.dtype(np.int64)), 0)
    if axis is None:
        return _kp._argsort(ravel(array), 0, descending)
    return _kp._argsort(array, axis, descending)


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
    """Return sort(x, axis): of the orders that numpy.partition allows, the only one here."""
    _check_kth(given(x), kth, axis)
    return sort(x, axis)


def argpartition(x: Any, /, kth: Any, axis: int | None = -1) -> Array:
    """Return argsort(x, axis): of the orders that numpy.argpartition allows, the only one here."""
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


def nonzero(x: Any, /) -> tuple[Array, ...]:
    """Return the indices (int64) of the elements that are not 0, one array per axis."""
    array = given(x)
    if array.ndim == 0:
        raise ValueError("nonzero of an array without axes; make it one of one element first")
    found: tuple[Array, ...] = _kp._nonzero(array)
    return found


def flatnonzero(x: Any) -> Array:
    """Return the indices (int64), in C order, of the elements that are not 0."""
    return _kp._flatnonzero(given(x))


def argwhere(x: Any, /) -> Array:
    """Return the indices of the elements that are not 0, a row for each."""
    from .manipulation import stack

    return stack(nonzero(x), axis=1)


def take(
    x: Any, /, indices: Any, axis: int | None = None, out: Array | None = None, mode: str = "raise"
) -> Array:
    """Return the elements at indices along an axis; without an axis, of the flat array. See kp.take()."""
    if out is not None or mode != "raise":
        found = take(x, _moded(given(x), indices, axis, mode), axis)
        return into(out, found)
    array = given(x)
    if axis is None:
        if array.ndim != 1:
            array = ravel(array)
        axis = 0
    place = normalized(axis, array.ndim)
    index = indices if isinstance(indices, Array) else np.asarray(indices)
    if isinstance(index, np.ndarray) and index.size == 0:
        index = index.astype(np.int64)
    if index.ndim == 0:
        one = take(array, reshape(as_array(index, array._manager), (1,)), axis=place)
        return squeeze(one, axis=place)
    if isinstance(index, Array) and index._dtype.kind in "iu":
        return _kp._take_of_axis(array, index, place)
    key = (slice(None),) * place + (index,)
    return array[key]


def take_within(row: Array, index: Array) -> Array:
    """Return the elements of a row at indices that are known to be within it: as an expression."""
    view = row.evaluate()
    still = view._strided(view._offset, index.shape, (0,) * index.ndim)
    return _kp._take(still, [index], ((row.size, view._strides[0], -1),))


def _moded(x: Array, indices: Any, axis: int | None, mode: str) -> Any:
    """Return indices into an axis by a mode of numpy.take."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    if mode == "raise":
        return indices
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


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Array:
    """Return the indices (int64) at which elements of x2 keep x1, which is sorted, in order."""
    manager = manager_of(x1, x2)
    edges, values = ordered_dtype(as_array(x1, manager)), ordered_dtype(as_array(x2, manager))
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', not {side!r}")
    if edges.ndim != 1:
        raise ValueError(f"x1 must have one axis, not {edges.ndim}")
    if sorter is not None:
        edges = take(edges, sorter)
    dtype = result_dtype(edges.dtype, values.dtype, manager=manager)
    return _kp._searchsorted(converted(edges, dtype), converted(values, dtype), side == "right")

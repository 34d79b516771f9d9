# SPDX-License-Identifier: Apache-2.0
"""Sorting, searching and selecting."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._kp import MemoryTypes, OpArgSort, OpScan, OpSearchSorted, OpSort
from . import launching
from .array import Array, converted
from .codegen import Write
from .elementwise import apply, as_array, manager_of, result_dtype
from .expressions import address, leaf, limited
from .indexing import check_bounds, gathered
from .manipulation import concat, given, normalized, ravel, reshape, squeeze
from .primitives import evaluate, from_rows, rows_along, shaped
from .storage import View


def _no_order(x: Array) -> None:
    if x._dtype.kind == "c":
        raise TypeError("complex numbers have no order, so they cannot be sorted")


def sort(x: Any, /, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return a sorted copy along an axis; with None, flat. NaNs are the largest elements."""
    array = given(x)
    _no_order(array)
    if array.size == 0 or array.ndim == 0:
        return array.copy()
    rows, kept = rows_along(array, axis)
    out = array._manager.tensor(
        shape=rows.shape, dtype=array._dtype, memory_type=MemoryTypes.storage
    )
    evaluate(array._manager, OpSort(rows, axis=-1, descending=descending, sorted_keys=out))
    return from_rows(out, kept, array, axis)


def argsort(
    x: Any, /, axis: int | None = -1, descending: bool = False, stable: bool = True
) -> Array:
    """Return the indices (int64) that sort an array along an axis. Equal elements keep their order."""
    array = given(x)
    _no_order(array)
    if array.size == 0 or array.ndim == 0:
        return apply("multiply", converted(array, np.dtype(np.int64)), 0)
    rows, kept = rows_along(array, axis)
    out = array._manager.tensor(shape=rows.shape, dtype=np.int64, memory_type=MemoryTypes.storage)
    evaluate(array._manager, OpArgSort(rows, out, axis=-1, descending=descending))
    return from_rows(out, kept, array, axis)


def partition(x: Any, kth: Any, /, axis: int | None = -1) -> Array:
    """Return sort(x, axis): of the orders that numpy.partition allows, the only one here."""
    return sort(x, axis)


def argpartition(x: Any, kth: Any, /, axis: int | None = -1) -> Array:
    """Return argsort(x, axis): of the orders that numpy.argpartition allows, the only one here."""
    return argsort(x, axis)


def _ordered(array: Array) -> Array:
    """Return numbers that GLSL can compare: flags become 0 and 1."""
    return converted(array, np.dtype(np.uint8)) if array._dtype.kind == "b" else array


def nonzero(x: Any, /) -> tuple[Array, ...]:
    """Return the indices (int64) of the elements that are not 0, one array per axis."""
    array = given(x)
    if array.ndim == 0:
        raise ValueError("nonzero of an array without axes; make it one of one element first")
    places = flatnonzero(array)
    indices = []
    for axis in range(array.ndim):
        step = 1
        for extent in array.shape[axis + 1 :]:
            step *= extent
        part = places if step == 1 else apply("floor_divide", places, step)
        if axis:
            part = apply("remainder", part, array.shape[axis])
        indices.append(part)
    return tuple(indices)


def flatnonzero(x: Any) -> Array:
    """Return the indices (int64), in C order, of the elements that are not 0."""
    array = converted(given(x), np.dtype(np.bool_))
    manager = array._manager
    kind = np.dtype(np.int64)
    if array.size == 0:
        return Array._of_view(View.new(manager, (0,), kind))
    mask = array.evaluate()
    flags = launching.whole(converted(ravel(mask), np.dtype(np.int32))._evaluated())
    before = View.new(manager, (array.size,), np.dtype(np.int32))
    evaluate(manager, OpScan(flags.storage.tensor, before.storage.tensor, "sum"))
    count = int(before.storage.tensor.read(array.size - 1, 1)[0])
    found = View.new(manager, (count,), kind)
    if count:
        shape = (array.size,)
        places = limited("text", np.dtype(np.int32), shape, (leaf(before),), "{0} - 1")
        target = View(found.storage, 0, shape, (0,))
        index = address(manager, shape, 0, kind)
        flat = ravel(mask)._node()
        write = Write(target, index, (places,), ((count, 1),), flat)
        launching.run(manager, shape, [write])
    return Array._of_view(found)


def argwhere(x: Any, /) -> Array:
    """Return the indices of the elements that are not 0, a row for each."""
    from .manipulation import stack

    return stack(nonzero(x), axis=1)


def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Array:
    """Return the elements at indices along an axis; without an axis, of the flat array."""
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
    key = (slice(None),) * place + (index,)
    return array[key]


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Array:
    """Return the elements at indices along an axis, an index for each place of the other axes."""
    array = given(x)
    index = as_array(indices, array._manager)
    if index.dtype.kind not in "iu" or index.ndim != array.ndim:
        raise ValueError(f"indices must be integers with {array.ndim} axes")
    place = normalized(axis, array.ndim)
    check_bounds(index, array.shape[place], place)
    view = array._evaluated()
    shape = list(
        np.broadcast_shapes(
            index.shape, tuple(1 if i == place else e for i, e in enumerate(array.shape))
        )
    )
    strides = tuple(
        0 if i == place or (array.shape[i] == 1 and shape[i] != 1) else stride
        for i, stride in enumerate(view.strides)
    )
    base = View(view.storage, view.offset, tuple(shape), strides)
    steps = ((array.shape[place], view.strides[place]),)
    return gathered(array, tuple(shape), base, [index._node()], steps)


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Array:
    """Return the indices (int64) at which elements of x2 keep x1, which is sorted, in order."""
    manager = manager_of(x1, x2)
    edges, values = _ordered(as_array(x1, manager)), _ordered(as_array(x2, manager))
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', not {side!r}")
    if edges.ndim != 1:
        raise ValueError(f"x1 must have one axis, not {edges.ndim}")
    if sorter is not None:
        edges = take(edges, sorter)
    dtype = result_dtype(edges.dtype, values.dtype)
    if edges.size == 0 or values.size == 0:
        return apply("multiply", converted(values, np.dtype(np.bool_)), np.int64(0))
    places = manager.tensor(shape=(values.size,), dtype=np.int64, memory_type=MemoryTypes.storage)
    row = shaped(converted(edges, dtype), (edges.size,))
    needles = shaped(converted(values, dtype), (values.size,))
    evaluate(manager, OpSearchSorted(row, needles, places, side=side))
    return reshape(Array._from_tensor(places), values.shape)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    """Return whether each element of x1 is one of x2; with `invert`, whether it is none."""
    manager = manager_of(x1, x2)
    array, among = _ordered(as_array(x1, manager)), ravel(_ordered(as_array(x2, manager)))
    dtype = result_dtype(array.dtype, among.dtype)
    array, among = converted(array, dtype), sort(converted(among, dtype))
    if among.size == 0:
        found = (
            apply("not_equal", array, array) if dtype.kind != "f" else apply("less", array, array)
        )
    else:
        place = searchsorted(among, array)
        inside = apply("minimum", place, among.size - 1)
        found = apply("equal", take(among, inside), array)
    return apply("logical_not", found) if invert else found


def unique_values(x: Any, /) -> Array:
    """Return the distinct elements in ascending order. Each NaN is one of its own."""
    if given(x)._dtype.kind == "c":
        return _unique(x)[0]
    ordered = sort(x, axis=None)
    return ordered[_firsts(ordered)]


def _firsts(ordered: Array) -> Array:
    if ordered.size == 0:
        return converted(ordered, np.dtype(np.bool_))
    from .creation import ones

    first = ones((1,), dtype=np.bool_, device=ordered._manager)
    return concat([first, apply("not_equal", ordered[1:], ordered[:-1])])


def _unique(x: Any) -> tuple[Array, Array, Array, Array]:
    """Return values, indices, inverse and counts. NumPy orders complex numbers."""
    array = given(x)
    if array._dtype.kind == "c":
        values = array.numpy()
        found = np.unique(
            values, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
        )
        parts = [as_array(np.asarray(each), array._manager) for each in found]
        return parts[0], parts[1], reshape(parts[2], array.shape), parts[3]
    flat = ravel(array)
    order = argsort(flat)
    ordered = take(flat, order) if flat.size else flat
    firsts = _firsts(ordered)
    starts = flatnonzero(firsts)
    from .scans import cumsum

    ends = concat([starts[1:], np.array([flat.size])]) if flat.size else starts
    inverse = Array._of_view(View.new(array._manager, flat.shape, np.dtype(np.int64)))
    if flat.size:
        inverse[order] = cumsum(firsts) - 1
    indices = take(order, starts) if flat.size else starts
    return take(ordered, starts), indices, reshape(inverse, array.shape), ends - starts


def unique_all(x: Any, /) -> Any:
    """Return the distinct elements, their first indices, which one each element is, and counts."""
    return _results("unique_all_result", "values indices inverse_indices counts", *_unique(x))


def unique_counts(x: Any, /) -> Any:
    """Return the distinct elements and how many there are of each."""
    values, _, _, counts = _unique(x)
    return _results("unique_counts_result", "values counts", values, counts)


def unique_inverse(x: Any, /) -> Any:
    """Return the distinct elements, and for each element which of them it is."""
    values, _, inverse, _ = _unique(x)
    return _results("unique_inverse_result", "values inverse_indices", values, inverse)


def _results(name: str, fields: str, *values: Array) -> Any:
    from collections import namedtuple

    return namedtuple(name, fields)(*values)

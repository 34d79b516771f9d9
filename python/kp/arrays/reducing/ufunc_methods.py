# SPDX-License-Identifier: Apache-2.0
"""The methods at() and reduceat() of NumPy's ufuncs, by reductions of segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._axes import normalized
from ..array import Array, converted
from ..creation import arange
from ..elementwise import apply, as_array, into
from ..selection.searching import argsort, take
from ..selection.sets import unique_counts
from ..shapes.grids import unravel_index
from ..shapes.indexing import to_broadcast
from ..shapes.manipulation import broadcast_to, given, moveaxis, ravel, reshape
from ..storage import DType
from . import by_operator, reductions

#: Ufuncs by name: the operator of kp.reduce(), and the function that adds its result to an element.
_OPERATORS = {
    "add": ("sum", "add"),
    "subtract": ("sum", "subtract"),
    "multiply": ("product", "multiply"),
    "maximum": ("max", "maximum"),
    "minimum": ("min", "minimum"),
    "bitwise_and": ("and", "bitwise_and"),
    "bitwise_or": ("or", "bitwise_or"),
    "bitwise_xor": ("xor", "bitwise_xor"),
}


def knows(name: str, method: str) -> bool:
    """Return whether a ufunc has a method here."""
    return name in _OPERATORS and (method == "at" or name != "subtract")


def _wide(dtype: DType) -> DType:
    """Return the dtype in which elements are combined."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def at(name: str, x: Any, indices: Any, values: Any) -> None:
    """Combine elements of an array with values in place, once per occurrence of the index."""
    array = given(x)
    operator, function = _OPERATORS[name]
    if array.size == 0:
        array[indices]  # raises IndexError for an index that is out of bounds
        return
    places = reshape(arange(array.size, device=array._manager), array.shape)[indices]
    if isinstance(values, (bool, int, float, complex)):  # NumPy's rule for numbers of Python
        values = np.asarray(values, np.result_type(array._dtype, values))
    given_values = to_broadcast(as_array(values, array._manager), places.shape)
    if not np.can_cast(given_values._dtype, array._dtype, "same_kind"):
        raise TypeError(f"{name}.at of {array._dtype} cannot take values of {given_values._dtype}")
    if places.size == 0:
        return
    flat = ravel(places)
    order = argsort(flat)
    own = converted(given_values, array._dtype)
    parts = ravel(broadcast_to(converted(own, _wide(array._dtype)), places.shape))
    found, counts = unique_counts(flat)
    offsets = np.concatenate([[0], np.cumsum(counts.numpy())])
    combined = by_operator.reduce(take(parts, order, axis=0), operator, segments=offsets)
    key = unravel_index(found, array.shape) if array.ndim else ()
    now = converted(array[key], combined._dtype)
    array[key] = converted(reshape(apply(function, now, combined), now.shape), array._dtype)


def reduceat(name: str, x: Any, indices: Any, axis: int = 0, out: Any = None) -> Array:
    """Return reductions of the elements from each index to before the next; of one if that is not larger."""
    array = given(x)
    place = normalized(axis, array.ndim)
    moved = moveaxis(array, place, -1)
    length = moved.shape[-1]
    starts = np.asarray(indices.numpy() if isinstance(indices, Array) else indices)
    if starts.ndim != 1 or starts.dtype.kind not in "iu":
        raise TypeError(f"reduceat takes a list of indices, not {indices!r:.60}")
    if starts.size and not (0 <= starts.min() and starts.max() < length):
        raise IndexError(f"indices of reduceat are from 0 to {length - 1}, not {starts}")
    starts = starts.astype(np.int64)
    ends = np.append(starts[1:], length)
    counts = np.where(ends > starts, ends - starts, 1)
    begins = np.cumsum(counts) - counts
    total = int(counts.sum())
    chosen = np.repeat(starts - begins, counts) + np.arange(total)
    kept = moved.shape[:-1]
    dtype = array._dtype
    if name in ("add", "multiply"):
        dtype = reductions.sum_type(dtype, None)
    rows = take(converted(moved, _wide(dtype)), chosen, axis=-1)
    count = rows.size // total if total else 0
    offsets = np.append((np.arange(count)[:, None] * total + begins).reshape(-1), count * total)
    flat = by_operator.reduce(ravel(rows), _OPERATORS[name][0], segments=offsets)
    result = converted(reshape(flat, (*kept, starts.size)), dtype)
    return into(out, moveaxis(result, -1, place))

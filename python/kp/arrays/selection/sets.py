# SPDX-License-Identifier: Apache-2.0
"""Distinct elements, and arrays as sets of them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np

from ... import _kp
from ..._kp import (
    OpArgSort,
    OpGather,
    OpScan,
    OpScatter,
    OpSelect,
    OpSort,
    OpUnique,
    Tensor,
)
from ..array import Array, converted
from ..elementwise import apply, as_array, manager_of, result_dtype
from ..groups.traits import by_rows
from ..operands import blank, launch, operand, result_in
from ..reducing.reductions import reduced
from ..shapes.joining import concat
from ..shapes.manipulation import given, ravel, reshape
from ..tensors import in_kind
from .searching import ordered_dtype, searchsorted, sort, take_within
from .selecting import counter, first

#: The elements that isin() compares with all others, and its comparisons: one kernel, instead of a sort and a search.
_MOST_COMPARED = 32
_MOST_COMPARISONS = 1 << 16

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


@overload
def unique(
    x: Any,
    /,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Array: ...
@overload
def unique(
    x: Any,
    /,
    return_index: Literal[True],
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[Array, ...]: ...
@overload
def unique(
    x: Any,
    /,
    return_index: bool = False,
    *,
    return_inverse: Literal[True],
    return_counts: bool = False,
    axis: int | None = None,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[Array, ...]: ...
@overload
def unique(
    x: Any,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    *,
    return_counts: Literal[True],
    axis: int | None = None,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[Array, ...]: ...
@overload
def unique(
    x: Any,
    /,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Array | tuple[Array, ...]: ...
@in_kind(arrays_only=("axis",), strict=False)
@by_rows("sorting.unique")
def unique(
    x: Any,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Array | tuple[Array, ...]:
    """Return the distinct elements, sorted regardless of `sorted`.

    With one of the other arguments, they are the first of a tuple. The others (int64) are the index
    of the first such element among the flat elements, for each element the index of its value, in
    the shape of x, and how many elements have the value. NaNs are one value, or with
    ``equal_nan=False`` different ones. With `axis`, for arrays, they are the different slices along it,
    which NumPy finds on the host.
    """
    array = given(x)
    options = (return_index, return_inverse, return_counts)
    if array._dtype.kind == "c" or axis is not None:  # NumPy orders complex numbers, and slices
        on_host: Any = np.unique
        found = on_host(array.numpy(), *options, axis=axis, equal_nan=equal_nan)
        host = found if isinstance(found, tuple) else (found,)
        parts = [as_array(np.asarray(each), array._manager) for each in host]
        if return_inverse and axis is None:
            place = 1 + return_index
            parts[place] = reshape(parts[place], array.shape)
    elif equal_nan and not any(options):
        return _kp._unique(array)
    else:
        parts = _unique(array, *options, equal_nan)
    return parts[0] if len(parts) == 1 else tuple(parts)


def _unique(
    array: Array, return_index: bool, return_inverse: bool, return_counts: bool, equal_nan: bool
) -> list[Array]:
    """Return the distinct elements and the requested further results, by primitives."""
    size, manager, integers = array.size, array._manager, np.dtype(np.int64)
    found, lengths = blank(manager, (size,), array._dtype), blank(manager, (size,), integers)
    order = blank(manager, (size,), integers) if return_index or return_inverse else None
    places = blank(manager, (size,), integers) if return_inverse else None
    results = 0
    if size:
        source, ordered = operand(array, (size,)), blank(manager, (size,), array._dtype)
        count = counter(manager, size)
        sorting: OpSort | OpArgSort
        if order is None:
            sorting = OpSort(source, axis=None, sorted_keys=ordered, equal_zeros=True)
        else:
            sorting = OpArgSort(source, order, axis=None, sorted_keys=ordered, equal_zeros=True)
        launch(manager, sorting, OpUnique(ordered, found, count, counts=lengths, inverse=places))
        results = int(count.item())
        if equal_nan and array._dtype.kind == "f":
            results = _join_nans(ordered, results, lengths, places)
    values, counts = first(found, results), first(lengths, results)
    parts = [values]
    if return_index:
        indices = blank(manager, (results,), integers)
        if order is not None and results:
            starts, each = blank(manager, (results,), integers), operand(counts, (results,))
            launch(manager, OpScan(each, starts, exclusive=True), OpGather(order, starts, indices))
        parts.append(result_in(indices))
    if return_inverse:
        inverse = blank(manager, array.shape, integers)
        if order is not None and places is not None and size:
            launch(manager, OpScatter(places, order, inverse))
        parts.append(result_in(inverse))
    if return_counts:
        parts.append(counts)
    return parts


def _join_nans(ordered: Tensor, results: int, lengths: Tensor, places: Tensor | None) -> int:
    """Make one value of all NaNs, which are the last elements. Return the number of values."""
    size, manager = ordered.size(), ordered.manager
    if not np.isnan(ordered.read(size - 1, 1)[0]):
        return results
    count, none = counter(manager, size), blank(manager, (1,), ordered.dtype)
    launch(manager, OpSelect(ordered, "isnan(x)", (none, 0, 0), count))
    nans = int(count.item())
    last = results - nans
    lengths.write(np.array([nans]), last)
    if places is not None:
        places.write(np.full(nans, last), size - nans)
    return last + 1


class UniqueAll(NamedTuple):
    """What unique_all() returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What unique_counts() returns."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What unique_inverse() returns."""

    values: Array
    inverse_indices: Array


@by_rows("sorting.unique_values")
def unique_values(x: Any, /) -> Array:
    """Return the distinct elements in ascending order. Each NaN counts separately."""
    values: Array = unique(x, equal_nan=False)
    return values


def unique_all(x: Any, /) -> UniqueAll:
    """Return the distinct elements, their first indices, inverse indices, and counts."""
    return UniqueAll(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x: Any, /) -> UniqueCounts:
    """Return the distinct elements and how many there are of each."""
    return UniqueCounts(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: Any, /) -> UniqueInverse:
    """Return the distinct elements, and the index of each element's value among them."""
    return UniqueInverse(*unique(x, return_inverse=True, equal_nan=False))


def isin(x1: Any, x2: Any, /, assume_unique: bool = False, invert: bool = False) -> Array:
    """Return whether each element of x1 is one of x2; with `invert`, whether it is not.

    `assume_unique` changes nothing: equal elements cost no more.
    """
    manager = manager_of(x1, x2)
    array = ordered_dtype(as_array(x1, manager))
    among = ravel(ordered_dtype(as_array(x2, manager)))
    dtype = result_dtype(array.dtype, among.dtype, manager=manager)
    array, among = converted(array, dtype), converted(among, dtype)
    if among.size <= _MOST_COMPARED and array.size * among.size <= _MOST_COMPARISONS:
        same = apply("equal", reshape(array, (*array.shape, 1)), among)
        found = reduced("any", same, -1, same._dtype, same._dtype, False)
    else:
        among = sort(among)
        place = searchsorted(among, array)
        inside = apply("minimum", place, among.size - 1)
        found = apply("equal", take_within(among, inside), array)
    return apply("logical_not", found) if invert else found


# --- sets -----------------------------------------------------------------------------------------


def _pair(ar1: Any, ar2: Any) -> tuple[Array, Array]:
    manager = manager_of(ar1, ar2)
    first, second = ravel(as_array(ar1, manager)), ravel(as_array(ar2, manager))
    dtype = result_dtype(first._dtype, second._dtype, manager=manager)
    return converted(first, dtype), converted(second, dtype)


def _distinct(x: Array, assume_unique: bool) -> Array:
    found: Array = x if assume_unique else unique(x)
    return found


def union1d(ar1: Any, ar2: Any) -> Array:
    """Return the distinct elements of both arrays, sorted."""
    found: Array = unique(concat(_pair(ar1, ar2)))
    return found


@overload
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: Literal[False] = False
) -> Array: ...
@overload
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, *, return_indices: Literal[True]
) -> tuple[Array, Array, Array]: ...
@overload
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool, return_indices: bool
) -> Array | tuple[Array, Array, Array]: ...
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the distinct elements that are in both arrays, sorted.

    With `return_indices`, the indices of the first such elements in each flat array follow.
    """
    first, second = _pair(ar1, ar2)
    values: Array = unique(first)
    common: Array = values[isin(values, second)]
    if not return_indices:
        return common
    indices = []
    for each in (first, second):
        own, places = unique(each, return_index=True)
        indices.append(places[isin(own, common)])
    return common, *indices


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """Return the distinct elements of ar1 that are not in ar2, sorted unless `assume_unique`."""
    manager = manager_of(ar1, ar2)
    first = ravel(as_array(ar1, manager))
    left = _distinct(first, assume_unique)
    found: Array = left[isin(left, as_array(ar2, manager), invert=True)]
    return found


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """Return the distinct elements that are in one of the arrays only, sorted."""
    first, second = (_distinct(each, assume_unique) for each in _pair(ar1, ar2))
    ordered: Array = concat([first, second])
    if ordered.size == 0:
        return ordered
    ordered = _ordered(ordered)
    edge = np.ones(1, np.bool_)
    differs = concat([edge, apply("not_equal", ordered[1:], ordered[:-1]), edge])  # NaNs always do
    return ordered[apply("logical_and", differs[1:], differs[:-1])]


def _ordered(x: Array) -> Array:
    """Return the elements sorted, complex ones as NumPy orders them, on the host."""
    return as_array(np.sort(x.numpy()), x._manager) if x._dtype.kind == "c" else sort(x)

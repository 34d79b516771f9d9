# SPDX-License-Identifier: Apache-2.0
"""Distinct elements, and arrays as sets of them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np

from .. import _kp, _selection
from .array import Array, converted
from .elementwise import apply, as_array, manager_of, result_dtype
from .manipulation import concat, given, ravel, reshape
from .primitives import shaped
from .searching import ordered_dtype, searchsorted, sort, take_within

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def unique(
    x: Any,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """Return the distinct elements, sorted, and what else is asked for. See kp.unique()."""
    array = given(x)
    options = (return_index, return_inverse, return_counts)
    if array._dtype.kind == "c" or axis is not None:  # NumPy orders complex numbers, and slices
        on_host: Any = np.unique
        found = on_host(array.numpy(), *options, axis=axis, equal_nan=equal_nan)
        host = found if isinstance(found, tuple) else (found,)
        parts = [as_array(np.asarray(each), array._manager) for each in host]
    elif equal_nan and not any(options):
        return _kp._unique(array)
    else:
        flat = shaped(array, (array.size,))
        tensors = _selection.unique(flat, *options, equal_nan=equal_nan)
        each_of = tensors if isinstance(tensors, tuple) else (tensors,)
        parts = [Array._from_tensor(each) for each in each_of]
    if return_inverse and axis is None:
        place = 1 + return_index
        parts[place] = reshape(parts[place], array.shape)
    return parts[0] if len(parts) == 1 else tuple(parts)


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


def unique_values(x: Any, /) -> Array:
    """Return the distinct elements in ascending order. Each NaN is one of its own."""
    values: Array = unique(x, equal_nan=False)
    return values


def unique_all(x: Any, /) -> UniqueAll:
    """Return the distinct elements, their first indices, which one each element is, and counts."""
    return UniqueAll(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x: Any, /) -> UniqueCounts:
    """Return the distinct elements and how many there are of each."""
    return UniqueCounts(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: Any, /) -> UniqueInverse:
    """Return the distinct elements, and for each element which of them it is."""
    return UniqueInverse(*unique(x, return_inverse=True, equal_nan=False))


def isin(x1: Any, x2: Any, /, assume_unique: bool = False, invert: bool = False) -> Array:
    """Return whether each element of x1 is one of x2; with `invert`, whether it is none.

    `assume_unique` changes nothing: equal elements cost no more.
    """
    manager = manager_of(x1, x2)
    array = ordered_dtype(as_array(x1, manager))
    among = ravel(ordered_dtype(as_array(x2, manager)))
    dtype = result_dtype(array.dtype, among.dtype, manager=manager)
    array, among = converted(array, dtype), sort(converted(among, dtype))
    if among.size == 0:
        less = apply("less", array, array)
        found = apply("not_equal", array, array) if dtype.kind != "f" else less
    else:
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

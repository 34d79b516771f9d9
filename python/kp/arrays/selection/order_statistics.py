# SPDX-License-Identifier: Apache-2.0
"""Medians, quantiles and the largest elements: elements by their place among the sorted ones."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._axes import normalized, normalized_axes, whole
from ..._floats import default_float
from ..._kp import OpTopK
from ..._messages.warning import warn
from ..array import Array, converted
from ..elementwise import apply, into, where
from ..groups.traits import by_rows
from ..operands import blank, launch, operand, result_in
from ..reducing import reductions
from ..reducing.reductions import Axes
from ..shapes.manipulation import (
    expand_dims,
    given,
    in_c_order,
    moveaxis,
    permute_dims,
    reshape,
)
from ..tensors import in_kind
from .searching import sort, take, take_along_axis

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "ptp",
    "quantile",
    "top_k",
]

#: Methods that interpolate between two elements: how they count (Hyndman and Fan's alpha and beta).
_CONTINUOUS = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
#: Methods that take an element, or the mean of two: their position, less than the fraction.
_STEPS = {"inverted_cdf": 1.0, "averaged_inverted_cdf": 1.0, "closest_observation": 1.5}
_METHODS = (*_CONTINUOUS, *_STEPS, "lower", "higher", "midpoint", "nearest")


def _sorted_rows(x: Any, axis: Axes) -> tuple[Array, tuple[int, ...]]:
    """Return the elements along axes sorted as the last axis, and the axes."""
    array = given(x)
    if array._dtype.kind in "biu":
        array = converted(array, default_float(array._manager))
    axes = normalized_axes(axis, array.ndim)
    kept = [i for i in range(array.ndim) if i not in axes]
    rows = permute_dims(array, (*kept, *sorted(axes)))
    length = math.prod(array.shape[i] for i in axes)
    return sort(reshape(rows, (*[array.shape[i] for i in kept], length)), axis=-1), axes


def _places(count: Any, q: Any, method: str) -> tuple[Any, Any, Any]:
    """Return the indices of the elements below and above quantiles, and their distance from below."""
    if method not in _METHODS:
        raise ValueError(f"method is {', '.join(map(repr, _METHODS))}, not {method!r}")
    last = np.maximum(count - 1, 0)
    alpha, beta = _CONTINUOUS.get(method, (1.0, 1.0))
    place = np.clip(count * q + (alpha + q * (1 - alpha - beta)) - 1, 0, last)
    if method == "linear":
        place = last * q
    if method in _STEPS:
        place = _step(count * q - _STEPS[method], method).clip(0, last)
    below = np.floor(place)
    if method == "lower":
        place = below
    elif method == "higher":
        place = below = np.ceil(place)
    elif method == "nearest":
        place = below = np.rint(place)
    elif method == "midpoint":
        place = (below + np.ceil(place)) / 2
    above = np.minimum(below + 1, last)
    return below.astype(np.int64), above.astype(np.int64), place - below


#: Quantiles of one call whose places are kept for the next one.
_KEPT_QUANTILES = 16


@functools.lru_cache(maxsize=256)
def _kept_places(
    length: int, fractions: tuple[float, ...], method: str
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    places = _places(length, np.array(fractions, np.float64), method)
    for each in places:
        each.flags.writeable = False
    return places


def _places_of_rows(length: int, fractions: NDArray[Any], method: str) -> tuple[Any, Any, Any]:
    """Return _places() of rows of one length: kept, since they take longer than small launches."""
    if fractions.size > _KEPT_QUANTILES:
        return _places(length, fractions, method)
    return _kept_places(length, tuple(fractions.tolist()), method)


def _step(place: Any, method: str) -> Any:
    """Return the position that a method selects: a whole one itself, else the next."""
    whole = place == np.floor(place)
    if method == "averaged_inverted_cdf":
        return np.where(whole, place + 0.5, np.floor(place) + 1)
    if method == "closest_observation":
        whole &= np.floor(place) % 2 == 1
    return np.where(whole, place, np.floor(place) + 1)


def _fractions(q: Any, percent: bool) -> Any:
    host = np.asarray(q.numpy() if isinstance(q, Array) else q, np.float64)
    host = host / 100 if percent else host
    if not ((host >= 0) & (host <= 1)).all():
        limits = "0 to 100" if percent else "0 to 1"
        raise ValueError(f"{'percentiles' if percent else 'quantiles'} are from {limits}")
    return host


def _quantile(
    x: Any, q: Any, axis: Axes, out: Any, method: str, keepdims: bool, percent: bool, nans: bool
) -> Array:
    fractions = _fractions(q, percent)
    ordered, axes = _sorted_rows(x, axis)
    shape = ordered.shape[:-1]
    length = ordered.shape[-1]
    if length == 0 and not nans and 0 not in shape:
        raise IndexError(
            f"there are no {'percentiles' if percent else 'quantiles'} of no elements; the array has the "
            f"shape {np.shape(x)}"
        )
    if length == 0:
        result = reductions.mean(ordered, axis=-1, keepdims=True)  # NaN
        result = take(result, np.zeros(fractions.size, np.int64), axis=-1)
    elif nans:
        rows = reshape(ordered, (-1, length))
        below, above, part = _places(_counts_of_numbers(rows), fractions.reshape(1, -1), method)
        low, high = take_along_axis(rows, below, 1), take_along_axis(rows, above, 1)
        result = _between(low, high, part)  # rows of nothing but NaN give NaN
        result = reshape(result, (*shape, fractions.size))
    else:
        below, above, part = _places_of_rows(length, fractions.reshape(-1), method)
        low, high = _columns(ordered, below), _columns(ordered, above)
        result = _between(low, high, part)
        last = ordered[..., -1:]
        result = where(apply("isnan", last), last, result)
    result = reshape(in_c_order(moveaxis(result, -1, 0)), (*fractions.shape, *shape))
    if keepdims:
        for each in sorted(axes):
            result = expand_dims(result, axis=fractions.ndim + each)
    return into(out, result)


def _columns(rows: Array, places: Any) -> Array:
    """Return some columns; a single one as a view."""
    if places.size == 1:
        return rows[..., int(places[0]) : int(places[0]) + 1]
    return take(rows, places, axis=-1)


def _between(low: Array, high: Array, part: Any) -> Array:
    """Return low + part (high - low), rounded as NumPy rounds it."""
    weight = np.asarray(part).astype(low._dtype)
    if not weight.any():
        return low
    distance = apply("subtract", high, low)
    if weight.size == 1:  # a number, which needs no memory
        by = weight.item()
        near, step, far = ("add", by, low) if by < 0.5 else ("subtract", 1 - by, high)
        return apply(near, far, apply("multiply", distance, step))
    upwards = apply("add", low, apply("multiply", distance, weight))
    downwards = apply("subtract", high, apply("multiply", distance, 1 - weight))
    mixed = where(weight >= 0.5, downwards, upwards)
    return where(weight == 0, low, mixed)


def quantile(
    a: Any,
    q: Any,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Return the elements below which parts `q` (0 to 1) of all elements are, along axes.

    The axes of `q` are the first ones of the result. `method` chooses the interpolation between two
    elements. The dtype is the elements', regardless of `q`, or float64 for integers. If there are
    NaNs, the result is NaN. Raises IndexError if there are no elements.
    """
    return _quantile(a, q, axis, out, method, keepdims, percent=False, nans=False)


def percentile(
    a: Any,
    q: Any,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Return quantile(a, q / 100): `q` is from 0 to 100."""
    return _quantile(a, q, axis, out, method, keepdims, percent=True, nans=False)


def nanquantile(
    a: Any,
    q: Any,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Return the quantiles, ignoring NaNs; NaN where there is nothing else, with a RuntimeWarning.

    Waits for the device.
    """
    return _quantile(a, q, axis, out, method, keepdims, percent=False, nans=True)


def nanpercentile(
    a: Any,
    q: Any,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Return nanquantile(a, q / 100): `q` is from 0 to 100."""
    return _quantile(a, q, axis, out, method, keepdims, percent=True, nans=True)


@by_rows("along")
def median(
    a: Any,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Return the middle of the sorted elements along axes, or the mean of the two in the middle.

    Integers are float64. If there are NaNs, the result is NaN; if there are no elements as well, with
    a RuntimeWarning.
    """
    ordered, axes = _sorted_rows(a, axis)
    length = ordered.shape[-1]
    middle = ordered[..., (length - 1) // 2 : length // 2 + 1] if length else ordered
    result = reductions.mean(middle, axis=-1)
    if length:
        last = ordered[..., -1]
        result = where(apply("isnan", last), last, result)
    if keepdims:
        for each in sorted(axes):
            result = expand_dims(result, axis=each)
    return into(out, result)


@by_rows("along")
def nanmedian(
    a: Any,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Return the medians, ignoring NaNs; NaN where there is nothing else, with a RuntimeWarning.

    Waits for the device.
    """
    ordered, axes = _sorted_rows(a, axis)
    shape, length = ordered.shape[:-1], ordered.shape[-1]
    if length == 0:
        return median(a, axis, out, overwrite_input, keepdims)
    rows = reshape(ordered, (-1, length))
    counts = _counts_of_numbers(rows)
    places = np.maximum(np.concatenate([counts - 1, counts], axis=1) // 2, 0)
    middle = take_along_axis(rows, places, 1)  # rows of nothing but NaN give NaN
    # The mean of equal numbers may overflow.
    result = where((counts % 2 == 1)[:, 0], middle[:, 0], reductions.mean(middle, axis=1))
    result = reshape(result, shape)
    if keepdims:
        for each in sorted(axes):
            result = expand_dims(result, axis=each)
    return into(out, result)


def _counts_of_numbers(rows: Array) -> Any:
    """Return how many elements of each row are not NaN, on the host. Warns of rows without any."""
    numbers = apply("logical_not", apply("isnan", rows))
    counts = reductions.count_nonzero(numbers, axis=1, keepdims=True).numpy()
    if not counts.all():
        warn("All-NaN slice encountered")
    return counts


@by_rows("made")
def ptp(a: Any, axis: Axes = None, out: Array | None = None, keepdims: bool = False) -> Array:
    """Return the largest elements minus the smallest ones, along axes."""
    array = given(a)
    highest = reductions.max(array, axis, keepdims=keepdims)
    distance = apply("subtract", highest, reductions.min(array, axis, keepdims=keepdims))
    return into(out, distance)


@in_kind()
@by_rows("along")
def top_k(x: Any, k: int, axis: int | None = -1, smallest: bool = False) -> tuple[Array, Array]:
    """Return the k largest (or smallest) elements in order, and their indices (int64).

    They are found along an axis, or with `axis` None among all elements. Of equal elements, the one
    with the smallest index is first. NaNs are the largest elements, and -0 is smaller than 0.
    """
    array = given(x)
    shape, at = list(array.shape), None
    if axis is None or not shape:
        shape = [array.size]
    else:
        at = normalized(axis, len(shape))
    extent = shape[at or 0]
    k = whole("k", k)
    if not 0 <= k <= extent:
        raise ValueError(f"kp.top_k takes k from 0 to {extent}, the number of elements, not {k}")
    shape[at or 0] = k
    manager = array._manager
    values = blank(manager, tuple(shape), array._dtype)
    indices = blank(manager, tuple(shape), np.dtype(np.int64))
    if math.prod(shape):
        source = operand(array, array.shape)
        launch(manager, OpTopK(source, k, values, indices, axis=at, smallest=smallest))
    return result_in(values), result_in(indices)

# SPDX-License-Identifier: Apache-2.0
"""Histograms: how many elements are in each bin, of one or more coordinates."""

from __future__ import annotations

import builtins
import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._errors import Unsupported
from ..._floats import default_float
from ..._kp import OpHistogram, Tensor
from ..._wording import counted as in_words, kind_of
from ..array import Array, converted
from ..creation import asarray
from ..elementwise import apply, as_array, manager_of, where
from ..operands import blank, for_arrays, in_tensors, launch, operand, result_in, uploaded
from ..reducing import reductions
from ..selection.searching import searchsorted
from ..shapes.joining import stack
from ..shapes.manipulation import given, ravel, reshape
from ..storage import DType, unsupported_reason
from ..tensors import in_kind, of_one_dtype

__all__ = ["bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


def _extremes(x: Array) -> tuple[Any, Any]:
    """Return the smallest and the largest element, which it waits for, as Python numbers.

    By fused reductions: a software driver compiles their kernels in a fifth of the time.
    """
    with for_arrays():
        least, most = stack([reductions.min(x), reductions.max(x)]).tolist()
    return least, most


def _largest_index(x: Array) -> int:
    """Return the largest integer, which it waits for, and refuse negative ones."""
    with for_arrays():
        # Without a sign, negative ones are larger than all others: one pass finds both.
        bare = np.dtype(f"u{x._dtype.itemsize}")
        most = int(reductions.max(converted(x, bare)).item())
        if x._dtype.kind == "i" and most > np.iinfo(x._dtype).max:
            lowest = reductions.min(x).item()
            raise ValueError(f"kp.bincount takes integers from 0 on, but there is {lowest}")
    return most


def _weights(name: str, weights: Any, x: Array) -> Array | None:
    """Return weights of the elements of x as an array, in the type of their sums."""
    if weights is None:
        return None
    if in_tensors():
        if not isinstance(weights, Array):
            raise TypeError(f"kp.{name} takes weights as a kp.Tensor, not {kind_of(weights)}")
        if weights.size != x.size:
            raise ValueError(
                f"kp.{name} takes a weight per element, but was given "
                f"{in_words(weights.size, 'weight')} for {in_words(x.size, 'element')}"
            )
        return weights
    by = asarray(weights, device=x.device)
    if by.dtype.kind == "c":
        raise TypeError(f"kp.{name} takes weights that are real numbers, not {by.dtype}")
    if by.shape != x.shape:
        raise ValueError(
            f"kp.{name} takes a weight per element: weights have the shape {by.shape}, but the "
            f"elements {x.shape}"
        )
    found: Array = by
    return found


def _in_double(name: str, weights: Array) -> Array:
    """Return weights as float64, in which NumPy adds them."""
    double = np.dtype(np.float64)
    if reason := unsupported_reason(weights._manager, double):
        raise Unsupported(
            f"kp.{name} adds weights of {weights.dtype} in float64, as NumPy, which the device does not "
            f"have; with tensors, kp.{name}(x.tensor(), weights=y.tensor()) adds float32. {reason}"
        )
    return weights.astype(double, copy=False)


def _counted(x: Array, bins: int, edges: Any, weights: Array | None) -> Array:
    """Return how many elements are in each bin, or the sums of their weights.

    `edges` are the outer edges of even bins, or all edges on the device, or None for integers.
    """
    dtype: DType = np.dtype(np.int64) if weights is None else weights._dtype
    memory = blank(x._manager, (bins,), dtype)
    if bins:
        source = operand(x, (x.size,))
        by = None if weights is None else operand(weights, (weights.size,))
        launch(x._manager, OpHistogram(source, memory, edges, weights=by))
    return result_in(memory)


def _limits(x: Array, limits: Any) -> tuple[float, float]:
    """Return the outer edges of even bins, as NumPy chooses them."""
    if limits is not None:
        try:
            low, high = (float(limit) for limit in limits)
        except (TypeError, ValueError):
            raise TypeError(f"range is (low, high), not {limits!r}") from None
        if low > high:
            raise ValueError(f"range is (low, high) with low <= high, not ({low}, {high})")
    elif x.size == 0:
        low, high = 0.0, 1.0
    else:
        least, most = _extremes(x)
        low, high = float(least), float(most)
        # Of integers, rounding must not leave out the outermost ones.
        low = float(np.nextafter(low, -np.inf)) if low > least else low
        high = float(np.nextafter(high, np.inf)) if high < most else high
    if not (np.isfinite(low) and np.isfinite(high)):
        if limits is None:
            raise ValueError(
                f"the range of a histogram is finite, not ({low}, {high}), from where to where the "
                "elements reach; pass range=(low, high), and others are left out"
            )
        raise ValueError(f"the range of a histogram is finite, not ({low}, {high})")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


#: Bins whose edges are kept for the next call.
_KEPT_BINS = 1024


@functools.lru_cache(maxsize=64)
def _kept_edges(bins: int, limits: tuple[float, float], dtype: DType) -> NDArray[Any]:
    places = np.histogram_bin_edges(np.zeros(0, dtype), bins, limits)
    places.flags.writeable = False
    return places


def _even_edges(bins: int, limits: tuple[float, float], dtype: DType) -> NDArray[Any]:
    """Return NumPy's edges of even bins: kept, since they take longer than small launches."""
    if bins > _KEPT_BINS:
        return np.histogram_bin_edges(np.zeros(0, dtype), bins, limits)
    return _kept_edges(bins, limits, dtype)


def _given_edges(x: Array, bins: Any) -> tuple[Array, Array, Tensor]:
    """Return elements, the edges as they were given, and edges of the dtype of the elements."""
    if in_tensors():
        if isinstance(bins, (str, float)):
            raise TypeError(f"kp.histogram takes bins as their number or their edges, not {bins!r}")
        own = edges = of_one_dtype("histogram", bins, x)
    else:
        if np.ndim(bins) == 0:
            raise TypeError(f"bins is a number of bins, their edges or a rule's name, not {bins!r}")
        given_bins = bins if isinstance(bins, Array) else np.asarray(bins)
        own = asarray(given_bins, device=x.device)
        x = x.astype(np.result_type(x.dtype, given_bins.dtype), copy=False)
        edges = asarray(given_bins.astype(x.dtype, copy=False), device=x.device)
    places = edges.numpy()
    if places.ndim != 1 or places.size < 2:
        raise ValueError(f"edges are a row of at least 2 numbers, not of shape {places.shape}")
    if not (places[1:] >= places[:-1]).all():
        raise ValueError("edges are in ascending order, but these are not")
    return x, own, operand(edges, edges.shape)


def _no_density(
    _: Any, /, bins: Any = 0, range: Any = None, density: Any = None, *more: Any, **__: Any
) -> None:
    """Refuse densities of tensors."""
    if density:
        raise TypeError("density: only for arrays; kp.asarray(tensor) is one")


@in_kind(check=_no_density)
def histogram(
    x: Any,
    /,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Array, Array]:
    """Return how many elements are in each bin (int64), or the sums of their weights, and the edges.

    `bins` is a number of bins of equal width over `range`, by default from the smallest to the
    largest element, or their edges in ascending order. Each bin includes its lower edge, and the
    last one its upper edge, too. Elements outside of all bins and NaNs are skipped. With `density`,
    for arrays, counts are divided by their sum and the widths of the bins, so that the integral is
    1.
    """
    if density is not None and not isinstance(density, (bool, np.bool_)):
        raise TypeError("density is True or False; give weights by name, as weights=...")
    array = given(x)
    if isinstance(bins, str) and not in_tensors():  # the rules look at the values on the host
        places = np.histogram_bin_edges(array.numpy(), bins, range, _weighted(weights))
        bins, range = places.size - 1, (places[0].item(), places[-1].item())
    if array._dtype.kind == "c":
        raise TypeError("complex numbers have no order, so there is no histogram of them")
    by = _weights("histogram", weights, array)
    sums = by
    if by is not None and not in_tensors() and not _adds_itself(by._dtype):
        sums = _in_double("histogram", by)
    if isinstance(bins, (int, np.integer)):
        if bins < 1:
            raise ValueError(f"kp.histogram takes at least 1 bin, not {bins}")
        limits = _limits(array, range)
        places = _even_edges(int(bins), limits, array._dtype)
        if array._dtype.kind != "f":
            places = places.astype(default_float(array._manager))
        own = uploaded(array._manager, places)
        counts = _counted(array, int(bins), limits, sums)
    elif range is not None:
        raise ValueError("kp.histogram takes range for a number of bins, but bins has edges")
    else:
        array, own, edges = _given_edges(array, bins)
        counts = _counted(array, edges.size() - 1, edges, sums)
    if by is not None:
        counts = converted(counts, by._dtype)
    if density:
        counts = converted(counts, np.result_type(own.dtype, np.float32))
        counts = counts / (counts.sum() * (own[1:] - own[:-1]))
    return counts, own


def _adds_itself(dtype: DType) -> bool:
    """Return whether weights of a type are added in it."""
    return dtype.kind == "f" and dtype.itemsize > 2


def _host(x: Any) -> Any:
    return np.asarray(x.numpy() if isinstance(x, Array) else x)


def _weighted(weights: Any) -> Any:
    return None if weights is None else _host(weights)


@in_kind()
def bincount(x: Any, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """Return how often each integer from 0 on occurs (int64), or the sum of its weights.

    The result has an element for each integer up to the largest, and at least `minlength`. Sums are
    float64, or for tensors the type of the weights.
    """
    array = given(x)
    if array.ndim != 1:
        raise ValueError(f"kp.bincount takes a row of integers, not the shape {array.shape}")
    if array._dtype.kind == "b":
        array = converted(array, np.dtype(np.uint8))
    elif array.size == 0 and not in_tensors():
        array = converted(array, np.dtype(np.int64))
    if array._dtype.kind not in "iu":
        raise TypeError(f"kp.bincount takes integers, not '{array._dtype}'")
    if minlength < 0:
        raise ValueError(f"minlength is 0 or more, not {minlength}")
    by = _weights("bincount", weights, array)
    if by is not None and not in_tensors():
        by = _in_double("bincount", by)
    length = int(minlength)
    if array.size:
        length = max(length, _largest_index(array) + 1)
    return _counted(array, length, None, by)


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Array, tuple[Array, ...]]:
    """Return how many points are in each bin, or the sums of their weights, and the edges by axis.

    `sample` has a row of coordinates per point, or is a list of arrays with one coordinate each.
    `bins` is a number or edges for all axes, or a list of these; `range` has a pair for each axis.
    Elements outside of all bins and NaNs are skipped. Counts are float64. With `density` they are
    divided by their sum and the volumes of the bins.
    """
    if isinstance(sample, (list, tuple)):
        columns = list(sample)
    else:
        rows = given(sample)
        columns = [rows] if rows.ndim < 2 else [rows[:, i] for i in builtins.range(rows.shape[1])]
    manager = manager_of(*columns, weights)
    points = [ravel(as_array(each, manager)) for each in columns]
    if len({point.size for point in points}) != 1:
        raise ValueError(f"there are {', '.join(str(p.size) for p in points)} coordinates by axis")
    many = isinstance(bins, (list, tuple)) and (len(points) != 1 or np.ndim(bins[0]) > 0)
    by_axis = list(bins) if many else [bins] * len(points)
    limits = [None] * len(points) if range is None else list(range)
    if len(by_axis) != len(points) or len(limits) != len(points):
        raise ValueError(f"bins and range are for all axes, or for each of the {len(points)}")
    edges = [_edges(*each) for each in zip(points, by_axis, limits, strict=True)]
    bounds = tuple(as_array(each, manager) for each in edges)
    results = tuple(
        bound if np.ndim(given) == 0 else as_array(given, manager)
        for bound, given in zip(bounds, by_axis, strict=True)
    )
    inside: Any = None
    flat: Any = None
    for point, bound in zip(points, bounds, strict=True):
        count = bound.size - 1
        place = apply("subtract", searchsorted(bound, point, side="right"), 1)
        place = where(apply("equal", point, bound[-1]), count - 1, place)
        within = apply("logical_and", apply("greater_equal", place, 0), apply("less", place, count))
        inside = within if inside is None else apply("logical_and", inside, within)
        flat = place if flat is None else apply("add", apply("multiply", flat, count), place)
    cells = tuple(each.size - 1 for each in edges)
    size = math.prod(cells)
    flat = where(inside, flat, size)  # elements outside are counted behind all bins
    by = None
    if weights is not None:
        given_weights = ravel(as_array(weights, manager))
        if given_weights._dtype.kind == "c":
            raise TypeError(f"weights are real numbers, not {given_weights._dtype}")
        values = converted(given_weights, np.dtype(np.float64))
        if values.size != flat.size:
            raise ValueError(f"there are {values.size} weights for {flat.size} points")
        by = values
    counted = _counted(flat, size + 1, None, by)
    counts = converted(reshape(counted[:size], cells), np.dtype(np.float64))
    if density:
        counts = apply("divide", counts, reductions.sum(counts))
        for axis, each in enumerate(edges):
            widths = np.diff(each).astype(np.float64)
            along = widths.reshape((-1,) + (1,) * (len(edges) - 1 - axis))
            counts = apply("divide", counts, along)
    return counts, results


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    """Return the edges of the bins that histogram() would count in."""
    array = ravel(given(a))
    if isinstance(bins, str):
        places = np.histogram_bin_edges(array.numpy(), bins, range, _weighted(weights))
        return as_array(places, array._manager)
    return as_array(bins if np.ndim(bins) else _edges(array, bins, range), array._manager)


def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Array, Array, Array]:
    """Return histogramdd([x, y], ...): the counts, the edges of x and the edges of y.

    `bins` is a number or edges for both, or a pair of these.
    """
    pair = isinstance(bins, (list, tuple)) and len(bins) == 2
    both = bins if pair or np.ndim(bins) == 0 else [bins, bins]
    counts, (first, second) = histogramdd([x, y], both, range, density, weights)
    return counts, first, second


def _edges(values: Array, bins: Any, limits: Any) -> Any:
    """Return the edges of bins on the host, in the type in which the values are compared."""
    kind = values._dtype if values._dtype.kind == "f" else default_float(values._manager)
    if np.ndim(bins) == 0:
        if limits is None:
            ends = (0.0, 1.0)
            if values.size:
                ends = (reductions.min(values).item(), reductions.max(values).item())
            limits = ends
        return np.histogram_bin_edges(np.zeros(0), bins, tuple(limits)).astype(kind)
    edges = _host(bins)
    if edges.ndim != 1 or edges.size < 2 or not (edges[1:] >= edges[:-1]).all():
        raise ValueError("edges are at least 2 numbers in ascending order")
    return edges.astype(np.result_type(edges, kind) if kind.itemsize > 4 else kind)

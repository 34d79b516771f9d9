# SPDX-License-Identifier: Apache-2.0
"""Histograms, places among sorted elements, and the largest ones, as plain functions. See
_primitives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ._axes import normalized, whole
from ._kp import OpHistogram, OpSearchSorted, OpTopK, Tensor
from ._primitives import _new, _require_tensor, _run, extremes
from ._wording import counted, kind_of


def _on_device(name: str, values: Tensor | ArrayLike, like: Tensor) -> Tensor:
    """Return values as a tensor of the same dtype on the same device."""
    if not isinstance(values, Tensor):
        given = np.asarray(values).dtype
        if like.dtype.kind == "b" != given.kind:
            raise TypeError(
                f"kp.{name} compares elements of '{like.dtype}' with numbers of '{given}'; convert "
                "the elements first, with kp.asarray(tensor).astype"
            )
        try:
            return like.manager.tensor_t(values, dtype=like.dtype)
        except TypeError as error:
            raise TypeError(
                f"kp.{name} takes numbers of the elements' dtype, but {error}"
            ) from None
    if values.dtype != like.dtype:
        raise TypeError(
            f"kp.{name} takes tensors of one dtype, but there are '{like.dtype}' and "
            f"'{values.dtype}'"
        )
    return values


def _counts(
    name: str, tensor: Tensor, bins: int, weights: Tensor | None
) -> tuple[Tensor, list[Tensor]]:
    """Return the tensor of counts or sums, and the inputs."""
    if weights is None:
        return _new(tensor, (bins,), np.int64), [tensor]
    if not isinstance(weights, Tensor):
        raise TypeError(f"kp.{name} takes weights as a kp.Tensor, not {kind_of(weights)}")
    if weights.size() != tensor.size():
        raise ValueError(
            f"kp.{name} takes a weight per element, but was given {counted(weights.size(), 'weight')} for "
            f"{counted(tensor.size(), 'element')}"
        )
    return _new(tensor, (bins,), weights.dtype), [tensor, weights]


def _limits(tensor: Tensor, limits: tuple[float, float] | None) -> tuple[float, float]:
    """Return the outer edges of even bins, as NumPy chooses them."""
    if limits is not None:
        try:
            low, high = (float(limit) for limit in limits)
        except (TypeError, ValueError):
            raise TypeError(f"range is (low, high), not {limits!r}") from None
        if low > high:
            raise ValueError(f"range is (low, high) with low <= high, not ({low}, {high})")
    elif tensor.size() == 0:
        low, high = 0.0, 1.0
    else:
        least, most = extremes(tensor)
        low, high = float(least), float(most)
        # Of integers, rounding must not leave out the outermost ones.
        low = np.nextafter(low, -np.inf) if low > least else low
        high = np.nextafter(high, np.inf) if high < most else high
    if not (np.isfinite(low) and np.isfinite(high)):
        if limits is None:
            raise ValueError(
                f"the range of a histogram is finite, not ({low}, {high}), from where to where the "
                "elements reach; pass range=(low, high), and others are left out"
            )
        raise ValueError(f"the range of a histogram is finite, not ({low}, {high})")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def histogram(
    tensor: Tensor,
    bins: int | Tensor | ArrayLike = 10,
    range: tuple[float, float] | None = None,
    weights: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return how many elements are in each bin (int64), or the sums of their weights, and the edges.

    `bins` is a number of bins of equal width over `range`, by default from the smallest to the
    largest element, or their edges in ascending order. Each bin has its lower edge, the last one its
    upper edge, too. Elements outside of all bins and NaNs are skipped.
    """
    _require_tensor("histogram", tensor)
    if isinstance(bins, (int, np.integer)):
        if bins < 1:
            raise ValueError(f"kp.histogram takes at least 1 bin, not {bins}")
        low, high = _limits(tensor, range)
        few = np.zeros(0, tensor.dtype)
        places = np.histogram_bin_edges(few, int(bins), (low, high))
        edges = tensor.manager.tensor_t(places)
        counts, inputs = _counts("histogram", tensor, int(bins), weights)
        _run(OpHistogram(tensor, counts, (low, high), weights=weights), *inputs)
        return counts, edges
    if range is not None:
        raise ValueError("kp.histogram takes range for a number of bins, but bins has edges")
    if isinstance(bins, (str, float)):
        raise TypeError(f"kp.histogram takes bins as their number or their edges, not {bins!r}")
    edges = _on_device("histogram", bins, tensor)
    places = edges.read()
    if places.ndim != 1 or places.size < 2:
        raise ValueError(f"edges are a row of at least 2 numbers, not of shape {places.shape}")
    if not (places[1:] >= places[:-1]).all():
        raise ValueError("edges are in ascending order, but these are not")
    counts, inputs = _counts("histogram", tensor, places.size - 1, weights)
    _run(OpHistogram(tensor, counts, edges, weights=weights), *inputs, edges)
    return counts, edges


def bincount(tensor: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return how often each integer from 0 on occurs (int64), or the sum of its weights.

    There are as many results as the largest integer needs, and at least `minlength`.
    """
    _require_tensor("bincount", tensor)
    if tensor.dtype.kind not in "iu":
        raise TypeError(f"kp.bincount takes integers, not '{tensor.dtype}'")
    if len(tensor.shape) != 1:
        raise ValueError(f"kp.bincount takes a row of integers, not the shape {tensor.shape}")
    if minlength < 0:
        raise ValueError(f"minlength is 0 or more, not {minlength}")
    length = int(minlength)
    if tensor.size():
        lowest, highest = extremes(tensor)
        if lowest < 0:
            raise ValueError(f"kp.bincount takes integers from 0 on, but there is {lowest}")
        length = max(length, highest + 1)
    counts, inputs = _counts("bincount", tensor, length, weights)
    if length:
        _run(OpHistogram(tensor, counts, weights=weights), *inputs)
    return counts


def searchsorted(ordered: Tensor, values: Tensor | ArrayLike, side: str = "left") -> Tensor:
    """Return where to insert values among sorted elements so that they stay sorted (int64).

    `side` is "left" for the place before all equal elements, or "right" for that after them. NaNs
    are the largest elements. Values of an array are converted to the dtype of the elements.
    """
    _require_tensor("searchsorted", ordered)
    if len(ordered.shape) != 1:
        raise ValueError(f"kp.searchsorted takes a sorted row, not the shape {ordered.shape}")
    needles = _on_device("searchsorted", values, ordered)
    places = _new(ordered, needles.shape, np.int64)
    operation = OpSearchSorted(ordered, needles, places, side=side)
    if needles.size():
        _run(operation, ordered, needles)
    return places


def top_k(
    tensor: Tensor, k: int, axis: int | None = -1, smallest: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the k largest (or smallest) elements in order, and their indices (int64).

    They are found along an axis, or with `axis` None among all elements. Of equal elements, the one
    with the smallest index is first. NaNs are the largest elements, and -0 is smaller than 0.
    """
    _require_tensor("top_k", tensor)
    shape = list(tensor.shape)
    if axis is None or not shape:
        shape, axis = [tensor.size()], None
    at = -1 if axis is None else normalized(axis, len(shape))
    k = whole("k", k)
    if not 0 <= k <= shape[at]:
        raise ValueError(f"kp.top_k takes k from 0 to {shape[at]}, the number of elements, not {k}")
    shape[at] = k
    values, indices = _new(tensor, tuple(shape), tensor.dtype), _new(tensor, tuple(shape), np.int64)
    if values.size():
        _run(OpTopK(tensor, k, values, indices, axis=axis, smallest=smallest), tensor)
    return values, indices

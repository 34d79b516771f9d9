# SPDX-License-Identifier: Apache-2.0
"""Weighted means, covariances, and the bins of elements."""

from __future__ import annotations

import math
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike

from ..._axes import normalized_axes
from ..._floats import default_float
from ..._messages.warning import warn
from ..array import Array, converted
from ..derived import clip
from ..elementwise import apply, as_array, conj, manager_of, real, result_dtype, sqrt
from ..matrices.linear_algebra import diagonal, matmul
from ..reducing import reductions
from ..reducing.reductions import Axes
from ..selection.searching import searchsorted
from ..shapes.joining import atleast_2d, concat
from ..shapes.manipulation import (
    broadcast_to,
    given,
    permute_dims,
    reshape,
    squeeze,
    transpose,
)
from ..types import number

__all__ = [
    "average",
    "corrcoef",
    "cov",
    "digitize",
]


@overload
def average(
    a: Any,
    axis: Axes = None,
    weights: Any = None,
    returned: Literal[False] = False,
    *,
    keepdims: bool = False,
) -> Array: ...
@overload
def average(
    a: Any,
    axis: Axes = None,
    weights: Any = None,
    *,
    returned: Literal[True],
    keepdims: bool = False,
) -> tuple[Array, Array]: ...
@overload
def average(
    a: Any, axis: Axes, weights: Any, returned: bool, *, keepdims: bool = False
) -> Array | tuple[Array, Array]: ...
def average(
    a: Any,
    axis: Axes = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Return the means along axes, weighted: the sum of a times the weights over the sum of the
    weights.

    `weights` has the shape of `a`, or of its extents along `axis`. With `returned`, the sum of the
    weights is the second of a pair. Raises ZeroDivisionError if a sum of weights is 0, which waits
    for the device.
    """
    array = given(a)
    if weights is None:
        mean = reductions.mean(array, axis, keepdims=keepdims)
        if not returned:
            return mean
        count = math.prod(array.shape[each] for each in normalized_axes(axis, array.ndim))
        return mean, apply("add", apply("multiply", mean, 0), count)
    by = as_array(weights, array._manager)
    kinds = [array._dtype, by._dtype]
    dtype = result_dtype(
        *kinds,
        *([default_float(array._manager)] if array._dtype.kind in "biu" else []),
        manager=array._manager,
    )
    if by.shape != array.shape:
        if axis is None:
            raise TypeError(
                f"weights of the shape {by.shape} for elements of the shape {array.shape} need an axis"
            )
        axes = normalized_axes(axis, array.ndim)
        along = tuple(array.shape[each] for each in axes)
        if by.shape != along:
            raise ValueError(
                f"weights must have the shape of the elements, {array.shape}, or of their extents "
                f"along axis {axis}, {along}, not {by.shape}"
            )
        by = permute_dims(by, sorted(range(len(axes)), key=lambda each: axes[each]))
        wide = tuple(e if i in axes else 1 for i, e in enumerate(array.shape))
        by = broadcast_to(reshape(by, wide), array.shape)
    by = converted(by, dtype)
    total = reductions.sum(by, axis, keepdims=keepdims)
    if bool(reductions.any(apply("equal", total, 0))):
        raise ZeroDivisionError("the weights add up to 0, so there is no mean")
    products = apply("multiply", converted(array, dtype), by)
    mean = apply("divide", reductions.sum(products, axis, keepdims=keepdims), total)
    return (mean, total) if returned else mean


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: DTypeLike | None = None,
) -> Array:
    """Return the covariances of variables, which are rows, or with ``rowvar=False`` columns.

    They are float64 unless `dtype` is given. The sums are divided by n - 1, with `bias` by n, or by
    n - ddof. `fweights` are repeat counts of observations, and `aweights` their weights.
    """
    manager = manager_of(m, y)
    observed = as_array(m, manager)
    more = None if y is None else as_array(y, manager)
    if observed.ndim > 2 or (more is not None and more.ndim > 2):
        raise ValueError("covariances take arrays of one or two axes")
    if dtype is None:
        kinds = [each._dtype for each in (observed, more) if each is not None]
        dtype = np.result_type(np.float64, *kinds)
    kind = number(dtype).dtype
    rows = _variables(observed, rowvar, kind)
    if more is not None:
        rows = concat([rows, _variables(more, rowvar, kind)], axis=0)
    count = rows.shape[1]
    free = (0 if bias else 1) if ddof is None else ddof
    if int(free) != free:
        raise ValueError(f"ddof is an integer, not {ddof}")
    weights = _observed(fweights, aweights, count)
    if weights is None:
        divisor: float = count - free
        centred = apply("subtract", rows, reductions.mean(rows, axis=1, keepdims=True))
        weighted = centred
    else:
        total = float(weights.sum())
        divisor = total - free
        if aweights is not None and free:
            divisor = total - free * float((weights * _host(aweights)).sum()) / total
        elif not free:
            divisor = total
        mean = average(rows, 1, weights.astype(kind), keepdims=True)
        centred = apply("subtract", rows, mean)
        weighted = apply("multiply", centred, weights.astype(kind))
    if divisor <= 0:
        warn("Degrees of freedom <= 0 for slice")
    products = matmul(centred, conj(transpose(weighted)))
    return squeeze(apply("divide", products, float(divisor if divisor > 0 else 0)))


def _variables(x: Array, rowvar: bool, dtype: Any) -> Array:
    """Return variables as rows."""
    rows = atleast_2d(x) if rowvar or x.ndim < 2 else transpose(x)
    return converted(rows, dtype)


def _host(x: Any) -> Any:
    return np.asarray(x.numpy() if isinstance(x, Array) else x)


def _observed(fweights: Any, aweights: Any, count: int) -> Any:
    """Return the weights of observations on the host, or None."""
    weights = None
    for name, each in (("fweights", fweights), ("aweights", aweights)):
        if each is None:
            continue
        host = _host(each)
        if name == "fweights" and host.dtype.kind not in "iu" and (host != np.rint(host)).any():
            raise TypeError("fweights are integers")
        if host.shape != (count,):
            raise ValueError(
                f"{name} has the shape {host.shape}, but there are {count} observations"
            )
        if (host < 0).any():
            raise ValueError(f"{name} is not negative")
        host = host.astype(np.float64)
        weights = host if weights is None else weights * host
    return weights


def corrcoef(
    x: Any, y: Any = None, rowvar: bool = True, *, dtype: DTypeLike | None = None
) -> Array:
    """Return the correlation coefficients of variables: their covariances over the deviations."""
    found = cov(x, y, rowvar, dtype=dtype)
    if found.ndim == 0:
        return apply("divide", found, found)
    deviation = sqrt(real(diagonal(found)))
    scaled = apply("divide", found, reshape(deviation, (-1, 1)))
    scaled = apply("divide", scaled, deviation)
    return scaled if scaled._dtype.kind == "c" else clip(scaled, -1, 1)


def digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """Return the number (int64) of the bin of each element: i if ``bins[i - 1] <= x < bins[i]``.

    Elements below all edges are in bin 0, elements above in bin ``len(bins)``. `bins` ascends or
    descends. With `right`, bins include their right edges.
    """
    manager = manager_of(x, bins)
    edges = _host(bins)
    if edges.ndim != 1 or edges.dtype.kind not in "biuf":
        raise ValueError(f"bins is a row of numbers, not of shape {edges.shape} and {edges.dtype}")
    steps = edges[1:] >= edges[:-1]
    values = as_array(x, manager)
    side = "left" if right else "right"
    if steps.all():
        return searchsorted(as_array(bins, manager), values, side=side)
    if not (edges[1:] <= edges[:-1]).all():
        raise ValueError("bins ascends or descends, but these do neither")
    # The edges in reverse order change sides, too.
    backwards = searchsorted(as_array(edges[::-1].copy(), manager), values, side=side)
    return apply("subtract", edges.size, backwards)

# SPDX-License-Identifier: Apache-2.0
"""Samples of functions: integrals, gradients, interpolation, convolutions, polynomials."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from ... import _kp
from ..._axes import normalized, normalized_axes
from ..._floats import default_float
from ..array import Array, converted
from ..creation import zeros_like
from ..custom import elementwise
from ..elementwise import apply, as_array, imag, manager_of, real, result_dtype, where
from ..reducing import reductions
from ..reducing.reductions import Axes
from ..reducing.scans import cumsum, diff
from ..selection.searching import argsort, take
from ..shapes.joining import concat, stack
from ..shapes.manipulation import (
    given,
    moveaxis,
    ravel,
    reshape,
)
from ..storage import blank
from ..types import number

__all__ = [
    "apply_along_axis",
    "convolve",
    "correlate",
    "ediff1d",
    "gradient",
    "interp",
    "polyfit",
    "polyval",
    "trapezoid",
    "unwrap",
]


def _floats(x: Array) -> Array:
    """Return integers as the default float, and others as they are."""
    return converted(x, default_float(x._manager)) if x._dtype.kind in "biu" else x


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """Return the integrals along an axis by the trapezoidal rule, of samples at `x` or `dx` apart."""
    manager = manager_of(y, x)
    samples = as_array(y, manager)
    place = normalized(axis, samples.ndim)
    before = (slice(None),) * place
    later, earlier = samples[before + (slice(1, None),)], samples[before + (slice(None, -1),)]
    pairs = apply("add", _floats(later), earlier)
    step: Any = dx
    if x is not None:
        points = as_array(x, manager)
        if points.ndim == 1:
            step = reshape(diff(points), (-1,) + (1,) * (samples.ndim - 1 - place))
        else:
            step = diff(points, axis=axis)
    return reductions.sum(apply("divide", apply("multiply", pairs, step), 2.0), axis)


@overload
def gradient(f: Any, *varargs: Any, axis: int, edge_order: int = 1) -> Array: ...
@overload
def gradient(f: Any, *varargs: Any, axis: Axes = None, edge_order: int = 1) -> Array | Any: ...
def gradient(f: Any, *varargs: Any, axis: Axes = None, edge_order: int = 1) -> Any:
    """Return the derivatives along axes, by central differences: an array, or a tuple of one per axis.

    `varargs`: the spacing of the samples: one number, or for each axis a number or the coordinates.
    At the edges, differences of the order `edge_order` (1 or 2) are taken.
    """
    samples = _floats(given(f))
    axes = normalized_axes(axis, samples.ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"edge_order is 1 or 2, not {edge_order}")
    steps: list[Any] = list(varargs) or [1.0]
    if len(steps) == 1 and np.ndim(steps[0]) == 0:
        steps *= len(axes)
    if len(steps) != len(axes):
        raise TypeError(f"gradient takes 1 distance or {len(axes)}, one per axis, not {len(steps)}")
    found = tuple(
        _derivative(samples, place, step, edge_order)
        for place, step in zip(axes, steps, strict=True)
    )
    return found[0] if len(found) == 1 else found


def _derivative(f: Array, place: int, step: Any, edge_order: int) -> Array:
    extent = f.shape[place]
    if extent < edge_order + 1:
        raise ValueError(
            f"a gradient with edge_order={edge_order} takes {edge_order + 1} samples or more along an "
            f"axis, not {extent}"
        )

    def at(start: int | None, stop: int | None) -> Array:
        return f[(slice(None),) * place + (slice(start, stop),)]

    host = np.asarray(step.numpy() if isinstance(step, Array) else step)
    if host.ndim == 0:
        gaps = np.full(2, host, np.float64)  # two stand for all
    elif host.shape != (extent,):
        raise ValueError(
            f"the places of {extent} samples along axis {place} are not of shape {host.shape}"
        )
    else:
        gaps = np.diff(host.astype(np.float64))
    real = np.dtype(f._dtype.char.lower()) if f._dtype.kind == "c" else f._dtype

    def weighted(*terms: tuple[Array, Any]) -> Array:
        total: Any = None
        for part, weight in terms:
            shape = (-1,) + (1,) * (f.ndim - 1 - place)
            by = np.asarray(weight, np.float64).astype(real).reshape(shape)
            product = apply("multiply", part, by)
            total = product if total is None else apply("add", total, product)
        made: Array = total
        return made

    left, right = gaps[:-1], gaps[1:]
    if (gaps == gaps[0]).all():
        inner = apply("divide", apply("subtract", at(2, None), at(None, -2)), 2 * float(gaps[0]))
    else:
        inner = weighted(
            (at(None, -2), -right / (left * (left + right))),
            (at(1, -1), (right - left) / (left * right)),
            (at(2, None), left / (right * (left + right))),
        )
    if edge_order == 1:
        first = apply("divide", apply("subtract", at(1, 2), at(0, 1)), float(gaps[0]))
        last = apply("divide", apply("subtract", at(-1, None), at(-2, -1)), float(gaps[-1]))
    else:
        a, b = gaps[0], gaps[1]
        first = weighted(
            (at(0, 1), -(2 * a + b) / (a * (a + b))),
            (at(1, 2), (a + b) / (a * b)),
            (at(2, 3), -a / (b * (a + b))),
        )
        a, b = gaps[-2], gaps[-1]
        last = weighted(
            (at(-3, -2), b / (a * (a + b))),
            (at(-2, -1), -(a + b) / (a * b)),
            (at(-1, None), (2 * b + a) / (b * (a + b))),
        )
    return concat([first, inner, last], axis=place)


def interp(
    x: Any,
    xp: Any,
    fp: Any,
    left: Any = None,
    right: Any = None,
    period: float | None = None,
) -> Array:
    """Return the values at `x` of the line through the points (xp, fp), where `xp` ascends.

    Below and above all points, they are `left` and `right`, by default the first and last value. With
    `period`, angles, `xp` may be in any order. The dtype is the operands', float64 for integers.
    """
    manager = manager_of(x, xp, fp)
    at, places, values = (_floats(as_array(each, manager)) for each in (x, xp, fp))
    if places.ndim != 1 or values.shape != places.shape or places.size == 0:
        raise ValueError(
            f"xp and fp are rows of the same length, not of the shapes {places.shape} and {values.shape}"
        )
    dtype = result_dtype(at._dtype, places._dtype, values._dtype, manager=manager)
    kind = result_dtype(at._dtype, places._dtype, manager=manager)
    at, places, values = converted(at, kind), converted(places, kind), converted(values, dtype)
    if period is not None:
        if period == 0:
            raise ValueError("period is not 0")
        width = float(period if period > 0 else -period)
        at, places = apply("remainder", at, width), apply("remainder", places, width)
        order = argsort(places)
        places, values = take(places, order), take(values, order)
        places = concat(
            [apply("subtract", places[-1:], width), places, apply("add", places[:1], width)]
        )
        values = concat([values[-1:], values, values[:1]])
        left = right = None
    if dtype.kind == "c":
        parts = [_on_line(at, places, part) for part in (real(values), imag(values))]
        text = f"{number(dtype).computed}({{0}}, {{1}})"
        found = _kp._expression(text, dtype, at._shape, parts)
    else:
        found = _on_line(at, places, values)
    if left is not None:
        found = where(apply("less", at, places[0]), left, found)
    if right is not None:
        found = where(apply("greater", at, places[-1]), right, found)
    return converted(found, dtype)


#: The value at x of the line through points, extended with the outermost values.
_LINE = elementwise(
    "P x, raw P place, raw V value, int32 last",
    "V y",
    """
    int low = 0, high = last;
    while (high - low > 1) {
        int middle = (low + high) >> 1;
        if (place(uint(middle)) <= x) low = middle; else high = middle;
    }
    P start = place(uint(low)), end = place(uint(high));
    V first = value(uint(low)), second = value(uint(high));
    precise V slope = (second - first) / V(end - start);
    precise V rise = slope * V(x - start);
    precise V found = first + rise;
    y = last == 0 || x < start ? first : kp_isnan(x) ? V(x) : x >= end ? second : found
    """,
    name="kp.interp",
)


def _on_line(at: Array, places: Array, values: Array) -> Array:
    """Return interp() of real values, in their type."""
    found = blank(at._manager, at._shape, values._dtype)
    last = (places.size - 1, np.dtype(np.int32))
    _LINE._run(at._shape, [at, places, values, last], [found])
    return found


def _vectors(a: Any, v: Any, names: str) -> tuple[Array, Array]:
    manager = manager_of(a, v)
    first, second = as_array(a, manager), as_array(v, manager)
    dtype = result_dtype(first._dtype, second._dtype, manager=manager)
    pair = [
        reshape(converted(each, dtype), (1,)) if each.ndim == 0 else converted(each, dtype)
        for each in (first, second)
    ]
    for each, name in zip(pair, names.split(), strict=True):
        if each.ndim != 1 or each.size == 0:
            raise ValueError(f"{name} is a row of at least one element, not of shape {each.shape}")
    return pair[0], pair[1]


def convolve(a: Any, v: Any, mode: str = "full", *, method: str = "auto") -> Array:
    """Return the convolution of two vectors: "full", as long as the longer one ("same"), or "valid".

    `method`: "direct" sums each element by itself, "fft" convolves floating-point and complex numbers
    by Fourier transforms, and "auto" takes the faster one. Errors of "fft" are relative to the
    largest elements of the result, and a NaN or an infinity spreads to others.
    """
    first, second = _vectors(a, v, "a v")
    return _kp._convolve(first, second, mode, method)


def correlate(a: Any, v: Any, mode: str = "valid", *, method: str = "auto") -> Array:
    """Return the sums of products of one vector with another, conjugated one, shifted.

    `method` is as for convolve().
    """
    first, second = _vectors(a, v, "a v")
    return _kp._correlate(first, second, mode, method)


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """Return the differences of neighbours of the flat array, with values before and after it."""
    array = ravel(given(ary))
    steps = diff(array)
    ends = [None if each is None else as_array(each, array._manager) for each in (to_begin, to_end)]
    for each in ends:
        if each is not None and not np.can_cast(each._dtype, array._dtype, "same_kind"):
            raise TypeError(f"elements of {each._dtype} do not fit an array of {array._dtype}")
    parts = [ends[0], steps, ends[1]]
    joined = [ravel(converted(part, array._dtype)) for part in parts if part is not None]
    return concat(joined) if len(joined) > 1 else steps


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Array:
    """Return a function's result for each row along an axis. It is called once for each row.

    Functions with an axis argument (kp.sort(x, axis=1)) are much faster.
    """
    array = given(arr)
    place = normalized(axis, array.ndim)
    rows = moveaxis(array, place, -1)
    kept = rows.shape[:-1]
    count = math.prod(kept)
    if count == 0:
        raise ValueError(f"there are no rows along axis {axis} of an array of shape {array.shape}")
    rows = reshape(rows, (count, rows.shape[-1]))
    found = [as_array(func1d(row, *args, **kwargs), array._manager) for row in rows]
    result = stack(found)
    inner = result.ndim - 1
    result = reshape(result, (*kept, *result.shape[1:]))
    sources = list(range(len(kept), len(kept) + inner))
    return moveaxis(result, sources, list(range(place, place + inner)))


def polyfit(
    x: Any,
    y: Any,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: bool | str = False,
) -> Any:
    """Return the coefficients, the highest first, of the polynomial that fits points best.

    With `full` or `cov`, NumPy's further results follow, in a tuple. NumPy computes them on the host,
    in float64.
    """
    manager = manager_of(x, y, w)
    points = [None if each is None else as_array(each, manager).numpy() for each in (x, y, w)]
    fit: Any = np.polyfit
    found = fit(points[0], points[1], deg, rcond=rcond, full=full, w=points[2], cov=cov)
    if not isinstance(found, tuple):
        return as_array(found, manager)
    return tuple(
        as_array(each, manager) if isinstance(each, np.ndarray) else each for each in found
    )


#: Horner's rule.
_POLYNOMIAL = elementwise(
    "raw T factor, int32 count, T x",
    "T y",
    """
    precise T total = x * T(0);
    for (int k = 0; k < count; ++k) {
        precise T product = total * x;
        total = product + factor(uint(k));
    }
    y = total
    """,
    name="kp.polyval",
)


def polyval(p: Sequence[Any] | Any, x: Any) -> Array:
    """Return the values at `x` of a polynomial with the coefficients `p`, the highest first."""
    factors: Any = p if isinstance(p, Array) else np.asarray(p)
    if factors.ndim != 1:
        raise ValueError(f"p is a row of coefficients, not of shape {factors.shape}")
    points = given(x)
    if factors.dtype == np.float64 and not isinstance(p, (Array, np.ndarray)):
        factors = factors.astype(default_float(points._manager))
    dtype = result_dtype(factors.dtype, points._dtype, manager=points._manager)
    at = converted(points, dtype)
    if not factors.size:
        return zeros_like(points)
    if isinstance(factors, Array) and type(at) is Array and dtype.kind == "f":
        made: Array = _POLYNOMIAL(factors.astype(dtype), factors.size, at)
        return made
    total: Any = apply("multiply", at, 0)
    for factor in factors.astype(dtype):
        total = apply("add", apply("multiply", total, at), factor)
    made = total
    return made


def unwrap(
    p: Any, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Array:
    """Return angles along an axis with multiples of `period` added, so that no step exceeds half of it.

    With `discont`, smaller steps stay. Integers stay integers if `period` is one.
    """
    angles = given(p)
    place = normalized(axis, angles.ndim)
    before = (slice(None),) * place
    steps = diff(angles, axis=place)
    kind = result_dtype(steps._dtype, period, manager=angles._manager)
    angles = converted(angles, kind)
    whole = kind.kind in "iu"
    half: Any = period // 2 if whole else period / 2
    for bound in (period, -half):
        np.asarray(bound, kind)  # an OverflowError if it does not fit
    turned = apply("add", apply("remainder", apply("subtract", steps, -half), period), -half)
    if not whole or period % 2 == 0:  # a step of half a period goes either way
        up = apply("logical_and", apply("equal", turned, -half), apply("greater", steps, 0))
        turned = where(up, half, turned)
    change = apply("subtract", turned, steps)
    limit = period / 2 if discont is None or discont < period / 2 else discont
    change = where(apply("less", apply("abs", steps), limit), kind.type(0), change)
    first, rest = angles[before + (slice(0, 1),)], angles[before + (slice(1, None),)]
    sums = cumsum(change, place, kind)
    return concat([first, apply("add", rest, sums)], axis=place)

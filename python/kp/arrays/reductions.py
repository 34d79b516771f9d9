# SPDX-License-Identifier: Apache-2.0
"""Reductions of arrays, fused with the expression that they reduce."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .. import _kp
from .._axes import normalized, normalized_axes
from .._floats import default_float
from .._kp import OpReduce
from .._primitives import OF_SOMETHING, reduced_type, segment_count
from .._warning import warn
from .._wording import of_no_elements
from .array import Array, converted
from .elementwise import apply, broadcast, into
from .elementwise import where as choose
from .group_array import GroupArray
from .group_functions import reduced as reduced_by_group
from .group_functions import takes_groups
from .manipulation import expand_dims, given, reshape
from .operands import launch
from .primitives import on_device, rows_along, shaped
from .storage import DType, blank
from .types import number, real_of

Axes = int | Sequence[int] | None


def reduced(
    name: str,
    x: Any,
    axis: Axes,
    accumulated: DType,
    dtype: DType,
    keepdims: bool,
    out: Any = None,
) -> Array:
    """Reduce in one type, and return another."""
    array: Any = given(x)
    axes = normalized_axes(axis, array.ndim)
    if name in ("min", "max") and 0 in [array.shape[each] for each in axes]:
        raise of_no_elements(name)
    if isinstance(array, GroupArray):
        total: Any = reduced_by_group(
            array,
            axes,
            keepdims,
            lambda part, own, kept, again: reduced(
                name, part, own, accumulated, accumulated if again else dtype, kept
            ),
        )
    else:
        total = _kp._reduce(name, array, axes, accumulated, dtype, keepdims)
    found: Array = into(out, total)
    return found


#: What an element that `where` leaves out counts as.
_NEUTRAL = {"sum": 0, "prod": 1, "any": False, "all": True}
_COMBINED = {
    "sum": "add",
    "prod": "multiply",
    "min": "minimum",
    "max": "maximum",
}

_choose = takes_groups(choose)


def _masked(x: Array, where: Any, neutral: Any) -> Array:
    """Return the elements, or a neutral one where a mask is false."""
    if where is None or where is True:
        return x
    flags = np.asarray(where) if isinstance(where, (bool, list)) else where
    if np.dtype(flags.dtype) != np.bool_:
        raise TypeError(f"where must be a mask (bool), not {flags.dtype}")
    if broadcast(x.shape, flags.shape) != x.shape:
        raise ValueError(
            f"where has the shape {flags.shape}, which does not broadcast to {x.shape}"
        )
    return _choose(flags, x, neutral)


def _begun(name: str, total: Array, initial: Any, out: Any) -> Array:
    """Return a result combined with `initial`."""
    if initial is not None:
        total = converted(apply(_COMBINED[name], total, initial), total._dtype)
    return into(out, total)


def _sum_type(dtype: DType, wanted: DTypeLike | None) -> DType:
    if wanted is not None:
        return number(wanted).dtype
    kind = dtype.kind
    if kind == "f" or kind == "c":
        return dtype
    return np.dtype(np.uint64) if kind == "u" else np.dtype(np.int64)


def _at_least_single(dtype: DType) -> DType:
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def sum(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the sums along axes. Integers are summed in 64 bits, unless `dtype` is given.

    `initial` is added, and elements where the mask `where` is false are left out.
    """
    array = given(x)
    result = _sum_type(array._dtype, dtype)
    if where is not None:
        array = _masked(array, where, _neutral("sum", array))
    total = reduced("sum", array, axis, _at_least_single(result), result, keepdims)
    return total if initial is out is None else _begun("sum", total, initial, out)


def prod(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the products along axes. For the types, see sum()."""
    array = given(x)
    result = _sum_type(array._dtype, dtype)
    array = _masked(array, where, _neutral("prod", array))
    total = reduced("prod", array, axis, _at_least_single(result), result, keepdims)
    return _begun("prod", total, initial, out)


def _neutral(name: str, x: Array) -> Any:
    return x._dtype.type(_NEUTRAL[name])


def _extreme(
    name: str, x: Any, axis: Axes, out: Array | None, keepdims: bool, initial: Any, where: Any
) -> Array:
    array = given(x)
    dtype = array._dtype
    if dtype.kind == "c":
        raise TypeError(f"complex numbers have no order, so there is no {name}")
    masked = where is not None and where is not True
    if initial is None and masked:
        raise ValueError(f"{name} with where= needs initial=, the result if no element is left")
    if masked:
        array = _masked(array, where, _farthest(name, dtype))
    axes = normalized_axes(axis, array.ndim)
    if initial is not None and 0 in [array.shape[each] for each in axes]:
        shape = tuple(
            1 if i in axes else e for i, e in enumerate(array.shape) if keepdims or i not in axes
        )
        from .creation import full

        filled: Array = full(shape, initial, dtype=dtype, device=array.device)
        return into(out, filled)
    total = reduced(name, array, axis, dtype, dtype, keepdims)
    return _begun(name, total, initial, out)


def _farthest(name: str, dtype: DType) -> Any:
    """Return the number that no minimum, or maximum, is."""
    if dtype.kind == "f":
        return dtype.type(np.inf if name == "min" else -np.inf)
    if dtype.kind == "b":
        return np.bool_(name == "min")
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if name == "min" else limits.min)


def min(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the smallest elements along axes, or NaN where there is one. See sum()."""
    return _extreme("min", x, axis, out, keepdims, initial, where)


def max(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the largest elements along axes, or NaN where there is one. See sum()."""
    return _extreme("max", x, axis, out, keepdims, initial, where)


def any(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> Array:
    """Return whether there are elements that are not 0 along axes."""
    truth = np.dtype(np.bool_)
    array = given(x)
    array = _masked(array, where, _neutral("any", array))
    return reduced("any", array, axis, truth, truth, keepdims, out)


def all(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> Array:
    """Return whether no element along axes is 0."""
    truth = np.dtype(np.bool_)
    array = given(x)
    array = _masked(array, where, _neutral("all", array))
    return reduced("all", array, axis, truth, truth, keepdims, out)


def count_nonzero(
    x: Any, /, axis: Axes = None, out: Array | None = None, keepdims: bool = False
) -> Array:
    """Return the numbers (int64) of elements along axes that are not 0."""
    array = converted(given(x), np.dtype(np.bool_))
    count = np.dtype(np.int64)
    return reduced("sum", array, axis, count, count, keepdims, out)


def _mean_type(array: Array, wanted: DTypeLike | None) -> DType:
    if wanted is not None:
        return number(wanted).dtype
    dtype: DType = array._dtype
    return default_float(array._manager) if dtype.kind in "biu" else dtype


def mean(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> Array:
    """Return the means along axes: float64 of integers, unless `dtype` is given.

    Without elements, the mean is NaN, with a RuntimeWarning.
    """
    array = given(x)
    length = _length(array, axis)
    if not length:
        warn("Mean of empty slice")
    return _averaged(array, axis, length, dtype, out, keepdims, where)


def _averaged(
    array: Array,
    axis: Axes,
    length: int,
    dtype: DTypeLike | None,
    out: Array | None,
    keepdims: bool,
    where: Any,
) -> Array:
    """Return the means of `length` elements each."""
    result = _mean_type(array, dtype)
    wide = _at_least_single(result)
    total = reduced(
        "sum", _masked(array, where, _neutral("sum", array)), axis, wide, wide, keepdims
    )
    if where is not None and where is not True:
        quotient = apply("divide", total, _chosen(array, where, axis, keepdims, total._dtype))
        quotient = converted(quotient, result)
        return into(out, quotient)
    quotient = (
        apply("divide", total, float(length)) if length else apply("multiply", total, math.nan)
    )
    quotient = converted(quotient, result)
    return into(out, quotient)


def _chosen(array: Array, where: Any, axis: Axes, keepdims: bool, dtype: DType) -> Array:
    """Return how many elements along axes a mask chooses."""
    from .creation import full_like

    ones = takes_groups(full_like)(array, True, dtype=np.bool_)
    real = real_of(dtype)
    return reduced("sum", _masked(ones, where, np.False_), axis, real, real, keepdims)


def _length(array: Array, axis: Axes) -> int:
    return math.prod(array.shape[each] for each in normalized_axes(axis, array.ndim))


def var(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    correction: float = 0,
    where: Any = None,
    mean: Any = None,
) -> Array:
    """Return the variances along axes: the squared distances from the mean, summed, over
    n - correction, which NumPy also calls `ddof`.

    `mean` is the mean if it is known already, with axes of one element as from ``keepdims=True``.
    Warns (RuntimeWarning) if there are not more elements than `correction`.
    """
    less = _correction(ddof, correction)
    array = given(x)
    result = _mean_type(array, dtype)
    wide = _at_least_single(result)
    source = converted(array, wide)
    length = _length(array, axis)
    if length <= less:
        warn("Degrees of freedom <= 0 for slice")
    if mean is None:
        mean = _averaged(source, axis, length, None, None, True, where)
    distance = apply("subtract", source, mean)
    if wide.kind == "c":
        distance = apply("abs", distance)
    squares = apply("square", distance)
    kind = squares._dtype
    total = reduced("sum", _masked(squares, where, kind.type(0)), axis, kind, kind, keepdims)
    if where is not None and where is not True:
        chosen = apply("subtract", _chosen(array, where, axis, keepdims, kind), float(less))
        quotient = apply("divide", total, apply("maximum", chosen, 0.0))
    else:
        count = length - less
        quotient = apply("divide", total, float(count if count > 0 else 0))
    quotient = converted(quotient, kind if wide.kind == "c" else result)
    return into(out, quotient)


def _correction(ddof: float | None, correction: float) -> float:
    if ddof and correction:
        raise ValueError("ddof and correction are two names of one number; give one of them")
    return correction or ddof or 0


def std(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    correction: float = 0,
    where: Any = None,
    mean: Any = None,
) -> Array:
    """Return the standard deviations along axes: the square roots of var()."""
    less = _correction(ddof, correction)
    variance = var(x, axis, dtype, None, less, keepdims, where=where, mean=mean)
    root = apply("sqrt", variance)
    return into(out, root)


def _extreme_index(name: str, x: Any, axis: int | None, keepdims: bool) -> Array:
    array = given(x)
    if array._dtype.kind == "c":
        raise TypeError(f"complex numbers have no order, so there is no {name}")
    return _by_rows(name, array, axis, np.dtype(np.int64), keepdims)


def _by_rows(
    op: str | tuple[str, str], array: Array, axis: int | None, dtype: DType, keepdims: bool
) -> Array:
    """Reduce an array along an axis, or all of it, by the primitive."""
    length = array.size if axis is None else array.shape[normalized(axis, array.ndim)]
    if length == 0 and op in OF_SOMETHING:
        raise of_no_elements(str(op))
    rows, kept = rows_along(array, axis)
    result = blank(array._manager, kept, dtype)
    if math.prod(kept):
        along = None if axis is None else -1
        launch(array._manager, OpReduce(rows, result._memory(), op, axis=along))
    if not keepdims:
        return result
    if axis is None:
        return reshape(result, (1,) * array.ndim)
    return expand_dims(result, axis=normalized(axis, array.ndim))


def reduce(
    x: Any,
    /,
    op: str | tuple[str, str],
    axis: int | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    segments: Any = None,
) -> Array:
    """Return a reduction by an operator of all elements, along an axis or of segments.

    See kp.reduce().
    """
    array = given(x)
    dtype = reduced_type(op, array._dtype)
    if segments is None:
        result = _by_rows(op, array, axis, dtype, keepdims)
    else:
        offsets = on_device(segments, array._manager)
        result = blank(array._manager, (segment_count("reduce", offsets, axis, keepdims),), dtype)
        if result.shape[0]:
            row = shaped(array, (array.size,))
            launch(array._manager, OpReduce(row, result._memory(), op, segments=offsets))
    return into(out, result)


def argmin(
    x: Any, /, axis: int | None = None, out: Array | None = None, keepdims: bool = False
) -> Array:
    """Return the indices (int64) of the first smallest elements, or of the first NaN."""
    result = _extreme_index("argmin", x, axis, keepdims)
    return into(out, result)


def argmax(
    x: Any, /, axis: int | None = None, out: Array | None = None, keepdims: bool = False
) -> Array:
    """Return the indices (int64) of the first largest elements, or of the first NaN."""
    result = _extreme_index("argmax", x, axis, keepdims)
    return into(out, result)

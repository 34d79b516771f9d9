# SPDX-License-Identifier: Apache-2.0
"""Reductions of arrays, fused with the expression that they reduce. Reductions of tensors are
primitives."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ... import _kp
from ..._axes import normalized_axes
from ..._floats import default_float
from ..._messages.warning import warn
from ..._wording import of_no_elements
from ..array import Array, converted
from ..elementwise import apply, broadcast, into, where as choose
from ..groups import reductions as by_group
from ..groups.array import GroupArray
from ..groups.functions import takes_groups
from ..groups.traits import by_rows
from ..operands import computed_type, in_tensors
from ..shapes.manipulation import given
from ..storage import DType
from ..tensors import in_kind
from ..types import number, real_of
from .by_operator import reduced_by

Axes = int | Sequence[int] | None

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]


def _one_axis(x: Any, /, axis: Any = None, *_: Any, **__: Any) -> None:
    """Refuse several axes, which only arrays have."""
    if isinstance(axis, (tuple, list)):
        raise TypeError(
            f"axis is a whole number, not {axis!r}; arrays take several: kp.asarray(tensor) is one"
        )


_masked_in_kind = in_kind(arrays_only=("where",), check=_one_axis)
_begun_in_kind = in_kind(arrays_only=("initial", "where"), check=_one_axis)


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
    if in_tensors() and type(array) is Array and not isinstance(axis, (tuple, list)):
        return reduced_by(_PRIMITIVES.get(name, name), array, axis, dtype, keepdims, out)
    axes = normalized_axes(axis, array.ndim)
    if name in ("min", "max") and 0 in [array.shape[each] for each in axes]:
        raise of_no_elements(f"kp.{name}")
    if isinstance(array, GroupArray):
        total: Any = by_group.reduced(
            name,
            array,
            axes,
            keepdims,
            dtype,
            lambda part, own, kept, again: reduced(
                name, part, own, accumulated, accumulated if again else dtype, kept
            ),
        )
    else:
        total = _kp._reduce(name, array, axes, accumulated, dtype, keepdims)
    found: Array = into(out, total)
    return found


#: Names of OpReduce.
_PRIMITIVES = {"prod": "product"}
#: The value that replaces elements excluded by `where`.
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
    return into(out, converted(apply(_COMBINED[name], total, initial), total._dtype))


def sum_type(dtype: DType, wanted: DTypeLike | None, out: Any = None) -> DType:
    """Return the type of a sum, as NumPy chooses it: integers are summed in 64 bits."""
    if wanted is not None:
        return number(wanted).dtype
    if out is not None:
        return computed_type(out, sum_type(dtype, None))
    kind = dtype.kind
    if kind == "f" or kind == "c":
        return dtype
    return np.dtype(np.uint64) if kind == "u" else np.dtype(np.int64)


def at_least_single(dtype: DType, source: DType | None = None) -> DType:
    """Return the type in which results of a type are computed, from elements of a source type.

    For doubles it is float64: rounding to half by way of float would round twice.
    """
    if dtype != np.float16:
        return dtype
    doubles = source is not None and source in (np.float64, np.complex128)
    return np.dtype(np.float64 if doubles else np.float32)


@_begun_in_kind
@by_rows("made")
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
    """Return the sum of all elements, or along an axis (arrays: or several).

    As in NumPy, integers are summed in 64 bits unless `dtype` says otherwise; a device without such
    integers raises Unsupported. Sums in float16 are computed in float32, or float64 if the elements
    are, and rounded once. For arrays, `initial` is added, and elements where the mask `where` is
    false are excluded.
    """
    array = given(x)
    result = sum_type(array._dtype, dtype, out)
    if where is not None:
        array = _masked(array, where, _neutral("sum", array))
    target = out if initial is None else None
    total = reduced(
        "sum", array, axis, at_least_single(result, array._dtype), result, keepdims, target
    )
    return total if initial is None else _begun("sum", total, initial, out)


@_begun_in_kind
@by_rows("made")
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
    """Return the product of all elements, or along an axis. For the types, see sum()."""
    array = given(x)
    result = sum_type(array._dtype, dtype, out)
    array = _masked(array, where, _neutral("prod", array))
    target = out if initial is None else None
    total = reduced(
        "prod", array, axis, at_least_single(result, array._dtype), result, keepdims, target
    )
    return total if initial is None else _begun("prod", total, initial, out)


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
        from ..creation import full

        filled: Array = full(shape, initial, dtype=dtype, device=array.device)
        return into(out, filled)
    target = out if initial is None else None
    total = reduced(name, array, axis, dtype, dtype, keepdims, target)
    return total if initial is None else _begun(name, total, initial, out)


def _farthest(name: str, dtype: DType) -> Any:
    """Return the neutral number of a minimum or maximum."""
    if dtype.kind == "f":
        return dtype.type(np.inf if name == "min" else -np.inf)
    if dtype.kind == "b":
        return np.bool_(name == "min")
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if name == "min" else limits.min)


@_begun_in_kind
@by_rows("made")
def min(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the smallest element, or NaN if any element is, of all or along an axis."""
    return _extreme("min", x, axis, out, keepdims, initial, where)


@_begun_in_kind
@by_rows("made")
def max(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the largest element, or NaN if any element is, of all or along an axis."""
    return _extreme("max", x, axis, out, keepdims, initial, where)


amin, amax = min, max


@_masked_in_kind
@by_rows("made")
def any(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> Array:
    """Return whether any element is not 0. NaN is not 0."""
    truth = np.dtype(np.bool_)
    array = given(x)
    array = _masked(array, where, _neutral("any", array))
    return reduced("any", array, axis, truth, truth, keepdims, out)


@_masked_in_kind
@by_rows("made")
def all(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> Array:
    """Return whether no element is 0."""
    truth = np.dtype(np.bool_)
    array = given(x)
    array = _masked(array, where, _neutral("all", array))
    return reduced("all", array, axis, truth, truth, keepdims, out)


@in_kind(check=_one_axis)
@by_rows("made")
def count_nonzero(
    x: Any, /, axis: Axes = None, out: Array | None = None, keepdims: bool = False
) -> Array:
    """Return the number (int64) of elements that are not 0."""
    array, count = given(x), np.dtype(np.int64)
    if in_tensors():
        return reduced_by("count_nonzero", array, axis, count, keepdims, out)
    array = converted(array, np.dtype(np.bool_))
    return reduced("sum", array, axis, count, count, keepdims, out)


def _mean_type(array: Array, wanted: DTypeLike | None) -> DType:
    if wanted is not None:
        return number(wanted).dtype
    dtype: DType = array._dtype
    if dtype.kind not in "biu":
        return dtype
    of: Any = array
    homes = of._group if type(of) is GroupArray else (array._manager,)
    return builtins.min((default_float(each) for each in homes), key=lambda each: each.itemsize)


@_masked_in_kind
@by_rows("made")
def mean(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> Array:
    """Return the mean of all elements, or along an axis. The mean of integers is the default float.

    Without elements, the mean is NaN, for arrays with a RuntimeWarning.
    """
    array = given(x)
    if in_tensors():
        return reduced_by("mean", array, axis, _mean_type(array, dtype), keepdims, out)
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
    if length and dtype is None and where is None and type(array) is Array:
        made: Array = _kp._mean(array, normalized_axes(axis, array.ndim), keepdims)
        return into(out, made)
    result = _mean_type(array, dtype)
    wide = at_least_single(result, array._dtype)
    total: Any = reduced(
        "sum", _masked(array, where, _neutral("sum", array)), axis, wide, wide, keepdims
    )
    if where is not None and where is not True:
        quotient = apply("divide", total, _chosen(array, where, axis, keepdims, total._dtype))
        quotient = converted(quotient, result)
        return into(out, quotient)
    if type(total) is GroupArray and total._made is None:
        total = total._then(lambda found: found / (length or math.nan), result)
        found: Array = into(out, total)
        return found
    quotient = (
        apply("divide", total, float(length)) if length else apply("multiply", total, math.nan)
    )
    quotient = converted(quotient, result)
    return into(out, quotient)


def _chosen(array: Array, where: Any, axis: Axes, keepdims: bool, dtype: DType) -> Array:
    """Return how many elements along axes a mask chooses."""
    from ..creation import full_like

    ones = takes_groups(full_like)(array, True, dtype=np.bool_)
    real = real_of(dtype)
    return reduced("sum", _masked(ones, where, np.False_), axis, real, real, keepdims)


def _length(array: Array, axis: Axes) -> int:
    return math.prod(array.shape[each] for each in normalized_axes(axis, array.ndim))


@by_rows("made")
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
    less = correction_of(ddof, correction)
    array: Any = given(x)
    length = _length(array, axis)
    if length <= less:
        warn("Degrees of freedom <= 0 for slice")
    elif dtype is None and where is None and mean is None and type(array) is Array:
        made: Array = _kp._var(array, normalized_axes(axis, array.ndim), less, keepdims)
        return into(out, made)
    result = _mean_type(array, dtype)
    wide = at_least_single(result, array._dtype)
    source = converted(array, wide)
    if mean is None and type(array) is GroupArray and (where is None or where is True):
        axes = normalized_axes(axis, array.ndim)
        spread = real_of(wide) if wide.kind == "c" else result
        combined: Any = by_group.moments(array, axes, wide, less, keepdims, spread)
        if combined is not None:
            found: Array = into(out, combined)
            return found
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


def correction_of(ddof: float | None, correction: float) -> float:
    if ddof and correction:
        raise ValueError("ddof and correction are two names of one number; give one of them")
    return correction or ddof or 0


@by_rows("made")
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
    less = correction_of(ddof, correction)
    variance: Any = var(x, axis, dtype, None, less, keepdims, where=where, mean=mean)
    if type(variance) is GroupArray and variance._made is None:
        root: Any = variance._then(np.sqrt, variance._dtype)
    else:
        root = apply("sqrt", variance)
    found: Array = into(out, root)
    return found

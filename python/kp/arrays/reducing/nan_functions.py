# SPDX-License-Identifier: Apache-2.0
"""Reductions that ignore NaNs, with NumPy's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ... import _kp
from ..._axes import normalized_axes
from ..._wording import of_no_elements
from ..array import Array, converted
from ..elementwise import apply, into, where
from ..groups.functions import takes_groups
from ..groups.traits import by_rows
from ..operands import in_tensors
from ..shapes.manipulation import given
from ..types import number
from . import by_operator, reductions, scans
from .reductions import Axes, at_least_single

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]

_where = takes_groups(where)


def _numbers(array: Array, where: Any = None) -> Any:
    """Return the mask of elements that are not NaN and chosen by `where`; None if all are."""
    if array._dtype.kind not in "fc":
        return where
    found = apply("logical_not", apply("isnan", array))
    return found if where is None or where is True else apply("logical_and", found, where)


#: Up to here, floats count one by one.
_COUNTED = 1 << 24


def _in_one_kernel(array: Any, axis: Axes, dtype: Any, where: Any) -> bool:
    """Return whether one kernel may reduce an array, counting as it goes."""
    if type(array) is not Array or array._dtype.kind != "f" or in_tensors():
        return False
    if dtype is not None or where is not None:
        return False
    lengths = [array.shape[each] for each in normalized_axes(axis, array.ndim)]
    return 0 < math.prod(lengths) <= _COUNTED


def _of_numbers(
    array: Any, term: str, finish: str, axis: Axes, dtype: Any, keepdims: bool, *others: Any
) -> Array:
    """Reduce the elements {0} that are not NaN to a function of the sum $s of terms, and their number $n.

    $T is the type of both.
    """
    wide = at_least_single(array._dtype)
    kind = np.dtype(np.complex128 if wide.itemsize == 8 else np.complex64)
    real, pair = number(wide).computed, number(kind).computed
    value = _kp._expression(
        f"(kp_isnan({{0}}) ? {pair}(0) : {pair}({term}, 1))",
        kind,
        array.shape,
        [converted(array, wide), *others],
    )
    finish = finish.replace("$s", "{0}.x").replace("$n", "{0}.y").replace("$T", real)
    axes = normalized_axes(axis, array.ndim)
    found: Array = _kp._reduce_text(
        value, axes, dtype, "{0} + {1}", f"{pair}(0)", f"{pair}({finish}, 0)", keepdims
    )
    return found


@by_rows("made")
def nansum(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the sums along axes; NaNs count as 0."""
    return reductions.sum(_filled(x, 0), axis, dtype, out, keepdims, initial, where)


@by_rows("made")
def nanprod(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the products along axes; NaNs count as 1."""
    return reductions.prod(_filled(x, 1), axis, dtype, out, keepdims, initial, where)


@by_rows("made")
def nanmean(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Any = None,
) -> Array:
    """Return the means along axes, ignoring NaNs; NaN where there is nothing else."""
    array = given(x)
    if _in_one_kernel(array, axis, dtype, where):
        return into(out, _of_numbers(array, "{0}", "$s / $n", axis, array._dtype, keepdims))
    return reductions.mean(array, axis, dtype, out, keepdims, where=_numbers(array, where))


@by_rows("made")
def nanvar(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    where: Any = None,
    mean: Any = None,
    correction: float = 0,
) -> Array:
    """Return the variances along axes, ignoring NaNs. See var()."""
    array = given(x)
    if _in_one_kernel(array, axis, dtype, where):
        less = reductions.correction_of(ddof, correction)
        wide = at_least_single(array._dtype)
        if mean is None:
            mean = _of_numbers(array, "{0}", "$s / $n", axis, wide, True)
        squares = "({0} - {1}) * ({0} - {1})"
        # No more elements than are subtracted: there is no variance.
        quotient = f"($n > $T({less}) ? $s / ($n - $T({less})) : kp_nan($T(0)))"
        mean = converted(given(mean), wide)
        return into(out, _of_numbers(array, squares, quotient, axis, array._dtype, keepdims, mean))
    found = _numbers(array, where)
    return reductions.var(
        array, axis, dtype, out, ddof, keepdims, correction=correction, where=found, mean=mean
    )


@by_rows("made")
def nanstd(
    x: Any,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    where: Any = None,
    mean: Any = None,
    correction: float = 0,
) -> Array:
    """Return the standard deviations along axes, ignoring NaNs. See std()."""
    array = given(x)
    if _in_one_kernel(array, axis, dtype, where):
        variance = nanvar(array, axis, None, None, ddof, keepdims, mean=mean, correction=correction)
        return into(out, apply("sqrt", variance))
    found = _numbers(array, where)
    return reductions.std(
        array, axis, dtype, out, ddof, keepdims, correction=correction, where=found, mean=mean
    )


def _without_nans(array: Array, found: Any, name: str) -> Any:
    """Return an array with NaNs replaced by the neutral number of a minimum or maximum."""
    farthest = np.inf if name.endswith("min") else -np.inf
    return _where(found, array, array._dtype.type(farthest))


def _extreme(
    name: str, x: Any, axis: Axes, out: Array | None, keepdims: bool, initial: Any, where: Any
) -> Array:
    array = given(x)
    if initial is None and _in_one_kernel(array, axis, None, where):
        source = converted(array, at_least_single(array._dtype))
        nothing = f"kp_nan({number(source._dtype).computed}(0))"
        axes = normalized_axes(axis, array.ndim)
        combine = f"kp_f{name}({{0}}, {{1}})"
        result: Array = _kp._reduce_text(
            source, axes, array._dtype, combine, nothing, "{0}", keepdims
        )
        return into(out, result)
    function = getattr(reductions, name)
    found = _numbers(array)
    if found is None or initial is not None:
        chosen = _numbers(array, where)
        result = function(array, axis, out, keepdims, initial, chosen)
        return result
    if where is not None:
        raise ValueError(f"nan{name} with where= needs initial=, the result if no element is left")
    result = function(_without_nans(array, found, name), axis, keepdims=keepdims)
    left = reductions.any(found, axis, keepdims=keepdims)
    result = _where(left, result, array._dtype.type(math.nan))
    return into(out, result)


@by_rows("made")
def nanmin(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the smallest elements along axes, ignoring NaNs; NaN where there is nothing else."""
    return _extreme("min", x, axis, out, keepdims, initial, where)


@by_rows("made")
def nanmax(
    x: Any,
    /,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Array:
    """Return the largest elements along axes, ignoring NaNs; NaN where there is nothing else."""
    return _extreme("max", x, axis, out, keepdims, initial, where)


def _extreme_index(name: str, x: Any, axis: int | None, out: Array | None, keepdims: bool) -> Array:
    array = given(x)
    if array._dtype.kind == "f" and type(array) is Array and not in_tensors():
        return into(out, _index_of_number(name, array, axis, keepdims))
    found = _numbers(array)
    if found is not None:
        if not bool(reductions.all(reductions.any(found, axis))):
            raise _only_nans(name)
        array = _without_nans(array, found, name)
    result: Array = takes_groups(getattr(by_operator, name))(array, axis, out, keepdims)
    return result


def _only_nans(name: str) -> ValueError:
    return ValueError(f"nan{name} of nothing but NaN does not exist")


def _index_of_number(name: str, array: Array, axis: int | None, keepdims: bool) -> Array:
    """Return the indices of the first smallest, or largest, elements that are not NaN."""
    at = by_operator.one_axis(axis, array.ndim)
    reduced = array.shape if at is None else array.shape[at : at + 1]
    if 0 in reduced and 0 not in by_operator.without(array.shape, at, keepdims):
        raise of_no_elements(f"kp.nan{name}")
    found: Array = _kp._index_of_number(name, array, at, keepdims)
    if found.size and (found if found.size == 1 else reductions.min(found)).item() < 0:
        raise _only_nans(name)
    return found


@by_rows("made")
def nanargmin(
    x: Any, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Return the indices (int64) of the first smallest elements that are not NaN.

    Raises ValueError if all are NaN, which waits for the device.
    """
    return _extreme_index("argmin", x, axis, out, keepdims)


@by_rows("made")
def nanargmax(
    x: Any, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Return the indices (int64) of the first largest elements that are not NaN. See nanargmin()."""
    return _extreme_index("argmax", x, axis, out, keepdims)


def _filled(x: Any, value: int) -> Array:
    """Return the elements with NaNs replaced by a number."""
    array = given(x)
    if array._dtype.kind not in "fc":
        return array
    if type(array) is not Array:
        return _where(_numbers(array), array, array._dtype.type(value))
    is_nan = "kp_isnan({0})" if array._dtype.kind == "f" else "kp_isnan({0}.x) || kp_isnan({0}.y)"
    text = f"({is_nan} ? {{1}} : {{0}})"
    number_in_place = (value, array._dtype)
    return _kp._expression(text, array._dtype, array._shape, [array, number_in_place])


@by_rows("made")
def nancumsum(
    x: Any,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Return the sums of the elements up to each one; NaNs count as 0."""
    return takes_groups(scans.cumsum)(_filled(x, 0), axis, dtype, out=out)


@by_rows("made")
def nancumprod(
    x: Any,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Return the products of the elements up to each one; NaNs count as 1."""
    return takes_groups(scans.cumprod)(_filled(x, 1), axis, dtype, out=out)

# SPDX-License-Identifier: Apache-2.0
"""Running sums and products, and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .._axes import normalized
from .._wording import counted
from .._kp import OpScan, Tensor
from .._primitives import segment_count
from .array import Array, converted
from .elementwise import apply, as_array, into
from .manipulation import broadcast_to, concat, given
from .operands import blank, launch
from .primitives import from_rows, on_device, rows_along
from .reductions import _at_least_single, _sum_type
from .storage import require


def _scanned(
    name: str, x: Any, axis: int | None, dtype: DTypeLike | None, out: Array | None
) -> Array:
    array = given(x)
    if axis is not None:
        normalized(axis, array.ndim)
    result = _sum_type(array._dtype, dtype)
    wide = _at_least_single(result)
    require(array._manager, result)
    if array._dtype.kind == "c" or result.kind == "c":
        values = np.cumsum if name == "sum" else np.cumprod
        from .creation import array as made

        return made(values(array.numpy(), axis, result), device=array._manager)
    source = converted(array, wide)
    return into(out, converted(_by_rows(name, source, axis, False), result))


def _by_rows(
    op: str | tuple[str, str],
    array: Array,
    axis: int | None,
    exclusive: bool,
    segments: Tensor | None = None,
) -> Array:
    """Scan an array along an axis, or all of it in C order, by the primitive."""
    if array.size == 0:
        return array if axis is not None else array.reshape(0)
    rows, kept = rows_along(array, axis)
    tensor = blank(array._manager, rows.shape, array._dtype)
    along = -1 if segments is None else None
    operation = OpScan(rows, tensor, op, axis=along, exclusive=exclusive, segments=segments)
    launch(array._manager, operation)
    return from_rows(tensor, kept, array, axis)


def scan(
    x: Any,
    /,
    op: str | tuple[str, str],
    axis: int | None = None,
    out: Array | None = None,
    exclusive: bool = False,
    segments: Any = None,
) -> Array:
    """Return the reductions of the elements up to each one, along an axis or of all in C order.

    See kp.scan().
    """
    array = given(x)
    if axis is not None:
        normalized(axis, array.ndim)
    offsets = None if segments is None else on_device(segments, array._manager)
    if offsets is not None:
        segment_count("scan", offsets, axis)
    return into(out, _by_rows(op, array, axis, exclusive, offsets))


def cumsum(
    x: Any,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Return the sums of the elements up to each one, along an axis or of all in C order."""
    return _scanned("sum", x, axis, dtype, out)


def cumprod(
    x: Any,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Return the products of the elements up to each one. See cumsum()."""
    return _scanned("product", x, axis, dtype, out)


def _cumulative(
    name: str, x: Any, axis: int | None, dtype: DTypeLike | None, include_initial: bool
) -> Array:
    array = given(x)
    if array.ndim == 0:
        array = array.reshape(1)
    if axis is None:
        if array.ndim != 1:
            raise ValueError(f"axis is needed for an array of {counted(array.ndim, 'axis')}")
        axis = 0
    result = _scanned(name, array, axis, dtype, None)
    if not include_initial:
        return result
    shape = list(array.shape)
    shape[normalized(axis, array.ndim)] = 1
    from .creation import full

    first = full(shape, 0 if name == "sum" else 1, dtype=result.dtype, device=array._manager)
    return concat([first, result], axis=axis)


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the sums of the elements up to each one; `include_initial` puts a 0 in front."""
    return _cumulative("sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the products of the elements up to each one; `include_initial` puts a 1 in front."""
    return _cumulative("product", x, axis, dtype, include_initial)


def _slab(values: Any, array: Array, axis: int) -> Array:
    """Return what diff() puts before or after an array; a number is repeated."""
    slab = as_array(values, array._manager)
    if slab.ndim > 0:
        return slab
    return broadcast_to(slab, array.shape[:axis] + (1,) + array.shape[axis + 1 :])


def diff(x: Any, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Return the differences of neighbours along an axis, n times."""
    if n < 0:
        raise ValueError(f"differences are taken n times, and n is {n}; it must not be negative")
    array = given(x)
    place = normalized(axis, array.ndim)
    parts = [array]
    if prepend is not None:
        parts.insert(0, _slab(prepend, array, place))
    if append is not None:
        parts.append(_slab(append, array, place))
    if len(parts) > 1:
        array = concat(parts, axis=place)
    before: tuple[slice, ...] = (slice(None),) * place
    for _ in range(n):
        later = array[before + (slice(1, None),)]
        earlier = array[before + (slice(None, -1),)]
        array = apply("not_equal" if array.dtype == np.bool_ else "subtract", later, earlier)
    return array

# SPDX-License-Identifier: Apache-2.0
"""Running sums and products, and other scans, and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ... import _kp
from ..._axes import normalized
from ..._kp import OpScan, Tensor
from ..._wording import counted
from ..array import Array, converted
from ..elementwise import apply, as_array, imag, into, real
from ..groups.traits import by_rows
from ..operands import computed_type, in_tensors, operand, written
from ..shapes.joining import concat
from ..shapes.manipulation import broadcast_to, given
from ..storage import DType
from ..tensors import in_kind
from ..types import number
from .by_operator import Operator, offsets, one_axis
from .reductions import at_least_single, sum_type

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "diff", "scan"]


def _scanned(
    name: str, x: Any, axis: int | None, dtype: DTypeLike | None, out: Array | None
) -> Array:
    array = given(x)
    at = one_axis(axis, array.ndim)
    own = array._dtype
    result = sum_type(own, dtype, out)
    if name == "sum" and result.kind == "c" and not in_tensors():
        return into(out, _complex_sums(converted(array, result), at))
    if own.kind == "c" or result.kind == "c":
        values = np.cumsum if name == "sum" else np.cumprod
        from ..creation import array as made

        found: Array = made(values(array.numpy(), axis, result), device=array._manager)
        return into(out, found)
    if own is not result and not np.can_cast(
        own, result, "safe"
    ):  # else the scan converts A double becomes a half at once: on the way through float32 it would be rounded twice.
        array = converted(array, result if own == np.float64 else at_least_single(result))
    return _by_operator(name, array, at, result, out)


def _complex_sums(array: Array, axis: int | None) -> Array:
    """Return the sums of complex elements up to each one, by real and imaginary parts."""
    parts = [
        _by_operator("sum", part, axis, part._dtype, None) for part in (real(array), imag(array))
    ]
    text = f"{number(array._dtype).computed}({{0}}, {{1}})"
    return _kp._expression(text, array._dtype, parts[0]._shape, parts)


def _by_operator(
    op: Operator,
    array: Array,
    axis: int | None,
    dtype: DType,
    out: Any,
    exclusive: bool = False,
    segments: Tensor | None = None,
) -> Array:
    """Scan an array along an axis, or all of it in C order, by the primitive."""
    own = array.shape
    shape = (array.size,) if axis is None else own
    source = operand(array, own)
    return written(
        out,
        array,
        shape,
        dtype,
        lambda memory: OpScan(
            source, memory, op, axis=axis, exclusive=exclusive, segments=segments
        ),
        in_place=True,
    )


@in_kind()
@by_rows("along")
def scan(
    x: Any,
    /,
    op: Operator,
    axis: int | None = None,
    out: Array | None = None,
    exclusive: bool = False,
    segments: Any = None,
) -> Array:
    """Return the reductions of the elements up to each one, along an axis or of all in C order.

    They have the type of x. `op` is a name that OpScan knows, or a pair of GLSL texts: an associative
    expression over a and b, and its identity. An exclusive scan leaves out the element itself. It
    restarts at each offset in `segments`, as in reduce().
    """
    array = given(x)
    at = one_axis(axis, array.ndim)
    rows = None if segments is None else offsets("scan", array, segments, axis)
    dtype = computed_type(out, array._dtype)
    return _by_operator(op, array, at, dtype, out, exclusive, rows)


@in_kind()
@by_rows("scans.cumulated")
def cumsum(
    x: Any,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Return the sums of the elements up to each one, along an axis or of all in C order.

    For the types, see sum().
    """
    return _scanned("sum", x, axis, dtype, out)


@in_kind()
@by_rows("scans.cumulated")
def cumprod(
    x: Any,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Return the products of the elements up to each one. For the types, see sum()."""
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
    from ..creation import full

    first = full(shape, 0 if name == "sum" else 1, dtype=result.dtype, device=array._manager)
    return concat([first, result], axis=axis)


@by_rows("scans.cumulative")
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


@by_rows("scans.cumulative")
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
    """Return the elements that diff() puts before or after an array; a number is repeated."""
    slab = as_array(values, array._manager)
    if slab.ndim > 0:
        return slab
    return broadcast_to(slab, array.shape[:axis] + (1,) + array.shape[axis + 1 :])


@by_rows("scans.differences")
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

# SPDX-License-Identifier: Apache-2.0
"""Reductions by an operator, which run the primitive: all elements, along an axis or of segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._axes import normalized
from ..._floats import default_float
from ..._kp import OpReduce, Tensor
from ..._wording import kind_of, of_no_elements
from ..array import Array
from ..groups.traits import by_rows
from ..operands import computed_type, operand, written
from ..primitives import offsets_of, on_device
from ..shapes.manipulation import given
from ..storage import DType, Shape
from ..tensors import in_kind

__all__ = ["argmax", "argmin", "reduce"]

#: A name of an operation, or a GLSL expression over a and b and its identity.
Operator = str | tuple[str, str]

#: Reductions that need an element.
OF_SOMETHING = ("min", "max", "argmin", "argmax")


def reduced_type(op: Operator, dtype: DType) -> DType:
    """Return the type of a reduction by an operator: by default the elements' type."""
    if op in ("argmin", "argmax", "count_nonzero"):
        return np.dtype(np.int64)
    if op in ("any", "all"):
        return np.dtype(np.bool_)
    return default_float() if op == "mean" and dtype.kind in "biu" else dtype


def one_axis(axis: Any, ndim: int) -> int | None:
    """Return an axis counted from the front, or None for all elements."""
    return None if axis is None else normalized(axis, ndim)


def without(shape: Shape, axis: int | None, keepdims: bool) -> Shape:
    """Return the shape of a reduction."""
    if axis is None:
        return (1,) * len(shape) if keepdims else ()
    return shape[:axis] + ((1,) if keepdims else ()) + shape[axis + 1 :]


def reduced_by(
    op: Operator,
    x: Array,
    axis: Any,
    dtype: DType,
    keepdims: bool,
    out: Any,
    function: str = "kp.",
) -> Array:
    """Reduce an array along an axis, or all of it, by the primitive."""
    own = x.shape
    at = one_axis(axis, len(own))
    shape = without(own, at, keepdims)
    if op in OF_SOMETHING and 0 in (own if at is None else own[at : at + 1]) and 0 not in shape:
        raise of_no_elements(f"{function}{op}")
    source = operand(x, own)
    wanted = computed_type(out, dtype)
    return written(out, x, shape, wanted, lambda memory: OpReduce(source, memory, op, axis=at))


def segment_count(name: str, segments: Any, axis: int | None, keepdims: bool = False) -> int:
    """Return the number of segments between offsets. Raises ValueError if there is an axis, too."""
    if axis is not None or keepdims:
        raise ValueError(f"kp.{name}: segments are of all elements; leave out axis and keepdims")
    if not hasattr(segments, "shape"):
        raise TypeError(f"kp.{name} takes segments as a row of offsets, not {kind_of(segments)}")
    if len(segments.shape) != 1 or segments.shape[0] == 0:
        raise ValueError(
            f"kp.{name}: segments is a row of n + 1 offsets for n segments, not of the shape "
            f"{segments.shape}"
        )
    return int(segments.shape[0]) - 1


def offsets(name: str, x: Array, segments: Any, axis: int | None, keepdims: bool = False) -> Tensor:
    """Return the offsets of segments of x on its device, checked."""
    given_offsets = offsets_of(x, segments)
    segment_count(name, given_offsets, axis, keepdims)
    return on_device(given_offsets, x._manager)


@in_kind()
@by_rows("along")
def reduce(
    x: Any,
    /,
    op: Operator,
    axis: int | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    segments: Any = None,
) -> Array:
    """Return a reduction by an operator of all elements, along an axis or of segments.

    `op` is a name that OpReduce knows, or a pair of GLSL texts: an associative and commutative
    expression over a and b, and its identity, as in ``("max(abs(a), abs(b))", "0")``. The result has
    the type of x, unless the name says another: int64 for indices and counts, bool for "any" and
    "all". `segments` has n + 1 ascending offsets for n results, as the rows of a sparse matrix have:
    the first is of the elements from ``segments[0]`` to before ``segments[1]`` in C order. Indices
    count within the segment.
    """
    array = given(x)
    dtype = reduced_type(op, array._dtype)
    if segments is None:
        return reduced_by(op, array, axis, dtype, keepdims, out, "kp.reduce by ")
    rows = offsets("reduce", array, segments, axis, keepdims)
    source = operand(array, (array.size,))
    return written(
        out,
        array,
        (rows.shape[0] - 1,),
        computed_type(out, dtype),
        lambda memory: OpReduce(source, memory, op, segments=rows),
    )


def _index_of(name: str, x: Any, axis: int | None, out: Any, keepdims: bool) -> Array:
    array = given(x)
    if array._dtype.kind == "c":
        raise TypeError(f"complex numbers have no order, so there is no {name}")
    return reduced_by(name, array, axis, np.dtype(np.int64), keepdims, out)


@in_kind()
@by_rows("reductions.index_of")
def argmin(
    x: Any, /, axis: int | None = None, out: Array | None = None, keepdims: bool = False
) -> Array:
    """Return the index (int64) of the first smallest element, or of the first NaN.

    Without an axis, it is the index among the elements in C order.
    """
    return _index_of("argmin", x, axis, out, keepdims)


@in_kind()
@by_rows("reductions.index_of")
def argmax(
    x: Any, /, axis: int | None = None, out: Array | None = None, keepdims: bool = False
) -> Array:
    """Return the index (int64) of the first largest element, or of the first NaN."""
    return _index_of("argmax", x, axis, out, keepdims)

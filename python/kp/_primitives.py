# SPDX-License-Identifier: Apache-2.0
"""Primitives as plain functions, which run at once and return tensors.

They read device memory, as operations do, and what the host has changed is copied there first; see
docs/memory-types.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._floats import default_float
from ._axes import normalized
from ._kp import MemoryTypes, OpBase, OpReduce, OpScan, Tensor
from ._wording import explains_keywords, kind_of, of_no_elements
from .arrays.operands import blank, launch

#: A name of an operation, or a GLSL expression over a and b and its identity.
Operator = str | tuple[str, str]


def _require_tensor(name: str, tensor: object) -> None:
    """Refuse what is not a tensor."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"kp.{name} takes a kp.Array, a list or a kp.Tensor, not {kind_of(tensor)}")


def _new(like: Tensor, shape: tuple[int, ...], dtype: DTypeLike) -> Tensor:
    """Return a new tensor on the device of another one. If that is memory of an array, so is the new one."""
    if like._owner is not None:
        return blank(like.manager, shape, np.dtype(dtype))
    return like.manager.tensor(shape=shape, dtype=dtype, memory_type=MemoryTypes.device)


def _run_all(operations: Sequence[OpBase], *inputs: Tensor) -> None:
    """Evaluate operations at once. Of the memory of arrays they are launched, and nothing waits for them."""
    if inputs[0]._owner is not None:
        launch(inputs[0].manager, *operations)
        return
    sequence = inputs[0].manager.sequence()
    for operation in operations:
        sequence.record(operation)
    sequence.eval()


def _run(operation: OpBase, *inputs: Tensor) -> None:
    """Evaluate one operation at once; see _run_all()."""
    _run_all([operation], *inputs)


def _output(
    name: str, tensor: Tensor, shape: tuple[int, ...], dtype: DTypeLike, out: Tensor | None
) -> Tensor:
    """Return `out`, or a new tensor on the device of `tensor`."""
    if out is None:
        return _new(tensor, shape, dtype)
    if not isinstance(out, Tensor):
        raise TypeError(f"out is expected to be a kp.Tensor, not {kind_of(out)}")
    if out.shape != shape:
        raise ValueError(f"kp.{name} has a result of shape {shape}, but out has {out.shape}")
    return out


#: Reductions that need an element.
OF_SOMETHING = ("min", "max", "argmin", "argmax")


def _whole_shape(tensor: Tensor, axis: int | None) -> tuple[int, ...]:
    """Return the shape of a result that has all elements: flat without an axis."""
    if axis is None:
        return (tensor.size(),)
    _axis_of(tensor, axis)
    return tensor.shape


def _axis_of(tensor: Tensor, axis: Any) -> int:
    """Return an axis counted from the front."""
    if isinstance(axis, (tuple, list)):
        raise TypeError(
            f"axis is a whole number, not {axis!r}; arrays take several: kp.asarray(tensor) is one"
        )
    return normalized(axis, len(tensor.shape))


def _remaining(tensor: Tensor, axis: int | None, keepdims: bool) -> tuple[int, ...]:
    """Return the shape of a reduction."""
    shape = list(tensor.shape)
    if axis is None:
        return (1,) * len(shape) if keepdims else ()
    at = _axis_of(tensor, axis)
    shape[at : at + 1] = [1] if keepdims else []
    return tuple(shape)


def _reduce(
    name: str,
    op: Operator,
    tensor: Tensor,
    axis: int | None,
    dtype_of: Callable[[Tensor], DTypeLike],
    out: Tensor | None,
    keepdims: bool,
    segments: Tensor | None = None,
) -> Tensor:
    _require_tensor(name, tensor)
    if segments is None:
        shape = _remaining(tensor, axis, keepdims)
        if op in OF_SOMETHING and tensor.size() == 0 and math.prod(shape) > 0:
            raise of_no_elements(f"kp.{name}")
    else:
        shape = (segment_count(name, segments, axis, keepdims),)
    result = _output(name, tensor, shape, dtype_of(tensor), out)
    if math.prod(shape):
        _run(OpReduce(tensor, result, op, axis=axis, segments=segments), tensor)
    return result


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


def _own_type(tensor: Tensor) -> np.dtype[Any]:
    return tensor.dtype


def _sum_type(tensor: Tensor) -> DTypeLike:
    """Return the type of a sum, as NumPy chooses it: integers are summed in 64 bits."""
    if tensor.dtype.kind == "u":
        return np.uint64
    return np.int64 if tensor.dtype.kind in "bi" else tensor.dtype


def _type_of(op: Operator) -> Callable[[Tensor], DTypeLike]:
    return lambda tensor: reduced_type(op, tensor.dtype)


def _given(
    dtype: DTypeLike | None, otherwise: Callable[[Tensor], DTypeLike]
) -> Callable[[Tensor], DTypeLike]:
    return otherwise if dtype is None else lambda tensor: dtype


def sum(
    tensor: Tensor,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the sum of all elements, or along an axis.

    As in NumPy, integers are summed in 64 bits unless `dtype` says otherwise; a device without such
    integers raises Unsupported. float16 is summed in float32 and rounded once.
    """
    return _reduce("sum", "sum", tensor, axis, _given(dtype, _sum_type), out, keepdims)


def prod(
    tensor: Tensor,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the product of all elements, or along an axis. For the types, see sum()."""
    return _reduce("prod", "product", tensor, axis, _given(dtype, _sum_type), out, keepdims)


def mean(
    tensor: Tensor,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the mean of all elements, or along an axis. The mean of integers is the default float."""
    return _reduce("mean", "mean", tensor, axis, _given(dtype, _type_of("mean")), out, keepdims)


def min(
    tensor: Tensor, axis: int | None = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return the smallest element, or NaN if any element is, of all or along an axis."""
    return _reduce("min", "min", tensor, axis, _own_type, out, keepdims)


def max(
    tensor: Tensor, axis: int | None = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return the largest element, or NaN if any element is, of all or along an axis."""
    return _reduce("max", "max", tensor, axis, _own_type, out, keepdims)


def argmin(
    tensor: Tensor, axis: int | None = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return the index (int64) of the first smallest element, or of the first NaN.

    Without an axis, it is the index in the flattened tensor.
    """
    return _reduce("argmin", "argmin", tensor, axis, _type_of("argmin"), out, keepdims)


def argmax(
    tensor: Tensor, axis: int | None = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return the index (int64) of the first largest element, or of the first NaN."""
    return _reduce("argmax", "argmax", tensor, axis, _type_of("argmax"), out, keepdims)


def extremes(tensor: Tensor) -> tuple[Any, Any]:
    """Return the smallest and the largest element, which it waits for, as Python numbers.

    By reductions of arrays: a software driver compiles their kernels in a fifth of the time.
    """
    from .arrays.array import Array, share
    from .arrays.manipulation import stack

    array = share(tensor) if tensor._owner is None else Array._from_tensor(tensor)
    least, most = stack([array.min(), array.max()]).tolist()
    return least, most


def any(
    tensor: Tensor, axis: int | None = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return whether any element is not 0. NaN is not 0."""
    return _reduce("any", "any", tensor, axis, _type_of("any"), out, keepdims)


def all(
    tensor: Tensor, axis: int | None = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return whether no element is 0."""
    return _reduce("all", "all", tensor, axis, _type_of("all"), out, keepdims)


def count_nonzero(
    tensor: Tensor, axis: int | None = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return the number (int64) of elements that are not 0."""
    return _reduce(
        "count_nonzero", "count_nonzero", tensor, axis, _type_of("count_nonzero"), out, keepdims
    )


def reduce(
    tensor: Tensor,
    op: Operator,
    axis: int | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
    segments: Tensor | None = None,
) -> Tensor:
    """Return a reduction by an operator, of all elements, along an axis or of segments.

    See kp.reduce().
    """
    return _reduce("reduce", op, tensor, axis, _type_of(op), out, keepdims, segments)


def reduced_type(op: Operator, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of a reduction by an operator: that of the elements, unless it is another's."""
    if op in ("argmin", "argmax", "count_nonzero"):
        return np.dtype(np.int64)
    if op in ("any", "all"):
        return np.dtype(np.bool_)
    return default_float() if op == "mean" and dtype.kind in "biu" else dtype


def _scan(
    name: str,
    op: Operator,
    tensor: Tensor,
    axis: int | None,
    dtype_of: Callable[[Tensor], DTypeLike],
    out: Tensor | None,
    exclusive: bool = False,
    segments: Tensor | None = None,
) -> Tensor:
    _require_tensor(name, tensor)
    shape = _whole_shape(tensor, axis)
    if segments is not None:
        segment_count(name, segments, axis)
    result = _output(name, tensor, shape, dtype_of(tensor), out)
    _run(OpScan(tensor, result, op, axis=axis, exclusive=exclusive, segments=segments), tensor)
    return result


def cumsum(
    tensor: Tensor,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the sums of the elements up to each one, along an axis or of the flattened tensor.

    For the types, see sum().
    """
    return _scan("cumsum", "sum", tensor, axis, _given(dtype, _sum_type), out)


def cumprod(
    tensor: Tensor,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the products of the elements up to each one. For the types, see sum()."""
    return _scan("cumprod", "product", tensor, axis, _given(dtype, _sum_type), out)


def scan(
    tensor: Tensor,
    op: Operator,
    axis: int | None = None,
    out: Tensor | None = None,
    exclusive: bool = False,
    segments: Tensor | None = None,
) -> Tensor:
    """Return the reductions of the elements up to each one, in the type of the tensor.

    See kp.scan().
    """
    return _scan("scan", op, tensor, axis, _own_type, out, exclusive, segments)

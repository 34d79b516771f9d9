# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors, on OpMatMul."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .._axes import normalized, normalized_axes
from .._wording import counted, inner_extents_differ
from .._kp import OpMatMul
from .array import Array, converted
from .elementwise import apply, as_array, broadcast, conj, into, manager_of, result_dtype
from .host_linear_algebra import (
    LinAlgError,
    cholesky,
    cond,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lstsq,
    matrix_power,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
    tensorinv,
    tensorsolve,
)
from .keywords import install
from .manipulation import (
    broadcast_to,
    expand_dims,
    matrix_transpose,
    moveaxis,
    permute_dims,
    reshape,
)
from .norms import matrix_norm, norm, vector_norm
from .operands import launch
from .reductions import any as any_
from .reductions import reduced
from .storage import blank


def _pair(x1: Any, x2: Any) -> tuple[Array, Array]:
    """Return two operands as arrays of a common dtype."""
    manager = manager_of(x1, x2)
    a, b = as_array(x1, manager), as_array(x2, manager)
    dtype = result_dtype(a.dtype, b.dtype, manager=manager)
    return converted(a, dtype), converted(b, dtype)


def matmul(x1: Any, x2: Any, /) -> Array:
    """Return the product of matrices, as numpy.matmul: stacks broadcast, vectors are rows or columns."""
    a, b = _pair(x1, x2)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("matmul takes arrays of at least one axis; use * for numbers")
    rows, columns = a.ndim > 1, b.ndim > 1
    given = a.shape, b.shape
    if not rows:
        a = expand_dims(a, axis=0)
    if not columns:
        b = expand_dims(b, axis=1)
    if a.shape[-1] != b.shape[-2]:
        raise inner_extents_differ(*given, (a.shape[-1], b.shape[-2]))
    result = _product(a, b)
    if not columns:
        result = result[..., 0]
    return result if rows else (result[..., 0, :] if columns else result[..., 0])


def _layout(x: Array) -> tuple[Array, bool, int] | None:
    """Return memory, whether it is transposed, and the distance of rows, if a product can read it."""
    view = x.evaluate()
    row, column = view._strides[-2:]
    rows, columns = view.shape[-2:]
    if (column == 1 or columns == 1) and (row >= columns or rows == 1):
        return view, False, row if rows > 1 else columns
    if (row == 1 or rows == 1) and (column >= rows or columns == 1):
        return view, True, column if columns > 1 else rows
    return None


def _stack_stride(view: Array, stack: tuple[int, ...]) -> int | None:
    """Return the distance of the matrices of a stack, or None if they lie irregularly."""
    strides = view._strides[:-2]
    if math.prod(stack) == 1 or not [s for s in strides if s]:
        return 0
    expected = strides[-1]
    step = expected
    for extent, stride in zip(reversed(stack), reversed(strides), strict=True):
        if extent != 1 and stride != step:
            return None
        step = (stride if extent != 1 else step) * extent
    return expected if expected > 0 else None


def _operand(x: Array, stack: tuple[int, ...]) -> tuple[Array, bool, int, int]:
    wide = broadcast_to(x, (*stack, *x.shape[-2:])) if x.shape[:-2] != stack else x
    found = _layout(wide)
    if found is not None:
        step = _stack_stride(found[0], stack)
        if step is not None and found[0].size > 0:
            return (*found, step)
    view = wide._contiguous() if found is None else wide.copy()
    return view, False, x.shape[-1], x.shape[-1] * x.shape[-2]


def _product(a: Array, b: Array) -> Array:
    stack = broadcast(a.shape[:-2], b.shape[:-2])
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    shape = (*stack, rows, columns)
    dtype = a._dtype
    batches = math.prod(stack)
    if dtype == np.bool_:
        counts = _product(converted(a, np.dtype(np.int32)), converted(b, np.dtype(np.int32)))
        return apply("not_equal", counts, 0)
    if inner == 0 or 0 in shape:
        from .creation import zeros

        return zeros(shape, dtype=dtype, device=a._manager)
    if dtype.kind == "c":
        return _by_reduction(a, b)
    left, right = _operand(a, stack), _operand(b, stack)
    out = blank(a._manager, shape, dtype)
    operation = OpMatMul(
        (left[0]._memory(), left[0]._offset),
        (right[0]._memory(), right[0]._offset),
        out._memory(),
        transpose_a=left[1],
        transpose_b=right[1],
        extents=(rows, columns, inner),
        strides=(left[2], right[2], columns),
        batches=batches,
        batch_strides=(left[3], right[3], rows * columns),
    )
    launch(a._manager, operation)
    return out


def _by_reduction(a: Array, b: Array) -> Array:
    """Multiply all pairs of elements and add them up in one kernel, without storing the products."""
    left = expand_dims(a, axis=-1)
    right = expand_dims(b, axis=-3)
    products = apply("multiply", left, right)
    return reduced("sum", products, -2, products._dtype, products._dtype, keepdims=False)


def tensordot(x1: Any, x2: Any, /, axes: Any = 2) -> Array:
    """Return the sums of products over axes of both arrays: the last and first n, or pairs."""
    a, b = _pair(x1, x2)
    if isinstance(axes, (int, np.integer)):
        count = int(axes)
        if not 0 <= count <= a.ndim or count > b.ndim:
            raise ValueError(
                f"axes is {count}, but the arrays have {a.ndim} and {b.ndim} axes to sum over"
            )
        axes = tuple(range(a.ndim - count, a.ndim)), tuple(range(count))
    elif not isinstance(axes, Sequence) or len(axes) != 2:
        raise ValueError(
            f"axes is a number, or a pair: axes of the first and of the second array, not {axes!r}"
        )
    first, second = (tuple(each) if isinstance(each, Iterable) else (each,) for each in axes)
    over_a, over_b = normalized_axes(first, a.ndim), normalized_axes(second, b.ndim)
    if len(over_a) != len(over_b):
        raise ValueError(
            f"as many axes are summed over in both arrays, not {len(over_a)} and {len(over_b)}"
        )
    if [a.shape[i] for i in over_a] != [b.shape[i] for i in over_b]:
        raise ValueError("the axes to sum over have different extents")
    keep_a = [i for i in range(a.ndim) if i not in over_a]
    keep_b = [i for i in range(b.ndim) if i not in over_b]
    inner = math.prod(a.shape[i] for i in over_a)
    left = reshape(
        permute_dims(a, (*keep_a, *over_a)), (math.prod(a.shape[i] for i in keep_a), inner)
    )
    right = reshape(
        permute_dims(b, (*over_b, *keep_b)), (inner, math.prod(b.shape[i] for i in keep_b))
    )
    shape = (*[a.shape[i] for i in keep_a], *[b.shape[i] for i in keep_b])
    return reshape(_product(left, right), shape)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Return the sums along an axis of the products of two arrays, the first one conjugated."""
    a, b = _pair(x1, x2)
    if a.shape[normalized(axis, a.ndim)] != b.shape[normalized(axis, b.ndim)]:
        raise ValueError(f"the arrays have different extents along axis {axis}")
    products = apply("multiply", conj(a) if a.dtype.kind == "c" else a, b)
    dtype = a._dtype
    if dtype.kind == "b":
        return any_(products, axis=axis)
    wide = np.dtype(np.float32) if dtype == np.float16 else dtype
    return reduced("sum", products, axis, wide, dtype, keepdims=False)


def outer(x1: Any, x2: Any, /) -> Array:
    """Return the products of each element of one vector with each of another."""
    a, b = _pair(x1, x2)
    return apply("multiply", reshape(a, (-1, 1)), reshape(b, (1, -1)))


def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """Return a view of the diagonals of matrices."""
    source = as_array(x, manager_of(x))
    view = source.evaluate()
    rows, columns = view.shape[-2:]
    row, column = view._strides[-2:]
    first_row, first_column = (0, offset) if offset >= 0 else (-offset, 0)
    count = sorted((0, rows - first_row, columns - first_column))
    length = count[1] if count[0] == 0 else 0
    start = view._offset + (first_row * row + first_column * column if length else 0)
    shape = (*view.shape[:-2], length)
    strides = (*view._strides[:-2], row + column)
    return view._strided(start, shape, strides)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """Return the sums of the diagonals of matrices."""
    from .reductions import sum as total

    return total(diagonal(x, offset=offset), -1, dtype)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Return the cross products of vectors of three elements along an axis."""
    a, b = _pair(x1, x2)
    a, b = moveaxis(a, axis, -1), moveaxis(b, axis, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("cross products need vectors of 3 elements")
    from .manipulation import stack

    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return stack(parts, axis=axis)


def multi_dot(arrays: Sequence[Any], *, out: Array | None = None) -> Array:
    """Return the product of several matrices, in the order that takes the fewest multiplications.

    The first and the last one may be vectors.
    """
    manager = manager_of(*arrays)
    parts = [as_array(each, manager) for each in arrays]
    if len(parts) < 2:
        raise ValueError(f"multi_dot multiplies at least 2 arrays, not {len(parts)}")
    for at, each in enumerate(parts):
        if each.ndim != 2 and not (each.ndim == 1 and at in (0, len(parts) - 1)):
            raise ValueError(
                f"multi_dot multiplies matrices, but array {at} has {counted(each.ndim, 'axis')}"
            )
    sizes = [1 if parts[0].ndim == 1 else parts[0].shape[0], *[each.shape[-1] for each in parts]]
    if parts[-1].ndim == 1:
        sizes[-2:] = [parts[-1].shape[0], 1]
    product = _chained(parts, _best_splits(sizes), 0, len(parts) - 1)
    return into(out, product)


def _best_splits(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Return where to split each chain of matrices of ``sizes[i]`` by ``sizes[i + 1]`` elements."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    splits = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            ]
            cost[i, j], splits[i, j] = sorted(costs)[0]
    return splits


def _chained(parts: list[Array], splits: dict[tuple[int, int], int], i: int, j: int) -> Array:
    if i == j:
        return parts[i]
    k = splits[i, j]
    return matmul(_chained(parts, splits, i, k), _chained(parts, splits, k + 1, j))


__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
    "LinAlgError",
]

install(globals(), __all__)

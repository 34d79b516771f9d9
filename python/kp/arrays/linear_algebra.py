# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .._axes import normalized, normalized_axes
from .._wording import counted, inner_extents_differ
from .. import _kp
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
from .manipulation import matrix_transpose, moveaxis, reshape
from .norms import matrix_norm, norm, vector_norm
from .reductions import any as any_
from .reductions import reduced


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
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise inner_extents_differ(a.shape, b.shape, (a.shape[-1], inner))
    return _kp._matmul(a, b)


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
    return _kp._tensordot(a, b, over_a, over_b)


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

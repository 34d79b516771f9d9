# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ... import _kp
from ..._axes import normalized, normalized_axes
from ..._kp import OpMatMul, Tensor
from ..._wording import counted, inner_extents_differ, kind_of
from ..array import Array, converted
from ..elementwise import apply, as_array, conj, into, manager_of, result_dtype
from ..groups.array import GroupArray
from ..groups.traits import by_rows
from ..keywords import install
from ..operands import in_tensors, operand, written
from ..reducing.reductions import any as any_, reduced
from ..shapes.manipulation import matrix_transpose, moveaxis, reshape
from ..storage import Shape
from ..tensors import in_kind
from .decompositions import (
    cond,
    eigh,
    eigvalsh,
    lstsq,
    matrix_rank,
    pinv,
    qr,
    svd,
    svdvals,
)
from .host_linear_algebra import (
    LinAlgError,
    eig,
    eigvals,
)
from .norms import matrix_norm, norm, vector_norm
from .solving import (
    cholesky,
    det,
    inv,
    matrix_power,
    slogdet,
    solve,
    tensorinv,
    tensorsolve,
)


def _pair(x1: Any, x2: Any) -> tuple[Array, Array]:
    """Return two operands as arrays of a common dtype."""
    manager = manager_of(x1, x2)
    a, b = as_array(x1, manager), as_array(x2, manager)
    dtype = result_dtype(a.dtype, b.dtype, manager=manager)
    return converted(a, dtype), converted(b, dtype)


def _are_tensors(args: tuple[Any, ...]) -> bool:
    kinds = {type(each) for each in args[:2]}
    return not kinds & {Array, GroupArray} and Tensor in kinds


def _both_tensors(a: Any, b: Any, /, *_: Any, **__: Any) -> None:
    """Refuse products of a tensor and something else."""
    for name, each in (("a", a), ("b", b)):
        if not isinstance(each, Tensor):
            raise TypeError(f"kp.matmul takes {name} as a kp.Tensor, not {kind_of(each)}")


@in_kind(decides=_are_tensors, check=_both_tensors, strict=False)
@by_rows("products.matmul")
def matmul(a: Any, b: Any, /, out: Array | None = None, **options: Any) -> Array:
    """Return the product of matrices, as NumPy's matmul.

    The last two axes are matrices. Stacks of arrays broadcast; tensors have equal numbers of
    matrices, or one has a single matrix. For tensors, the options follow OpMatMul:
    `transpose_a`, `transpose_b`, `alpha`, `beta` (with `out`: alpha a b + beta out), `epilogue`, a
    GLSL expression over c, row, column, batch and bias, as in ``"max(c + bias, 0.0)"``, `bias` (one
    element per column), and `dtype`: the type of `a`, or of the sums (float32 for float16, int32
    for int8).
    """
    if in_tensors():
        return _product_of_tensors(a, b, out, **options)
    if options:
        raise TypeError(f"{', '.join(options)}: only for tensors; use array.tensor()")
    first, second = _pair(a, b)
    if first.ndim == 0 or second.ndim == 0:
        raise ValueError("matmul takes arrays of at least one axis; use * for numbers")
    inner = second.shape[-2] if second.ndim > 1 else second.shape[0]
    if first.shape[-1] != inner:
        raise inner_extents_differ(first.shape, second.shape, (first.shape[-1], inner))
    return into(out, _kp._matmul(first, second))


def _product_shape(a: Shape, b: Shape, transpose_a: bool, transpose_b: bool) -> Shape:
    """Return the shape of a product of tensors."""
    if not a or not b:
        raise ValueError("kp.matmul takes tensors of at least one dimension")
    rows = () if len(a) == 1 else (a[-1] if transpose_a else a[-2],)
    columns = () if len(b) == 1 else (b[-2] if transpose_b else b[-1],)
    stacks = a[:-2], b[:-2]
    if 1 not in (math.prod(stacks[0]), math.prod(stacks[1])) and stacks[0] != stacks[1]:
        raise ValueError(
            f"kp.matmul takes as many matrices a as b, or one, not stacks of the shapes {stacks[0]} "
            f"and {stacks[1]}; arrays broadcast: kp.asarray(tensor) is one"
        )
    return np.broadcast_shapes(*stacks) + rows + columns


def _product_of_tensors(
    a: Array,
    b: Array,
    out: Array | None,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1,
    beta: float = 0,
    epilogue: str = "",
    bias: Array | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """Return alpha a b + beta out, by the primitive with its options."""
    if beta != 0 and out is None:
        raise ValueError("kp.matmul with beta needs out, which is multiplied by it")
    swap_a, swap_b = transpose_a and a.ndim > 1, transpose_b and b.ndim > 1
    shape = _product_shape(a.shape, b.shape, swap_a, swap_b)
    wanted = np.dtype(a.dtype if dtype is None else dtype) if out is None else out.dtype
    left, right = operand(a, a.shape), operand(b, b.shape)
    row = None if bias is None else operand(bias, bias.shape)

    def product(memory: Tensor) -> OpMatMul:
        return OpMatMul(
            left,
            right,
            memory,
            transpose_a=swap_a,
            transpose_b=swap_b,
            alpha=alpha,
            beta=beta,
            epilogue=epilogue,
            bias=row,
        )

    return written(out, a, shape, wanted, product, in_place=True)


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


@by_rows("made")
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


@by_rows(view=True)
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
    from ..reducing.reductions import sum as total

    return total(diagonal(x, offset=offset), -1, dtype)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Return the cross products of vectors of three elements along an axis."""
    a, b = _pair(x1, x2)
    a, b = moveaxis(a, axis, -1), moveaxis(b, axis, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("cross products need vectors of 3 elements")
    from ..shapes.joining import stack

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

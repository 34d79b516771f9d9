# SPDX-License-Identifier: Apache-2.0
"""Products of matrices as plain functions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import DTypeLike

from ._kp import OpMatMul, Tensor
from ._primitives import _output, _run
from ._wording import kind_of


def _product_shape(
    a: tuple[int, ...], b: tuple[int, ...], transpose_a: bool, transpose_b: bool
) -> tuple[int, ...]:
    """Return the shape of a product, as NumPy's matmul."""
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


def matmul(
    a: Tensor,
    b: Tensor,
    out: Tensor | None = None,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1,
    beta: float = 0,
    epilogue: str = "",
    bias: Tensor | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return alpha a b + beta out, as NumPy's matmul.

    The last two axes are matrices. With more axes, `a` and `b` have as many matrices, or one of
    them a single one. The result has the type of `a`, or `dtype`, which may be the type of the
    sums: float32 for float16, int32 for int8. `epilogue` is a GLSL expression over c, row, column,
    batch and bias (one element per column), as in ``"max(c + bias, 0.0)"``.
    """
    for name, tensor in (("a", a), ("b", b)):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"kp.matmul takes {name} as a kp.Tensor, not {kind_of(tensor)}")
    if beta != 0 and out is None:
        raise ValueError("kp.matmul with beta needs out, which is multiplied by it")
    swap_a = transpose_a and len(a.shape) > 1
    swap_b = transpose_b and len(b.shape) > 1
    shape = _product_shape(a.shape, b.shape, swap_a, swap_b)
    result = _output("matmul", a, shape, a.dtype if dtype is None else dtype, out)
    inputs = [a, b]
    if bias is not None:
        inputs.append(bias)
    if beta != 0:
        inputs.append(result)
    operation = OpMatMul(
        a,
        b,
        result,
        transpose_a=swap_a,
        transpose_b=swap_b,
        alpha=alpha,
        beta=beta,
        epilogue=epilogue,
        bias=bias,
    )
    _run(operation, *inputs)
    return result

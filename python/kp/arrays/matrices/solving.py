# SPDX-License-Identifier: Apache-2.0
"""Linear equations, inverses, determinants and Cholesky factors of matrices.

The device computes real matrices; complex ones, and matrices that NumPy computes faster
(`dense_rules`), are computed on the host.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kp
from ..._axes import normalized_axes
from ..array import Array, converted
from ..elementwise import as_array, exp, manager_of
from ..shapes.manipulation import broadcast_to, expand_dims, moveaxis, ravel, reshape, squeeze
from . import host_linear_algebra as host
from .dense_rules import are_square, for_device, matrices
from .host_linear_algebra import LinAlgError, SlogdetResult

__all__ = [
    "cholesky",
    "det",
    "inv",
    "matrix_power",
    "slogdet",
    "solve",
    "tensorinv",
    "tensorsolve",
]


def _checked(found: tuple[Array, Array], message: str) -> Array:
    """Return results if no step of a factorization failed, which waits for the device."""
    values, info = found
    if info.numpy().any():
        raise LinAlgError(message)
    return values


def cholesky(a: Any, /, *, upper: bool = False) -> Array:
    """Return the lower triangular factors l of positive definite matrices l l^T, or upper ones of u^T u.

    Raises LinAlgError, and waits for the device to know, if a matrix is not positive definite. See
    numpy.linalg.cholesky.
    """
    x = matrices(a, square=True)
    if x is not None:
        return _checked(_kp._cholesky(x, bool(upper)), "Matrix is not positive definite")
    named = {"upper": True} if upper else {}  # NumPy before 2 has no such parameter
    found: Array = host.cholesky(a, **named)
    return found


def inv(a: Any) -> Array:
    """Return the inverses of matrices.

    Raises LinAlgError, and waits for the device to know, if a matrix is singular.
    """
    x = matrices(a, square=True)
    return host.inv(a) if x is None else _checked(_kp._inv(x), "Singular matrix")


def solve(a: Any, b: Any) -> Array:
    """Return the solutions x of a x = b. Stacks of matrices broadcast.

    With one axis, `b` is one right side for all matrices. Raises LinAlgError, and waits for the device
    to know, if a matrix is singular.
    """
    manager = manager_of(a, b)
    first, second = as_array(a, manager), as_array(b, manager)
    sides = expand_dims(second, axis=-1) if second.ndim == 1 else second
    if are_square(first) and sides.ndim > 1 and sides.shape[-2] != first.shape[-1]:
        raise ValueError(
            f"solve needs as many rows of b as a has, {first.shape[-1]}, but b has the shape "
            f"{second.shape}"
        )
    x, y = matrices(first, square=True), for_device(sides)
    if x is None or y is None:
        found: Array = host.solve(first, second)
        return found
    dtype = np.promote_types(x._dtype, y._dtype)
    values = _checked(_kp._solve(converted(x, dtype), converted(y, dtype)), "Singular matrix")
    return squeeze(values, axis=-1) if second.ndim == 1 else values


def tensorinv(a: Any, ind: int = 2) -> Array:
    """Return the inverse of a tensor as a matrix whose rows are its first `ind` axes."""
    array = as_array(a, manager_of(a))
    if ind <= 0:
        raise ValueError(f"ind is the number of the first axes, 1 or more, not {ind}")
    rows, columns = array.shape[:ind], array.shape[ind:]
    count = math.prod(columns)
    if math.prod(rows) != count:
        raise LinAlgError(f"axes of {rows} and {columns} do not make a square matrix")
    return reshape(inv(reshape(array, (count, count))), columns + rows)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Array:
    """Return the solution x of tensordot(a, x, x.ndim) = b. `axes` of a are moved to its end first."""
    manager = manager_of(a, b)
    array, right = as_array(a, manager), as_array(b, manager)
    if axes is not None:
        moved = normalized_axes(axes, array.ndim)
        array = moveaxis(array, moved, tuple(range(array.ndim - len(moved), array.ndim)))
    wanted = array.shape[right.ndim :]
    count = math.prod(wanted)
    if array.size != count * count or right.size != count:
        raise LinAlgError(
            f"tensorsolve needs as many elements of a's last axes as b has, but a has the shape {array.shape} "
            f"and b {right.shape}"
        )
    return reshape(solve(reshape(array, (count, count)), ravel(right)), wanted)


def slogdet(a: Any) -> SlogdetResult:
    """Return the signs of determinants and the logarithms of their magnitudes.

    They are 0 and -inf for singular matrices.
    """
    x = matrices(a, square=True)
    return host.slogdet(a) if x is None else SlogdetResult(*_kp._slogdet(x))


def det(a: Any) -> Array:
    """Return the determinants of matrices."""
    x = matrices(a, square=True)
    if x is None:
        found: Array = host.det(a)
    else:
        sign, logarithm = _kp._slogdet(x)
        found = sign * exp(logarithm)
    return found


def matrix_power(x: Any, n: int, /) -> Array:
    """Return matrices to an integer power, by products; for negative powers, of the inverses."""
    from ..creation import eye
    from .linear_algebra import matmul

    array = as_array(x, manager_of(x))
    if not are_square(array):
        raise ValueError(
            f"only square matrices have powers, not matrices of the shape {array.shape}"
        )
    if n < 0:
        return matrix_power(inv(array), -n)
    if n == 0:
        one = eye(array.shape[-1], dtype=array.dtype, device=array.manager)
        return broadcast_to(one, array.shape).copy()
    result: Array | None = None
    while n:
        if n & 1:
            result = array if result is None else matmul(result, array)
        n >>= 1
        array = matmul(array, array) if n else array
    assert result is not None
    return result

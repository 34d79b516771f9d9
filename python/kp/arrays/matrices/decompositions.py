# SPDX-License-Identifier: Apache-2.0
"""QR factors, eigenvalues and singular values of matrices, and functions based on them.

The device computes real matrices; complex ones, and matrices that NumPy computes faster
(`dense_rules`), are computed on the host.
"""

from __future__ import annotations

import math
from typing import Any, Literal, overload

import numpy as np

from ... import _kp
from ..._kp import Tensor
from ..array import Array, converted
from ..creation import zeros
from ..elementwise import apply, as_array, manager_of, where
from ..reducing import reductions
from ..shapes.manipulation import expand_dims, matrix_transpose, reshape
from ..storage import upload
from . import host_linear_algebra as host
from .dense_rules import for_device, matrices
from .host_linear_algebra import EighResult, QRResult, SVDResult

__all__ = [
    "cond",
    "eigh",
    "eigvalsh",
    "lstsq",
    "matrix_rank",
    "pinv",
    "qr",
    "svd",
    "svdvals",
]


@overload
def qr(a: Any, mode: Literal["reduced", "complete"] = "reduced") -> QRResult: ...
@overload
def qr(a: Any, mode: Literal["r"]) -> Array: ...
@overload
def qr(a: Any, mode: Literal["raw"]) -> tuple[Array, Array]: ...
def qr(a: Any, mode: str = "reduced") -> QRResult | Array | tuple[Array, Array]:
    """Return orthogonal and triangular factors of matrices.

    With `mode` "r", return only the triangular ones; with "raw", NumPy computes numpy.linalg.qr's
    result on the host.
    """
    x = matrices(a) if mode in ("reduced", "complete", "r") else None
    if x is None:
        return host.qr(a, mode)  # type: ignore[no-any-return]
    return _kp._qr_triangle(x) if mode == "r" else QRResult(*_kp._qr(x, mode == "complete"))


def _is_upper(uplo: Any) -> bool | None:
    """Return whether the upper triangle is selected, or None for arguments that NumPy refuses."""
    return {"L": False, "U": True}.get(uplo.upper()) if isinstance(uplo, str) else None


def eigh(a: Any, UPLO: str = "L") -> EighResult:
    """Return eigenvalues, in ascending order, and eigenvectors of symmetric matrices.

    The lower triangles are read, or the upper ones with "U". A matrix with an infinity or NaN gives
    NaN, without an error. Complex matrices are computed by NumPy on the host.
    """
    x, upper = matrices(a, square=True), _is_upper(UPLO)
    if x is None or upper is None:
        return host.eigh(a, UPLO)  # type: ignore[no-any-return]
    return EighResult(*_kp._eigh(x, upper))


def eigvalsh(a: Any, UPLO: str = "L") -> Array:
    """Return the eigenvalues of symmetric matrices, as eigh()."""
    x, upper = matrices(a, square=True), _is_upper(UPLO)
    if x is None or upper is None:
        return host.eigvalsh(a, UPLO)  # type: ignore[no-any-return]
    return _kp._eigvalsh(x, upper)


@overload
def svd(
    a: Any, full_matrices: bool = True, compute_uv: Literal[True] = True, hermitian: bool = False
) -> SVDResult: ...
@overload
def svd(
    a: Any, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False
) -> Array: ...
@overload
def svd(
    a: Any, full_matrices: bool, compute_uv: bool, hermitian: bool = False
) -> SVDResult | Array: ...
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> SVDResult | Array:
    """Return the singular value decompositions of matrices.

    Without `compute_uv`, only the singular values. A matrix with an infinity or NaN gives NaN,
    without an error. With `hermitian`, and for complex matrices, NumPy computes on the host, and
    raises LinAlgError then.
    """
    x = None if hermitian else matrices(a)
    if x is None:
        return host.svd(a, full_matrices, compute_uv, hermitian)  # type: ignore[no-any-return]
    return SVDResult(*_kp._svd(x, bool(full_matrices))) if compute_uv else _kp._svdvals(x)


def svdvals(x: Any, /) -> Array:
    """Return the singular values of matrices, as svd()."""
    return svd(x, compute_uv=False)


def _largest(s: Array) -> Array:
    return s[..., :1]


def _epsilon(x: Array) -> float:
    return float(np.finfo(x._dtype).eps)


def _inverted(s: Array, above: Array) -> Array:
    """Return 1 over the singular values that count, and 0 for the others."""
    return where(above, apply("divide", 1, where(above, s, 1)), 0)


def _tolerance(given: Any, x: Array) -> Any:
    """Return a tolerance with an axis for the singular values."""
    if np.ndim(given) == 0 and not isinstance(given, (Array, Tensor)):
        return given
    return expand_dims(converted(as_array(given, x._manager), x._dtype), axis=-1)


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """Return the ranks of matrices: the number of singular values above `tol`.

    It is `rtol` times the largest one by default, and `rtol` the larger extent times the distance of floats.
    """
    x = None if hermitian or (tol is not None and rtol is not None) else matrices(A)
    if x is None or x.size == 0:
        return host.matrix_rank(A, tol, hermitian, rtol=rtol)  # type: ignore[no-any-return]
    s = _kp._svdvals(x)
    if tol is None:
        relative = max(x.shape[-2:]) * _epsilon(x) if rtol is None else _tolerance(rtol, x)
        limit: Any = _largest(s) * relative
    else:
        limit = _tolerance(tol, x)
    return reductions.count_nonzero(s > limit, axis=-1)


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Array:
    """Return the pseudo-inverses of matrices.

    Singular values up to `rcond` (or `rtol`) times the largest one count as 0.
    """
    is_named = rtol is not np._NoValue
    x = None if hermitian or (rcond is not None and is_named) else matrices(a)
    if x is None or x.size == 0:
        named = {"rtol": rtol} if is_named else {}
        return host.pinv(a, rcond, hermitian, **named)  # type: ignore[no-any-return]
    if rcond is None:
        rcond = rtol if is_named else 1e-15
        rcond = max(x.shape[-2:]) * _epsilon(x) if rcond is None else rcond
    u, s, vh = _kp._svd(x, False)
    above = s > _largest(s) * _tolerance(rcond, x)
    inverse = where(apply("isnan", s), s, _inverted(s, above))
    return _kp._matmul(
        matrix_transpose(vh),
        expand_dims(converted(inverse, x._dtype), axis=-1) * matrix_transpose(u),
    )


def cond(x: Any, p: Any = None) -> Array:
    """Return the condition numbers of matrices, in the norm `p`: 2 if it is None.

    Norms other than 2 and -2 are computed by NumPy on the host.
    """
    given = matrices(x) if p is None or p in (2, -2) else None
    if given is None or given.size == 0:
        return host.cond(x, p)  # type: ignore[no-any-return]
    s = _kp._svdvals(given)
    largest, smallest = s[..., 0], s[..., -1]
    found = apply("divide", smallest, largest) if p == -2 else apply("divide", largest, smallest)
    # Of a matrix of zeros, it is infinite.
    return where(apply("isnan", found) & (largest == 0), math.inf, found)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Array, Array, Array, Array]:
    """Return least-squares solutions, sums of squared residuals, the rank, and the singular values
    of `a`.

    Singular values up to `rcond` times the largest one count as 0: by default, the larger extent times the
    distance of floats. Waits for the device, as the shape of the sums depends on the rank.
    """
    manager = manager_of(a, b)
    left, right = as_array(a, manager), as_array(b, manager)
    x = for_device(left) if left.ndim == 2 and left.size and right.size else None
    fits = right.ndim in (1, 2) and right.shape[:1] == left.shape[:1]
    sides = for_device(reshape(right, (right.shape[0], -1))) if x is not None and fits else None
    if x is None or sides is None:
        return host.lstsq(a, b, rcond)  # type: ignore[no-any-return]
    dtype = np.promote_types(x._dtype, sides._dtype)
    x, sides = converted(x, dtype), converted(sides, dtype)
    rows, columns = x.shape
    u, s, vh = _kp._svd(x, False)
    if rcond is None:
        rcond = max(rows, columns) * _epsilon(x)
    above = s > _largest(s) * (_epsilon(x) if rcond < 0 else rcond)
    weighted = expand_dims(converted(_inverted(s, above), x._dtype), axis=-1) * _kp._matmul(
        matrix_transpose(u), sides
    )
    solution = _kp._matmul(matrix_transpose(vh), weighted)
    rank = int(reductions.count_nonzero(above))
    if rank == columns and rows > columns:
        rest = sides - _kp._matmul(x, solution)
        sums = reductions.sum(rest * rest, axis=0)
    else:
        sums = zeros((0,), dtype=x._dtype, device=manager)
    shape = (columns,) if right.ndim == 1 else solution.shape
    return reshape(solution, shape), sums, upload(manager, np.asarray(rank, np.int32)), s

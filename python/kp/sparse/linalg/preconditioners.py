# SPDX-License-Identifier: Apache-2.0
"""Approximations of the inverse of a sparse matrix, which solvers apply on the device."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..._errors import InvalidArgument
from ..._kp import _LinearMap
from ...arrays.array import Array
from ...arrays.elementwise import apply, where
from ...arrays.matrices.host_linear_algebra import LinAlgError
from ..base import SparseMatrix
from ..matrices import csr_array
from .operators import LinearOperator

__all__ = ["block_jacobi", "incomplete_cholesky", "jacobi"]


def _square(A: Any, name: str) -> SparseMatrix:
    made: SparseMatrix = A if isinstance(A, SparseMatrix) else csr_array(A)
    if made.shape[0] != made.shape[1]:
        raise ValueError(f"{name}() takes a square matrix, not of the shape {made.shape}")
    return made


def _operator(A: SparseMatrix, made: _LinearMap, is_hermitian: bool) -> LinearOperator:
    def forward(x: Array) -> Array:
        return made(x)

    found = LinearOperator(A.shape, forward, forward if is_hermitian else None, dtype=A.dtype)
    found._map = made
    return found


def jacobi(A: Any) -> LinearOperator:
    """Return Jacobi's preconditioner of a sparse matrix: the division by its diagonal.

    An element of the diagonal that is 0 counts as 1.
    """
    A = _square(A, "jacobi")
    main = A.diagonal()
    factors = apply("reciprocal", where(main == 0, 1, main)).copy()

    def forward(x: Any) -> Any:
        return factors * x if x.ndim == 1 else factors[:, None] * x

    def backward(x: Any) -> Any:
        conjugates = apply("conj", factors)
        return conjugates * x if x.ndim == 1 else conjugates[:, None] * x

    made = LinearOperator(A.shape, forward, backward, forward, A.dtype, backward)
    made._map = _LinearMap.jacobi(A._rows())
    return made


def block_jacobi(A: Any, size: int) -> LinearOperator:
    """Return the division by blocks of `size` neighbouring rows on the diagonal of a real sparse matrix.

    The last block may have fewer rows. Elements beside the blocks are ignored. Raises LinAlgError if a block
    is singular.
    """
    A = _square(A, "block_jacobi")
    rows = operator.index(size)
    if rows < 1:
        raise ValueError(f"size is at least 1, not {rows}")
    if A.dtype.kind == "c":
        raise TypeError(f"block_jacobi() takes real matrices, not of {A.dtype}; use jacobi()")
    try:
        made = _LinearMap.block_jacobi(A._rows(), rows)
    except InvalidArgument as error:
        raise LinAlgError(str(error)) from None
    return _operator(A, made, False)


def incomplete_cholesky(A: Any, shift: float = 0.0) -> LinearOperator:
    """Return the solution with the incomplete Cholesky factor of a Hermitian, positive definite matrix.

    The factor has elements only where the lower triangle of A has (IC(0)). Elements above the diagonal are
    not read. The factor is computed on the host, and applied on the device by solutions with
    triangular matrices, as spsolve_triangular() does: it is fast if the rows have few levels. The diagonal
    counts as `1 + shift` times itself; raise the shift, from 0.001 on, if LinAlgError says that there is no
    factor.
    """
    A = _square(A, "incomplete_cholesky")
    if not shift >= 0 or not np.isfinite(shift):
        raise ValueError(f"shift is a number of at least 0, not {shift}")
    try:
        made = _LinearMap.incomplete_cholesky(A._rows(), float(shift))
    except InvalidArgument as error:
        raise LinAlgError(str(error)) from None
    return _operator(A, made, True)

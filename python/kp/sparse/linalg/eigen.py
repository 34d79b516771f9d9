# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues of sparse Hermitian matrices, by Lanczos's method."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ... import _kp
from ...arrays.array import Array
from ...arrays.elementwise import as_array, manager_of
from ..base import SparseMatrix
from .operators import aslinearoperator

__all__ = ["ArpackNoConvergence", "eigsh"]

#: In the order of kp::sparse::Spectrum.
_WHICH = ("LM", "SM", "LA", "SA", "BE")


class ArpackNoConvergence(RuntimeError):
    """Some eigenvalues have not converged. Those that have are here."""

    def __init__(self, message: str, eigenvalues: Array, eigenvectors: Array | None) -> None:
        super().__init__(message)
        self.eigenvalues = eigenvalues
        self.eigenvectors = eigenvectors


def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: Any = None,
    which: str = "LM",
    v0: Any = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
) -> Any:
    """Return k eigenvalues, in ascending order, and eigenvectors of a Hermitian matrix or operator.

    `which` is "LM" or "SM" for the largest or smallest magnitudes, "LA" or "SA" for the largest or smallest
    values, and "BE" for both ends. `ncv` vectors are kept (max(2 k + 1, 20)), and `maxiter` is the number of
    restarts (10 n). `tol` is relative to each value; 0 is the distance of floats. Generalized problems (`M`)
    and shifts (`sigma`) are NotImplementedError. Raises ArpackNoConvergence.
    """
    if M is not None or sigma is not None:
        raise NotImplementedError("eigsh() has no M and no sigma; scipy.sparse.linalg.eigsh has")
    if which not in _WHICH:
        raise ValueError(f"which is one of {', '.join(_WHICH)}, not {which!r}")
    made = aslinearoperator(A)
    n = made.shape[0]
    if made.shape[1] != n:
        raise ValueError(f"A is square, not of the shape {made.shape}")
    count = operator.index(k)
    size, most = (None if each is None else operator.index(each) for each in (ncv, maxiter))
    manager = A.manager if isinstance(A, SparseMatrix) else manager_of(A, v0)
    dtype = np.dtype(np.float64) if made.dtype is None else made.dtype
    given = np.random.default_rng(0).random(n) - 0.5 if v0 is None else v0
    start = as_array(given, manager).astype(dtype)
    if start.shape != (n,):
        raise ValueError(f"v0 has the shape {start.shape}, and A {made.shape}")
    values, vectors, converged = _kp._eigsh(
        made._map or made._matvec,
        start,
        count,
        _WHICH.index(which),
        size,
        most,
        tol,
        return_eigenvectors,
    )
    if not converged:
        raise ArpackNoConvergence(
            f"{values.size} of {count} eigenvalues have converged; raise ncv or maxiter",
            values,
            vectors,
        )
    return (values, vectors) if return_eigenvectors else values

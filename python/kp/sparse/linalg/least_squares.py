# SPDX-License-Identifier: Apache-2.0
"""Least squares of sparse systems, by Paige and Saunders's LSQR."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ... import _kp
from ...arrays.array import Array, converted
from ...arrays.elementwise import as_array, manager_of
from ..base import SparseMatrix
from .operators import aslinearoperator

__all__ = ["lsqr"]

Results = tuple[Array, int, int, float, float, float, float, float, float, Array]


def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
) -> Results:
    """Return x that minimizes the norm of b - A x, and with `damp` also the norm of damp (x - x0).

    Arguments and results are as in scipy.sparse.linalg.lsqr: x, why it stopped, the number of steps, norms of
    the residual (without and with `damp`), of A, the condition of A, the norms of A^T r and of x - x0, and the
    variances if `calc_var` says so. Steps are launched without waiting; the last few may be more than needed.
    """
    made = aslinearoperator(A)
    rows, columns = made.shape
    if made._rmatvec is None:
        raise ValueError("lsqr() takes operators with rmatvec")
    manager = A.manager if isinstance(A, SparseMatrix) else manager_of(A, b)
    side = as_array(b, manager)
    if side.ndim == 2 and side.shape[1] == 1:
        side = side[:, 0]
    if side.shape != (rows,):
        raise ValueError(f"A and b have the shapes {made.shape} and {side.shape}, which do not fit")
    dtype = np.result_type(side.dtype if made.dtype is None else made.dtype, side.dtype, np.float32)
    start = None if x0 is None else converted(as_array(x0, manager), dtype)
    if start is not None and start.shape != (columns,):
        raise ValueError(f"x0 has the shape {start.shape}, and A {made.shape}")
    most = None if iter_lim is None else operator.index(iter_lim)
    limits = (float(damp), float(atol), float(btol), float(conlim), most, bool(calc_var), start)
    found: Results = _kp._lsqr(
        made._map or made._matvec, made._rmatvec, converted(side, dtype), *limits
    )
    if show:
        print(f"lsqr: {found[2]} steps, istop {found[1]}, norm of the residual {found[3]}")
    return found

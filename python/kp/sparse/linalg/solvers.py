# SPDX-License-Identifier: Apache-2.0
"""Iterative solvers. The device stops them: the host only looks some steps later."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _kp
from ...arrays.array import Array, converted
from ...arrays.elementwise import as_array, manager_of
from ..base import SparseMatrix
from .operators import LinearOperator, aslinearoperator

__all__ = ["bicgstab", "cg", "gmres", "minres"]

Callback = Callable[[Array], object]


def _map_of(A: Any) -> tuple[Any, LinearOperator]:
    """Return what the library takes for an operator, and the operator."""
    made = aslinearoperator(A)
    return made._map or made._matvec, made


def _solved(
    solver: Any,
    A: Any,
    b: Any,
    x0: Any,
    rtol: float,
    atol: float,
    maxiter: int | None,
    M: Any,
    callback: Callback | None,
    *more: int,
) -> tuple[Array, int]:
    manager = A.manager if isinstance(A, SparseMatrix) else manager_of(A, b)
    side = as_array(b, manager)
    mapped, made = _map_of(A)
    if made.shape[0] != made.shape[1]:
        raise ValueError(f"A is square, not of the shape {made.shape}")
    is_column = side.ndim == 2 and side.shape[1] == 1
    if is_column:
        side = side[:, 0]
    if side.shape != made.shape[:1]:
        raise ValueError(f"A and b have the shapes {made.shape} and {side.shape}, which do not fit")
    near, approximate = (None, None) if M is None else _map_of(M)
    if approximate is not None and approximate.shape != made.shape:
        raise ValueError(f"A and M have the shapes {made.shape} and {approximate.shape}")
    types = [each.dtype for each in (made, approximate) if each is not None and each.dtype]
    dtype = np.result_type(side.dtype, *types)
    if dtype.kind in "fc" and dtype.itemsize >= 4:
        side = converted(side, dtype)
    start = None if x0 is None else as_array(x0, manager)
    if start is not None and start.ndim == 2:
        start = start[:, 0]
    steps = 0 if maxiter is None else operator.index(maxiter)
    if maxiter is not None and steps < 1:
        raise ValueError(f"maxiter is at least 1, not {steps}")
    found: tuple[Array, int] = solver(
        mapped, side, start, float(rtol), float(atol), steps, near, callback, *more
    )
    return found


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callback | None = None,
) -> tuple[Array, int]:
    """Solve A x = b with conjugate gradients, for a Hermitian and positive definite A.

    Returns x, and 0, or the number of steps after which the norm of b - A x was still above the larger of
    `rtol` times the norm of b, and `atol`. `M` approximates the inverse of A: jacobi(A), or a LinearOperator.
    `callback` is called with x after each step, which then waits for the device.
    """
    return _solved(_kp._cg, A, b, x0, rtol, atol, maxiter, M, callback)


def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callback | None = None,
) -> tuple[Array, int]:
    """Solve A x = b with stabilized biconjugate gradients, as cg(), for any A."""
    return _solved(_kp._bicgstab, A, b, x0, rtol, atol, maxiter, M, callback)


def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callback | None = None,
) -> tuple[Array, int]:
    """Solve A x = b with the generalized minimal residual method, as cg(), for any A.

    `maxiter` counts restarts, after `restart` (20) vectors each, and `callback` is called at restarts.
    """
    size = 20 if restart is None else operator.index(restart)
    return _solved(_kp._gmres, A, b, x0, rtol, atol, maxiter, M, callback, size)


def minres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callback | None = None,
) -> tuple[Array, int]:
    """Solve A x = b with the minimal residual method, as cg(), for a Hermitian A that may be indefinite.

    `M` is positive definite.
    """
    return _solved(_kp._minres, A, b, x0, rtol, atol, maxiter, M, callback)

# SPDX-License-Identifier: Apache-2.0
"""Least squares of sparse systems, by Paige and Saunders's LSQR."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.array import Array, converted
from ...arrays.creation import zeros
from ...arrays.elementwise import apply, as_array, manager_of, where
from ...arrays.shapes.joining import stack
from ...arrays.matrices.norms import vector_norm
from ..base import SparseMatrix
from .operators import LinearOperator, aslinearoperator

__all__ = ["lsqr"]

#: Steps between two looks of the host, at most.
_MOST_STEPS = 32


def _quotient(a: Any, b: Array) -> Array:
    """Return a / b, or 0 where b is 0: there is nothing left to solve then."""
    return where(b > 0, a / where(b > 0, b, 1), 0)


class _Bidiagonal:
    """The steps of LSQR on the device. Nothing waits."""

    def __init__(
        self, made: LinearOperator, b: Array, x: Array, damp: float, with_variance: bool
    ) -> None:
        self.map, self.adjoint, self.damp = made._matvec, made._rmatvec, damp
        self.x = x
        self.beta = vector_norm(b).evaluate()
        self.u = (b * _quotient(1, self.beta)).evaluate()
        v = self.adjoint(self.u)  # type: ignore[misc]
        self.alpha = vector_norm(v).evaluate()
        self.v = (v * _quotient(1, self.alpha)).evaluate()
        self.w = self.v
        self.rest, self.rho = self.beta, self.alpha
        self.squares = (0.0 * self.beta).evaluate()
        self.variance = zeros(x.shape, dtype=self.beta.dtype, device=x.manager)
        self.with_variance = with_variance

    def step(self) -> Array:
        """Make one step. Returns its coefficients: beta, alpha, and the sum of squares so far."""
        u = (self.map(self.v) - self.alpha * self.u).evaluate()
        self.beta = vector_norm(u).evaluate()
        self.u = (u * _quotient(1, self.beta)).evaluate()
        v = (self.adjoint(self.u) - self.beta * self.v).evaluate()  # type: ignore[misc]
        self.alpha = vector_norm(v).evaluate()
        self.v = (v * _quotient(1, self.alpha)).evaluate()
        damped = apply("hypot", self.rho, self.damp)
        rest = self.rest * _quotient(self.rho, damped)
        length = apply("hypot", damped, self.beta)
        cosine, sine = _quotient(damped, length), _quotient(self.beta, length)
        along = (_quotient(cosine * rest, length)).evaluate()
        back = (_quotient(sine * self.alpha, length)).evaluate()
        inverse = _quotient(1, length).evaluate()
        self.rho = (-cosine * self.alpha).evaluate()
        self.rest = (sine * rest).evaluate()
        scaled = self.w * inverse
        self.squares = (self.squares + vector_norm(scaled) ** 2).evaluate()
        if self.with_variance:
            self.variance = (self.variance + abs(scaled) ** 2).evaluate()
        self.x = (self.x + along * self.w).evaluate()
        self.w = (self.v - back * self.w).evaluate()
        return stack([self.beta, self.alpha, self.squares]).evaluate()


@dataclass
class _Norms:
    """What SciPy's lsqr returns, from the coefficients of steps. Computed on the host."""

    beta: float
    alpha: float
    damp: float
    limits: tuple[float, float, float]  # atol, btol and 1 / conlim

    def __post_init__(self) -> None:
        self.b_norm = self.beta
        self.rho, self.rest, self.residual2 = self.alpha, self.beta, 0.0
        self.a_norm = self.condition = self.x_norm = self.x_squares = self.z = 0.0
        self.cosine, self.sine = -1.0, 0.0
        self.r1 = self.r2 = self.beta
        self.gradient = self.alpha * self.beta

    def add(self, beta: float, alpha: float, squares: float) -> int:
        """Take the coefficients of a step. Returns why to stop, as SciPy's istop, or 0."""
        self.a_norm = math.sqrt(self.a_norm**2 + self.alpha**2 + beta**2 + self.damp**2)
        damped = math.hypot(self.rho, self.damp)
        psi = self.damp / damped * self.rest if damped else 0.0
        rest = self.rho / damped * self.rest if damped else 0.0
        rho = math.hypot(damped, beta) or 1.0
        cosine, sine = damped / rho, beta / rho
        theta, phi = sine * alpha, cosine * rest
        self.rho, self.rest, self.alpha = -cosine * alpha, sine * rest, alpha
        # The norm of x, by another rotation.
        delta, turned = self.sine * rho, -self.cosine * rho
        side = phi - delta * self.z
        last = side / turned if turned else 0.0
        self.x_norm = math.sqrt(self.x_squares + last**2)
        length = math.hypot(turned, theta) or 1.0
        self.cosine, self.sine, self.z = turned / length, theta / length, side / length
        self.x_squares += self.z**2
        self.condition = self.a_norm * math.sqrt(squares)
        self.residual2 += psi**2
        self.r2 = math.sqrt(self.rest**2 + self.residual2)
        self.gradient = alpha * abs(sine * phi)
        r1 = self.r2**2 - self.damp**2 * self.x_squares
        self.r1 = math.copysign(math.sqrt(abs(r1)), r1)
        return self._reason()

    def _reason(self) -> int:
        atol, btol, ctol = self.limits
        residual = self.r2 / self.b_norm
        size = self.a_norm * self.x_norm / self.b_norm
        gradient = self.gradient / (self.a_norm * self.r2 or 1.0)
        condition = 1 / self.condition if self.condition else math.inf
        tests = (
            (1, residual <= btol + atol * size),
            (2, gradient <= atol),
            (3, condition <= ctol),
            (4, 1 + residual / (1 + size) <= 1),
            (5, 1 + gradient <= 1),
            (6, 1 + condition <= 1),
        )
        return next((number for number, is_met in tests if is_met), 0)


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
) -> tuple[Array, int, int, float, float, float, float, float, float, Array]:
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
    side = converted(side, dtype)
    x = zeros(columns, dtype=dtype, device=manager)
    if x0 is not None:
        x = converted(as_array(x0, manager), dtype)
        if x.shape != (columns,):
            raise ValueError(f"x0 has the shape {x.shape}, and A {made.shape}")
        side = side - made._matvec(x)
    steps = _Bidiagonal(made, side.evaluate(), x, float(damp), calc_var)
    beta, alpha = float(steps.beta), float(steps.alpha)
    limits = (atol, btol, 1 / conlim if conlim > 0 else 0.0)
    norms = _Norms(beta, alpha, float(damp), limits)
    most = 2 * columns if iter_lim is None else operator.index(iter_lim)
    reason, done = 0, 0
    waiting: list[Array] = []
    while alpha * beta > 0 and not reason and done < most:
        count = min(max(1, done // 8), _MOST_STEPS, most - done)
        made_now = [steps.step() for _ in range(count)]
        done += count
        reason = _taken(norms, waiting)
        waiting = made_now
    reason = _taken(norms, waiting) or reason
    if show:
        print(f"lsqr: {done} steps, istop {reason}, norm of the residual {norms.r1}")
    stop = 0 if alpha * beta == 0 else reason or 7
    return (
        steps.x,
        stop,
        done,
        norms.r1,
        norms.r2,
        norms.a_norm,
        norms.condition,
        norms.gradient,
        norms.x_norm,
        steps.variance,
    )


def _taken(norms: _Norms, coefficients: list[Array]) -> int:
    """Take the coefficients of some steps, and return why to stop after them, or 0."""
    if not coefficients:
        return 0
    values: NDArray[Any] = stack(coefficients).numpy().astype(np.float64)
    reason = 0
    for beta, alpha, squares in values.tolist():
        reason = norms.add(beta, alpha, squares) or reason
    return reason

# SPDX-License-Identifier: Apache-2.0
"""Linear operators and iterative solvers, with the names of scipy.sparse.linalg."""

from __future__ import annotations

from .eigen import ArpackNoConvergence, eigsh
from .least_squares import lsqr
from .operators import LinearOperator, aslinearoperator
from .preconditioners import block_jacobi, incomplete_cholesky, jacobi
from .solvers import bicgstab, cg, gmres, minres
from .triangular import spsolve_triangular

__all__ = [
    "ArpackNoConvergence",
    "LinearOperator",
    "aslinearoperator",
    "bicgstab",
    "block_jacobi",
    "cg",
    "eigsh",
    "gmres",
    "incomplete_cholesky",
    "jacobi",
    "lsqr",
    "minres",
    "spsolve_triangular",
]


def __dir__() -> list[str]:
    return sorted(__all__)

# SPDX-License-Identifier: Apache-2.0
"""Triangular equations, by sets of rows that need no results of each other (levels)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import InvalidArgument
from ..._kp import _Triangle
from ...arrays.array import Array, converted
from ...arrays.elementwise import as_array
from ...arrays.matrices.host_linear_algebra import LinAlgError
from .. import host
from ..base import SparseMatrix
from ..matrices import csr_array

__all__ = ["spsolve_triangular"]


def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Solve A x = b for a sparse triangular matrix, and a vector or an array of two axes.

    The rows are sorted into levels, which the matrix keeps: the rows of one level need no results of each
    other, and a product computes them all. So a solution takes as many steps as there are levels. With
    `unit_diagonal`, the diagonal is ones, and stored elements of it are ignored. Nothing is overwritten. Raises
    LinAlgError if A is not triangular, or if its diagonal has a 0.
    """
    if host.is_sparse(A) or not isinstance(A, SparseMatrix):
        A = csr_array(A)
    size = A.shape[0]
    if A.shape[1] != size:
        raise ValueError(f"A is square, not of the shape {A.shape}")
    side = as_array(b, A.manager)
    if side.ndim not in (1, 2) or side.shape[0] != size:
        raise ValueError(f"A and b have the shapes {A.shape} and {side.shape}, which do not fit")
    dtype = np.result_type(A.dtype, side.dtype)
    if size == 0 or side.size == 0:
        return converted(side, dtype).copy()
    kept = A._kept.setdefault("triangles", {})
    key = (bool(lower), bool(unit_diagonal))
    if key not in kept:
        try:
            kept[key] = _Triangle(A._rows(), not lower, bool(unit_diagonal))
        except InvalidArgument as error:
            raise LinAlgError(str(error)) from None
    solved: Array = kept[key].solve(side)
    return solved

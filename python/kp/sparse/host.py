# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices of other libraries: SciPy's, and CuPy's through them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .base import SparseMatrix


def is_sparse(given: Any) -> bool:
    """Return whether an object is a sparse matrix of SciPy or CuPy."""
    module = type(given).__module__.split(".")[0]
    return module in ("scipy", "cupyx") and hasattr(given, "tocsr") and hasattr(given, "format")


def arguments_of(given: Any) -> tuple[Any, ...]:
    """Return the format, the shape and the arrays of a matrix in host memory. The device converts it."""
    if len(given.shape) != 2:
        raise ValueError(f"a sparse matrix has two axes, not the shape {given.shape}")
    if type(given).__module__.split(".")[0] == "cupyx":
        given = given.get()
    shape = tuple(map(int, given.shape))
    if given.format in ("csr", "csc"):
        return given.format, shape, given.data, given.indices, given.indptr
    pairs = given.tocoo()
    return "coo", shape, pairs.data, (pairs.row, pairs.col)


def to_scipy(matrix: SparseMatrix) -> Any:
    """Return a matrix as SciPy's, in the same format and of the same kind."""
    theirs = importlib.import_module("scipy.sparse")
    kind = "matrix" if matrix._is_matrix else "array"
    made = getattr(theirs, f"{matrix.format}_{kind}")
    if matrix.format == "coo":
        data, row, column = (each.numpy() for each in matrix._pairs())
        return made((data, (row, column)), shape=matrix.shape)
    of = matrix._rows() if matrix.format == "csr" else matrix._columns()
    arrays = (of.data.numpy(), of.indices.numpy(), of.offsets.numpy())
    return made(arrays, shape=matrix.shape)

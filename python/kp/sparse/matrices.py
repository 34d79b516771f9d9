# SPDX-License-Identifier: Apache-2.0
"""The classes of the formats."""

from __future__ import annotations

from typing import Any

from ..arrays.array import Array
from . import elements
from .base import SparseMatrix

__all__ = [
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csr_array",
    "csr_matrix",
    "issparse",
]


class _Compressed(SparseMatrix):
    """A matrix in compressed rows or columns."""

    def _compressed(self) -> Any:
        return self._rows() if self.format == "csr" else self._columns()

    @property
    def indices(self) -> Array:
        """The column of each element, or its row in compressed columns. Read-only."""
        return elements.read_only(self._compressed().indices)

    @property
    def indptr(self) -> Array:
        """Where rows begin, or columns in compressed columns, and the number of elements. Read-only."""
        return elements.read_only(self._compressed().offsets)

    @property
    def has_canonical_format(self) -> bool:
        """Whether the indices ascend and no place has two elements."""
        return bool(self._compressed().is_canonical())

    has_sorted_indices = has_canonical_format


class csr_array(_Compressed):
    """A sparse matrix in compressed rows (CSR), for products and rows."""

    format = "csr"


class csc_array(_Compressed):
    """A sparse matrix in compressed columns (CSC): a transposed csr_array."""

    format = "csc"


class coo_array(SparseMatrix):
    """A sparse matrix of elements with their rows and columns (COO). Elements of one place add up."""

    format = "coo"

    @property
    def row(self) -> Array:
        """The row of each element. Read-only."""
        return elements.read_only(self._pairs()[1])

    @property
    def col(self) -> Array:
        """The column of each element. Read-only."""
        return elements.read_only(self._pairs()[2])

    @property
    def coords(self) -> tuple[Array, Array]:
        """The rows and columns of the elements."""
        return self.row, self.col


class csr_matrix(csr_array):
    """A csr_array whose operator * is the product of matrices."""

    _is_matrix = True


class csc_matrix(csc_array):
    """A csc_array whose operator * is the product of matrices."""

    _is_matrix = True


class coo_matrix(coo_array):
    """A coo_array whose operator * is the product of matrices."""

    _is_matrix = True


def issparse(x: Any) -> bool:
    """Return whether an object is a sparse matrix of this module."""
    return isinstance(x, SparseMatrix)

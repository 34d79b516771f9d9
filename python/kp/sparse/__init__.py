# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices on a device, with the names of scipy.sparse.

A matrix is a value: operators make new ones, and what conversions and products found out is kept. SciPy is
not needed.
"""

from __future__ import annotations

from .base import SparseMatrix
from .construct import diags, diags_array, eye, eye_array, identity, random, random_array
from .matrices import (
    coo_array,
    coo_matrix,
    csc_array,
    csc_matrix,
    csr_array,
    csr_matrix,
    issparse,
)

from . import linalg as linalg  # noqa: E402

__all__ = [
    "SparseMatrix",
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csr_array",
    "csr_matrix",
    "diags",
    "diags_array",
    "eye",
    "eye_array",
    "identity",
    "issparse",
    "linalg",
    "random",
    "random_array",
]


def __dir__() -> list[str]:
    return sorted(__all__)

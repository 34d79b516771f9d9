# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python_stubs.py. Do not edit it: change the functions.
# What NumPy takes as an array includes tensors and arrays of groups, which come first.
# pyright: reportOverlappingOverload=false

from kp.arrays.array import Array
from kp.arrays.matrices.decompositions import (
    cond as cond,
    eigh as eigh,
    eigvalsh as eigvalsh,
    lstsq as lstsq,
    matrix_rank as matrix_rank,
    pinv as pinv,
    qr as qr,
    svd as svd,
    svdvals as svdvals,
)
from kp.arrays.matrices.host_linear_algebra import EigResult, LinAlgError as LinAlgError
from kp.arrays.matrices.linear_algebra import (
    cross as cross,
    diagonal as diagonal,
    matmul as matmul,
    multi_dot as multi_dot,
    outer as outer,
    tensordot as tensordot,
    trace as trace,
    vecdot as vecdot,
)
from kp.arrays.matrices.norms import (
    matrix_norm as matrix_norm,
    norm as norm,
    vector_norm as vector_norm,
)
from kp.arrays.matrices.solving import (
    cholesky as cholesky,
    det as det,
    inv as inv,
    matrix_power as matrix_power,
    slogdet as slogdet,
    solve as solve,
    tensorinv as tensorinv,
    tensorsolve as tensorsolve,
)
from kp.arrays.shapes.manipulation import matrix_transpose as matrix_transpose
from typing import Any

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]

def eig(a: Any) -> EigResult:
    """Return eigenvalues and eigenvectors of square matrices, complex ones. NumPy computes it on
    the host: see numpy.linalg.eig.
    """

def eigvals(a: Any) -> Array:
    """Return the eigenvalues of square matrices, complex ones. NumPy computes it on the host:
    see numpy.linalg.eigvals.
    """

# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues of sparse Hermitian matrices, by Lanczos's method."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.array import Array
from ...arrays.creation import zeros
from ...arrays.elementwise import apply, as_array, manager_of, where
from ...arrays.shapes.manipulation import matrix_transpose
from ...arrays.matrices.norms import vector_norm
from ..base import SparseMatrix
from .operators import LinearOperator, aslinearoperator

__all__ = ["ArpackNoConvergence", "eigsh"]

_WHICH = ("LM", "SM", "LA", "SA", "BE")


class ArpackNoConvergence(RuntimeError):
    """Some eigenvalues have not converged. Those that have are here."""

    def __init__(self, message: str, eigenvalues: Array, eigenvectors: Array | None) -> None:
        super().__init__(message)
        self.eigenvalues = eigenvalues
        self.eigenvectors = eigenvectors


def _wanted(values: NDArray[Any], which: str, k: int) -> NDArray[Any]:
    """Return the numbers of the k values that are wanted, among values in ascending order."""
    count = len(values)
    if which == "BE":
        low = k // 2
        return np.concatenate((np.arange(low), np.arange(count - (k - low), count)))
    keys = {"LM": -abs(values), "SM": abs(values), "LA": -values, "SA": values}[which]
    chosen: NDArray[Any] = np.sort(np.argsort(keys, kind="stable")[:k])
    return chosen


class _Basis:
    """An orthonormal basis, and what the operator makes of its vectors within it."""

    def __init__(self, made: LinearOperator, start: Array, size: int) -> None:
        self.map = made._matvec
        self.vectors = zeros((size + 1, start.size), dtype=start.dtype, device=start.manager)
        self.vectors[0] = start / vector_norm(start)
        #: Row j has the products of the image of vector j with all vectors, and what is left of it.
        self.products = zeros((size, size + 1), dtype=start.dtype, device=start.manager)

    def extend(self, first: int, size: int) -> None:
        """Make vectors from number `first` + 1 on, up to `size`. Nothing waits."""
        for j in range(first, size):
            basis = self.vectors[: j + 1]
            adjoint = apply("conj", basis)
            w = self.map(self.vectors[j])
            parts = adjoint @ w
            w = (w - parts @ basis).evaluate()
            again = adjoint @ w
            w = (w - again @ basis).evaluate()
            length = vector_norm(w).evaluate()
            self.products[j, : j + 1] = parts + again
            self.products[j, j + 1] = length
            self.vectors[j + 1] = w * where(length > 0, 1 / where(length > 0, length, 1), 0)

    def complete(self, first: int, size: int) -> NDArray[Any]:
        """Make vectors as extend(), and return the products.

        If the images of some vectors are combinations of them, a random vector is the next one.
        """
        while True:
            self.extend(first, size)
            products = self.products.numpy()
            lengths = abs(products[range(first, size - 1), range(first + 1, size)])
            limit = 100 * np.finfo(products.dtype).eps * abs(products).max()
            ended = np.flatnonzero(lengths <= limit)
            if not ended.size:
                return products
            first += int(ended[0]) + 1
            self.products[first - 1, first] = 0
            self.vectors[first] = self._other(first)

    def _other(self, count: int) -> Array:
        """Return a vector that is orthogonal to the first ones."""
        basis = self.vectors[:count]
        random = np.random.default_rng(count).random(basis.shape[1]) - 0.5
        w = as_array(random, basis.manager).astype(basis.dtype)
        for _ in range(2):
            w = (w - (apply("conj", basis) @ w) @ basis).evaluate()
        made: Array = w / vector_norm(w)
        return made

    def restart(self, kept: NDArray[Any], size: int) -> None:
        """Replace the vectors by combinations of them, the columns of `kept`, and the last one."""
        count = kept.shape[1]
        combined = as_array(np.ascontiguousarray(kept.T), self.vectors.manager)
        made = (combined @ self.vectors[:size]).evaluate()
        last = self.vectors[size].copy().evaluate()
        self.vectors[:count] = made
        self.vectors[count] = last


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
    count = operator.index(k)
    if made.shape[1] != n:
        raise ValueError(f"A is square, not of the shape {made.shape}")
    if not 0 < count < n:
        raise ValueError(f"k is from 1 to n - 1 = {n - 1}, not {count}; kp.linalg.eigh finds all")
    size = min(n, max(2 * count + 1, 20)) if ncv is None else operator.index(ncv)
    if not count < size <= n:
        raise ValueError(f"ncv is more than k = {count} and at most n = {n}, not {size}")
    manager = A.manager if isinstance(A, SparseMatrix) else manager_of(A, v0)
    dtype = np.dtype(np.float64) if made.dtype is None else made.dtype
    given = np.random.default_rng(0).random(n) - 0.5 if v0 is None else v0
    basis = _Basis(made, as_array(given, manager).astype(dtype), size)
    limit = tol or float(np.finfo(dtype).eps)
    small = np.zeros((size, size), np.float64 if dtype.kind == "f" else np.complex128)
    first = 0
    for _ in range(10 * n if maxiter is None else operator.index(maxiter)):
        products = basis.complete(first, size)
        for j in range(first, size):
            small[: j + 1, j] = products[j, : j + 1]
            small[j, : j + 1] = products[j, : j + 1].conj()
        np.fill_diagonal(small, small.diagonal().real)
        values, vectors = np.linalg.eigh(small)
        wanted = _wanted(values, which, count)
        rest = abs(products[size - 1, size]) * abs(vectors[size - 1, wanted])
        scale = np.maximum(abs(values[wanted]), np.finfo(dtype).eps ** (2 / 3))
        # Rounding alone leaves this much, however small a value is.
        least = np.finfo(dtype).eps * abs(values).max()
        done = rest <= np.maximum(limit * scale, least)
        if size == n or bool(done.all()):
            return _result(basis, values[wanted], vectors[:, wanted], dtype, return_eigenvectors)
        # Some more than wanted are kept, so that they do not have to be found anew.
        kept = _wanted(values, which, min(count + int(done.sum()) // 2 + 1, size - 1))
        basis.restart(vectors[:, kept].astype(dtype), size)
        small[:] = 0
        small[range(len(kept)), range(len(kept))] = values[kept]
        first = len(kept)
    found = _result(basis, values[wanted[done]], vectors[:, wanted[done]], dtype, True)
    raise ArpackNoConvergence(
        f"{int(done.sum())} of {count} eigenvalues have converged; raise ncv or maxiter", *found
    )


def _result(
    basis: _Basis, values: NDArray[Any], vectors: NDArray[Any], dtype: Any, both: bool
) -> Any:
    """Return eigenvalues, and the eigenvectors that combinations of the basis are."""
    manager = basis.vectors.manager
    real = np.finfo(dtype).dtype
    found = as_array(values.astype(real), manager)
    if not both:
        return found
    turned = as_array(np.ascontiguousarray(vectors.T.astype(dtype)), manager)
    return found, matrix_transpose(turned @ basis.vectors[: vectors.shape[0]]).copy()

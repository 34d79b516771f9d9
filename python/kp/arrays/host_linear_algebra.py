# SPDX-License-Identifier: Apache-2.0
"""Decompositions, inverses and norms of matrices, which NumPy computes on the host."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .array import Array
from .elementwise import as_array, manager_of
from .storage import upload
from .types import number

_Function = Callable[..., Any]


def _wide(values: Any) -> Any:
    """Return values as numpy.linalg takes them: float16 as float32."""
    return values.astype(np.float32) if values.dtype == np.float16 else values


def _on_host(name: str, count: int, words: str) -> _Function:
    """Return a function of numpy.linalg as one of arrays, of which `count` come first."""
    function = getattr(np.linalg, name)
    signature = inspect.signature(function)
    arrays = list(signature.parameters)[:count]

    def called(*args: Any, **kwargs: Any) -> Any:
        if len(args) < count:
            args = signature.bind(*args, **kwargs).args
            kwargs = {each: value for each, value in kwargs.items() if each not in arrays}
        manager = manager_of(*args[:count])
        given = [_wide(as_array(each, manager).numpy()) for each in args[:count]]
        with np.errstate(all="ignore"):
            result = function(*given, *args[count:], **kwargs)

        def array(values: Any) -> Array:
            made = np.asarray(values)
            return Array._of_view(
                upload(manager, made.astype(number(made.dtype).dtype, copy=False))
            )

        if not isinstance(result, tuple):
            return array(result)
        parts = [array(each) for each in result]
        kind: Any = type(result)
        return kind(*parts) if hasattr(result, "_fields") else tuple(parts)

    own = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    setattr(called, "__signature__", inspect.Signature(own))  # noqa: B010, mypy does not know it
    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"Return {words}. NumPy computes it on the host: see numpy.linalg.{name}."
    return called


LinAlgError = np.linalg.LinAlgError

cholesky = _on_host("cholesky", 1, "the Cholesky factors of matrices")
cond = _on_host("cond", 1, "the condition numbers of matrices")
det = _on_host("det", 1, "the determinants of matrices")
eig = _on_host("eig", 1, "eigenvalues and eigenvectors of square matrices")
eigvals = _on_host("eigvals", 1, "the eigenvalues of square matrices")
eigh = _on_host("eigh", 1, "eigenvalues and eigenvectors of symmetric matrices")
eigvalsh = _on_host("eigvalsh", 1, "the eigenvalues of symmetric matrices")
inv = _on_host("inv", 1, "the inverses of matrices")
lstsq = _on_host("lstsq", 2, "least-squares solutions, with what numpy.linalg.lstsq adds")
matrix_rank = _on_host("matrix_rank", 1, "the ranks of matrices")
norm = _on_host("norm", 1, "norms of vectors or matrices")
pinv = _on_host("pinv", 1, "the pseudo-inverses of matrices")
qr = _on_host("qr", 1, "orthogonal and triangular factors of matrices")
slogdet = _on_host("slogdet", 1, "signs and logarithms of determinants")
solve = _on_host("solve", 2, "the solutions x of a x = b")
svd = _on_host("svd", 1, "the singular value decompositions of matrices")
tensorinv = _on_host("tensorinv", 1, "the inverses of tensors as of square matrices")
tensorsolve = _on_host("tensorsolve", 2, "the solutions x of tensordot(a, x) = b")


def svdvals(x: Any, /) -> Array:
    """Return the singular values of matrices. NumPy computes them on the host."""
    values: Array = svd(x, compute_uv=False)
    return values


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Return the norms of matrices. NumPy computes them on the host."""
    values: Array = norm(x, ord, (-2, -1), keepdims)
    return values


def matrix_power(x: Any, n: int, /) -> Array:
    """Return matrices to an integer power, by products on the device; of negative ones, the inverses'."""
    from .creation import eye
    from .linear_algebra import matmul
    from .manipulation import broadcast_to

    array = as_array(x, manager_of(x))
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"only square matrices have powers, not those of the shape {array.shape}")
    if n < 0:
        return matrix_power(inv(array), -n)
    if n == 0:
        one = eye(array.shape[-1], dtype=array.dtype, device=array.manager)
        return broadcast_to(one, array.shape).copy()
    result: Array | None = None
    while n:
        if n & 1:
            result = array if result is None else matmul(result, array)
        n >>= 1
        array = matmul(array, array) if n else array
    assert result is not None
    return result

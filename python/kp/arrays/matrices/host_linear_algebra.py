# SPDX-License-Identifier: Apache-2.0
"""Decompositions and inverses of matrices, which NumPy computes on the host."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..array import Array
from ..elementwise import as_array, manager_of
from ..storage import upload
from ..types import number

_Function = Callable[..., Any]


class EigResult(NamedTuple):
    """What eig() returns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """What eigh() returns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """What qr() returns."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """What slogdet() returns."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """What svd() returns."""

    U: Array
    S: Array
    Vh: Array


def _wide(values: Any) -> Any:
    """Return values as numpy.linalg takes them: float16 as float32."""
    return values.astype(np.float32) if values.dtype == np.float16 else values


def _on_host(
    name: str, count: int, words: str, returns: Any = "Array", complex_results: bool = False
) -> _Function:
    """Return a function of numpy.linalg as one of arrays, of which `count` come first.

    `returns` states the result: a class of named tuples, or the text of a type. With
    `complex_results`, real numbers become complex, as the array API standard wants it.
    """
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
            if complex_results:
                made = made.astype(np.result_type(made, np.complex64), copy=False)
            return upload(manager, made.astype(number(made.dtype).dtype, copy=False))

        if not isinstance(result, tuple):
            return array(result)
        parts = [array(each) for each in result]
        return tuple(parts) if isinstance(returns, str) else returns(*parts)

    own = [each.replace(annotation="Any") for each in signature.parameters.values()]
    typed = returns if isinstance(returns, str) else returns.__name__
    described = inspect.Signature(own, return_annotation=typed)
    setattr(called, "__signature__", described)  # noqa: B010, mypy does not know it
    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"Return {words}. NumPy computes it on the host: see numpy.linalg.{name}."
    return called


LinAlgError = np.linalg.LinAlgError

cholesky = _on_host("cholesky", 1, "the Cholesky factors of matrices")
cond = _on_host("cond", 1, "the condition numbers of matrices")
det = _on_host("det", 1, "the determinants of matrices")
eig = _on_host(
    "eig", 1, "eigenvalues and eigenvectors of square matrices, complex ones", EigResult, True
)
eigvals = _on_host(
    "eigvals", 1, "the eigenvalues of square matrices, complex ones", complex_results=True
)
eigh = _on_host("eigh", 1, "eigenvalues and eigenvectors of symmetric matrices", EighResult)
eigvalsh = _on_host("eigvalsh", 1, "the eigenvalues of symmetric matrices")
inv = _on_host("inv", 1, "the inverses of matrices")
lstsq = _on_host(
    "lstsq",
    2,
    "least-squares solutions, with what numpy.linalg.lstsq adds",
    "tuple[Array, Array, Array, Array]",
)
matrix_rank = _on_host("matrix_rank", 1, "the ranks of matrices")
pinv = _on_host("pinv", 1, "the pseudo-inverses of matrices")
slogdet = _on_host("slogdet", 1, "signs and logarithms of determinants", SlogdetResult)
solve = _on_host("solve", 2, "the solutions x of a x = b")
_factors = _on_host("qr", 1, "factors of matrices", "tuple[Array, Array]")
_decomposition = _on_host("svd", 1, "the parts of matrices", "tuple[Array, Array, Array]")


def qr(a: Any, mode: str) -> Any:
    """As kp.linalg.qr, and with "raw" as numpy.linalg.qr."""
    found = _factors(a, mode)
    return QRResult(*found) if isinstance(found, tuple) and mode != "raw" else found


def svd(a: Any, full_matrices: bool, compute_uv: bool, hermitian: bool) -> Any:
    """As kp.linalg.svd."""
    found = _decomposition(a, full_matrices, compute_uv, hermitian)
    return SVDResult(*found) if compute_uv else found

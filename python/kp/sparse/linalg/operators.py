# SPDX-License-Identifier: Apache-2.0
"""Linear maps of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..._kp import _LinearMap
from ..._wording import kind_of
from ...arrays.array import Array
from ...arrays.elementwise import apply, as_array, manager_of
from ...arrays.shapes.manipulation import matrix_transpose
from .. import elements, host
from ..base import SparseMatrix, is_number
from ..matrices import csr_array

Function = Callable[[Any], Any]


class LinearOperator:
    """A linear map of vectors, made of a function that returns the image of an array.

    `matvec` and `rmatvec`, of the adjoint map, take and return kp.Array. The methods of these names also take
    NumPy arrays, and return one then, so that functions of scipy.sparse.linalg take the operator.
    """

    __array_ufunc__ = None
    _multiplies_arrays = True

    def __init__(
        self,
        shape: tuple[int, int],
        matvec: Function,
        rmatvec: Function | None = None,
        matmat: Function | None = None,
        dtype: DTypeLike | None = None,
        rmatmat: Function | None = None,
    ) -> None:
        self.shape = elements.shape_of(shape)
        self.dtype = None if dtype is None else np.dtype(dtype)
        self._matvec, self._rmatvec = matvec, rmatvec
        self._matmat, self._rmatmat = matmat, rmatmat
        #: The same map in the library, which the device can repeat; None for functions.
        self._map: _LinearMap | None = None

    @property
    def ndim(self) -> int:
        """The number of axes, 2."""
        return 2

    def _applied(self, function: Function | None, name: str, x: Any, axes: int, extent: int) -> Any:
        if function is None:
            raise NotImplementedError(f"this LinearOperator was made without {name}")
        given = as_array(x, manager_of(x))
        if given.ndim != axes or given.shape[0] != extent:
            raise ValueError(
                f"{name} of an operator of shape {self.shape} takes {extent} rows in "
                f"{axes} {'axis' if axes == 1 else 'axes'}, not the shape {given.shape}"
            )
        found = function(given)
        return found.numpy() if isinstance(x, np.ndarray) else found

    def matvec(self, x: Any) -> Any:
        """Return the image of a vector. A column of two axes gives a column."""
        if np.ndim(x) == 2 and x.shape[1] == 1:
            return self.matvec(x[:, 0])[:, None]
        return self._applied(self._matvec, "matvec", x, 1, self.shape[1])

    def rmatvec(self, x: Any) -> Any:
        """Return the image of a vector by the adjoint map."""
        if np.ndim(x) == 2 and x.shape[1] == 1:
            return self.rmatvec(x[:, 0])[:, None]
        return self._applied(self._rmatvec, "rmatvec", x, 1, self.shape[0])

    def matmat(self, x: Any) -> Any:
        """Return the images of columns."""
        function = self._matmat or _by_columns(self._matvec)
        return self._applied(function, "matmat", x, 2, self.shape[1])

    def rmatmat(self, x: Any) -> Any:
        """Return the images of columns by the adjoint map."""
        one = self._rmatvec
        function = self._rmatmat or (None if one is None else _by_columns(one))
        return self._applied(function, "rmatmat", x, 2, self.shape[0])

    def dot(self, x: Any) -> Any:
        """Return the image of a vector, of columns, or the composition with another operator."""
        if is_number(x):
            return self * x
        if isinstance(x, (LinearOperator, SparseMatrix)):
            return _composed(self, aslinearoperator(x))
        return self.matvec(x) if np.ndim(x) == 1 else self.matmat(x)

    def __call__(self, x: Any) -> Any:
        return self @ x

    def __matmul__(self, x: Any) -> Any:
        if is_number(x):
            raise ValueError("numbers cannot be operands of @; use *")
        return self.dot(x)

    def __mul__(self, x: Any) -> Any:
        return _scaled(self, x) if is_number(x) else self.dot(x)

    def __rmul__(self, x: Any) -> Any:
        return _scaled(self, x) if is_number(x) else NotImplemented

    def __neg__(self) -> LinearOperator:
        return _scaled(self, -1)

    def __add__(self, other: Any) -> Any:
        return _sum(self, aslinearoperator(other))

    def __sub__(self, other: Any) -> Any:
        return _sum(self, -aslinearoperator(other))

    def adjoint(self) -> LinearOperator:
        """Return the adjoint map."""
        if self._rmatvec is None:
            raise NotImplementedError("this LinearOperator was made without rmatvec")
        return LinearOperator(
            self.shape[::-1], self._rmatvec, self._matvec, self._rmatmat, self.dtype, self._matmat
        )

    @property
    def H(self) -> LinearOperator:
        """The adjoint map."""
        return self.adjoint()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<kp.sparse.linalg.LinearOperator of {self.dtype}, {rows} x {columns}>"


def _by_columns(function: Function) -> Function:
    from ...arrays.shapes.joining import stack

    return lambda x: stack([function(x[:, i]) for i in range(x.shape[1])], axis=1)


def _common(a: LinearOperator, b: LinearOperator) -> Any:
    return None if a.dtype is None or b.dtype is None else np.result_type(a.dtype, b.dtype)


def _both(a: Function | None, b: Function | None, join: Any) -> Function | None:
    return None if a is None or b is None else join(a, b)


def _composed(a: LinearOperator, b: LinearOperator) -> LinearOperator:
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"operators of the shapes {a.shape} and {b.shape} cannot be composed")

    def after(f: Function, g: Function) -> Function:
        return lambda x: f(g(x))

    return LinearOperator(
        (a.shape[0], b.shape[1]),
        after(a._matvec, b._matvec),
        _both(b._rmatvec, a._rmatvec, after),
        _both(a._matmat, b._matmat, after),
        _common(a, b),
        _both(b._rmatmat, a._rmatmat, after),
    )


def _sum(a: LinearOperator, b: LinearOperator) -> LinearOperator:
    if a.shape != b.shape:
        raise ValueError(f"operators of the shapes {a.shape} and {b.shape} cannot be added")

    def add(f: Function, g: Function) -> Function:
        return lambda x: f(x) + g(x)

    return LinearOperator(
        a.shape,
        add(a._matvec, b._matvec),
        _both(a._rmatvec, b._rmatvec, add),
        _both(a._matmat, b._matmat, add),
        _common(a, b),
        _both(a._rmatmat, b._rmatmat, add),
    )


def _scaled(a: LinearOperator, by: Any) -> LinearOperator:
    def times(f: Function | None, factor: Any) -> Any:
        return None if f is None else lambda x: f(x) * factor

    adjoint = np.conj(by)
    adjoint = adjoint.item() if isinstance(adjoint, np.generic) else adjoint
    dtype = None if a.dtype is None else np.result_type(a.dtype, by)
    return LinearOperator(
        a.shape,
        times(a._matvec, by),
        times(a._rmatvec, adjoint),
        times(a._matmat, by),
        dtype,
        times(a._rmatmat, adjoint),
    )


def _of_dense(a: Array) -> LinearOperator:
    if a.ndim != 2:
        raise ValueError(f"an operator is made of an array of two axes, not of shape {a.shape}")
    adjoint = apply("conj", matrix_transpose(a)) if a.dtype.kind == "c" else matrix_transpose(a)

    def forward(x: Any) -> Any:
        return a @ x

    def backward(x: Any) -> Any:
        return adjoint @ x

    shape = elements.shape_of(a.shape)
    made = LinearOperator(shape, forward, backward, forward, a.dtype, backward)
    made._map = _LinearMap.of_dense(a)
    return made


def aslinearoperator(A: Any) -> LinearOperator:
    """Return a sparse or dense matrix, or an object with `shape` and `matvec`, as a LinearOperator."""
    if isinstance(A, LinearOperator):
        return A
    if host.is_sparse(A):
        A = csr_array(A)
    if isinstance(A, SparseMatrix):
        made = LinearOperator(A.shape, A.matvec, A.rmatvec, A.matmat, A.dtype, A.rmatmat)
        made._map = _LinearMap.of_matrix(A._rows())
        return made
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        adjoint = getattr(A, "rmatvec", None)
        return LinearOperator(
            A.shape,
            _on_host(A.matvec),
            None if adjoint is None else _on_host(adjoint),
            dtype=getattr(A, "dtype", None),
        )
    if not (hasattr(A, "ndim") or isinstance(A, (list, tuple))):
        raise TypeError(f"an operator is made of a matrix, not of {kind_of(A)}")
    return _of_dense(as_array(A, manager_of(A)))


def _on_host(function: Function) -> Function:
    """Return an operator of another library, which takes NumPy arrays, as one of arrays."""

    def called(x: Array) -> Array:
        return as_array(np.asarray(function(x.numpy())), x.manager)

    return called

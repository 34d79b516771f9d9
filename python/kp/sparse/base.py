# SPDX-License-Identifier: Apache-2.0
"""What sparse matrices of all formats have in common."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._kp import Manager, _Csr
from ..arrays.reducing import reductions
from ..arrays.array import Array, converted
from ..arrays.creation import ones
from ..arrays.elementwise import apply, as_array, is_operand
from ..arrays.shapes.manipulation import matrix_transpose
from . import elements, selection

if TYPE_CHECKING:
    from .matrices import coo_array, csc_array, csr_array

_M = TypeVar("_M", bound="SparseMatrix")


def is_number(value: Any) -> bool:
    """Return whether a value is a number, or an array without axes."""
    return isinstance(value, (numbers.Number, np.generic)) or (
        isinstance(value, (Array, np.ndarray)) and value.ndim == 0
    )


class SparseMatrix:
    """Base of the sparse matrices. The elements that are stored are kept in one or several formats."""

    #: "csr", "csc" or "coo".
    format: str = ""
    #: NumPy leaves operators with its arrays to this class.
    __array_ufunc__ = None
    __array_priority__ = 10.1
    #: An array leaves its operator @ to this class.
    _multiplies_arrays = True
    #: Whether `*` is the product of matrices.
    _is_matrix = False

    _by_rows: _Csr | None
    _by_columns: _Csr | None
    _elements: elements.Elements | None
    _shape: tuple[int, int]
    #: What other modules found out about the matrix.
    _kept: dict[str, Any]

    def __init__(
        self,
        arg1: Any,
        shape: tuple[int, int] | None = None,
        dtype: DTypeLike | None = None,
        copy: bool = False,
        *,
        device: Manager | None = None,
    ) -> None:
        """Make a matrix of what SciPy's constructors take.

        That is a dense array, a sparse matrix of this module, SciPy or CuPy, a shape, `(data, (row, col))`,
        or `(data, indices, indptr)`, which the formats "csr" and "csc" take. Offsets and indices are checked;
        a wrong one raises ValueError. Arrays of the device are copied even if `copy` is false, so that the matrix
        stays as it is.

        Elements are float32, float64, complex64 or complex128. Others need a `dtype`; lists of Python's
        integers have the default float.
        """
        self._set(*elements.made_of(arg1, shape, dtype, device, self.format))

    def _set(
        self,
        shape: tuple[int, int],
        by_rows: _Csr | None = None,
        by_columns: _Csr | None = None,
        pairs: elements.Elements | None = None,
    ) -> None:
        self._shape, self._kept = shape, {}
        self._by_rows, self._by_columns, self._elements = by_rows, by_columns, pairs

    @classmethod
    def _of(
        cls: type[_M],
        shape: tuple[int, int],
        by_rows: _Csr | None = None,
        by_columns: _Csr | None = None,
        pairs: elements.Elements | None = None,
    ) -> _M:
        made = cls.__new__(cls)
        made._set(shape, by_rows, by_columns, pairs)
        return made

    # --- formats ----------------------------------------------------------------------------------

    def _rows(self) -> _Csr:
        """Return the matrix in compressed rows."""
        if self._by_rows is None:
            if self._by_columns is not None:
                self._by_rows = self._by_columns.transposed()
            else:
                assert self._elements is not None
                self._by_rows = _Csr.of_elements(*self._elements, *self._shape)
        return self._by_rows

    def _columns(self) -> _Csr:
        """Return the matrix in compressed columns: the transposed one in compressed rows."""
        if self._by_columns is None:
            self._by_columns = self._rows().transposed()
        return self._by_columns

    def _pairs(self) -> elements.Elements:
        """Return the elements with their rows and columns."""
        if self._elements is None:
            if self._by_rows is None and self._by_columns is not None:
                of = self._by_columns
                self._elements = (of.data, of.indices, of.row_numbers())
            else:
                of = self._rows()
                self._elements = (of.data, of.row_numbers(), of.indices)
        return self._elements

    @property
    def _values(self) -> Array:
        """The elements that are stored."""
        of = self._by_rows if self._by_rows is not None else self._by_columns
        if self._elements is not None and (of is None or self.format == "coo"):
            return self._elements[0]
        assert of is not None
        return of.data

    def _formats(self) -> tuple[type[csr_array], type[csc_array], type[coo_array]]:
        """Return the classes of the formats, with the operators of this class."""
        from . import matrices

        if self._is_matrix:
            return matrices.csr_matrix, matrices.csc_matrix, matrices.coo_matrix
        return matrices.csr_array, matrices.csc_array, matrices.coo_array

    def tocsr(self, copy: bool = False) -> csr_array:
        """Return the matrix in compressed rows. Elements of one place are added."""
        csr = self._formats()[0]
        if type(self) is csr and not copy:
            return self
        return csr._of(self._shape, self._rows(), self._by_columns)

    def tocsc(self, copy: bool = False) -> csc_array:
        """Return the matrix in compressed columns."""
        csc = self._formats()[1]
        if type(self) is csc and not copy:
            return self
        return csc._of(self._shape, self._by_rows, self._columns())

    def tocoo(self, copy: bool = False) -> coo_array:
        """Return the elements with their rows and columns."""
        coo = self._formats()[2]
        if type(self) is coo and not copy:
            return self
        return coo._of(self._shape, self._by_rows, self._by_columns, self._pairs())

    def asformat(self, format: str | None, copy: bool = False) -> SparseMatrix:
        """Return the matrix in a format: "csr", "csc" or "coo"."""
        if format not in (None, "csr", "csc", "coo"):
            raise ValueError(f'format is "csr", "csc" or "coo", not {format!r}')
        if format is None:
            return self
        made: SparseMatrix = getattr(self, f"to{format}")(copy)
        return made

    def copy(self: _M) -> _M:
        """Return the matrix: it never changes."""
        return self._of(self._shape, self._by_rows, self._by_columns, self._elements)

    def _mapped(self: _M, values: Array) -> _M:
        """Return a matrix with other elements at the same places."""
        if self.format == "coo":
            _, row, column = self._pairs()
            return self._of(self._shape, pairs=(values, row, column))
        if self.format == "csc":
            return self._of(self._shape, None, self._columns().with_data(values))
        return self._of(self._shape, self._rows().with_data(values))

    def toarray(self) -> Array:
        """Return the matrix as an array with all its zeros."""
        return self._rows().dense()

    def todense(self) -> Array:
        """Return the matrix as an array with all its zeros."""
        return self.toarray()

    def to_scipy(self) -> Any:
        """Return the matrix as SciPy's, in the same format."""
        from . import host

        return host.to_scipy(self)

    # --- attributes -------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of axes, 2."""
        return 2

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self._values.dtype

    @property
    def nnz(self) -> int:
        """The number of elements that are stored, zeros among them."""
        return int(self._values.size)

    @property
    def size(self) -> int:
        """The number of elements that are stored."""
        return self.nnz

    @property
    def manager(self) -> Manager:
        """The manager that the memory belongs to."""
        return self._values.manager

    @property
    def data(self) -> Array:
        """The elements, read-only. Assign others to change them all."""
        return elements.read_only(self._values)

    @data.setter
    def data(self, values: Any) -> None:
        given = elements.values_of(values, None, self.manager)
        if given.shape != (self.nnz,):
            raise ValueError(f"the matrix has {self.nnz} elements, not the shape {given.shape}")
        made = self._mapped(given)
        self._set(made._shape, made._by_rows, made._by_columns, made._elements)

    def __repr__(self) -> str:
        rows, columns = self._shape
        return (
            f"<kp.sparse.{type(self).__name__} of {self.dtype}, {rows} x {columns}, "
            f"{self.nnz} stored elements>"
        )

    def __len__(self) -> int:
        raise TypeError("the length of a sparse matrix is ambiguous; use shape[0] or nnz")

    def __bool__(self) -> bool:
        raise ValueError("the truth of a sparse matrix is ambiguous; use nnz != 0")

    def __eq__(self, other: object) -> bool:
        raise TypeError("sparse matrices are compared as arrays: a.toarray() == b.toarray()")

    __hash__ = object.__hash__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        raise TypeError("a sparse matrix does not become dense unasked; use toarray().numpy()")

    # --- other matrices ---------------------------------------------------------------------------

    def transpose(self, axes: Any = None, copy: bool = False) -> SparseMatrix:
        """Return the transposed matrix. No element moves: rows become columns."""
        if axes not in (None, (1, 0)):
            raise ValueError("axes of a sparse matrix cannot be named; leave them out")
        csr, csc, coo = self._formats()
        kind: type[SparseMatrix] = {"csr": csc, "csc": csr, "coo": coo}[self.format]
        pairs = self._elements
        turned = None if pairs is None else (pairs[0], pairs[2], pairs[1])
        return kind._of(self._shape[::-1], self._by_columns, self._by_rows, turned)

    @property
    def T(self) -> SparseMatrix:
        """The transposed matrix."""
        return self.transpose()

    def conj(self: _M) -> _M:
        """Return the complex conjugates."""
        return self._mapped(apply("conj", self._values)) if self.dtype.kind == "c" else self

    conjugate = conj

    @property
    def real(self: _M) -> _M:
        """The real parts."""
        return self._mapped(elements.part(self._values, "real"))

    @property
    def imag(self: _M) -> _M:
        """The imaginary parts."""
        return self._mapped(elements.part(self._values, "imag"))

    def astype(self: _M, dtype: DTypeLike, casting: str = "unsafe", copy: bool = True) -> _M:
        """Return the matrix with elements of another dtype."""
        return self._mapped(elements.floating(self._values.astype(dtype, casting=casting)))

    def sorted_indices(self: _M) -> _M:
        """Return the matrix with ascending indices. Elements of one place are added."""
        if self.format == "csc":
            return self._of(self._shape, self._by_rows, self._columns().canonical())
        made = self._rows().canonical()
        if self.format == "csr":
            return self._of(self._shape, made, self._by_columns)
        return self._of(self._shape, made, None, (made.data, made.row_numbers(), made.indices))

    def sort_indices(self) -> None:
        """Sort the indices. Elements of one place are added."""
        made = self.sorted_indices()
        self._set(made._shape, made._by_rows, made._by_columns, made._elements)

    def sum_duplicates(self) -> None:
        """Add the elements of one place, and sort the indices."""
        self.sort_indices()

    def eliminate_zeros(self) -> None:
        """Remove elements that are 0."""
        values, row, column = self._pairs()
        kept = elements.nonzero_of(values)
        pairs = (values[kept], row[kept], column[kept])
        if self.format == "coo":
            self._set(self._shape, pairs=pairs)
            return
        made = _Csr.of_elements(*pairs, *self._shape)
        self._set(self._shape, made, made.transposed() if self.format == "csc" else None)

    def diagonal(self, k: int = 0) -> Array:
        """Return a diagonal, the k-th above the main one, as an array."""
        rows, columns = self._shape
        if not -rows < k < columns:
            return self._values[:0].copy()
        return self._rows().diagonal(k)

    def trace(self, offset: int = 0) -> Array:
        """Return the sum of a diagonal."""
        return reductions.sum(self.diagonal(offset))

    def sum(self, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
        """Return the sum of all elements, or of each column (axis 0) or row (axis 1), as an array."""
        if axis is None:
            return reductions.sum(self._values, dtype=dtype)
        if axis not in (0, 1, -1, -2):
            raise ValueError(f"axis {axis} is out of bounds: a matrix has the axes 0 and 1")
        along = self._columns() if axis in (0, -2) else self._rows()
        found = along.matmul(ones(along.columns, dtype=self.dtype, device=self.manager))
        return found if dtype is None else found.astype(dtype)

    def mean(self, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
        """Return the mean of all places, or of each column (axis 0) or row (axis 1)."""
        rows, columns = self._shape
        count = {None: rows * columns, 0: rows, -2: rows}.get(axis, columns)
        return apply("divide", self.sum(axis, dtype), count)

    # --- operators --------------------------------------------------------------------------------

    def _operand(self, other: Any) -> Array:
        return as_array(other, self.manager)

    def __neg__(self: _M) -> _M:
        return self._mapped(apply("negative", self._values))

    def __pos__(self: _M) -> _M:
        return self

    def __abs__(self: _M) -> _M:
        made = self.sorted_indices()
        return made._mapped(apply("abs", made._values))

    def _joined(self, other: Any, negative: bool, swapped: bool = False) -> Any:
        if isinstance(other, SparseMatrix):
            added = -other if negative else other
            if self.format == other.format == "csc":
                return self._of(self._shape, None, self._columns().sum(added._columns()))
            return self._formats()[0]._of(self._shape, self._rows().sum(added._rows()))
        if is_number(other):
            if isinstance(other, (int, float)) and other == 0:
                return -self if swapped and negative else self
            raise NotImplementedError(
                "a sparse matrix and a number other than 0 have a dense sum; use toarray()"
            )
        if not is_operand(other):
            return NotImplemented
        dense, given = self.toarray(), self._operand(other)
        if negative:
            return given - dense if swapped else dense - given
        return dense + given

    def __add__(self, other: Any) -> Any:
        return self._joined(other, False)

    def __radd__(self, other: Any) -> Any:
        return self._joined(other, False)

    def __sub__(self, other: Any) -> Any:
        return self._joined(other, True)

    def __rsub__(self, other: Any) -> Any:
        return self._joined(other, True, True)

    def multiply(self, other: Any) -> SparseMatrix:
        """Return the elementwise product with a number, an array that broadcasts, or a sparse matrix."""
        if is_number(other):
            return self._mapped(elements.floating(apply("multiply", self._values, other)))
        if isinstance(other, SparseMatrix):
            return self._formats()[0]._of(
                self._shape, selection.products(self._rows(), other._rows())
            )
        given = self._operand(other)
        if given.ndim > 2:
            raise ValueError(f"an array of shape {given.shape} does not broadcast to a matrix")
        if self.format == "csc" and given.ndim == 2:
            return self._of(self._shape, None, self._columns().times(matrix_transpose(given)))
        return self._formats()[0]._of(self._shape, self._rows().times(given))

    def __mul__(self, other: Any) -> Any:
        if self._is_matrix and not is_number(other):
            return self @ other
        return self.multiply(other) if self._takes(other) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        if self._is_matrix and not is_number(other):
            return other @ self
        return self.multiply(other) if self._takes(other) else NotImplemented

    def __truediv__(self, other: Any) -> Any:
        if is_number(other):
            return self._mapped(elements.floating(apply("divide", self._values, other)))
        if isinstance(other, SparseMatrix) or not is_operand(other):
            return NotImplemented
        return self.multiply(apply("reciprocal", converted(self._operand(other), self.dtype)))

    @staticmethod
    def _takes(other: Any) -> bool:
        return isinstance(other, SparseMatrix) or is_number(other) or is_operand(other)

    def dot(self, other: Any) -> Any:
        """Return the product with a vector, an array of two axes, a sparse matrix, or a number."""
        return self.multiply(other) if is_number(other) else self @ other

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, SparseMatrix):
            shape = (self._shape[0], other._shape[1])
            if self.format == other.format == "csc":
                return self._of(shape, None, other._columns().product(self._columns()))
            return self._formats()[0]._of(shape, self._rows().product(other._rows()))
        if is_number(other):
            raise ValueError("numbers cannot be operands of @; use *")
        if not is_operand(other):
            return NotImplemented
        return self._rows().matmul(self._operand(other))

    def __rmatmul__(self, other: Any) -> Any:
        if is_number(other):
            raise ValueError("numbers cannot be operands of @; use *")
        if not is_operand(other):
            return NotImplemented
        given = self._operand(other)
        if given.ndim == 1:
            return self._columns().matmul(given)
        return matrix_transpose(self._columns().matmul(matrix_transpose(given)))

    def matvec(self, x: Any) -> Any:
        """Return the product with a vector: what solvers call. Of a NumPy array, it is one."""
        found = self @ x
        return found.numpy() if isinstance(x, np.ndarray) else found

    def rmatvec(self, x: Any) -> Any:
        """Return the product of the adjoint with a vector, as matvec()."""
        found = self._columns().matmul(apply("conj", self._operand(x)))
        found = apply("conj", found) if found.dtype.kind == "c" else found
        return found.numpy() if isinstance(x, np.ndarray) else found

    matmat, rmatmat = matvec, rmatvec

    def __getitem__(self, key: Any) -> Any:
        return selection.selected(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            f"a {type(self).__name__} cannot be changed by parts; make one of elements, as in "
            "coo_array((data, (row, col)))"
        )

    def __iter__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} has no loop over rows; use toarray()")

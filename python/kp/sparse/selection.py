# SPDX-License-Identifier: Apache-2.0
"""Parts of sparse matrices, and elementwise products of two."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _kp
from .._kp import _Csr
from ..arrays.array import Array
from ..arrays.creation import arange, ones
from ..arrays.elementwise import apply, as_array, where
from ..arrays.selection.searching import searchsorted

if TYPE_CHECKING:
    from .base import SparseMatrix


def _keys(of: _Csr) -> Array:
    """Return the places of elements as numbers, row by row."""
    return apply(
        "add", apply("multiply", of.row_numbers().astype(np.int64), of.columns), of.indices
    )


def products(a: _Csr, b: _Csr) -> _Csr:
    """Return the elementwise product of two matrices, which has the places that both have."""
    if (a.rows, a.columns) != (b.rows, b.columns):
        raise ValueError(
            f"matrices of the shapes {(a.rows, a.columns)} and {(b.rows, b.columns)} cannot be "
            "multiplied elementwise"
        )
    a, b = a.canonical(), b.canonical()
    if a.data.size == 0 or b.data.size == 0:
        none = a.indices[:0].copy()
        data = apply("multiply", a.data[:0], b.data[:0])
        return _Csr.of_elements(data, none, none, a.rows, a.columns)
    ours, theirs = _keys(a), _keys(b)
    places = apply("minimum", searchsorted(ours, theirs), ours.size - 1)
    found = _kp._flatnonzero(ours[places] == theirs)
    places = places[found]
    data = apply("multiply", a.data[places], b.data[found])
    return _Csr.of_elements(data, a.row_numbers()[places], a.indices[places], a.rows, a.columns)


def _chosen(key: Any, extent: int, axis: int, like: SparseMatrix) -> Array | slice:
    """Return the indices that a key stands for, or a slice of neighbours."""
    if isinstance(key, slice):
        start, stop, step = key.indices(extent)
        if step == 1:
            return slice(start, max(start, stop))
        return arange(start, stop, step, dtype=np.int64, device=like.manager)
    given = as_array(key, like.manager)
    if given.dtype.kind == "b":
        if given.shape != (extent,):
            raise IndexError(
                f"a mask of shape {given.shape} does not fit axis {axis} with size {extent}"
            )
        return _kp._flatnonzero(given)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
        raise IndexError(
            "a sparse matrix is indexed by integers, slices, and rows of integers or bool, not by "
            f"an array of {given.dtype} with the shape {given.shape}"
        )
    indices = given.astype(np.int64)
    if indices.size and (int(indices.min()) < -extent or int(indices.max()) >= extent):
        raise IndexError(f"an index is out of bounds for axis {axis} with size {extent}")
    return where(indices < 0, indices + extent, indices) if indices.size else indices


def _rows_of(of: _Csr, rows: Array | slice) -> _Csr:
    """Return rows of a matrix, in any order."""
    if isinstance(rows, slice):
        if rows.start == 0 and rows.stop == of.rows:
            return of
        return of.rows_between(rows.start, rows.stop)
    # A product with a matrix of ones: no element is rounded.
    count, manager = int(rows.size), of.data.manager
    ones_of = ones(count, dtype=of.data.dtype, device=manager)
    numbers = arange(count, dtype=np.int64, device=manager)
    return _Csr.of_elements(ones_of, numbers, rows, count, of.rows).product(of)


def _number(key: Any, extent: int, axis: int) -> int:
    index = operator.index(key)
    if not -extent <= index < extent:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
    return index % extent


def _is_int(key: Any) -> bool:
    return isinstance(key, (int, np.integer)) and not isinstance(key, bool)


def selected(matrix: SparseMatrix, key: Any) -> Any:
    """Return the part of a matrix that a key selects: rows, or rows and columns."""
    keys = key if isinstance(key, tuple) else (key, slice(None))
    if len(keys) != 2:
        raise IndexError(f"a sparse matrix has two axes, but {len(keys)} indices were given")
    numbers = [_is_int(each) for each in keys]
    keys = tuple(
        _number(each, matrix.shape[axis], axis) if numbers[axis] else each
        for axis, each in enumerate(keys)
    )
    if all(numbers):
        row = matrix._rows().rows_between(keys[0], keys[0] + 1)
        return row.dense()[0, keys[1]]
    if any(numbers) and not matrix._is_matrix:
        axis = numbers.index(True)
        part = f"{keys[axis]}:{keys[axis] + 1}"
        raise IndexError(
            "a row or column of a sparse array would have one axis, and sparse arrays have two here; "
            f"A[{part if axis == 0 else ':, ' + part}] has both"
        )
    parts = [
        slice(each, each + 1) if numbers[axis] else _chosen(each, matrix.shape[axis], axis, matrix)
        for axis, each in enumerate(keys)
    ]
    made = _rows_of(matrix._rows(), parts[0])
    if not (isinstance(parts[1], slice) and parts[1] == slice(0, matrix.shape[1])):
        made = _rows_of(made.transposed(), parts[1]).transposed()
    csr = matrix._formats()[0]._of((made.rows, made.columns), made)
    return csr.asformat(matrix.format)

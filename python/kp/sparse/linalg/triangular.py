# SPDX-License-Identifier: Apache-2.0
"""Triangular equations, by sets of rows that need no results of each other (levels)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._kp import OpSparseMatMul, _Csr
from ...arrays.array import Array, converted
from ...arrays.elementwise import apply, as_array
from ...arrays.matrices.host_linear_algebra import LinAlgError
from ...arrays.operands import launch, operand
from ...arrays.storage import blank
from .. import host
from ..base import SparseMatrix
from ..matrices import csr_array

__all__ = ["spsolve_triangular"]


@dataclass
class _Level:
    """Some rows of the matrix in the order of levels, and their elements beside the diagonal."""

    first: int
    last: int
    first_element: int
    last_element: int
    first_offset: int


@dataclass
class _Triangle:
    """A triangular matrix whose rows and columns are in the order of levels."""

    levels: list[_Level]
    order: Array  # the row of the matrix at each place
    places: Array  # the place of each row
    offsets: Array  # of each level, from 0 on
    indices: Array
    elements: Array  # beside the diagonal
    diagonal: Array | None  # None: ones


def _ranges(first: NDArray[Any], last: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers of several ranges, one after the other."""
    counts = last - first
    starts = np.repeat(first - np.cumsum(counts) + counts, counts)
    return starts + np.arange(counts.sum())


def _sets(rows: NDArray[Any], columns: NDArray[Any], size: int) -> list[NDArray[Any]]:
    """Return sets of rows, each of which needs results of earlier ones alone."""
    missing = np.bincount(rows, minlength=size)
    order = np.argsort(columns, kind="stable")
    needed_by = rows[order]
    begins = np.searchsorted(columns[order], np.arange(size + 1))
    ready = np.flatnonzero(missing == 0)
    found = []
    while ready.size:
        found.append(ready)
        waiting = needed_by[_ranges(begins[ready], begins[ready + 1])]
        others, counts = np.unique(waiting, return_counts=True)
        missing[others] -= counts
        ready = others[missing[others] == 0]
    return found


def _analysed(given: _Csr, lower: bool, unit: bool) -> _Triangle:
    """Find the levels of a matrix. Raises LinAlgError if it is not triangular, or singular."""
    of = given.canonical()
    size, manager = of.rows, of.data.manager
    columns = of.indices.numpy().astype(np.int64)
    rows = of.row_numbers().numpy().astype(np.int64)
    wrong = np.flatnonzero(columns > rows if lower else columns < rows)
    if wrong.size:
        at = int(rows[wrong[0]]), int(columns[wrong[0]])
        side = "above" if lower else "below"
        raise LinAlgError(f"A is not triangular: element {at} is {side} the diagonal")
    diagonal = None
    if not unit:
        diagonal = of.diagonal(0)
        zeros = np.flatnonzero(diagonal.numpy() == 0)
        if zeros.size:
            raise LinAlgError(f"A is singular: its diagonal is 0 in row {int(zeros[0])}")
    beside = np.flatnonzero(columns != rows)
    sets = _sets(rows[beside], columns[beside], size)
    order = np.concatenate(sets) if sets else np.zeros(0, np.int64)
    places = np.empty(size, np.int64)
    places[order] = np.arange(size)
    sorted_ = np.argsort(places[rows[beside]], kind="stable")
    beside = beside[sorted_]
    lengths = np.bincount(places[rows[beside]], minlength=size)
    levels, offsets, first, element = [], [], 0, 0
    for number, members in enumerate(sets):
        own = np.r_[0, np.cumsum(lengths[first : first + members.size])]
        end = element + int(own[-1])
        levels.append(_Level(first, first + members.size, element, end, first + number))
        offsets.append(own)
        first, element = first + members.size, end

    def upload(values: NDArray[Any]) -> Array:
        return as_array(values.astype(np.int32), manager)

    return _Triangle(
        levels,
        upload(order),
        upload(places),
        upload(np.concatenate(offsets) if offsets else np.zeros(0)),
        upload(places[columns[beside]]),
        of.data[upload(beside)].copy(),
        None if diagonal is None else diagonal[upload(order)].copy(),
    )


def _solved(triangle: _Triangle, b: Array, dtype: np.dtype[Any]) -> Array:
    manager = b.manager
    side = converted(b, dtype)[triangle.order].evaluate()
    offsets, indices = (operand(each, each.shape) for each in (triangle.offsets, triangle.indices))
    values = converted(triangle.elements, dtype).evaluate()
    elements = operand(values, values.shape)
    scale = None
    if triangle.diagonal is not None:
        scale = apply("reciprocal", converted(triangle.diagonal, dtype)).evaluate()
        scale = scale if b.ndim == 1 else scale[:, None]
    x = blank(manager, b.shape, dtype)
    for level in triangle.levels:
        rows, count = level.last - level.first, level.last_element - level.first_element
        left = side[level.first : level.last]
        if count:
            known = blank(manager, (rows, *b.shape[1:]), dtype)
            product = OpSparseMatMul(
                (offsets, level.first_offset, rows + 1),
                (indices, level.first_element, count),
                (elements, level.first_element, count),
                operand(x, x.shape),
                operand(known, known.shape),
            )
            launch(manager, product)
            left = left - known
        x[level.first : level.last] = (
            left if scale is None else left * scale[level.first : level.last]
        )
    return x[triangle.places].copy()


def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Solve A x = b for a sparse triangular matrix, and a vector or an array of two axes.

    The rows are sorted into levels, which the matrix keeps: the rows of one level need no results of each
    other, and a product computes them all. So a solution takes as many steps as there are levels. With
    `unit_diagonal`, the diagonal is ones, and stored elements of it are ignored. Nothing is overwritten. Raises
    LinAlgError if A is not triangular, or if its diagonal has a 0.
    """
    if host.is_sparse(A) or not isinstance(A, SparseMatrix):
        A = csr_array(A)
    size = A.shape[0]
    if A.shape[1] != size:
        raise ValueError(f"A is square, not of the shape {A.shape}")
    side = as_array(b, A.manager)
    if side.ndim not in (1, 2) or side.shape[0] != size:
        raise ValueError(f"A and b have the shapes {A.shape} and {side.shape}, which do not fit")
    dtype = np.result_type(A.dtype, side.dtype)
    if size == 0 or side.size == 0:
        return converted(side, dtype).copy()
    kept = A._kept.setdefault("triangles", {})
    key = (bool(lower), bool(unit_diagonal))
    if key not in kept:
        kept[key] = _analysed(A._rows(), *key)
    return _solved(kept[key], side, dtype)

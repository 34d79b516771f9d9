# SPDX-License-Identifier: Apache-2.0
"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._axes import normalized_axes
from ..._floats import default_float
from ..array import Array, converted
from ..elementwise import apply, as_array, imag, manager_of, real
from ..groups.traits import by_rows
from ..reducing import reductions
from ..shapes.manipulation import expand_dims, moveaxis, ravel, reshape
from ..types import real_of
from .decompositions import svdvals

__all__ = ["matrix_norm", "norm", "vector_norm"]


def _floats(x: Any) -> Array:
    """Return an array of floats or complex numbers."""
    source = as_array(x, manager_of(x))
    if source._dtype.kind in "biu":
        return converted(source, default_float(source._manager))
    return source


def _wide(x: Array) -> Array:
    """Return half precision as float32: squares of 256 would be infinite."""
    return converted(x, np.dtype(np.float32)) if x._dtype == np.float16 else x


def _largest(x: Array, axis: Any, keepdims: bool) -> Array:
    """Return the largest elements; 0 without elements, like the norm."""
    return reductions.max(x, axis, keepdims=keepdims, initial=None if x.size else 0)


def _length(x: Array, axis: Any, keepdims: bool) -> Array:
    """Return the roots of the sums of squares."""
    if x._dtype.kind == "c":
        squares = apply("add", apply("square", real(x)), apply("square", imag(x)))
    else:
        squares = apply("square", x)
    return apply("sqrt", reductions.sum(squares, axis, keepdims=keepdims))


@by_rows("made")
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Array:
    """Return the norms of vectors along axes: of order 2, 1, inf, -inf, 0 or any other.

    The norms of integers are the default float.
    """
    source = _floats(x)
    wide = _wide(source)
    if ord == 2:
        found = _length(wide, axis, keepdims)
    elif ord == 0:
        found = reductions.count_nonzero(wide, axis, keepdims=keepdims)
    elif ord in (1, math.inf, -math.inf):
        reduce: Any = {1: reductions.sum, math.inf: _largest, -math.inf: reductions.min}[ord]
        found = reduce(apply("abs", wide), axis, keepdims=keepdims)
    else:
        powers = apply("pow", apply("abs", wide), float(ord))
        found = apply("pow", reductions.sum(powers, axis, keepdims=keepdims), 1 / ord)
    return converted(found, real_of(source._dtype))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """Return the norm of an array, or the norms of its vectors (one axis) or matrices (two axes).

    - None: the root of the sum of squares, of an array of any number of axes.
    - Vectors have the orders of vector_norm().
    - Matrices have "fro", 1, -1, inf, -inf (sums of rows or columns), 2, -2 and "nuc" (singular values).
    """
    source = _floats(x)
    whole = axis is None and (
        ord is None or (ord == 2 and source.ndim == 1) or (ord in ("fro", "f") and source.ndim == 2)
    )
    if whole:
        found = vector_norm(ravel(source))
        return reshape(found, (1,) * source.ndim) if keepdims else found
    axes = normalized_axes(axis, source.ndim)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"ord of a vector's norm is a number, not {ord!r}")
        return vector_norm(source, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError(
            f"norms are of vectors (one axis) or matrices (two), not of {len(axes)} axes; for the root of "
            "the sum of squares, leave out ord"
        )
    rows, columns = axes
    return converted(
        _of_matrices(_wide(source), ord, rows, columns, keepdims), real_of(source._dtype)
    )


def _of_matrices(x: Array, ord: Any, rows: int, columns: int, keepdims: bool) -> Array:
    if ord in (None, "fro", "f"):
        return _length(x, (rows, columns), keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        along, across = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = reductions.sum(apply("abs", x), along, keepdims=True)
        found = (_largest if ord > 0 else reductions.min)(sums, across, keepdims=True)
    elif ord in (2, -2, "nuc"):
        values = svdvals(moveaxis(x, (rows, columns), (-2, -1)))
        reduce: Any = {2: reductions.max, -2: reductions.min, "nuc": reductions.sum}[ord]
        found = expand_dims(reduce(values, -1), tuple(sorted((rows, columns))))
    else:
        raise ValueError(
            f"ord of a matrix's norm is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {ord!r}"
        )
    if keepdims:
        return found
    kept = [extent for place, extent in enumerate(x.shape) if place not in (rows, columns)]
    return reshape(found, kept)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Return the norms of matrices, of the orders of norm()."""
    return norm(x, ord, (-2, -1), keepdims)

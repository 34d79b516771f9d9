# SPDX-License-Identifier: Apache-2.0
"""The elements that sparse matrices are made of."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .. import _kp
from .._default import default_manager
from .._kp import Manager, Tensor, _Csr
from .._floats import default_float
from .._wording import kind_of
from ..arrays.array import Array
from ..arrays.creation import manager as named_manager, zeros
from ..arrays.elementwise import as_array
from ..arrays.shapes.manipulation import matrix_transpose

#: The elements, their rows and their columns.
Elements = tuple[Array, Array, Array]
#: What SparseMatrix._set() takes: the shape, and a matrix in one of the formats.
Parts = tuple[tuple[int, int], "_Csr | None", "_Csr | None", "Elements | None"]

_LIMIT = 2**31


def floating(values: Array) -> Array:
    """Return elements if a matrix may have them. Raises TypeError for another dtype."""
    if values.dtype.kind in "fc" and values.dtype.itemsize >= 4:
        return values
    raise TypeError(
        "the elements of a sparse matrix are float32, float64, complex64 or complex128, not "
        f"{values.dtype}; give a dtype, as in dtype=np.float32"
    )


def read_only(values: Array) -> Array:
    """Return a view that cannot be assigned to."""
    values.evaluate()
    return values._strided(values._offset, values.shape, values._strides, False)


def part(values: Array, name: str) -> Array:
    """Return the "real" or "imag" parts of elements."""
    found: Array = (_kp._real if name == "real" else _kp._imag)(values)
    return found.copy()


def nonzero_of(values: Array) -> Array:
    """Return the numbers of the elements that are not 0."""
    return _kp._flatnonzero(values)


def values_of(given: Any, dtype: DTypeLike | None, manager: Manager) -> Array:
    """Return elements as an array of their own on a device."""
    is_list = isinstance(given, (list, tuple))
    values = as_array(given, manager)
    if isinstance(given, (Array, Tensor)):
        values = values.copy()  # so that nothing changes unseen
    if dtype is not None:
        values = values.astype(dtype)
    elif is_list and values.dtype.kind in "biu":
        values = values.astype(default_float(manager))
    return floating(values)


def indices_of(given: Any, manager: Manager) -> Array:
    """Return indices as an array of their own on a device."""
    values = as_array(given, manager)
    if values.size == 0 and values.dtype.kind == "f":
        values = values.astype(np.int32)  # of an empty list
    return values.copy() if isinstance(given, (Array, Tensor)) else values


def shape_of(given: Any) -> tuple[int, int]:
    """Return a shape as a pair of ints. Raises TypeError or ValueError for another thing."""
    extents = tuple(operator.index(extent) for extent in given)
    if len(extents) != 2 or min(extents) < 0 or max(extents) >= _LIMIT:
        raise ValueError(
            f"the shape of a sparse matrix is rows and columns, each from 0 to 2**31 - 1, not {given}"
        )
    return extents


def _is_shape(given: Any) -> bool:
    return (
        isinstance(given, tuple)
        and len(given) == 2
        and all(isinstance(extent, (int, np.integer)) for extent in given)
    )


def _manager(device: Manager | None, *given: Any) -> Manager:
    """Return the manager that is named, or of the first array, or the default one."""
    if device is not None:
        return named_manager(device)
    for each in given:
        if isinstance(each, (Array, Tensor)):
            return each.manager
    return default_manager()


def _extent(indices: Array) -> int:
    """Return the smallest extent that indices fit."""
    return int(indices.max()) + 1 if indices.size else 0


def _same_shape(shape: Any, own: tuple[int, int]) -> tuple[int, int]:
    if shape is not None and shape_of(shape) != own:
        raise ValueError(f"the matrix has the shape {own}, not {tuple(shape)}")
    return own


def made_of(given: Any, shape: Any, dtype: Any, device: Manager | None, format: str) -> Parts:
    """Return what a matrix consists of, given the arguments of its constructor."""
    from . import host
    from .base import SparseMatrix

    if isinstance(given, SparseMatrix):
        _same_shape(shape, given.shape)
        if device is not None and device is not given.manager:
            data, row, column = (each.numpy() for each in given._pairs())
            return _of_pairs(data, (row, column), given.shape, dtype, device, format)
        source = given.asformat(format)
        if dtype is not None and np.dtype(dtype) != source.dtype:
            source = source.astype(dtype)
        return source._shape, source._by_rows, source._by_columns, source._elements
    if host.is_sparse(given):
        return _converted(host.arguments_of(given), shape, dtype, device, format)
    if _is_shape(given):
        return _empty(shape_of(given), dtype, _manager(device), format)
    if isinstance(given, tuple) and len(given) == 2:
        return _of_pairs(given[0], given[1], shape, dtype, device, format)
    if isinstance(given, tuple) and len(given) == 3:
        return _of_offsets(given, shape, dtype, device, format)
    return _of_dense(given, shape, dtype, device, format)


def _converted(
    arguments: Any, shape: Any, dtype: Any, device: Manager | None, format: str
) -> Parts:
    form, own, *arrays = arguments
    _same_shape(shape, own)
    if form == "coo":
        return _of_pairs(arrays[0], arrays[1], own, dtype, device, format)
    made = _of_offsets(tuple(arrays), own, dtype, device, form)
    source: Any = made[1] or made[2]
    if format == form:
        return made
    if format == "coo":
        along, across = source.indices, source.row_numbers()
        pair = (across, along) if form == "csr" else (along, across)
        return (*made[:3], (source.data, *pair))
    turned = source.transposed()
    return (own, turned, None, None) if format == "csr" else (own, None, turned, None)


def _empty(shape: tuple[int, int], dtype: Any, manager: Manager, format: str) -> Parts:
    wanted = default_float(manager) if dtype is None else dtype
    data = floating(zeros(0, dtype=wanted, device=manager))
    none = zeros(0, dtype=np.int32, device=manager)
    return _formatted((data, none, none), shape, format)


def _formatted(pairs: Elements, shape: tuple[int, int], format: str) -> Parts:
    """Return a matrix of elements, which are checked now."""
    rows, columns = shape
    if format == "csc":
        values, row, column = pairs
        return shape, None, _Csr.of_elements(values, column, row, columns, rows), None
    made = _Csr.of_elements(*pairs, rows, columns)
    return (shape, made, None, pairs if format == "coo" else None)


def _of_pairs(
    data: Any, pair: Any, shape: Any, dtype: Any, device: Manager | None, format: str
) -> Parts:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(f"elements have rows and columns, (data, (row, col)), not {kind_of(pair)}")
    manager = _manager(device, data, *pair)
    values = values_of(data, dtype, manager)
    row, column = (indices_of(each, manager) for each in pair)
    found = (_extent(row), _extent(column)) if shape is None else shape_of(shape)
    return _formatted((values, row, column), found, format)


def _of_offsets(
    given: tuple[Any, ...], shape: Any, dtype: Any, device: Manager | None, format: str
) -> Parts:
    data, indices, indptr = given
    if format == "coo":
        raise TypeError("coo_array takes (data, (row, col)); csr_array takes offsets")
    manager = _manager(device, data, indices, indptr)
    values = values_of(data, dtype, manager)
    along, offsets = indices_of(indices, manager), indices_of(indptr, manager)
    if shape is None:
        outer, inner = max(int(offsets.size) - 1, 0), _extent(along)
        found = (outer, inner) if format == "csr" else (inner, outer)
    else:
        found = shape_of(shape)
    if format == "csr":
        return found, _Csr(values, along, offsets, *found), None, None
    return found, None, _Csr(values, along, offsets, *found[::-1]), None


def _of_dense(given: Any, shape: Any, dtype: Any, device: Manager | None, format: str) -> Parts:
    values = as_array(given, _manager(device, given))
    if values.ndim != 2:
        raise ValueError(
            f"a sparse matrix is made of an array of two axes, not of the shape {values.shape}"
        )
    own = (int(values.shape[0]), int(values.shape[1]))
    _same_shape(shape, own)
    if dtype is not None:
        values = values.astype(dtype)
    elif isinstance(given, (list, tuple)) and values.dtype.kind in "biu":
        values = values.astype(default_float(values.manager))
    floating(values)
    if format == "csc":
        return own, None, _Csr.of_dense(matrix_transpose(values)), None
    return own, _Csr.of_dense(values), None, None

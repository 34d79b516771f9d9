# SPDX-License-Identifier: Apache-2.0
"""Functions that make sparse matrices."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .._floats import default_float
from .._kp import Manager
from ..arrays.creation import arange, manager as named_manager, ones
from ..arrays.elementwise import as_array
from ..arrays.shapes.joining import concat
from ..random import default_rng
from . import elements
from .matrices import coo_array, coo_matrix

__all__ = ["diags", "diags_array", "eye", "eye_array", "identity", "random", "random_array"]


def _as_matrix(made: coo_array) -> coo_matrix:
    return coo_matrix._of(made._shape, made._by_rows, made._by_columns, made._elements)


def eye_array(
    m: int,
    n: int | None = None,
    *,
    k: int = 0,
    dtype: DTypeLike | None = None,
    format: str | None = "csr",
    device: Manager | None = None,
) -> Any:
    """Return a sparse matrix with ones on its k-th diagonal."""
    return _eye(m, n, k, dtype, device).asformat(format)


def _eye(m: int, n: int | None, k: int, dtype: Any, device: Manager | None) -> coo_array:
    on = named_manager(device)
    shape = elements.shape_of((m, m if n is None else n))
    count = max(0, min(shape[0] + min(k, 0), shape[1] - max(k, 0)))
    numbers = arange(count, dtype=np.int64, device=on)
    wanted = default_float(on) if dtype is None else dtype
    pair = (numbers + max(-k, 0), numbers + max(k, 0))
    return coo_array((ones(count, dtype=wanted, device=on), pair), shape=shape)


def eye(
    m: int,
    n: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    format: str | None = None,
    *,
    device: Manager | None = None,
) -> Any:
    """Return a sparse matrix, with * for products, that has ones on its k-th diagonal."""
    return _as_matrix(_eye(m, n, k, dtype, device)).asformat("csr" if format is None else format)


def identity(
    n: int,
    dtype: DTypeLike | None = None,
    format: str | None = None,
    *,
    device: Manager | None = None,
) -> Any:
    """Return the identity matrix of n rows."""
    return eye(n, n, 0, dtype, format, device=device)


def _diags(
    diagonals: Any, offsets: Any, shape: Any, dtype: Any, device: Manager | None
) -> coo_array:
    if np.ndim(offsets) == 0:
        first = diagonals[0] if len(diagonals) and np.ndim(diagonals[0]) else diagonals
        diagonals, offsets = [first], [offsets]
    places = [operator.index(each) for each in np.asarray(offsets).tolist()]
    if len(diagonals) != len(places):
        raise ValueError(f"{len(diagonals)} diagonals have {len(places)} offsets")
    if len(set(places)) != len(places):
        raise ValueError("two diagonals have the same offset")
    on = named_manager(device)
    values = [
        elements.values_of([each] if np.isscalar(each) else each, dtype, on) for each in diagonals
    ]
    if shape is None:
        size = int(values[0].size) + abs(places[0])
        shape = (size, size)
    rows, columns = elements.shape_of(shape)
    parts = []
    for value, k in zip(values, places, strict=True):
        count = min(rows + min(k, 0), columns - max(k, 0))
        if count < 0 or value.size not in (1, count):
            raise ValueError(
                f"the diagonal at offset {k} has {value.size} elements, and a matrix of "
                f"{rows} x {columns} has {max(count, 0)} there"
            )
        numbers = arange(count, dtype=np.int64, device=on)
        spread = ones(count, dtype=value.dtype, device=on) * value if value.size == 1 else value
        parts.append((spread, numbers + max(-k, 0), numbers + max(k, 0)))
    data, row, column = (concat(list(each)) for each in zip(*parts, strict=True))
    return coo_array((data, (row, column)), shape=(rows, columns))


def diags_array(
    diagonals: Any,
    /,
    *,
    offsets: Any = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = "csr",
    dtype: DTypeLike | None = None,
    device: Manager | None = None,
) -> Any:
    """Return a sparse matrix of diagonals. A diagonal of one element is that number everywhere."""
    return _diags(diagonals, offsets, shape, dtype, device).asformat(format)


def diags(
    diagonals: Any,
    offsets: Any = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
) -> Any:
    """Return a sparse matrix, with * for products, of diagonals, as diags_array()."""
    made = _as_matrix(_diags(diagonals, offsets, shape, dtype, device))
    return made.asformat("csr" if format is None else format)


def _random(shape: Any, density: float, dtype: Any, rng: Any, device: Manager | None) -> coo_array:
    if not 0 <= density <= 1:
        raise ValueError(f"density is from 0 to 1, not {density}")
    on = named_manager(device)
    rows, columns = elements.shape_of(shape)
    places = rows * columns
    wanted = np.dtype(default_float(on) if dtype is None else dtype)
    # The host draws them without replacement, which takes memory for those chosen alone.
    host = np.random.default_rng(rng)
    count = round(density * places)
    if count > places // 4:
        chosen = host.permutation(places)[:count]
    else:
        chosen = np.empty(0, np.int64)
        while chosen.size < count:
            more = host.integers(0, places, count - chosen.size + count // 8 + 16)
            chosen = np.unique(np.concatenate((chosen, more)))
        chosen = host.permutation(chosen)[:count]
    chosen = np.sort(chosen)
    given = as_array(chosen, on)
    seed = int(host.integers(0, 2**32))
    real = np.float32 if wanted.itemsize == 4 or wanted == np.complex64 else np.float64
    values = default_rng(seed, device=on).random(count, dtype=real).astype(wanted)
    return coo_array((values, (given // columns, given % columns)), shape=(rows, columns))


def random_array(
    shape: tuple[int, int],
    *,
    density: float = 0.01,
    format: str = "coo",
    dtype: DTypeLike | None = None,
    rng: Any = None,
    device: Manager | None = None,
) -> Any:
    """Return a sparse matrix of random places and elements, which are uniform from 0 to 1."""
    return _random(shape, density, dtype, rng, device).asformat(format)


def random(
    m: int,
    n: int,
    density: float = 0.01,
    format: str = "coo",
    dtype: DTypeLike | None = None,
    rng: Any = None,
    *,
    device: Manager | None = None,
) -> Any:
    """Return a sparse matrix, with * for products, of random places and elements."""
    return _as_matrix(_random((m, n), density, dtype, rng, device)).asformat(format)

# SPDX-License-Identifier: Apache-2.0
"""Creation functions beyond the standard's: indices, grids, diagonals, sequences, windows."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import DTypeLike

from ..._floats import default_float
from ..._kp import Manager
from ..._wording import counted
from ..array import Array, converted
from ..creation import (
    _column_minus_row,
    _of_host,
    _on_host,
    arange,
    asarray,
    extents,
    eye,
    linspace,
    manager,
    zeros,
)
from ..elementwise import abs as absolute, apply, as_array, cos, i0, manager_of, sqrt
from ..matrices import linear_algebra
from ..storage import index_along, unsupported_reason, upload
from ..types import number
from .joining import stack
from .manipulation import broadcast_arrays, broadcast_to, expand_dims, given, ravel, reshape

__all__ = [
    "bartlett",
    "blackman",
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "fromfunction",
    "geomspace",
    "hamming",
    "hanning",
    "identity",
    "indices",
    "meshgrid",
    "mgrid",
    "ogrid",
    "ix_",
    "kaiser",
    "logspace",
    "ravel_multi_index",
    "tri",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
    "vander",
]

_Result = TypeVar("_Result")


def identity(n: int, dtype: DTypeLike | None = None, *, device: Manager | None = None) -> Array:
    """Return a square matrix with ones on its diagonal, as kp.eye does."""
    return eye(n, dtype=dtype, device=device)


def tri(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
) -> Array:
    """Return an N x M matrix with ones at and below the k-th diagonal, of the default float unless `dtype` is given."""
    on = manager(device)
    shape = extents((N, N if M is None else M))
    below = apply("less_equal", _column_minus_row(shape, on), k)
    return converted(below, number(default_float(on) if dtype is None else dtype).dtype)


def meshgrid(
    *arrays: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    """Return the coordinates of a grid from the coordinates along each axis.

    With `sparse`, each array has one element along the other axes. Without `copy`, they are views.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    on = manager_of(*arrays)
    flat = [reshape(asarray(each, device=on), (-1,)) for each in arrays]
    order = list(range(len(flat)))
    if indexing == "xy" and len(flat) > 1:
        order[:2] = [1, 0]
    shape = [0] * len(flat)
    for axis, part in zip(order, flat, strict=True):
        shape[axis] = part.shape[0]
    grids = []
    for axis, part in zip(order, flat, strict=True):
        others = tuple(i for i in range(len(flat)) if i != axis)
        grid = expand_dims(part, axis=others)
        if not sparse:
            grid = broadcast_to(grid, tuple(shape))
        grids.append(grid.copy() if copy else grid)
    return tuple(grids)


class _Grid:
    """Coordinates by slices: kp.mgrid[0:3, 0:1:5j] is an array with one part per axis, and kp.ogrid
    a tuple of arrays with one element along the other axes. An imaginary step is a number of
    points, including the end. Integers are NumPy's, floats have the default type; the device is the
    default one.
    """

    def __init__(self, dense: bool) -> None:
        self._dense = dense

    def __getitem__(self, key: Any) -> Any:
        made: Any = np.ogrid[key]
        on = manager(None)

        def row(numbers: Any) -> Array:
            numbers = np.asarray(numbers)
            floats = numbers.dtype == np.float64
            return upload(on, numbers.astype(default_float(on)) if floats else numbers)

        if not isinstance(made, (tuple, list)):
            return row(made)
        rows = tuple(row(each) for each in made)
        return stack(broadcast_arrays(*rows)) if self._dense else rows


mgrid = _Grid(dense=True)
ogrid = _Grid(dense=False)


@overload
def indices(
    dimensions: Any,
    dtype: DTypeLike = np.int64,
    sparse: Literal[False] = False,
    *,
    device: Manager | None = None,
) -> Array: ...
@overload
def indices(
    dimensions: Any,
    dtype: DTypeLike = np.int64,
    *,
    sparse: Literal[True],
    device: Manager | None = None,
) -> tuple[Array, ...]: ...
@overload
def indices(
    dimensions: Any, dtype: DTypeLike, sparse: bool, *, device: Manager | None = None
) -> Array | tuple[Array, ...]: ...
def indices(
    dimensions: Any,
    dtype: DTypeLike = np.int64,
    sparse: bool = False,
    *,
    device: Manager | None = None,
) -> Any:
    """Return the indices of a grid's points: an array with one part per axis, or with `sparse` a tuple.

    The arrays of the tuple have one element along the other axes.
    """
    on, shape = manager(device), extents(dimensions)
    kind = number(dtype).dtype
    if sparse:
        made = []
        for axis, extent in enumerate(shape):
            along = (1,) * axis + (extent,) + (1,) * (len(shape) - 1 - axis)
            made.append(_index(along, axis, kind, on) if extent else zeros(along, kind, device=on))
        return tuple(made)
    if not shape:
        return zeros((0,), dtype=kind, device=on)
    return stack([_index(shape, axis, kind, on) for axis in range(len(shape))])


def _counted(extent: int, dtype: Any, on: Manager) -> Array:
    return index_along(on, (extent,), 0, dtype)


def _index(shape: tuple[int, ...], axis: int, dtype: Any, on: Manager) -> Array:
    """Return for each element of a shape its index along an axis."""
    return index_along(on, shape, axis, dtype)


def fromfunction(
    function: Callable[..., _Result],
    shape: Any,
    *,
    dtype: DTypeLike | None = None,
    device: Manager | None = None,
    **kwargs: Any,
) -> _Result:
    """Return function(i, j, ...), called once with the indices of all elements as arrays.

    The arrays have the default float unless `dtype` is given.
    """
    on, wanted = manager(device), extents(shape)
    kind = number(default_float(on) if dtype is None else dtype).dtype
    return function(*[_index(wanted, axis, kind, on) for axis in range(len(wanted))], **kwargs)


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Manager | None = None,
) -> Array:
    """Return powers of `base` from base**start to base**stop, evenly spaced in the exponent: float32."""
    plain = all(isinstance(each, (int, float)) for each in (start, stop, base))
    if plain and num > 1 and base > 0 and (dtype is None or number(dtype).family == "f"):
        on = manager(device)
        if not unsupported_reason(on, np.dtype(np.float64)):
            kind = number(default_float(on) if dtype is None else dtype).dtype
            exponents = linspace(start, stop, num, endpoint, dtype=np.float64, device=on)
            return converted(float(base) ** exponents, kind)
    values = np.logspace(_on_host(start), _on_host(stop), num, endpoint, _on_host(base), axis=axis)
    return _of_host(values, dtype, device, start, stop, base)


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Manager | None = None,
) -> Array:
    """Return `num` numbers from start to stop, each the same multiple of the one before: float32."""
    values = np.geomspace(_on_host(start), _on_host(stop), num, endpoint, axis=axis)
    return _of_host(values, dtype, device, start, stop)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Array:
    """Return the powers of a vector as columns: from N - 1 down to 0, or up with `increasing`."""
    points = given(x)
    if points.ndim != 1:
        raise ValueError(f"vander takes a vector, not an array of {counted(points.ndim, 'axis')}")
    count = points.size if N is None else operator.index(N)
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    points = converted(points, np.dtype(np.promote_types(points._dtype, np.int64)))
    return apply("pow", reshape(points, (points.size, 1)), powers.astype(points._dtype))


# --- diagonals ------------------------------------------------------------------------------------


def diag(v: Any, k: int = 0) -> Array:
    """Return the k-th diagonal of a matrix, as a copy, or a matrix with a vector as that diagonal."""
    array = given(v)
    if array.ndim == 2:
        return linear_algebra.diagonal(array, offset=k).copy()
    if array.ndim != 1:
        raise ValueError(
            f"diag takes a vector or a matrix, not an array of {counted(array.ndim, 'axis')}"
        )
    side = array.size + (k if k >= 0 else -k)
    made: Array = zeros((side, side), dtype=array._dtype, device=array._manager)
    if array.size:
        linear_algebra.diagonal(made, offset=k)[...] = array
    return made


def diagflat(v: Any, k: int = 0) -> Array:
    """Return a matrix with the flat elements as its k-th diagonal."""
    return diag(ravel(given(v)), k)


def diag_indices(n: int, ndim: int = 2, *, device: Manager | None = None) -> tuple[Array, ...]:
    """Return the indices of the diagonal of an array of `ndim` axes with `n` elements each."""
    return (_counted(n, np.dtype(np.int64), manager(device)),) * ndim


def _triangle_indices(
    name: str, n: int, k: int, m: int | None, device: Manager | None
) -> tuple[Array, ...]:
    from ..selection.searching import nonzero

    shape = extents((n, n if m is None else m))
    return nonzero(apply(name, _column_minus_row(shape, manager(device)), k))


def tril_indices(
    n: int, k: int = 0, m: int | None = None, *, device: Manager | None = None
) -> tuple[Array, ...]:
    """Return the indices of the elements of an n x m matrix at and below the k-th diagonal."""
    return _triangle_indices("less_equal", n, k, m, device)


def triu_indices(
    n: int, k: int = 0, m: int | None = None, *, device: Manager | None = None
) -> tuple[Array, ...]:
    """Return the indices of the elements of an n x m matrix at and above the k-th diagonal."""
    return _triangle_indices("greater_equal", n, k, m, device)


def diag_indices_from(arr: Any) -> tuple[Array, ...]:
    """Return the indices of the diagonal of an array with equal extents."""
    source = given(arr)
    if source.ndim < 2 or len(set(source.shape)) > 1:
        raise ValueError(
            f"an array with 2 axes or more and equal extents is needed, not {source.shape}"
        )
    return diag_indices(source.shape[0], source.ndim, device=source.device)


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """Return the indices of the elements of a matrix at and below the k-th diagonal."""
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k, columns, device=given(arr).device)


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """Return the indices of the elements of a matrix at and above the k-th diagonal."""
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k, columns, device=given(arr).device)


def _matrix_shape(arr: Any) -> tuple[int, ...]:
    shape = given(arr).shape
    if len(shape) != 2:
        raise ValueError(f"a matrix has 2 axes, but the array has {len(shape)}")
    return shape


def ix_(*args: Any) -> tuple[Array, ...]:
    """Return indices with which ``x[kp.ix_(rows, columns)]`` is all of these rows and columns."""
    from ..selection.searching import flatnonzero

    made = []
    for place, each in enumerate(args):
        index = given(each)
        if index.ndim != 1:
            raise ValueError(
                f"ix_ takes rows of indices, not an array of {counted(index.ndim, 'axis')}"
            )
        if index._dtype.kind == "b":
            index = flatnonzero(index)
        elif index.size == 0:
            index = converted(index, np.dtype(np.int64))
        made.append(reshape(index, (1,) * place + (index.size,) + (1,) * (len(args) - 1 - place)))
    return tuple(made)


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]:
    """Return flat indices as an index per axis of a shape. Indices out of range raise ValueError."""
    flat = given(indices)
    if flat._dtype.kind not in "iu":
        raise TypeError(f"indices are integers, not {flat._dtype}")
    wanted = extents(shape)
    if order not in ("C", "F"):
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    count = int(np.prod(wanted, dtype=np.int64))
    if flat.size and not (0 <= int(flat.min()) and int(flat.max()) < count):
        raise ValueError(f"an index is out of range for {count} elements of the shape {wanted}")
    rest = converted(flat, np.dtype(np.int64))
    found = []
    for extent in reversed(wanted) if order == "C" else wanted:
        found.append(apply("remainder", rest, extent))
        rest = apply("floor_divide", rest, extent)
    return tuple(reversed(found) if order == "C" else found)


def ravel_multi_index(
    multi_index: Sequence[Any], dims: Any, mode: str = "raise", order: str = "C"
) -> Array:
    """Return the flat indices of elements, given an index per axis of the shape `dims`.

    `mode` handles indices out of range: "raise" ValueError, which waits for the device, "wrap"
    around, or "clip" to the nearest one.
    """
    shape = extents(dims)
    if len(multi_index) != len(shape):
        raise ValueError(
            f"there are indices of {counted(len(multi_index), 'axis')} for the shape {shape}"
        )
    if mode not in ("raise", "wrap", "clip") or order not in ("C", "F"):
        raise ValueError(
            f"mode is 'raise', 'wrap' or 'clip', not {mode!r}, and order 'C' or 'F', not {order!r}"
        )
    on = manager_of(*multi_index)
    total: Any = None
    pairs = list(zip(multi_index, shape, strict=True))
    for each, extent in pairs if order == "C" else reversed(pairs):
        index = as_array(each, on)
        if index._dtype.kind not in "iu":
            raise TypeError(f"indices are integers, not {index._dtype}")
        index = converted(index, np.dtype(np.int64))
        if mode == "wrap":
            index = apply("remainder", index, extent)
        elif mode == "clip":
            index = apply("minimum", apply("maximum", index, 0), extent - 1)
        elif index.size and not (0 <= int(index.min()) and int(index.max()) < extent):
            raise ValueError(f"an index is out of range for the shape {shape}")
        total = index if total is None else apply("add", apply("multiply", total, extent), index)
    made: Array = total
    return made


# --- windows --------------------------------------------------------------------------------------


def _window(
    M: int, device: Manager | None, function: Callable[[Array], Array], of_numpy: Callable[..., Any]
) -> Array:
    """Return a function of the odd or even numbers from 1 - M to M - 1, over M - 1."""
    on = manager(device)
    if M < 2 or unsupported_reason(on, np.dtype(np.float64)):
        return _of_host(of_numpy(M), None, device)
    places = arange(1 - M, M, 2, dtype=np.float64, device=on)
    return converted(function(places / float(M - 1)), default_float(on))


def bartlett(M: int, *, device: Manager | None = None) -> Array:
    """Return the triangular window of M points, of the default float."""
    return _window(M, device, lambda x: 1.0 - absolute(x), np.bartlett)


def blackman(M: int, *, device: Manager | None = None) -> Array:
    """Return the Blackman window of M points, of the default float."""

    def points(x: Array) -> Array:
        made: Array = 0.42 + 0.5 * cos(x * math.pi) + 0.08 * cos(x * (2 * math.pi))
        return made

    return _window(M, device, points, np.blackman)


def hamming(M: int, *, device: Manager | None = None) -> Array:
    """Return the Hamming window of M points, of the default float."""
    return _window(M, device, lambda x: 0.54 + 0.46 * cos(x * math.pi), np.hamming)


def hanning(M: int, *, device: Manager | None = None) -> Array:
    """Return the Hann window of M points, of the default float."""
    return _window(M, device, lambda x: 0.5 + 0.5 * cos(x * math.pi), np.hanning)


def kaiser(M: int, beta: float, *, device: Manager | None = None) -> Array:
    """Return the Kaiser window of M points, of the default float."""

    def points(x: Array) -> Array:
        made: Array = i0(beta * sqrt(1.0 - x * x)) / float(np.i0(beta))
        return made

    return _window(M, device, points, lambda count: np.kaiser(count, beta))

# SPDX-License-Identifier: Apache-2.0
"""Functions that create arrays, by default on the device of kp.default_manager()."""

from __future__ import annotations

import math
import operator
import sys
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike

from .._axes import whole
from .. import _default, _kp
from .._tensors import cuda
from .._floats import default_float, without_doubles
from .._kp import Manager, Tensor
from .array import Array, converted, share
from .elementwise import apply
from .groups.creation import on_groups_too
from .groups.traits import by_rows
from .host_data import dtype_of, host_values
from .shapes.manipulation import broadcast_to, given
from .storage import Shape, blank, index_along, require, unsupported_reason, upload
from .types import number, warn_if_cut

__all__ = [
    "arange",
    "array",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


_DOUBLE = np.dtype(np.float64)


def manager(device: Any) -> Manager:
    """Return the manager that an argument `device` names."""
    if device is None:
        return _default.default_manager()
    if not isinstance(device, Manager):
        raise TypeError(f"device must be a kp.Manager or None, not {type(device).__name__}")
    return device


def extents(shape: Any) -> Shape:
    """Return a shape as a tuple. Raises ValueError for a negative extent."""
    if type(shape) is int and shape >= 0:
        return (shape,)
    if isinstance(shape, (tuple, list)):
        made = tuple(whole("an extent of a shape", each) for each in shape)
    else:
        made = (whole("an extent of a shape", shape),)
    if [each for each in made if each < 0]:
        raise ValueError(f"a shape has no negative extents, but {made} was given")
    return made


@on_groups_too
def asarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    copy: bool | None = None,
) -> Array:
    """Return an array with the contents of arrays, tensors, lists or numbers.

    Arrays and tensors of the device are shared unless `copy` is true or the dtype differs. Anything
    else is copied to the device, or refused if `copy` is False.
    """
    wanted = None if dtype is None else number(dtype).dtype
    if isinstance(obj, (Array, Tensor)):
        shared = share(obj) if isinstance(obj, Tensor) else obj
        if device is not None and device is not shared._manager:
            if copy is False:
                raise ValueError("the array is on another device, which copy=False forbids")
            return array(shared.numpy(), dtype=dtype, device=device)
        if wanted is not None and wanted != shared._dtype:
            if copy is False:
                raise ValueError(f"{shared._dtype} cannot become {wanted} without a copy")
            require(shared._manager, wanted)
            warn_if_cut(shared._dtype, wanted)
            return converted(shared, wanted)
        return shared.copy() if copy else shared
    if copy is False:
        raise ValueError("data of the host needs a copy to a device, which copy=False forbids")
    if _has_arrays(obj):
        obj = _on_host(obj)
    values = host_values(obj)
    if values.dtype.kind not in "biufc":
        raise TypeError(f"arrays hold numbers and bool, not {values.dtype}")
    on = manager(device)
    target = number(dtype_of(obj, values, on) if wanted is None else wanted).dtype
    if values.dtype.kind == "c" and target.kind != "c":
        raise TypeError(f"complex numbers do not fit {target}")
    if not isinstance(obj, np.ndarray) and target.kind in "iu":
        values = np.asarray(obj, target)  # numbers that do not fit are an OverflowError
    return upload(on, values.astype(target, copy=False))


def _has_arrays(obj: Any) -> bool:
    if isinstance(obj, Array):
        return True
    return isinstance(obj, (list, tuple)) and next(
        (True for each in obj if _has_arrays(each)), False
    )


def _on_host(obj: Any) -> Any:
    if isinstance(obj, Array):
        return obj.numpy()
    return [_on_host(each) for each in obj] if isinstance(obj, (list, tuple)) else obj


@on_groups_too
def array(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    copy: bool | None = True,
    ndmin: int = 0,
) -> Array:
    """Return a new array with the contents of arrays, tensors, lists or numbers.

    The dtype is NumPy's unless one is given; Python's floats are the default float. With `ndmin`, it
    gets axes of one element in front until it has as many axes.
    """
    made: Array = asarray(obj, dtype=dtype, device=device, copy=copy)
    return made if made.ndim >= ndmin else made.reshape((1,) * (ndmin - made.ndim) + made.shape)


def unpickled(values: Any) -> Array:
    """Return an array of another process on the default device, or on a Dask worker's.

    Pickled arrays name it, also those in files: it stays here.
    """
    dask = sys.modules.get("kp.dask._arrays")
    made: Array = array(values) if dask is None else dask.unpickled(values)
    return made


def from_dlpack(x: Any, /, *, device: Manager | None = None, copy: bool | None = None) -> Array:
    """Return an array with the memory of another library's array.

    Memory of shared tensors, and memory that torch allocates inside kp.torch_pool(), is used in
    place. Other arrays of CUDA are copied on the device, and host arrays to it. With `copy=False`,
    a writable host array in C order is used in place, too, and a GPU reads it over its bus;
    pending expressions see later writes to it. Arrays that cannot be used in place then raise
    BufferError. Work that uses the array waits for the other library's queued work.
    """
    if isinstance(x, Array):
        return asarray(x, device=device, copy=copy)
    on = manager(device)
    if isinstance(x, Tensor) and x.manager is on and not copy:
        return share(x)
    if cuda.is_cuda(x):
        tensor, source = cuda.cuda_tensor(x, on, copy)
        in_place = tensor.cuda_address == source.address  # else it is a copy
        memory = Array._in(tensor, tensor.dtype, in_place)
        return memory._strided(0, source.shape, source.strides)
    values = x if isinstance(x, np.ndarray) else np.from_dlpack(x)
    shared = cuda.host_tensor(values, on, copy)
    return array(values, device=device) if shared is None else share(shared)


@on_groups_too
def empty(shape: Any, dtype: DTypeLike | None = None, *, device: Manager | None = None) -> Array:
    """Return an array with undefined contents, of the default float unless `dtype` is given."""
    on = manager(device)
    wanted = number(default_float(on) if dtype is None else dtype).dtype
    return blank(on, extents(shape), wanted)


@on_groups_too
def full(
    shape: Any, fill_value: Any, dtype: DTypeLike | None = None, *, device: Manager | None = None
) -> Array:
    """Return an array with one value in all elements.

    Python's floats are the default float (kp.set_default_float) unless `dtype` is given.
    """
    on = manager(device)
    if np.ndim(fill_value) and not isinstance(fill_value, Array):
        fill_value = asarray(fill_value, dtype=dtype, device=on)
    if isinstance(fill_value, Array):
        filled = broadcast_to(fill_value, extents(shape)).copy()
        return filled if dtype is None else filled.astype(dtype)
    return _filled(shape, fill_value, dtype, on)


def _filled(shape: Any, value: Any, dtype: DTypeLike | None, on: Manager) -> Array:
    if dtype is None:
        dtype = dtype_of(value, host_values(value), on)
    wanted = number(dtype).dtype
    require(on, wanted)
    return _kp._filled(on, extents(shape), (value, wanted))


@on_groups_too
def zeros(shape: Any, dtype: DTypeLike | None = None, *, device: Manager | None = None) -> Array:
    """Return an array of zeros, of the default float unless `dtype` is given."""
    return _filled(shape, 0.0 if dtype is None else 0, dtype, manager(device))


@on_groups_too
def ones(shape: Any, dtype: DTypeLike | None = None, *, device: Manager | None = None) -> Array:
    """Return an array of ones, of the default float unless `dtype` is given."""
    return _filled(shape, 1.0 if dtype is None else 1, dtype, manager(device))


def _like(x: Any, dtype: DTypeLike | None, device: Manager | None) -> dict[str, Any]:
    source = given(x)
    return {
        "dtype": source._dtype if dtype is None else dtype,
        "device": source._manager if device is None else device,
    }


def _like_shape(x: Any, shape: Any) -> Shape:
    return given(x).shape if shape is None else extents(shape)


@by_rows("shapes.like")
def empty_like(
    x: Any, /, dtype: DTypeLike | None = None, *, device: Manager | None = None, shape: Any = None
) -> Array:
    """Return an array of the same shape, or `shape`, with undefined contents."""
    made: Array = empty(_like_shape(x, shape), **_like(x, dtype, device))
    return made


@by_rows("shapes.like")
def zeros_like(
    x: Any, /, dtype: DTypeLike | None = None, *, device: Manager | None = None, shape: Any = None
) -> Array:
    """Return zeros of the same shape, or of `shape`."""
    made: Array = zeros(_like_shape(x, shape), **_like(x, dtype, device))
    return made


@by_rows("shapes.like")
def ones_like(
    x: Any, /, dtype: DTypeLike | None = None, *, device: Manager | None = None, shape: Any = None
) -> Array:
    """Return ones of the same shape, or of `shape`."""
    made: Array = ones(_like_shape(x, shape), **_like(x, dtype, device))
    return made


@by_rows("shapes.like")
def full_like(
    x: Any,
    /,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
    shape: Any = None,
) -> Array:
    """Return an array of the same shape, or of `shape`, with one value in all elements."""
    made: Array = full(_like_shape(x, shape), fill_value, **_like(x, dtype, device))
    return made


@on_groups_too
def arange(
    start: Any = None,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
) -> Array:
    """Return start, start + step, ... up to, but without, stop.

    Integers are int64, and others the default float, unless `dtype` is given.
    """
    if stop is None:
        start, stop = None, start
    if stop is None:
        raise TypeError("arange needs stop, the end of the range (excluded)")
    start = 0 if start is None else start
    if step == 0:
        raise ValueError("step must not be 0")
    whole = all_integers(start, stop, step)
    count = len(range(start, stop, step)) if whole else math.ceil((stop - start) / step)
    on = manager(device)
    wanted = number((np.int64 if whole else default_float(on)) if dtype is None else dtype).dtype
    if count > 0 and wanted.kind in "iu":
        # As in NumPy, the first two have to fit, or there is an OverflowError; later ones wrap around.
        first = [start, start + step][:count]
        np.asarray(first if whole else [int(each) for each in first], wanted)
        if not whole:
            last = start + step * (count - 1)
            np.asarray([int(last)], wanted)
    if wanted.kind == "b" and count > 2:
        raise TypeError(f"a range of {count} numbers does not fit bool, which has two values")
    require(on, wanted)
    return _progression(start, step, count if count > 0 else 0, wanted, on)


def all_integers(*values: Any) -> bool:
    """Return whether all numbers are integers."""
    return not [value for value in values if not isinstance(value, (int, np.integer))]


def _progression(start: Any, step: Any, count: int, dtype: Any, on: Manager) -> Array:
    """Return start + i step, computed in the dtype or in float64."""
    _kp._require_countable((count,))
    if dtype.kind == "f" and dtype.itemsize >= 4 and all_integers(start, step):
        if abs_of(start, step * count) < 2 ** (24 if dtype.itemsize == 4 else 53):
            index = index_along(on, (count,), 0, dtype)
            return apply("add", apply("multiply", index, step), start)
    if dtype.kind in "iu" and all_integers(start, step):
        index = index_along(on, (count,), 0, dtype)
        text = (number(dtype).wrap or "{}").format("({0} * {1} + {2})")
        numbers = [(np.array(each).astype(dtype), dtype) for each in (step, start)]
        return _kp._expression(text, dtype, (count,), [index, *numbers])
    if _are_doubles(on, start, step):
        steps = apply("multiply", index_along(on, (count,), 0, _DOUBLE), float(step))
        return converted(apply("add", steps, float(start)), dtype)
    values = start + np.arange(count) * step
    return upload(on, np.asarray(values).astype(dtype, copy=False))


def _are_doubles(on: Manager, *values: Any) -> bool:
    """Return whether a device computes with these numbers, which are real, in float64."""
    if [each for each in values if not isinstance(each, (int, float, np.integer, np.floating))]:
        return False
    return not unsupported_reason(on, _DOUBLE)


def abs_of(*values: Any) -> Any:
    """Return the sum of absolute values of Python numbers."""
    return sum([value if value >= 0 else -value for value in values])


@overload
def linspace(
    start: Any,
    stop: Any,
    /,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Manager | None = None,
) -> Array: ...
@overload
def linspace(
    start: Any,
    stop: Any,
    /,
    num: int = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: int = 0,
    device: Manager | None = None,
) -> tuple[Array, Any]: ...
@on_groups_too
def linspace(
    start: Any,
    stop: Any,
    /,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Manager | None = None,
) -> Any:
    """Return `num` numbers from start to stop at equal distances, of the default float or `dtype`.

    Start and stop may be arrays; the numbers are along a new axis then, and have NumPy's type for
    arrays of floats. With `retstep`, the distance is
    the second of a pair.
    """
    if num > 1 and _are_doubles(on := manager(device), start, stop):
        return _even(float(start), float(stop), num, endpoint, retstep, dtype, on)
    first, last = _on_host(start), _on_host(stop)
    values, step = np.linspace(first, last, num, endpoint, retstep=True, axis=axis)
    if dtype is not None and number(dtype).dtype.kind in "iu":
        values = np.floor(values)
    made = _of_host(values, dtype, device, start, stop)
    return (made, step) if retstep else made


def _even(
    start: float, stop: float, num: int, endpoint: bool, retstep: bool, dtype: Any, on: Manager
) -> Any:
    """Return linspace() of numbers, as numpy.linspace computes it."""
    from .elementwise import where

    _kp._require_countable((operator.index(num),))
    parts = num - 1 if endpoint else num
    step = (stop - start) / parts
    index = index_along(on, (num,), 0, _DOUBLE)
    if step == 0:
        offsets = apply("multiply", apply("divide", index, float(parts)), stop - start)
    else:
        offsets = apply("multiply", index, step)
    values = apply("add", offsets, start)
    if endpoint:
        values = where(apply("equal", index, float(parts)), stop, values)
    wanted = default_float(on) if dtype is None else number(dtype).dtype
    if wanted.kind in "iu":
        values = apply("floor", values)
    require(on, wanted)
    made = converted(values, wanted)
    return (made, step) if retstep else made


def _of_host(values: Any, dtype: DTypeLike | None, device: Manager | None, *given: Any) -> Array:
    """Return floats that NumPy computed, as `dtype` or by the rule of the default float."""
    if dtype is None:
        arrays = [each for each in given if isinstance(each, (Array, np.ndarray, np.generic))]
        dtype = without_doubles(
            values.dtype, *[each.dtype for each in arrays], manager=manager(device)
        )
    made: Array = array(values.astype(number(dtype).dtype), device=device)
    return made


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    k: int = 0,
    dtype: DTypeLike | None = None,
    *,
    device: Manager | None = None,
) -> Array:
    """Return a matrix with ones on the diagonal `k` places right of the main one.

    It has the default float unless `dtype` is given.
    """
    on = manager(device)
    shape = extents((n_rows, n_rows if n_cols is None else n_cols))
    same = apply("equal", _column_minus_row(shape, on), k)
    return converted(same, number(default_float(on) if dtype is None else dtype).dtype)


def _column_minus_row(shape: Shape, on: Manager) -> Array:
    kind = np.dtype(np.int32)
    column = index_along(on, shape, len(shape) - 1, kind)
    row = index_along(on, shape, len(shape) - 2, kind)
    return apply("subtract", column, row)


def _triangle(x: Any, name: str, k: int) -> Array:
    from .elementwise import where

    source = given(x)
    if source.ndim < 2:
        raise ValueError(f"a matrix has at least 2 axes, but the array has {source.ndim}")
    inside = apply(name, _column_minus_row(source.shape, source._manager), k)
    return where(inside, source, np.zeros((), source._dtype)[()])


def tril(x: Any, /, k: int = 0) -> Array:
    """Return matrices with zeros above the k-th diagonal."""
    return _triangle(x, "less_equal", k)


def triu(x: Any, /, k: int = 0) -> Array:
    """Return matrices with zeros below the k-th diagonal."""
    return _triangle(x, "greater_equal", k)

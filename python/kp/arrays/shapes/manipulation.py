# SPDX-License-Identifier: Apache-2.0
"""Functions that change shapes: views where possible, else copies."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ... import _kp
from ..._axes import normalized, normalized_axes
from ..._kp import Tensor
from ..._wording import counted
from ..array import Array
from ..elementwise import as_array, broadcast, into, manager_of
from ..groups.array import GroupArray
from ..groups.traits import by_rows
from ..storage import Shape, broadcast_strides
from ..tensors import in_kind

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "expand_dims",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "moveaxis",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "roll",
    "rollaxis",
    "rot90",
    "sliding_window_view",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
]

Axes = int | Sequence[int]


def given(x: Any) -> Array:
    """Return an argument as an array."""
    return x if type(x) in (Array, GroupArray) else as_array(x, manager_of(x))


def _resolved(shape: Any, size: int) -> Shape:
    wanted = [
        operator.index(each) for each in (shape if isinstance(shape, (tuple, list)) else (shape,))
    ]
    if wanted.count(-1) > 1:
        raise ValueError("at most one extent of a new shape can be -1")
    if -1 in wanted:
        rest = math.prod(each for each in wanted if each != -1)
        if rest == 0 or size % rest:
            raise ValueError(
                f"an array of {counted(size, 'element')} cannot have the shape {tuple(wanted)}"
            )
        wanted[wanted.index(-1)] = size // rest
    if math.prod(wanted) != size or min_of(wanted) < 0:
        raise ValueError(
            f"an array of {counted(size, 'element')} cannot have the shape {tuple(wanted)}"
        )
    return tuple(wanted)


def min_of(values: Sequence[int]) -> int:
    """Return the smallest of some numbers, or 0."""
    return sorted((*values, 0))[0] if values else 0


@by_rows("shapes.reshape", view=True)
def reshape(x: Any, /, shape: Any, order: str | None = "C", *, copy: bool | None = None) -> Array:
    """Return the elements with another shape: a view if possible.

    They are read and placed in C order, or with `order` "F" with the first index changing fastest.
    """
    array = given(x)
    wanted = _resolved(shape, array.size)
    if _is_fortran(order):
        return transpose(reshape(transpose(array), wanted[::-1], copy=copy))
    result = _kp._reshape(array, wanted)
    if copy is None:
        return result
    shares = array.size == 0 or _kp._have_one_memory(result, array)
    if copy is False and not shares:
        raise ValueError("the array cannot have this shape without a copy")
    return result.copy() if copy and shares else result


def _is_fortran(order: str | None) -> bool:
    """Return whether the first index changes fastest. "A" and "K" are "C" here."""
    if order not in ("C", "F", "A", "K", None):
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    return order == "F"


@by_rows("shapes.reshape")
def reshape_method(
    x: Array, *shape: Any, order: str | None = "C", copy: bool | None = None
) -> Array:
    """Return reshape(x, shape); the extents may be separate arguments."""
    return reshape(x, shape[0] if len(shape) == 1 else shape, order, copy=copy)


@in_kind(moves=True)
@by_rows("shapes.permuted", view=True)
def transpose(x: Any, /, axes: Sequence[int] | None = None, out: Array | None = None) -> Array:
    """Return the axes in another order: axis i is axis ``axes[i]`` of x. Without axes, reversed.

    For an array this is a view, for a tensor a copy.
    """
    array = given(x)
    if axes is None:
        return into(out, _permuted(array, range(array.ndim)[::-1]))
    return into(out, permute_dims(array, axes))


@by_rows("shapes.permuted", view=True)
def transpose_method(x: Array, *axes: Any) -> Array:
    """Return transpose(x, axes); the axes may be separate arguments."""
    return transpose(x, axes[0] if len(axes) == 1 and not _is_axis(axes[0]) else axes or None)


def _is_axis(value: Any) -> bool:
    return value is not None and not isinstance(value, (tuple, list))


@by_rows("shapes.permuted", view=True)
def permute_dims(x: Any, /, axes: Sequence[int]) -> Array:
    """Return a view with permuted axes."""
    array = given(x)
    if not isinstance(axes, Iterable):
        raise TypeError(f"a transpose takes axes as a tuple of all axes, not {axes!r}")
    order = tuple(normalized(axis, array.ndim) for axis in axes)
    if sorted(order) != list(range(array.ndim)):
        raise ValueError(
            f"a transpose takes each of the {counted(array.ndim, 'axis')} once, but axes is {tuple(axes)}"
        )
    return _permuted(array, order)


def _permuted(array: Array, order: Sequence[int]) -> Array:
    """Return a view with axes in an order that has each of them once."""
    view = array.evaluate()
    shape, strides = view._shape, view._strides
    return view._strided(
        view._offset,
        tuple([shape[axis] for axis in order]),
        tuple([strides[axis] for axis in order]),
    )


@by_rows("shapes.permuted", view=True)
def matrix_transpose(x: Any, /) -> Array:
    """Return a view with the last two axes swapped."""
    array = given(x)
    if array.ndim < 2:
        raise ValueError(f"a matrix has at least 2 axes, but the array has {array.ndim}")
    return swapaxes(array, -1, -2)


@by_rows("shapes.permuted", view=True)
def swapaxes(x: Any, axis1: int, axis2: int) -> Array:
    """Return a view with two axes swapped."""
    array = given(x)
    order = list(range(array.ndim))
    first, second = normalized(axis1, array.ndim), normalized(axis2, array.ndim)
    order[first], order[second] = second, first
    return _permuted(array, order)


@by_rows("shapes.permuted", view=True)
def moveaxis(x: Any, /, source: Axes, destination: Axes) -> Array:
    """Return a view with axes moved to other places."""
    array = given(x)
    moved = normalized_axes(source, array.ndim)
    places = normalized_axes(destination, array.ndim)
    if len(moved) != len(places):
        raise ValueError("source and destination have different numbers of axes")
    order = [axis for axis in range(array.ndim) if axis not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return permute_dims(array, order)


def in_c_order(x: Array) -> Array:
    """Return an array whose elements are in C order: the array itself, or a copy.

    Functions that compute with moved axes return this, so that reshaping their results gives views.
    """
    return x._contiguous()


@by_rows("shapes.expand_dims", view=True)
def expand_dims(x: Any, /, axis: Axes = 0) -> Array:
    """Return a view with new axes of one element at the given places of the result."""
    array = given(x)
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    axes = normalized_axes(axis, array.ndim + count)
    view = array.evaluate()
    shape, strides = list(view.shape), list(view._strides)
    for place in sorted(axes):
        shape.insert(place, 1)
        strides.insert(place, 0)
    return view._strided(view._offset, shape, strides)


@by_rows("along", view=True)
def squeeze(x: Any, /, axis: Axes | None = None) -> Array:
    """Return a view without axes of one element; `axis` says which."""
    array = given(x)
    if axis is None:
        axes = tuple(i for i, extent in enumerate(array.shape) if extent == 1)
    else:
        axes = normalized_axes(axis, array.ndim)
    for each in axes:
        if array.shape[each] != 1:
            raise ValueError(
                f"axis {each} has {counted(array.shape[each], 'element')}, so it must stay"
            )
    view = array.evaluate()
    kept = [i for i in range(array.ndim) if i not in axes]
    shape = tuple(view.shape[i] for i in kept)
    strides = view._strides
    return view._strided(view._offset, shape, tuple(strides[i] for i in kept))


@by_rows("shapes.broadcast_to", view=True)
def broadcast_to(x: Any, /, shape: Any) -> Array:
    """Return a read-only view that repeats the elements along larger axes."""
    array = given(x)
    wanted = tuple(
        operator.index(each) for each in (shape if isinstance(shape, (tuple, list)) else (shape,))
    )
    if broadcast(array.shape, wanted) != wanted:
        raise ValueError(f"an array of shape {array.shape} does not broadcast to {wanted}")
    view = array.evaluate()
    strides = broadcast_strides(view.shape, view._strides, wanted)
    return view._strided(view._offset, wanted, strides, wanted == array.shape)


def sliding_window_view(
    x: Any, window_shape: Any, axis: int | tuple[int, ...] | None = None
) -> Array:
    """Return a read-only view of all windows of a shape: the axes of the windows are the last ones.

    Without `axis`, the windows have an extent for each axis of x. An axis may come several times.
    """
    array = given(x)
    window = tuple(
        operator.index(each)
        for each in (window_shape if isinstance(window_shape, (tuple, list)) else (window_shape,))
    )
    axes = axis if isinstance(axis, tuple) else range(array.ndim) if axis is None else (axis,)
    places = [normalized(each, array.ndim) for each in axes]
    if len(window) != len(places):
        raise ValueError(
            f"window_shape has an extent for each axis, so {len(places)}, but is {window}"
        )
    view = array.evaluate()
    shape = list(view.shape)
    for place, extent in zip(places, window, strict=True):
        shape[place] -= extent - 1
        if extent < 0 or shape[place] < 1:
            raise ValueError(f"windows of shape {window} do not fit an array of {array.shape}")
    strides = (*view._strides, *[view._strides[place] for place in places])
    return view._strided(view._offset, (*shape, *window), strides, False)


@by_rows(view=True)
def broadcast_arrays(*arrays: Any) -> tuple[Array, ...]:
    """Return read-only views of a common shape.

    Values that arrays cannot hold, such as None and text, stay in NumPy's arrays.
    """
    manager = manager_of(*arrays)
    made: list[Any] = [
        np.asarray(each) if _is_foreign(each) else as_array(each, manager) for each in arrays
    ]
    shape = broadcast(*[each.shape for each in made])
    repeated: list[Any] = [
        (broadcast_to if isinstance(each, Array) else np.broadcast_to)(each, shape) for each in made
    ]
    return tuple(repeated)


def _is_foreign(x: Any) -> bool:
    """Return whether NumPy's arrays can hold x, but device arrays cannot."""
    return not isinstance(x, (Array, Tensor)) and np.asarray(x).dtype.kind in "OUS"


def broadcast_shapes(*shapes: Any) -> Shape:
    """Return the shape to which all shapes broadcast."""
    return np.broadcast_shapes(*shapes)


@in_kind(moves=True)
@by_rows("moves.flip", view=True)
def flip(x: Any, /, axis: Axes | None = None, out: Array | None = None) -> Array:
    """Return the elements in reverse order along one axis, several or all.

    For an array this is a view, for a tensor a copy.
    """
    array = given(x)
    axes = normalized_axes(tuple(axis) if isinstance(axis, Iterable) else axis, array.ndim)
    view = array.evaluate()
    shape, strides, offset = view.shape, list(view._strides), view._offset
    for each in axes:
        offset += (shape[each] - 1) * strides[each] if view.size else 0
        strides[each] = -strides[each]
    return into(out, view._strided(offset, shape, strides, view._writable))


@by_rows("shapes.flat")
def flatten(x: Any, /, order: str | None = "C") -> Array:
    """Return a flat copy."""
    return reshape(x, (-1,) if given(x).size else (0,), order, copy=True)


@by_rows("shapes.flat", view=True)
def ravel(x: Any, /, order: str | None = "C") -> Array:
    """Return the elements flat, as a view if possible."""
    return reshape(x, (-1,) if given(x).size else (0,), order)


def tile(x: Any, /, reps: Any) -> Array:
    """Return an array repeated as a whole, `reps` times along each axis."""
    array = given(x)
    counts = list(reps) if isinstance(reps, (tuple, list)) else [reps]
    ndim = sorted((len(counts), array.ndim))[1]
    counts = [1] * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - array.ndim) + array.shape
    split = reshape(array, tuple(e for extent in shape for e in (1, extent)))
    wide = broadcast_to(
        split,
        tuple(e for count, extent in zip(counts, shape, strict=True) for e in (count, extent)),
    )
    wanted = tuple(count * extent for count, extent in zip(counts, shape, strict=True))
    return reshape(wide.copy(), wanted)


@by_rows("along")
def repeat(x: Any, /, repeats: Any, axis: int | None = None) -> Array:
    """Return each element repeated, a number of times or once for each of an array of numbers."""
    array = given(x)
    if axis is None:
        array, axis = ravel(array), 0
    place = normalized(axis, array.ndim)
    if isinstance(repeats, int):
        if repeats < 0:
            raise ValueError("repeats must not be negative")
        view = array.evaluate()
        shape = list(array.shape)
        wide = (*shape[: place + 1], repeats, *shape[place + 1 :])
        strides = (*view._strides[: place + 1], 0, *view._strides[place + 1 :])
        shape[place] *= repeats
        return reshape(view._strided(view._offset, wide, strides, False).copy(), tuple(shape))
    counts = repeats if isinstance(repeats, Array) else np.asarray(repeats)
    if counts.dtype.kind not in "iu":
        raise TypeError("repeats must be integers")
    extent = array.shape[place]
    if counts.size == 1:
        return repeat(array, int(counts.reshape(())[()]), place)
    if counts.shape != (extent,):
        raise ValueError(
            f"repeats of shape {counts.shape} are not one for each of {counted(extent, 'element')}"
        )
    return _repeated(array, counts, place)


def _repeated(array: Array, counts: Any, axis: int) -> Array:
    """Return each element repeated by its count. Waits for counts that are on the device."""
    from ..creation import arange
    from ..reducing.scans import cumsum
    from ..selection.searching import searchsorted, take
    from .joining import stack

    if not counts.shape[0]:
        return array.copy()
    on_device = isinstance(counts, Array)
    ends = (cumsum if on_device else np.cumsum)(counts, dtype=np.int64)
    least, total = (
        stack([counts.min().astype(np.int64), ends[-1]]).tolist()
        if on_device
        else (int(counts.min()), int(ends[-1]))
    )
    if least < 0:
        raise ValueError("repeats must not be negative")
    places = arange(total, dtype=np.int64, device=array.device)
    return take(array, searchsorted(ends, places, side="right"), axis=axis, mode="clip")


@by_rows("moves.roll")
def roll(x: Any, /, shift: Axes, axis: Axes | None = None) -> Array:
    """Return elements moved along axes; elements that leave at one end enter at the other."""
    array = given(x)
    if axis is None:
        if array.ndim != 1:
            return reshape(roll(ravel(array), shift, axis=0), array.shape)
        axis = 0
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(axes) != len(shifts):
        raise ValueError("shift and axis have different lengths")
    result = array
    for by, each in zip(shifts, axes, strict=True):
        place = normalized(each, array.ndim)
        extent = array.shape[place]
        if extent == 0 or by % extent == 0:
            continue
        result = _kp._roll(result, by, place)
    return result.copy() if result is array else result


@by_rows(view=True)
def fliplr(x: Any, /) -> Array:
    """Return a view with the elements in reverse order along the second axis."""
    array = given(x)
    if array.ndim < 2:
        raise ValueError(f"fliplr takes an array of at least 2 axes, not {array.ndim}")
    return flip(array, axis=1)


@by_rows(view=True)
def flipud(x: Any, /) -> Array:
    """Return a view with the elements in reverse order along the first axis."""
    array = given(x)
    if array.ndim < 1:
        raise ValueError("flipud takes an array of at least 1 axis, not 0")
    return flip(array, axis=0)


@by_rows(view=True)
def rot90(m: Any, /, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """Return a view turned by 90 degrees k times, from the first towards the second of two axes."""
    array = given(m)
    plane = normalized_axes(tuple(axes), array.ndim)
    if len(plane) != 2:
        raise ValueError(f"a rotation has two different axes, not {axes}")
    first, second = plane
    if k % 4 == 1:
        return swapaxes(flip(array, axis=second), first, second)
    if k % 4 == 3:
        return flip(swapaxes(array, first, second), axis=second)
    return flip(array, axis=plane) if k % 4 else array[...]


@by_rows(view=True)
def rollaxis(a: Any, /, axis: int, start: int = 0) -> Array:
    """Return a view with an axis moved in front of the axis `start`."""
    array = given(a)
    place = normalized(axis, array.ndim)
    before = start + array.ndim if start < 0 else start
    if not 0 <= before <= array.ndim:
        raise ValueError(f"start is from {-array.ndim} to {array.ndim}, not {start}")
    return moveaxis(array, place, before - 1 if place < before else before)


def resize(a: Any, /, new_shape: Any) -> Array:
    """Return a copy of another shape: with the first elements, or all of them repeated."""
    array = ravel(a)
    wanted = tuple(new_shape) if isinstance(new_shape, (tuple, list)) else (new_shape,)
    size = math.prod(wanted)
    if size == 0 or array.size == 0:
        from ..creation import zeros_like

        return zeros_like(array, shape=wanted)
    return reshape(tile(array, -(-size // array.size))[:size], wanted)

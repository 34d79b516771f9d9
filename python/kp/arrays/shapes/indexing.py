# SPDX-License-Identifier: Apache-2.0
"""Indexing and assignment: views by slices, and elements by integer arrays and masks."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import _kp
from ..._wording import counted, kind_of
from ..array import Array, converted
from ..elementwise import as_array, broadcast
from ..groups.array import GroupArray
from ..storage import Shape

#: How indices move through a view: extents, strides in elements, and the axes for messages; -1 if
#: the indices are known to be within the extent.
Steps = tuple[tuple[int, int, int], ...]


@dataclass
class _Parts:
    """The selection of a key: a view, and its axes that integer arrays index, in order."""

    view: Array
    axes: list[int] = field(default_factory=list)
    indices: list[Array] = field(default_factory=list)
    #: The axes of the array that the indices are checked for, -1 for none.
    checked: list[int] = field(default_factory=list)
    #: The axis of the result at which the axes of the index arrays begin.
    first: int = 0
    #: Whether masks without axes select, so that the result is a copy.
    copied: bool = False


_ALL = slice(None)


def _is_list_key(key: Any) -> bool:
    return isinstance(key, (list, np.ndarray)) and not (
        isinstance(key, np.ndarray) and key.ndim == 0 and key.dtype.kind in "iu"
    )


def _expanded(key: Any, ndim: int) -> list[Any]:
    """Return a key with an entry per axis, without an ellipsis. Masks count as their axes."""
    keys = list(key) if isinstance(key, tuple) else [key]
    used = 0
    for each in keys:
        if each is None or each is Ellipsis:
            continue
        dtype = getattr(each, "dtype", None)
        used += each.ndim if dtype is not None and dtype == np.bool_ else 1
        used -= 1 if isinstance(each, bool) else 0
    dots = [i for i, each in enumerate(keys) if each is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index has at most one ellipsis ('...')")
    if used > ndim:
        raise IndexError(
            f"too many indices: the array has {counted(ndim, 'axis')}, but {used} were indexed"
        )
    fill = [slice(None)] * (ndim - used)
    at = dots[0] if dots else len(keys)
    return keys[:at] + fill + keys[at + (1 if dots else 0) :]


def _prepare(key: Any) -> Any:
    """Return a key with lists as NumPy arrays."""

    def each(part: Any) -> Any:
        if isinstance(part, list):
            made = np.asarray(part)
            return made.astype(np.int64) if made.size == 0 else made
        if isinstance(part, Array) and part.ndim == 0 and part.dtype.kind in "iu":
            return operator.index(part)
        is_array = isinstance(part, (Array, np.ndarray))
        if isinstance(part, np.bool_) or (is_array and part.ndim == 0 and part.dtype == np.bool_):
            return bool(part)
        return part

    return tuple(each(part) for part in key) if isinstance(key, tuple) else each(key)


def _split(array: Array, key: Any) -> _Parts:
    given = array._strides if array._is_evaluated else array.evaluate()._strides
    entries = _expanded(_prepare(key), array.ndim)
    offset = array._offset
    shape: list[int] = []
    strides: list[int] = []
    axes: list[int] = []
    indices: list[Array] = []
    checked: list[int] = []
    places: list[int] = []  # of the index arrays among the entries
    axis = 0
    flags = False
    for place, entry in enumerate(entries):
        if entry is None:
            shape.append(1)
            strides.append(0)
            continue
        if isinstance(entry, bool):  # a mask without axes: a new axis of 1 or 0 elements
            if flags or any_advanced(entries):
                raise IndexError(
                    "a mask without axes (True or False) is not supported beside other masks and index "
                    "arrays; index with them one after the other"
                )
            flags = True
            shape.append(int(entry))
            strides.append(0)
            continue
        extent = array.shape[axis]
        stride = given[axis]
        if isinstance(entry, slice):
            start, stop, step = entry.indices(extent)
            count = len(range(start, stop, step))
            shape.append(count)
            strides.append(stride * step)
            offset += start * stride if count else 0
            axis += 1
            continue
        if isinstance(entry, (Array, np.ndarray)) and entry.ndim + (entry.dtype == np.bool_) > 0:
            unknown = isinstance(entry, Array) and entry.dtype != np.bool_
            for found in _index_arrays(entry, array, axis):
                places.append(place)
                checked.append(axis if unknown else -1)
                axes.append(len(shape))
                indices.append(found)
                shape.append(array.shape[axis])
                strides.append(given[axis])
                axis += 1
            continue
        try:
            index = operator.index(entry)
        except TypeError:
            if isinstance(entry, GroupArray):
                raise IndexError(
                    "an array of a group cannot index one on a device; bring both to one place, "
                    "with kp.asarray(x, group=group) or index.to_device(x.device)"
                ) from None
            raise IndexError(
                "an index is an integer, a slice, None, ..., or an array of integers or bool, not "
                f"{kind_of(entry)}"
            ) from None
        if not -extent <= index < extent:
            raise IndexError(
                f"index {index} is out of bounds for axis {axis} with {counted(extent, 'element')}"
            )
        if places or any_advanced(entries):
            # Beside index arrays, an integer counts as one, too: it decides the position of their
            # axes.
            places.append(place)
        offset += (index % extent) * stride
        axis += 1
    parts = _Parts(array._strided(offset, shape, strides), axes, indices, checked)
    parts.copied = flags
    if axes:
        adjacent = places[-1] - places[0] < len(set(places)) and all_adjacent(axes)
        parts.first = axes[0] if adjacent else 0
    return parts


def any_advanced(entries: list[Any]) -> bool:
    """Return whether a key has index arrays or masks."""
    return next(
        (True for entry in entries if isinstance(entry, (Array, np.ndarray)) and entry.ndim > 0),
        False,
    )


def all_adjacent(axes: list[int]) -> bool:
    """Return whether axes follow each other."""
    return axes == list(range(axes[0], axes[0] + len(axes)))


def _index_arrays(entry: Any, array: Array, axis: int) -> list[Array]:
    """Return the integer arrays of an entry. Those in host memory are checked."""
    if entry.dtype == np.bool_:
        require_mask(entry.shape, array.shape[axis : axis + entry.ndim])
        from ..selection.searching import nonzero

        return list(nonzero(as_array(entry, array._manager)))
    if entry.dtype.kind not in "iu":
        raise IndexError(f"an index array has integers or bool, not {entry.dtype}")
    extent = array.shape[axis]
    if isinstance(entry, np.ndarray):
        if entry.size and not (-extent <= entry.min() and entry.max() < extent):
            wrong = entry[(entry < -extent) | (entry >= extent)].flat[0]
            raise IndexError(
                f"index {wrong} is out of bounds for axis {axis} with {counted(extent, 'element')}"
            )
        return [as_array(entry.astype(np.int32), array._manager)]
    return [entry]


def require_mask(mask: Shape, wanted: Shape) -> None:
    """Raise IndexError unless a mask of a shape fits axes of another one.

    Masks without elements select nothing: their axes without elements fit any axis, as in NumPy.
    """
    if any(own not in (0, extent) for own, extent in zip(mask, wanted, strict=True)):
        raise IndexError(f"a mask of shape {mask} does not fit axes of shape {wanted}")


def _walk(parts: _Parts) -> tuple[Array, list[Array], Steps]:
    """Return the base view of the selected elements, the indices, and their steps.

    The base view has the shape of the result, with stride 0 along the axes of the indices.
    """
    shapes = [index.shape for index in parts.indices]
    try:
        common = broadcast(*shapes)
    except ValueError:
        raise IndexError(
            f"index arrays of shapes {' '.join(map(str, shapes))} do not broadcast to one shape"
        ) from None
    view = parts.view
    extents, strides = view.shape, view._strides
    for axis, check, index in zip(parts.axes, parts.checked, parts.indices, strict=True):
        if check >= 0 and extents[axis] == 0 and index.size:
            raise IndexError(f"an index is out of bounds for axis {check} with 0 elements")
    rest = [axis for axis in range(len(extents)) if axis not in parts.axes]
    before = [axis for axis in rest if axis < parts.first] if parts.first else []
    after = [axis for axis in rest if axis not in before]
    shape = (
        *[extents[axis] for axis in before],
        *common,
        *[extents[axis] for axis in after],
    )
    walked = (
        *[strides[axis] for axis in before],
        *[0] * len(common),
        *[strides[axis] for axis in after],
    )
    base = view._strided(view._offset, shape, walked)
    indices = []
    for index in parts.indices:
        # Right-aligned broadcasting needs an axis for each of `after`.
        source = index.evaluate()
        wide = source.shape + (1,) * len(after)
        indices.append(source._strided(source._offset, wide, source._strides + (0,) * len(after)))
    steps = zip(parts.axes, parts.checked, strict=True)
    return base, indices, tuple((extents[axis], strides[axis], check) for axis, check in steps)


def get(array: Array, key: Any) -> Array:
    """Return array[key]: a view, or the selected elements if the key has arrays."""
    if isinstance(key, (Array, np.ndarray)) and key.ndim and key.dtype == np.bool_:
        if key.shape == array.shape[: key.ndim]:
            return _kp._compress(as_array(key, array._manager), array)
    elif isinstance(key, Array) and key.ndim and array.ndim and key._dtype.kind in "iu":
        return _kp._take_of_axis(array, key, 0)
    parts = _split(array, key)
    if not parts.axes:
        return parts.view.copy() if parts.copied else parts.view
    return _kp._take(*_walk(parts))


def put(array: Array, key: Any, value: Any) -> None:
    """Set array[key] to a value that broadcasts to it. If indices repeat, one value wins."""
    if isinstance(key, (Array, np.ndarray)) and key.dtype == np.bool_:
        if key.shape == array.shape and getattr(value, "ndim", 0) == 0 and np.isscalar(value):
            put_where(array, as_array(key, array._manager), value)
            return
    elif key is Ellipsis or (type(key) is slice and key == _ALL and array.ndim):
        _require_writable(array.evaluate())
        _kp._put(array, _assigned(value, array, array._shape))
        return
    elif type(key) is Array and key._dtype.kind in "iu" and key.ndim and array.ndim:
        view = array.evaluate()
        _require_writable(view)
        if view.size:
            _put_rows(view, key, value)
            return
    parts = _split(array, key)
    _require_writable(parts.view)
    base, indices, steps = _walk(parts) if parts.axes else (parts.view, [], ())
    _kp._put(base, _assigned(value, array, base.shape), indices, steps)


def _put_rows(view: Array, index: Array, value: Any) -> None:
    """Set elements, or slices along the first axis, with given indices."""
    shape, strides = index._shape + view._shape[1:], (0,) * index.ndim + view._strides[1:]
    steps = ((view._shape[0], view._strides[0], 0),)
    if view.ndim > 1:  # broadcasting needs an axis for each that follows
        source, others = index.evaluate(), view.ndim - 1
        wide = source._shape + (1,) * others
        index = source._strided(source._offset, wide, source._strides + (0,) * others)
    base = view._strided(view._offset, shape, strides)
    _kp._put(base, _assigned(value, view, shape), (index,), steps)


def _assigned(value: Any, array: Array, shape: Shape) -> Array:
    """Return a value as an array of the dtype of another one, to be written into a shape."""
    if type(value) is Array and value._dtype == array._dtype and value._shape == shape:
        if value._manager is array._manager:
            return value
    from ..elementwise import fitting

    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        if isinstance(value, complex) and array._dtype.kind != "c":
            raise TypeError(f"a complex number does not fit an array of {array._dtype}")
        if isinstance(value, float) and array._dtype.kind in "iu":
            value = np.asarray(value, array._dtype)[()]
        return _kp._filled(array._manager, (), (value, array._dtype))
    if isinstance(value, (list, tuple)):
        given = fitting(value, array)
    else:
        given = as_array(value, array._manager)
    if given._dtype.kind == "c" and array._dtype.kind != "c":
        raise TypeError(f"complex numbers do not fit an array of {array._dtype}; take their real")
    return converted(to_broadcast(given, shape), array._dtype)


def to_broadcast(value: Any, shape: Shape) -> Any:
    """Return a value to be assigned, without leading axes that the shape does not have.

    Raises ValueError unless it broadcasts to the shape.
    """
    extra = value.ndim - len(shape)
    if extra > 0 and value.shape[:extra] == (1,) * extra:
        value = value[(0,) * extra]
    try:
        fits = broadcast(value.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"a value of shape {value.shape} does not broadcast to {shape}")
    return value


def _require_writable(view: Array) -> None:
    if not view._writable:
        raise ValueError(
            "the array is read-only: it repeats elements, or has a copy of another array's; "
            "assign to a copy()"
        )


def put_where(array: Array, mask: Array, value: Any) -> None:
    """Set the elements at which a mask, which broadcasts to the array, is true."""
    _require_writable(array)
    _kp._put(array, _assigned(value, array, array._shape), (), (), mask)

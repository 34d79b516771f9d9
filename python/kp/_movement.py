# SPDX-License-Identifier: Apache-2.0
"""Elements by index, and arrays in another order, as plain functions. See _primitives."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._axes import normalized, normalized_axes
from ._wording import counted
from ._kp import OpConcatenate, OpGather, OpReverse, OpScatter, OpTranspose, Tensor
from ._primitives import _new, _output, _require_tensor, _run, extremes


def _outside(name: str, index: int, extent: int) -> IndexError:
    return IndexError(f"kp.{name}: index {index} is out of range for {counted(extent, 'element')}")


def _indices(name: str, indices: Tensor | ArrayLike, like: Tensor, extent: int) -> Tensor:
    """Return indices that are within an extent, from 0 on, on the device.

    Those of a tensor are checked there. If some are negative, the host adds the extent.
    """
    if isinstance(indices, Tensor):
        if indices.dtype.kind in "iu" and indices.dtype.itemsize >= 4:
            if indices.size() == 0:
                return indices
            lowest, highest = extremes(indices)
            if 0 <= lowest and highest < extent:
                return indices
        given = indices.read()
    else:
        given = np.asarray(indices)
        if given.size == 0:
            given = given.astype(np.int32)
    if given.dtype.kind not in "iu":
        raise TypeError(f"kp.{name} takes indices of an integer type, not of '{given.dtype}'")
    if given.size:
        for index in (builtins.int(given.min()), builtins.int(given.max())):
            if not -extent <= index < extent:
                raise _outside(name, index, extent)
    wide = np.int32 if extent <= np.iinfo(np.int32).max else np.int64
    wrapped = np.where(given < 0, given + extent, given) if given.dtype.kind == "i" else given
    made = like.manager.tensor(wrapped.astype(wide), dtype=wide)
    if made.size():
        made.write(wrapped.astype(wide))
    return made


def take(
    tensor: Tensor,
    indices: Tensor | ArrayLike,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the elements, or slices along an axis, with given indices.

    Without an axis, indices are those of the flattened tensor. The result has the shape of the
    indices in place of that axis. Negative indices count from the end. Others raise IndexError: for
    that, the smallest and largest of a tensor of indices are computed first.
    """
    _require_tensor("take", tensor)
    whole = tensor.shape
    at = None if axis is None else normalized(axis, len(whole))
    extent = tensor.size() if at is None else whole[at]
    chosen = _indices("take", indices, tensor, extent)
    shape = chosen.shape if at is None else whole[:at] + chosen.shape + whole[at + 1 :]
    result = _output("take", tensor, shape, tensor.dtype, out)
    if result.size():
        _run(OpGather(tensor, chosen, result, axis=at), tensor, chosen)
    return result


def put(tensor: Tensor, ind: Tensor | ArrayLike, v: Tensor | ArrayLike) -> None:
    """Set the elements of the flattened tensor with given indices.

    Negative indices count from the end; others out of range raise IndexError. There is a value per
    index, or one for all. Of equal indices, any may win.
    """
    _require_tensor("put", tensor)
    places = _indices("put", ind, tensor, tensor.size())
    if not isinstance(v, Tensor):
        given = np.asarray(v)
        if given.dtype != tensor.dtype and not np.can_cast(given.dtype, tensor.dtype, "same_kind"):
            raise TypeError(
                f"kp.put cannot put values of dtype '{given.dtype}' into a tensor of "
                f"'{tensor.dtype}'; convert them before"
            )
        if given.size == 1:
            given = np.broadcast_to(given.reshape(()), places.shape)
        v = tensor.manager.tensor(given, dtype=tensor.dtype)
    if v.size() != places.size():
        raise ValueError(
            f"kp.put takes a value per index, but was given {counted(v.size(), 'value')} for "
            f"{counted(places.size(), 'index')}"
        )
    if places.size():
        _run(OpScatter(v, places, tensor), v, places, tensor)


def transpose(
    tensor: Tensor, axes: Sequence[int] | None = None, out: Tensor | None = None
) -> Tensor:
    """Return a copy with the axes in another order: axis i is axis ``axes[i]`` of the tensor.

    Without `axes`, they are reversed.
    """
    _require_tensor("transpose", tensor)
    count = len(tensor.shape)
    if axes is not None and not isinstance(axes, Iterable):
        raise TypeError(f"kp.transpose takes axes as a tuple of all axes, not {axes!r}")
    order = list(range(count))[::-1] if axes is None else [normalized(axis, count) for axis in axes]
    if sorted(order) != list(range(count)):
        raise ValueError(
            f"kp.transpose takes each of the {counted(count, 'axis')} once, but axes is {tuple(axes or ())}"
        )
    shape = tuple(tensor.shape[axis] for axis in order)
    result = _output("transpose", tensor, shape, tensor.dtype, out)
    if result.size():
        _run(OpTranspose(tensor, result, axes=order or None), tensor)
    return result


def flip(
    tensor: Tensor, axis: int | Iterable[int] | None = None, out: Tensor | None = None
) -> Tensor:
    """Return a copy with the elements in reverse order, along one axis, several or all."""
    _require_tensor("flip", tensor)
    count = len(tensor.shape)
    axes: list[int] | None = None
    if axis is not None:
        axes = list(normalized_axes(tuple(axis) if isinstance(axis, Iterable) else axis, count))
    result = _output("flip", tensor, tensor.shape, tensor.dtype, out)
    if result.size():
        _run(
            OpConcatenate([tensor], result) if axes == [] else OpReverse(tensor, result, axes),
            tensor,
        )
    return result


def concatenate(
    tensors: Iterable[Tensor], axis: int | None = 0, out: Tensor | None = None
) -> Tensor:
    """Return tensors joined along an axis, or with `axis` None all of their elements."""
    parts = list(tensors)
    if not parts:
        raise ValueError("kp.concatenate needs at least one tensor")
    for part in parts:
        _require_tensor("concatenate", part)
        if part.dtype != parts[0].dtype:
            raise TypeError(
                f"kp.concatenate takes tensors of one dtype, but there are '{parts[0].dtype}' and "
                f"'{part.dtype}'"
            )
    if axis is None:
        shape: tuple[int, ...] = (builtins.sum(part.size() for part in parts),)
        at = None
    else:
        at = normalized(axis, len(parts[0].shape))
        for part in parts:
            others = part.shape[:at] + part.shape[at + 1 :]
            if others != parts[0].shape[:at] + parts[0].shape[at + 1 :]:
                raise ValueError(
                    f"kp.concatenate along axis {axis} takes tensors with the same other extents, "
                    f"but there are the shapes {parts[0].shape} and {part.shape}"
                )
        length = builtins.sum(part.shape[at] for part in parts)
        shape = parts[0].shape[:at] + (length,) + parts[0].shape[at + 1 :]
    result = _output("concatenate", parts[0], shape, parts[0].dtype, out)
    if result.size():
        _run(OpConcatenate(parts, result, axis=at), *parts)
    return result

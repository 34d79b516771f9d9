# SPDX-License-Identifier: Apache-2.0
"""Arrays with a border."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kp
from ..._wording import counted
from ..array import Array
from ..creation import empty
from .manipulation import given

__all__ = ["pad"]

#: Modes whose border has elements of the array.
_REPEATED = ("edge", "reflect", "symmetric", "wrap")


def pad(
    array: Any,
    pad_width: Any,
    mode: str = "constant",
    *,
    constant_values: Any = 0,
    reflect_type: str = "even",
) -> Array:
    """Return an array with a border, `pad_width` elements wide.

    The width is a number, a pair (before, after), a pair for each axis, or a dictionary of these by
    axis. The border has `constant_values` (given in the same ways), or elements of the array: the
    nearest ("edge"), elements mirrored at the outermost element ("reflect") or behind it
    ("symmetric"), or elements from the other end ("wrap"). With "empty" it is undefined.
    """
    source = given(array)
    if type(pad_width) is int and mode == "constant" and type(constant_values) in (int, float):
        if pad_width >= 0:
            return _surrounded(source, [(pad_width, pad_width)] * source.ndim, constant_values)
    widths = _pairs(_by_axis(pad_width, source.ndim), source.ndim, "pad_width")
    if widths.dtype.kind not in "iu":
        raise TypeError(f"pad_width has integers, not {widths.dtype}")
    if (widths < 0).any():
        raise ValueError(f"pad_width is not negative, but {widths.min()} was given")
    if mode in _REPEATED:
        if reflect_type != "even":
            raise ValueError(f"reflect_type is 'even' here, not {reflect_type!r}")
        return _repeated(source, widths, mode)
    if mode not in ("constant", "empty"):
        raise ValueError(
            f"mode is 'constant', 'empty', {str(_REPEATED)[1:-1]}, not {mode!r}; numpy.pad has others, "
            "for x.numpy()"
        )
    shape = tuple(
        int(before + extent + after)
        for (before, after), extent in zip(widths, source.shape, strict=True)
    )
    if mode == "empty":
        padded: Array = empty(shape, dtype=source._dtype, device=source._manager)
    else:
        values = _pairs(constant_values, source.ndim, "constant_values").astype(source._dtype)
        if values.size == 0 or (values == values[0, 0]).all():
            value = values[0, 0].item() if values.size else 0
            return _surrounded(source, widths.tolist(), value)
        padded = _bordered(source, widths, values, shape)
    inner = tuple(
        slice(int(before), int(before) + extent)
        for (before, _), extent in zip(widths, source.shape, strict=True)
    )
    padded[inner] = source
    return padded


def _by_axis(width: Any, ndim: int) -> Any:
    """Return widths by axis as a list of pairs; missing ones are 0."""
    if not isinstance(width, dict):
        return width
    pairs = [(0, 0)] * ndim
    for axis, pair in width.items():
        pairs[axis] = (pair, pair) if isinstance(pair, int) else tuple(pair)
    return pairs


def _pairs(values: Any, ndim: int, name: str) -> Any:
    """Return a number, a pair, or a pair for each axis, as the last of these."""
    host = np.asarray(values.numpy() if isinstance(values, Array) else values)
    if host.ndim == 2 and host.shape == (ndim, 1):
        host = np.repeat(host, 2, axis=1)
    try:
        return np.broadcast_to(host, (ndim, 2))
    except ValueError:
        raise ValueError(
            f"{name} is a number, a pair, or a pair for each of the {counted(ndim, 'axis')}, not of shape "
            f"{host.shape}"
        ) from None


def _surrounded(source: Array, widths: list[Any], value: Any) -> Array:
    """Return an array with one number in its border, in one kernel."""
    held = np.asarray(value).astype(source._dtype).item()
    return _kp._pad(source, widths, (held, source._dtype))


def _bordered(source: Array, widths: Any, values: Any, shape: tuple[int, ...]) -> Array:
    """Return an array of another shape with constants in its border, and its inner elements undefined."""
    made: Array = empty(shape, dtype=source._dtype, device=source._manager)
    for axis, (pair, sides) in enumerate(zip(widths, values, strict=True)):
        before = (slice(None),) * axis
        edges = (slice(int(pair[0])), slice(shape[axis] - int(pair[1]), None))
        for width, value, edge in zip(pair, sides, edges, strict=True):
            if width:
                made[before + (edge,)] = value
    return made


def _repeated(source: Array, widths: Any, mode: Any) -> Array:
    """Return an array whose border repeats its elements, gathered in one kernel."""
    key = []
    for axis, (pair, extent) in enumerate(zip(widths, source.shape, strict=True)):
        places = np.pad(np.arange(extent), tuple(int(each) for each in pair), mode)
        key.append(places.reshape((-1,) + (1,) * (source.ndim - 1 - axis)))
    return source[tuple(key)] if key else source.copy()

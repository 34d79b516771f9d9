# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of tensors, which run at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._axes import normalized, whole
from ._kp import OpFFT, Tensor
from ._wording import counted, kind_of
from .arrays.operands import output, run
from .arrays.primitives import cast

Axes = Sequence[int]


def require(name: str, tensor: Tensor) -> None:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"kp.fft.{name} takes arrays or tensors, not {kind_of(tensor)}")
    if not tensor.shape:
        raise ValueError(f"kp.fft.{name} takes rows of numbers, not a single number")


def values_of(tensor: Tensor) -> tuple[Tensor, bool]:
    """Return a tensor of real or complex floating-point numbers, and whether it is complex."""
    kind = tensor.dtype.kind
    if kind == "c":
        return tensor, True
    if kind == "f" and tensor.dtype.itemsize >= 4:
        return tensor, False
    if kind in "fbiu":
        wider = np.float32 if kind == "f" else np.float64
        return cast(tensor, np.dtype(wider)), False
    raise TypeError(f"a Fourier transform takes numbers, but the tensor has {tensor.dtype}")


def _complex_values(tensor: Tensor) -> Tensor:
    """Return a tensor of complex numbers, or a copy of one of real ones as complex ones."""
    kind = tensor.dtype.kind
    if kind not in "fbiu":
        return values_of(tensor)[0]
    return cast(tensor, _complex_of(tensor.dtype))


def _complex_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    singles = (np.float16, np.float32, np.complex64)
    return np.dtype(np.complex64 if dtype in singles else np.complex128)


def _real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float64 if dtype == np.complex128 else np.float32)


def axis_numbers(axes: Axes, dimensions: int) -> list[int]:
    return [normalized(axis, dimensions) for axis in axes]


def _extents(
    name: str, tensor: Tensor, s: Sequence[int] | None, axes: Axes | None
) -> tuple[list[int], list[int]]:
    """Return the axes to transform, without duplicates, and the lengths of the values there."""
    dimensions = len(tensor.shape)
    if axes is None:
        count = dimensions if s is None else len(s)
        axes = range(-count, 0)
    numbers = axis_numbers(axes, dimensions)
    if not numbers:
        raise ValueError(f"kp.fft.{name} needs at least one axis")
    if len(set(numbers)) != len(numbers):
        raise ValueError(f"kp.fft.{name} transforms each axis once, but axes is {tuple(axes)}")
    if s is not None and len(s) != len(numbers):
        raise ValueError(
            f"kp.fft.{name}: s has {counted(len(s), 'length')} for {counted(len(numbers), 'axis')}"
        )
    lengths = [tensor.shape[axis] for axis in numbers]
    if s is not None:  # -1 is the whole axis
        lengths = [
            own if n == -1 else whole("a length", n) for n, own in zip(s, lengths, strict=True)
        ]
    return numbers, lengths


def _transformed(
    name: str,
    source: Tensor,
    shape: list[int],
    axes: list[int],
    dtype: np.dtype[Any],
    norm: str | None,
    inverse: bool,
    real: bool,
    out: Tensor | None,
) -> Tensor:
    """Run one transform over up to three axes. `shape`: the extents of the values."""
    result_shape = list(shape)
    if real and not inverse:
        result_shape[axes[-1]] = shape[axes[-1]] // 2 + 1
    for axis in axes:
        if shape[axis] < 1:
            raise ValueError(
                f"kp.fft.{name}: axis {axis} has {counted(shape[axis], 'value')}, but at least 1 is needed"
            )
    result = output(f"fft.{name}", source, tuple(result_shape), dtype, out)
    if result.dtype != dtype:
        raise TypeError(f"kp.fft.{name} has a result of {dtype}, but out has {result.dtype}")
    if 0 in result_shape:
        return result
    # Axes that are not transformed count as one where they are neighbours.
    before: list[int] = []
    given: list[int] = []
    position: dict[int, int] = {}
    for axis, extent in enumerate(shape):
        own = source.shape[axis]
        if axis not in axes and axis > 0 and axis - 1 not in axes and given:
            given[-1] *= extent
            before[-1] *= own
            continue
        position[axis] = len(given)
        given.append(extent)
        before.append(own)
    chosen = [position[axis] for axis in axes]
    operation = OpFFT(
        source,
        result,
        inverse=inverse,
        real=real,
        norm="backward" if norm is None else norm,
        shape=given,
        axes=chosen,
        input_shape=before,
    )
    run(source, operation)
    return result


def complex_transform(
    name: str,
    tensor: Tensor,
    s: Sequence[int] | None,
    axes: Axes | None,
    norm: str | None,
    out: Tensor | None,
    inverse: bool,
) -> Tensor:
    require(name, tensor)
    numbers, lengths = _extents(name, tensor, s, axes)
    source = _complex_values(tensor)
    dtype = source.dtype
    groups = [slice(i, i + 3) for i in range(0, len(numbers), 3)]
    for group in groups:
        shape = list(source.shape)
        for axis, length in zip(numbers[group], lengths[group], strict=True):
            shape[axis] = length
        target = out if group is groups[-1] else None
        source = _transformed(
            name, source, shape, numbers[group], dtype, norm, inverse, False, target
        )
    return source


def from_real(
    name: str,
    tensor: Tensor,
    s: Sequence[int] | None,
    axes: Axes | None,
    norm: str | None,
    out: Tensor | None,
) -> Tensor:
    require(name, tensor)
    numbers, lengths = _extents(name, tensor, s, axes)
    source, is_complex = values_of(tensor)
    if is_complex:
        raise TypeError(
            f"kp.fft.{name} takes real numbers; use kp.fft.fft or kp.fft.fftn for complex ones"
        )
    shape = list(source.shape)
    for axis, length in zip(numbers[-3:], lengths[-3:], strict=True):
        shape[axis] = length
    dtype = _complex_of(source.dtype)
    last = out if len(numbers) <= 3 else None
    result = _transformed(name, source, shape, numbers[-3:], dtype, norm, False, True, last)
    if len(numbers) > 3:
        result = complex_transform(name, result, lengths[:-3], numbers[:-3], norm, out, False)
    return result


def to_real(
    name: str,
    tensor: Tensor,
    s: Sequence[int] | None,
    axes: Axes | None,
    norm: str | None,
    out: Tensor | None,
) -> Tensor:
    require(name, tensor)
    numbers, lengths = _extents(name, tensor, s, axes)
    if s is None:
        lengths[-1] = 2 * (lengths[-1] - 1)
    source = _complex_values(tensor)
    if len(numbers) > 3:
        source = complex_transform(name, source, lengths[:-3], numbers[:-3], norm, None, True)
    shape = list(source.shape)
    for axis, length in zip(numbers[-3:], lengths[-3:], strict=True):
        shape[axis] = length
    dtype = _real_of(source.dtype)
    return _transformed(name, source, shape, numbers[-3:], dtype, norm, True, True, out)

# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms as plain functions, with the results of numpy.fft.

They run at once and return what they are given, tensors or arrays; lists, numbers and NumPy's arrays
become arrays. Spectra are complex64 for float16
and float32, complex128 for float64; integers are transformed in float64, as by NumPy. In loops,
record kp.OpFFT in a sequence instead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from ._floats import default_float
from ._kp import Manager, OpConvolve, OpFFT, Tensor
from ._axes import normalized, whole
from ._wording import counted, kind_of
from .arrays import keywords
from .arrays.array import Array, share
from .arrays.creation import arange, asarray, manager
from .arrays.elementwise import assign_all, conj, into, where
from .arrays.groups.array import GroupArray
from .arrays.groups.functions import call
from .arrays.groups.traits import by_rows
from .arrays.manipulation import roll
from .arrays.operands import blank_like, output, run
from .arrays.operands import operand
from .arrays.primitives import cast
from .arrays.storage import unsupported_reason

__all__ = [
    "convolve",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_Axes = Sequence[int]
_T = TypeVar("_T", Tensor, Array, GroupArray)
_P = ParamSpec("_P")


def _of_arrays_too(
    function: Callable[Concatenate[Tensor, _P], Tensor],
) -> Callable[Concatenate[Any, _P], Any]:
    """Return the function of a tensor as one of a tensor, or of an array and what becomes one."""

    own: Any = None

    @functools.wraps(function)
    def called(x: Any, /, *args: Any, **options: Any) -> Any:
        if isinstance(x, GroupArray):
            return call(own, (x, *args), options)
        if isinstance(x, Tensor):
            return function(x, *args, **options)
        x = _array(x)
        if function.__name__ == "convolve":
            args = (*(_array(each) for each in args[:1]), *args[1:])
            options |= {"b": _shaped(options["b"])} if "b" in options else {}
        out = options.pop("out", None)
        args = tuple(
            operand(each, each.shape) if isinstance(each, Array) else each for each in args
        )
        result = Array._from_tensor(function(operand(x, x.shape), *args, **options))
        return into(out, result)

    own = called
    own.__kp_varies__ = "Tensor"  # for type stubs: the class in whose place it takes others
    return called


def _array(x: Any) -> Any:
    """Return lists, numbers and NumPy arrays as arrays."""
    return x if isinstance(x, (Array, GroupArray, Tensor)) else asarray(x)


def _shaped(x: Any) -> Any:
    array = _array(x)
    return operand(array, array.shape) if isinstance(array, Array) else array


def _require(name: str, tensor: Tensor) -> None:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"kp.fft.{name} takes arrays or tensors, not {kind_of(tensor)}")
    if not tensor.shape:
        raise ValueError(f"kp.fft.{name} takes rows of numbers, not a single number")


def _values(tensor: Tensor) -> tuple[Tensor, bool]:
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


def _complex_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.complex128 if dtype in (np.float64, np.complex128) else np.complex64)


def _real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float64 if dtype == np.complex128 else np.float32)


def _numbers(axes: _Axes, dimensions: int) -> list[int]:
    return [normalized(axis, dimensions) for axis in axes]


def _extents(
    name: str, tensor: Tensor, s: Sequence[int] | None, axes: _Axes | None
) -> tuple[list[int], list[int]]:
    """Return the axes to transform, without duplicates, and the lengths of the values there."""
    dimensions = len(tensor.shape)
    if axes is None:
        count = dimensions if s is None else len(s)
        axes = range(-count, 0)
    numbers = _numbers(axes, dimensions)
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
    """Run one transform over up to three axes. `shape` is that of the values."""
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


def _complex(
    name: str,
    tensor: Tensor,
    s: Sequence[int] | None,
    axes: _Axes | None,
    norm: str | None,
    out: Tensor | None,
    inverse: bool,
) -> Tensor:
    _require(name, tensor)
    numbers, lengths = _extents(name, tensor, s, axes)
    source, is_complex = _values(tensor)
    dtype = _complex_of(source.dtype)
    if not is_complex:
        source = _widened(source, dtype)
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


def _widened(tensor: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Return the real values as complex ones: the transform of rows of one number."""
    result = blank_like(tensor, tensor.shape, dtype)
    if tensor.size() > 0:
        run(tensor, OpFFT(tensor, result, real=True, shape=[1]))
    return result


@_of_arrays_too
@by_rows("along")
def fft(
    tensor: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum of a real or complex array along an axis.

    Rows are cut or padded with zeros to `n` values. `norm` says which transform divides by n:
    "backward" (None), the inverse; "forward", the forward one; "ortho", both by the root of n.
    """
    return _complex("fft", tensor, None if n is None else (n,), (axis,), norm, out, False)


@_of_arrays_too
@by_rows("along")
def ifft(
    tensor: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of fft()."""
    return _complex("ifft", tensor, None if n is None else (n,), (axis,), norm, out, True)


@_of_arrays_too
def fftn(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: _Axes | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum along several axes, or all. `s` are their lengths; see fft()."""
    return _complex("fftn", tensor, s, axes, norm, out, False)


@_of_arrays_too
def ifftn(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: _Axes | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of fftn()."""
    return _complex("ifftn", tensor, s, axes, norm, out, True)


@_of_arrays_too
def fft2(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum along the last two axes."""
    return _complex("fft2", tensor, s, axes, norm, out, False)


@_of_arrays_too
def ifft2(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of fft2()."""
    return _complex("ifft2", tensor, s, axes, norm, out, True)


def _from_real(
    name: str,
    tensor: Tensor,
    s: Sequence[int] | None,
    axes: _Axes | None,
    norm: str | None,
    out: Tensor | None,
) -> Tensor:
    _require(name, tensor)
    numbers, lengths = _extents(name, tensor, s, axes)
    source, is_complex = _values(tensor)
    if is_complex:
        raise TypeError(
            f"kp.fft.{name} takes real numbers; complex ones have kp.fft.fft and kp.fft.fftn"
        )
    shape = list(source.shape)
    for axis, length in zip(numbers[-3:], lengths[-3:], strict=True):
        shape[axis] = length
    dtype = _complex_of(source.dtype)
    last = out if len(numbers) <= 3 else None
    result = _transformed(name, source, shape, numbers[-3:], dtype, norm, False, True, last)
    if len(numbers) > 3:
        result = _complex(name, result, lengths[:-3], numbers[:-3], norm, out, False)
    return result


def _to_real(
    name: str,
    tensor: Tensor,
    s: Sequence[int] | None,
    axes: _Axes | None,
    norm: str | None,
    out: Tensor | None,
) -> Tensor:
    _require(name, tensor)
    numbers, lengths = _extents(name, tensor, s, axes)
    if s is None:
        lengths[-1] = 2 * (lengths[-1] - 1)
    source, is_complex = _values(tensor)
    if not is_complex:
        source = _widened(source, _complex_of(source.dtype))
    if len(numbers) > 3:
        source = _complex(name, source, lengths[:-3], numbers[:-3], norm, None, True)
    shape = list(source.shape)
    for axis, length in zip(numbers[-3:], lengths[-3:], strict=True):
        shape[axis] = length
    dtype = _real_of(source.dtype)
    return _transformed(name, source, shape, numbers[-3:], dtype, norm, True, True, out)


@_of_arrays_too
@by_rows("along")
def rfft(
    tensor: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the first n // 2 + 1 numbers of the spectrum of real values along an axis."""
    return _from_real("rfft", tensor, None if n is None else (n,), (axis,), norm, out)


@_of_arrays_too
@by_rows("along")
def irfft(
    tensor: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the n real values of a half spectrum: the inverse of rfft().

    Without `n`, there are 2 (m - 1) values for m numbers.
    """
    return _to_real("irfft", tensor, None if n is None else (n,), (axis,), norm, out)


@_of_arrays_too
def rfftn(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: _Axes | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum of real values along several axes; half of it along the last one."""
    return _from_real("rfftn", tensor, s, axes, norm, out)


@_of_arrays_too
def irfftn(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: _Axes | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the real values of a half spectrum: the inverse of rfftn()."""
    return _to_real("irfftn", tensor, s, axes, norm, out)


@_of_arrays_too
def rfft2(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum of real values along the last two axes; half of it along the last."""
    return _from_real("rfft2", tensor, s, axes, norm, out)


@_of_arrays_too
def irfft2(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the real values of a half spectrum: the inverse of rfft2()."""
    return _to_real("irfft2", tensor, s, axes, norm, out)


_OTHER_WAY = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


@by_rows("along")
def hfft(
    x: Any,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the real spectrum of an array whose other half would be its mirrored conjugate."""
    found: Array = irfft(_conjugate("hfft", x), n, axis, _OTHER_WAY.get(norm, norm))
    return into(out, found)


@by_rows("along")
def ihfft(
    x: Any,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the half spectrum that hfft() takes."""
    _conjugate("ihfft", x)
    found = conj(rfft(_array(x), n, axis, _OTHER_WAY.get(norm, norm)))
    return into(out, found)


def _conjugate(name: str, x: Any) -> Any:
    if isinstance(x, Tensor):
        raise TypeError(f"kp.fft.{name} takes arrays, not a kp.Tensor; kp.asarray(tensor) is one")
    return conj(_array(x))


def _frequencies(
    of_numpy: Callable[..., Any],
    n: Any,
    count: int,
    d: float,
    dtype: DTypeLike | None,
    device: Manager | None,
) -> Array:
    """Return `count` multiples of 1 / (n d), of which the second half of n are negative."""
    on = manager(device)
    wanted = np.dtype(default_float(on) if dtype is None else dtype)
    if not isinstance(n, int) or n < 1 or unsupported_reason(on, np.dtype(np.float64)):
        return asarray(of_numpy(n, d).astype(wanted), device=on)
    places: Array = arange(count, dtype=np.int32, device=on)
    if count == n:
        places = where(places < (n + 1) // 2, places, places - n)
    made: Array = (places * np.float64(1.0 / (n * d))).astype(wanted)
    return made


def fftfreq(
    n: int, /, d: float = 1.0, dtype: DTypeLike | None = None, device: Manager | None = None
) -> Array:
    """Return the frequencies of the numbers of a spectrum of n values, d apart, as an array."""
    return _frequencies(np.fft.fftfreq, n, n, d, dtype, device)


def rfftfreq(
    n: int, /, d: float = 1.0, dtype: DTypeLike | None = None, device: Manager | None = None
) -> Array:
    """Return the frequencies of the numbers of a half spectrum of n values, d apart, as an array."""
    return _frequencies(np.fft.rfftfreq, n, n // 2 + 1, d, dtype, device)


def _shifted(name: str, x: _T, axes: int | _Axes | None, inverse: bool) -> _T:
    x = _array(x)
    if isinstance(x, Tensor):
        _require(name, x)
    dimensions = len(x.shape)
    if axes is None:
        axes = range(dimensions)
    numbers = _numbers([axes] if isinstance(axes, int) else axes, dimensions)
    halves = [x.shape[axis] // 2 for axis in numbers]
    moved = roll(x, tuple(-half if inverse else half for half in halves), axis=tuple(numbers))
    result: Any = moved
    if isinstance(x, Tensor):
        result = blank_like(x, x.shape, x.dtype)
        assign_all(share(result), moved)
    shifted: _T = result
    return shifted


def fftshift(x: _T, /, axes: int | _Axes | None = None) -> _T:
    """Return a spectrum with frequency 0 in the middle, along all axes or some."""
    return _shifted("fftshift", x, axes, False)


def ifftshift(x: _T, /, axes: int | _Axes | None = None) -> _T:
    """Return the inverse of fftshift()."""
    return _shifted("ifftshift", x, axes, True)


@_of_arrays_too
def convolve(
    a: Tensor,
    b: Tensor,
    mode: str = "full",
    out: Tensor | None = None,
    axes: int | _Axes | None = None,
) -> Tensor:
    """Return the convolution of two arrays along up to three axes.

    `mode` is "full", "same" or "valid". In one dimension it is that of numpy.convolve, in several
    that of scipy.signal.fftconvolve: "same" has the extents of `a`. By default, all axes are
    convolved. Along axes that are not in `axes`, extents are equal, or one of them is 1 and its
    array goes with all of the other.
    """
    for tensor in (a, b):
        _require("convolve", tensor)
        if tensor.size() == 0:
            raise ValueError("kp.fft.convolve takes arrays that are not empty")
    if len(a.shape) != len(b.shape):
        raise ValueError(
            f"kp.fft.convolve: a has {counted(len(a.shape), 'dimension')}, b has {len(b.shape)}"
        )
    if len(a.shape) == 1 and b.size() > a.size():
        a, b = b, a
    first, second = _values(a)[0], _values(b)[0]
    dtype = np.result_type(first.dtype, second.dtype)
    if first.dtype != dtype or second.dtype != dtype:
        raise TypeError(f"kp.fft.convolve takes arrays of one dtype, not {a.dtype} and {b.dtype}")
    lengths = {
        "full": lambda m, n: m + n - 1,
        "same": lambda m, n: m,
        "valid": lambda m, n: max(m, n) - min(m, n) + 1,
    }
    if mode not in lengths:
        raise ValueError(f"mode is 'full', 'same' or 'valid', not {mode!r}")
    dimensions = len(a.shape)
    given = None if axes is None else [axes] if isinstance(axes, (int, str)) else list(axes)
    convolved = (
        range(dimensions) if given is None else [whole("axis", axis) % dimensions for axis in given]
    )
    shape = tuple(
        lengths[mode](m, n) if axis in convolved else max(m, n)
        for axis, (m, n) in enumerate(zip(a.shape, b.shape, strict=True))
    )
    result = output("fft.convolve", a, shape, dtype, out)
    run(first, OpConvolve(first, second, result, mode=mode, axes=given))
    return result


keywords.install(globals(), __all__)


def __dir__() -> list[str]:
    return sorted(__all__)

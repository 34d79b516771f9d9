# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms as plain functions, with the results of numpy.fft.

They run at once and return tensors for tensors and arrays for arrays; lists, numbers and NumPy's
arrays become arrays. Spectra are complex64 for float16 and float32, complex128 for float64;
integers are transformed in float64, as by NumPy. In loops, record kp.OpFFT in a sequence instead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from ._floats import default_float
from ._kp import Manager, OpConvolve, Tensor
from ._axes import whole
from ._transforms import (
    Axes,
    axis_numbers,
    complex_transform,
    from_real,
    require,
    to_real,
    values_of,
)
from ._wording import counted
from .arrays import keywords
from .arrays.array import Array, share
from .arrays.creation import arange, asarray, manager
from .arrays.elementwise import assign_all, conj, into, where
from .arrays.groups.array import GroupArray
from .arrays.groups.functions import call
from .arrays.groups.traits import by_rows
from .arrays.shapes.manipulation import roll
from .arrays.operands import blank_like, output, run
from .arrays.operands import operand
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

_T = TypeVar("_T", Tensor, Array, GroupArray)
_P = ParamSpec("_P")


def _of_arrays_too(
    function: Callable[Concatenate[Tensor, _P], Tensor],
) -> Callable[Concatenate[Any, _P], Any]:
    """Return a function of tensors that also takes arrays and anything that becomes one."""

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

    Rows are cut or padded with zeros to `n` values. `norm` chooses the transform that divides by n:
    "backward" (None), the inverse; "forward", the forward one; "ortho", both by the root of n.
    """
    return complex_transform("fft", tensor, None if n is None else (n,), (axis,), norm, out, False)


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
    return complex_transform("ifft", tensor, None if n is None else (n,), (axis,), norm, out, True)


@_of_arrays_too
def fftn(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: Axes | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum along several axes, or all. `s` are their lengths; see fft()."""
    return complex_transform("fftn", tensor, s, axes, norm, out, False)


@_of_arrays_too
def ifftn(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: Axes | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of fftn()."""
    return complex_transform("ifftn", tensor, s, axes, norm, out, True)


@_of_arrays_too
def fft2(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: Axes = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum along the last two axes."""
    return complex_transform("fft2", tensor, s, axes, norm, out, False)


@_of_arrays_too
def ifft2(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: Axes = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of fft2()."""
    return complex_transform("ifft2", tensor, s, axes, norm, out, True)


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
    return from_real("rfft", tensor, None if n is None else (n,), (axis,), norm, out)


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
    return to_real("irfft", tensor, None if n is None else (n,), (axis,), norm, out)


@_of_arrays_too
def rfftn(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: Axes | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum of real values along several axes; half of it along the last one."""
    return from_real("rfftn", tensor, s, axes, norm, out)


@_of_arrays_too
def irfftn(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: Axes | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the real values of a half spectrum: the inverse of rfftn()."""
    return to_real("irfftn", tensor, s, axes, norm, out)


@_of_arrays_too
def rfft2(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: Axes = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum of real values along the last two axes; half of it along the last."""
    return from_real("rfft2", tensor, s, axes, norm, out)


@_of_arrays_too
def irfft2(
    tensor: Tensor,
    s: Sequence[int] | None = None,
    axes: Axes = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the real values of a half spectrum: the inverse of rfft2()."""
    return to_real("irfft2", tensor, s, axes, norm, out)


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


def _shifted(name: str, x: _T, axes: int | Axes | None, inverse: bool) -> _T:
    x = _array(x)
    if isinstance(x, Tensor):
        require(name, x)
    dimensions = len(x.shape)
    if axes is None:
        axes = range(dimensions)
    numbers = axis_numbers([axes] if isinstance(axes, int) else axes, dimensions)
    halves = [x.shape[axis] // 2 for axis in numbers]
    moved = roll(x, tuple(-half if inverse else half for half in halves), axis=tuple(numbers))
    result: Any = moved
    if isinstance(x, Tensor):
        result = blank_like(x, x.shape, x.dtype)
        assign_all(share(result), moved)
    shifted: _T = result
    return shifted


def fftshift(x: _T, /, axes: int | Axes | None = None) -> _T:
    """Return a spectrum with frequency 0 in the middle, along all axes or some."""
    return _shifted("fftshift", x, axes, False)


def ifftshift(x: _T, /, axes: int | Axes | None = None) -> _T:
    """Return the inverse of fftshift()."""
    return _shifted("ifftshift", x, axes, True)


@_of_arrays_too
def convolve(
    a: Tensor,
    b: Tensor,
    mode: str = "full",
    out: Tensor | None = None,
    axes: int | Axes | None = None,
) -> Tensor:
    """Return the convolution of two arrays along up to three axes.

    `mode` is "full", "same" or "valid". In one dimension as in numpy.convolve, in several as in
    scipy.signal.fftconvolve: "same" has the extents of `a`. By default, all axes are convolved.
    Along axes that are not in `axes`, extents are equal, or one of them is 1 and its array is
    combined with all of the other.
    """
    for tensor in (a, b):
        require("convolve", tensor)
        if tensor.size() == 0:
            raise ValueError("kp.fft.convolve takes arrays that are not empty")
    if len(a.shape) != len(b.shape):
        raise ValueError(
            f"kp.fft.convolve: a has {counted(len(a.shape), 'dimension')}, b has {len(b.shape)}"
        )
    if len(a.shape) == 1 and b.size() > a.size():
        a, b = b, a
    first, second = values_of(a)[0], values_of(b)[0]
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

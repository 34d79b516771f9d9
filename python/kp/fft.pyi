# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python_stubs.py. Do not edit it: change the functions.
# What NumPy takes as an array includes tensors and arrays of groups, which come first.
# pyright: reportOverlappingOverload=false

import collections.abc
from kp._kp import Manager, Tensor
from kp.arrays.array import Array
from kp.arrays.groups.array import GroupArray
from numpy.typing import ArrayLike, DTypeLike
from typing import Any, overload

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

@overload
def convolve(
    a: Tensor,
    /,
    b: Tensor,
    mode: str = "full",
    out: Tensor | None = None,
    axes: int | collections.abc.Sequence[int] | None = None,
) -> Tensor:
    """Return the convolution of two arrays along up to three axes.

    `mode` is "full", "same" or "valid". In one dimension as in numpy.convolve, in several as in
    scipy.signal.fftconvolve: "same" has the extents of `a`. By default, all axes are convolved.
    Along axes that are not in `axes`, extents are equal, or one of them is 1 and its array is
    combined with all of the other.
    """
@overload
def convolve(
    a: GroupArray,
    /,
    b: GroupArray,
    mode: str = "full",
    out: GroupArray | None = None,
    axes: int | collections.abc.Sequence[int] | None = None,
) -> GroupArray: ...
@overload
def convolve(
    a: ArrayLike,
    /,
    b: ArrayLike,
    mode: str = "full",
    out: Array | None = None,
    axes: int | collections.abc.Sequence[int] | None = None,
) -> Array: ...

@overload
def fft(
    tensor: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum of a real or complex array along an axis.

    Rows are cut or padded with zeros to `n` values. `norm` chooses the transform that divides by
    n: "backward" (None), the inverse; "forward", the forward one; "ortho", both by the root of
    n.
    """
@overload
def fft(
    tensor: GroupArray,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def fft(
    tensor: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def fft2(
    tensor: Tensor,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum along the last two axes."""
@overload
def fft2(
    tensor: GroupArray,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def fft2(
    tensor: ArrayLike,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

def fftfreq(
    n: int,
    /,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    device: Manager | None = None,
) -> Array:
    """Return the frequencies of the numbers of a spectrum of n values, d apart, as an array."""

@overload
def fftn(
    tensor: Tensor,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum along several axes, or all. `s` are their lengths; see fft()."""
@overload
def fftn(
    tensor: GroupArray,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def fftn(
    tensor: ArrayLike,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def fftshift(x: Tensor, /, axes: int | collections.abc.Sequence[int] | None = None) -> Tensor:
    """Return a spectrum with frequency 0 in the middle, along all axes or some."""
@overload
def fftshift(
    x: GroupArray,
    /,
    axes: int | collections.abc.Sequence[int] | None = None,
) -> GroupArray: ...
@overload
def fftshift(x: ArrayLike, /, axes: int | collections.abc.Sequence[int] | None = None) -> Array: ...

def hfft(
    x: Any,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the real spectrum of an array whose other half would be its mirrored conjugate."""

@overload
def ifft(
    tensor: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of fft()."""
@overload
def ifft(
    tensor: GroupArray,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def ifft(
    tensor: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def ifft2(
    tensor: Tensor,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of fft2()."""
@overload
def ifft2(
    tensor: GroupArray,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def ifft2(
    tensor: ArrayLike,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def ifftn(
    tensor: Tensor,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of fftn()."""
@overload
def ifftn(
    tensor: GroupArray,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def ifftn(
    tensor: ArrayLike,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def ifftshift(x: Tensor, /, axes: int | collections.abc.Sequence[int] | None = None) -> Tensor:
    """Return the inverse of fftshift()."""
@overload
def ifftshift(
    x: GroupArray,
    /,
    axes: int | collections.abc.Sequence[int] | None = None,
) -> GroupArray: ...
@overload
def ifftshift(
    x: ArrayLike,
    /,
    axes: int | collections.abc.Sequence[int] | None = None,
) -> Array: ...

def ihfft(
    x: Any,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the half spectrum that hfft() takes."""

@overload
def irfft(
    tensor: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the n real values of a half spectrum: the inverse of rfft().

    Without `n`, there are 2 (m - 1) values for m numbers.
    """
@overload
def irfft(
    tensor: GroupArray,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def irfft(
    tensor: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def irfft2(
    tensor: Tensor,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the real values of a half spectrum: the inverse of rfft2()."""
@overload
def irfft2(
    tensor: GroupArray,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def irfft2(
    tensor: ArrayLike,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def irfftn(
    tensor: Tensor,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the real values of a half spectrum: the inverse of rfftn()."""
@overload
def irfftn(
    tensor: GroupArray,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def irfftn(
    tensor: ArrayLike,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def rfft(
    tensor: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the first n // 2 + 1 numbers of the spectrum of real values along an axis."""
@overload
def rfft(
    tensor: GroupArray,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def rfft(
    tensor: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

@overload
def rfft2(
    tensor: Tensor,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum of real values along the last two axes; half of it along the last."""
@overload
def rfft2(
    tensor: GroupArray,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def rfft2(
    tensor: ArrayLike,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

def rfftfreq(
    n: int,
    /,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    device: Manager | None = None,
) -> Array:
    """Return the frequencies of the numbers of a half spectrum of n values, d apart, as an
    array.
    """

@overload
def rfftn(
    tensor: Tensor,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the spectrum of real values along several axes; half of it along the last one."""
@overload
def rfftn(
    tensor: GroupArray,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: GroupArray | None = None,
) -> GroupArray: ...
@overload
def rfftn(
    tensor: ArrayLike,
    /,
    s: collections.abc.Sequence[int] | None = None,
    axes: collections.abc.Sequence[int] | None = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array: ...

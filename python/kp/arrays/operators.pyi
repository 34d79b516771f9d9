# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python_stubs.py. Do not edit it: change the functions.
# What NumPy takes as an array includes tensors and arrays of groups, which come first.
# pyright: reportOverlappingOverload=false

import collections.abc
import numpy as np
from kp._kp import Tensor
from numpy.typing import DTypeLike, NDArray
from typing import Any, TypeAlias
from typing_extensions import Self

Operand: TypeAlias = (
    Operators | Tensor | complex | np.generic | NDArray[Any] | list[Any] | tuple[Any, ...]
)

class Operators:
    """Base of Array and GroupArray."""

    def __add__(self, other: Operand) -> Self: ...

    def __radd__(self, other: Operand) -> Self: ...

    def __iadd__(self, other: Operand) -> Self: ...

    def __sub__(self, other: Operand) -> Self: ...

    def __rsub__(self, other: Operand) -> Self: ...

    def __isub__(self, other: Operand) -> Self: ...

    def __mul__(self, other: Operand) -> Self: ...

    def __rmul__(self, other: Operand) -> Self: ...

    def __imul__(self, other: Operand) -> Self: ...

    def __truediv__(self, other: Operand) -> Self: ...

    def __rtruediv__(self, other: Operand) -> Self: ...

    def __itruediv__(self, other: Operand) -> Self: ...

    def __floordiv__(self, other: Operand) -> Self: ...

    def __rfloordiv__(self, other: Operand) -> Self: ...

    def __ifloordiv__(self, other: Operand) -> Self: ...

    def __mod__(self, other: Operand) -> Self: ...

    def __rmod__(self, other: Operand) -> Self: ...

    def __imod__(self, other: Operand) -> Self: ...

    def __pow__(self, other: Operand) -> Self: ...

    def __rpow__(self, other: Operand) -> Self: ...

    def __ipow__(self, other: Operand) -> Self: ...

    def __and__(self, other: Operand) -> Self: ...

    def __rand__(self, other: Operand) -> Self: ...

    def __iand__(self, other: Operand) -> Self: ...

    def __or__(self, other: Operand) -> Self: ...

    def __ror__(self, other: Operand) -> Self: ...

    def __ior__(self, other: Operand) -> Self: ...

    def __xor__(self, other: Operand) -> Self: ...

    def __rxor__(self, other: Operand) -> Self: ...

    def __ixor__(self, other: Operand) -> Self: ...

    def __lshift__(self, other: Operand) -> Self: ...

    def __rlshift__(self, other: Operand) -> Self: ...

    def __ilshift__(self, other: Operand) -> Self: ...

    def __rshift__(self, other: Operand) -> Self: ...

    def __rrshift__(self, other: Operand) -> Self: ...

    def __irshift__(self, other: Operand) -> Self: ...

    def __lt__(self, other: Operand) -> Self: ...

    def __le__(self, other: Operand) -> Self: ...

    def __gt__(self, other: Operand) -> Self: ...

    def __ge__(self, other: Operand) -> Self: ...

    def __eq__(self, other: Any) -> Self: ...  # type: ignore[override]

    def __ne__(self, other: Any) -> Self: ...  # type: ignore[override]

    def __neg__(self) -> Self: ...

    def __pos__(self) -> Self: ...

    def __abs__(self) -> Self: ...

    def __invert__(self) -> Self: ...

    def __divmod__(self, other: Operand) -> tuple[Self, Self]: ...

    def __rdivmod__(self, other: Operand) -> tuple[Self, Self]: ...

    def __matmul__(self, other: Operand) -> Self: ...

    def __rmatmul__(self, other: Operand) -> Self: ...

    def __imatmul__(self, other: Operand) -> Self: ...

    @property
    def T(self) -> Self:
        """The array with its axes in reverse order, as a view."""

    @property
    def mT(self) -> Self:
        """The array with its last two axes swapped, as a view."""

    @property
    def real(self) -> Self:
        """The real parts."""

    @real.setter
    def real(self, value: Any) -> None: ...

    @property
    def imag(self) -> Self:
        """The imaginary parts."""

    @imag.setter
    def imag(self, value: Any) -> None: ...

    def sum(
        self,
        axis: int | collections.abc.Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Self:
        """Return kp.sum(self, ...)."""

    def prod(
        self,
        axis: int | collections.abc.Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Self:
        """Return kp.prod(self, ...)."""

    def mean(
        self,
        axis: int | collections.abc.Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
        keepdims: bool = False,
        where: Any = None,
    ) -> Self:
        """Return kp.mean(self, ...)."""

    def min(
        self,
        axis: int | collections.abc.Sequence[int] | None = None,
        out: Self | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Self:
        """Return kp.min(self, ...)."""

    def max(
        self,
        axis: int | collections.abc.Sequence[int] | None = None,
        out: Self | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Self:
        """Return kp.max(self, ...)."""

    def argmin(
        self,
        axis: int | None = None,
        out: Self | None = None,
        keepdims: bool = False,
    ) -> Self:
        """Return kp.argmin(self, ...)."""

    def argmax(
        self,
        axis: int | None = None,
        out: Self | None = None,
        keepdims: bool = False,
    ) -> Self:
        """Return kp.argmax(self, ...)."""

    def any(
        self,
        axis: int | collections.abc.Sequence[int] | None = None,
        out: Self | None = None,
        keepdims: bool = False,
        where: Any = None,
    ) -> Self:
        """Return kp.any(self, ...)."""

    def all(
        self,
        axis: int | collections.abc.Sequence[int] | None = None,
        out: Self | None = None,
        keepdims: bool = False,
        where: Any = None,
    ) -> Self:
        """Return kp.all(self, ...)."""

    def var(
        self,
        axis: int | collections.abc.Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
        ddof: float | None = None,
        keepdims: bool = False,
        *,
        correction: float = 0,
        where: Any = None,
        mean: Any = None,
    ) -> Self:
        """Return kp.var(self, ...)."""

    def std(
        self,
        axis: int | collections.abc.Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
        ddof: float | None = None,
        keepdims: bool = False,
        *,
        correction: float = 0,
        where: Any = None,
        mean: Any = None,
    ) -> Self:
        """Return kp.std(self, ...)."""

    def cumsum(
        self,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
    ) -> Self:
        """Return kp.cumsum(self, ...)."""

    def cumprod(
        self,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
    ) -> Self:
        """Return kp.cumprod(self, ...)."""

    def reshape(self, *shape: Any, order: str | None = "C", copy: bool | None = None) -> Self:
        """Return kp.reshape(self, ...)."""

    def transpose(self, *axes: Any) -> Self:
        """Return kp.transpose(self, ...)."""

    def squeeze(self, axis: int | collections.abc.Sequence[int] | None = None) -> Self:
        """Return kp.squeeze(self, ...)."""

    def flatten(self, order: str | None = "C") -> Self:
        """Return kp.flatten(self, ...)."""

    def ravel(self, order: str | None = "C") -> Self:
        """Return kp.ravel(self, ...)."""

    def take(
        self,
        indices: Any,
        axis: int | None = None,
        out: Self | None = None,
        mode: str = "raise",
    ) -> Self:
        """Return kp.take(self, ...)."""

    def repeat(self, repeats: Any, axis: int | None = None) -> Self:
        """Return kp.repeat(self, ...)."""

    def clip(
        self,
        min: Any = None,
        max: Any = None,
        out: Self | None = None,
        *,
        a_min: Any = None,
        a_max: Any = None,
    ) -> Self:
        """Return kp.clip(self, ...)."""

    def round(self, decimals: int = 0, out: Self | None = None) -> Self:
        """Return kp.round(self, ...)."""

    def dot(self, b: Any, out: Self | None = None) -> Self:
        """Return kp.dot(self, ...)."""

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """Return kp.diagonal(self, ...)."""

    def trace(
        self,
        offset: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
    ) -> Self:
        """Return kp.trace(self, ...)."""

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Return kp.swapaxes(self, ...)."""

    def choose(
        self,
        choices: collections.abc.Sequence[Any],
        out: Self | None = None,
        mode: str = "raise",
    ) -> Self:
        """Return kp.choose(self, ...)."""

    def put(self, ind: Any, v: Any, mode: str = "raise") -> None:
        """Return kp.put(self, ...)."""

    def searchsorted(self, values: Any, /, side: str = "left", sorter: Self | None = None) -> Self:
        """Return kp.searchsorted(self, ...)."""

    def argsort(
        self,
        axis: int | None = -1,
        kind: str | None = None,
        order: None = None,
        *,
        descending: bool = False,
        out: Self | None = None,
        stable: bool | None = True,
    ) -> Self:
        """Return kp.argsort(self, ...)."""

    def nonzero(self) -> tuple[Self, ...]:
        """Return kp.nonzero(self, ...)."""

    def conj(self) -> Self:
        """Return the complex conjugates; for real numbers the array itself, as in NumPy."""

    def conjugate(self) -> Self:
        """Return the complex conjugates; for real numbers the array itself, as in NumPy."""

    def sort(self, axis: int = -1) -> None:
        """Sort in place along an axis."""

    def partition(self, kth: Any, axis: int = -1) -> None:
        """Bring the kth elements along an axis to their sorted places, in place."""

    def compress(self, condition: Any, axis: int | None = None, out: Self | None = None) -> Self:
        """Return the slices along an axis, or the flat elements, whose flag is true."""

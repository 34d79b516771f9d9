# SPDX-License-Identifier: Apache-2.0
"""Common base of arrays of one device and of a group: everything derived from shape, dtype and
numpy()."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._package import package
from .._tensors.cuda import host_dlpack
from .._errors import Error
from .._kp import DeviceGroup, Manager
from .._messages.notebook import values_as_html
from .._wording import counted, kind_of
from .operators import Operators
from .storage import DType, Shape

if TYPE_CHECKING:
    from typing_extensions import Self


def is_host(device: Any) -> bool:
    """Return whether the argument of to_device() is "cpu". Raises TypeError if it is not a
    device."""
    if isinstance(device, str) and device == "cpu":
        return True
    if not isinstance(device, (Manager, DeviceGroup)):
        raise TypeError(
            'device must be a kp.Manager, a kp.DeviceGroup or "cpu" (a NumPy array), not '
            f"{kind_of(device)}"
        )
    return False


class Values(Operators):
    """Base of Array and GroupArray."""

    __slots__ = ()
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    _dtype: DType
    _shape: Shape

    def numpy(self) -> NDArray[Any]:
        """Return the elements as a new NumPy array."""
        raise NotImplementedError

    def copy(self) -> Self:
        """Return a copy that shares no memory."""
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Self:
        raise NotImplementedError

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NotImplementedError

    # --- attributes -------------------------------------------------------------------------------

    @property
    def shape(self) -> Shape:
        """Extents."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """NumPy's type of an element."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self._shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self._dtype.itemsize

    # --- to the host ------------------------------------------------------------------------------

    def get(self) -> NDArray[Any]:
        """Return numpy(), by CuPy's name."""
        return self.numpy()

    def item(self, *index: Any) -> int | float:
        """Return the only element, or the one at an index, as a Python number: bool, int, float or
        complex.

        Type checkers know int and float, as most programs expect one of them.
        """
        if not index:
            if self.size != 1:
                raise ValueError("item() without an index needs an array of one element")
            only: int | float = self._item()
            return only
        key = index[0] if len(index) == 1 else index
        if isinstance(key, int):
            if not -self.size <= key < self.size:
                raise IndexError(
                    f"index {key} is out of bounds for {counted(self.size, 'element')}"
                )
            key = tuple(int(each) for each in np.unravel_index(key % self.size, self.shape))
        one: Values = self[key]
        return one.item()

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
        return self.numpy().tolist()

    def tobytes(self) -> bytes:
        """Return the elements in C order as bytes."""
        return self.numpy().tobytes()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array on a device cannot become a NumPy array without a copy")
        values = self.numpy()
        return values if dtype is None else values.astype(dtype, copy=False)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a capsule with a copy in host memory."""
        if stream is not None:
            raise ValueError("stream must be None: the capsule is in host memory")
        if dl_device is not None and (int(dl_device[0]), int(dl_device[1])) != (1, 0):
            raise BufferError("arrays are exported to the host only: dl_device (1, 0)")
        if copy is False:
            raise BufferError("an array on a device cannot be exported without a copy")
        return host_dlpack(self.numpy(), max_version, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    # --- Python -----------------------------------------------------------------------------------

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of an array without axes")
        return self._shape[0]

    def __iter__(self) -> Iterator[Self]:
        if not self._shape:
            raise TypeError("iteration over an array without axes")
        return (self[i] for i in range(self._shape[0]))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def _item(self) -> Any:
        """Return the only element as a Python number."""
        return self.numpy().reshape(())[()].item()

    def _single(self, what: str) -> Any:
        if self.size != 1:
            raise ValueError(f"{what} needs an array of one element, but this one has {self.size}")
        return self._item()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                "the truth of an array with more or fewer than one element is ambiguous; use any() "
                "or all()"
            )
        return bool(self._single("bool()"))

    def __int__(self) -> int:
        return int(self._single("int()"))

    def __float__(self) -> float:
        return float(self._single("float()"))

    def __complex__(self) -> complex:
        return complex(self._single("complex()"))

    def __round__(self, digits: int | None = None) -> Any:
        if self._shape:
            raise TypeError("round() is for arrays without axes; kp.round() rounds each element")
        return round(self._single("round()"), digits)

    def __index__(self) -> int:
        if self._shape or self._dtype.kind not in "iu":
            raise TypeError("only integer arrays without axes can be an index")
        return int(self._single("an index"))

    def __repr__(self) -> str:
        try:
            return repr(self.numpy())
        except Error as error:  # its manager was destroyed, for example
            return f"<kp.{type(self).__name__} of shape {self._shape}, {self._dtype}: {error}>"

    def __str__(self) -> str:
        return str(self.numpy())

    def __format__(self, text: str) -> str:
        return format(self.numpy() if self._shape else self.numpy()[()], text)

    def _repr_html_(self) -> str:
        title = f"kp.{type(self).__name__}, shape {self._shape}, {self._dtype}"
        return values_as_html(title, self.numpy())

    def __reduce__(self) -> tuple[Any, ...]:
        from .creation import unpickled

        return (unpickled, (self.numpy(),))

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Self:
        return self.copy()

    # --- protocols --------------------------------------------------------------------------------

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        if api_version is not None and api_version not in (
            "2021.12",
            "2022.12",
            "2023.12",
            "2024.12",
            "2025.12",
        ):
            raise ValueError(f"version {api_version} of the array API is not supported")
        return package()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .protocols import call_ufunc

        return call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from .protocols import call_function

        return call_function(func, types, args, kwargs)

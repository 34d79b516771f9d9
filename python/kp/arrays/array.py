# SPDX-License-Identifier: Apache-2.0
"""The array type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import _kp
from .._tensors import cuda
from .._errors import InvalidArgument
from .._kp import DeviceGroup, Manager, Tensor
from .._wording import explains_methods
from .storage import DType, Shape, blank, contiguous_strides
from .types import require_cast
from .values import Values, is_host

if TYPE_CHECKING:
    from .groups.array import GroupArray


def _bound(described: type) -> type:
    """Give the class of the library the methods of one that describes it, and return it."""
    bound: type = _kp.Array
    own = set(vars(bound))
    for base in reversed(described.__mro__[:-1]):
        for name, value in vars(base).items():
            if name not in own and name not in ("__dict__", "__weakref__", "__slots__"):
                setattr(bound, name, value)
    bound.__doc__ = described.__doc__
    setattr(bound, "__slots__", ())
    return bound


@explains_methods
class Array(Values):
    """An array on a device, with NumPy's semantics.

    It is a strided view of a tensor, or an expression that is computed when its values are needed:
    when they are read, viewed, sorted and so on, or by evaluate(). Created by kp.array(),
    kp.zeros() and the other functions of the array API standard. Several threads may read an
    array; while one changes it, no other uses it or arrays that share its memory.
    """

    if TYPE_CHECKING:
        _manager: Manager
        #: Strides and the first element of the view, in elements.
        _strides: Shape
        _offset: int
        _writable: bool
        _is_evaluated: bool
        #: The view's memory, and its number of elements.
        _memory_id: int
        _memory_count: int
        #: Whether no other array shares the memory.
        _alone: bool

        def __init__(self, *_: Any, **__: Any) -> None: ...
        def evaluate(self) -> Array:
            """Start computing the elements, if that has not happened yet. Returns the array at once."""

        def glsl(self) -> str:
            """Return the shader that computes this array, or copies it if it is computed already."""

        def copy(self) -> Array:
            """Return a copy that shares no memory."""

        @property
        def manager(self) -> Manager:
            """The manager that the memory belongs to."""

        def _strided(
            self, offset: int, shape: Any, strides: Any, writable: bool = True
        ) -> Array: ...
        def _whole(self) -> Array: ...
        def _contiguous(self) -> Array: ...
        def _is_whole(self) -> bool: ...
        def _is_contiguous(self) -> bool: ...
        def _cast(self, dtype: DType) -> Array: ...
        def _viewed(self, dtype: Any) -> Array: ...
        def _memory(self) -> Tensor: ...
        def _tensor(self, shape: Shape) -> Tensor: ...
        def _keep(self) -> None: ...
        def _given(self) -> Tensor: ...
        def _read(self, out: NDArray[Any]) -> None: ...
        def _become(self, value: Array) -> None: ...
        def _before_write(self) -> None: ...
        @staticmethod
        def _in(tensor: Tensor, dtype: DType, given: bool, shape: Shape | None = None) -> Array: ...
        @staticmethod
        def _new_tensor(manager: Manager, shape: Shape, dtype: DType) -> tuple[Array, Tensor]: ...
        @staticmethod
        def _uploaded(manager: Manager, values: NDArray[Any]) -> Array: ...

    # --- attributes -------------------------------------------------------------------------------

    @property
    def strides(self) -> Shape:
        """Bytes from an element to the next along each axis."""
        return tuple(stride * self._dtype.itemsize for stride in self._strides)

    @property
    def device(self) -> Manager:
        """The manager, which stands for the device."""
        return self._manager

    @overload
    def to_device(self, device: Manager, /, *, stream: Any = None) -> Array: ...
    @overload
    def to_device(self, device: DeviceGroup, /, *, stream: Any = None) -> GroupArray: ...
    @overload
    def to_device(self, device: Literal["cpu"], /, *, stream: Any = None) -> NDArray[Any]: ...
    def to_device(
        self, device: Manager | DeviceGroup | Literal["cpu"], /, *, stream: Any = None
    ) -> Array | GroupArray | NDArray[Any]:
        """Return the array itself, or a copy with another manager, or on the devices of a group.

        "cpu" is the host, and the copy there a NumPy array.
        """
        if stream is not None:
            raise ValueError("there are no streams here; leave out stream")
        if is_host(device):
            return self.numpy()
        if device is self._manager:
            return self
        from .creation import array

        if isinstance(device, DeviceGroup):
            return array(self.numpy(), group=device)
        assert isinstance(device, Manager)
        return array(self.numpy(), device=device)

    # --- to the host ------------------------------------------------------------------------------

    def numpy(self) -> NDArray[Any]:
        """Return the elements as a new NumPy array."""
        values = np.empty(self._shape, self._dtype)
        if values.size:
            self._read(values)
        return values

    def tensor(self) -> Tensor:
        """Return a tensor with these elements in C order, flat.

        It is the array's own memory if it holds nothing else, and a copy otherwise.
        Pending expressions keep the current values.
        """
        if self.size == 0:
            return self._manager.tensor(shape=(0,), dtype=self._dtype)
        return self._given()

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a capsule with a copy in host memory.

        An array in the memory of a shared tensor gives a capsule of CUDA memory.
        """
        if (tensor := self._shared_tensor()) is not None:
            return cuda.shared_dlpack(
                tensor,
                self._shape,
                self._strides,
                self._offset,
                stream=stream,
                max_version=max_version,
                dl_device=dl_device,
                copy=copy,
            )
        return Values.__dlpack__(
            self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        tensor = self._shared_tensor()
        return Values.__dlpack_device__(self) if tensor is None else cuda.dlpack_device(tensor)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Describe the memory to CuPy, Numba and others, if it belongs to a shared tensor."""
        tensor = self._shared_tensor()
        if tensor is None:
            raise AttributeError(
                "only arrays in the memory of a shared tensor (kp.from_dlpack, kp.asarray) have a "
                "__cuda_array_interface__"
            )
        given = cuda.array_interface(tensor)
        item = self._dtype.itemsize
        given["shape"] = self._shape
        given["strides"] = tuple(step * item for step in self._strides)
        given["data"] = (given["data"][0] + self._offset * item, False)
        return given

    def _shared_tensor(self) -> Tensor | None:
        """Return the memory of the elements if CUDA uses it, too."""
        if not self._is_evaluated:
            return None
        tensor = self._memory()
        return tensor if tensor.is_shared else None

    # --- elements ---------------------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any) -> None:
        from .shapes.indexing import put

        put(self, key, value)

    def astype(
        self, dtype: DTypeLike, *, copy: bool = True, device: Any = None, casting: str = "unsafe"
    ) -> Array:
        """Return the elements in another dtype. Raises TypeError if the rule `casting` forbids it."""
        from .elementwise import astype

        require_cast(self._dtype, dtype, casting)
        return astype(self, dtype, copy=copy, device=device)

    def view(self, dtype: DTypeLike | None = None) -> Array:
        """Return the bytes of the elements as elements of another dtype, in the same memory.

        If the dtypes differ in size, the last axis has more or fewer elements. It must be contiguous
        then, and its bytes a whole number of elements; else this raises ValueError.
        """
        return self._viewed(self._dtype if dtype is None else np.dtype(dtype))

    def __kp_tensor__(self, writable: bool) -> tuple[Tensor, Callable[[], None] | None]:
        """Return a tensor with the elements in C order, for kernels, and a callback for after the
        launch.

        The tensor is the array's own if the array covers it, else a copy that is copied back.
        """
        if writable and not self._writable:
            raise ValueError("the array is read-only, because it repeats elements; copy() it first")
        if not self._is_whole():
            copied = self.copy()
            memory = copied._tensor(
                copied.shape
            )  # which keeps the copy, so that nothing else gets it
            return memory, (lambda: self.__setitem__(..., copied)) if writable else None
        if writable:
            self._before_write()
        return self._memory(), None

    def __kp_memory__(self, writable: bool) -> int | None:
        """Return the number of the array's memory, as __kp_tensor__ does; None if it would give a
        copy."""
        if not self._is_whole():
            return None
        if writable:
            self._before_write()
        return self._memory_id

    @staticmethod
    def _from_tensor(tensor: Tensor) -> Array:
        """Return an array in the memory of a tensor, regardless of its contents."""
        if tensor.size() == 0:  # kernels, reductions for example, take no memory without elements
            return blank(tensor.manager, tensor.shape, tensor.dtype)
        if (owner := tensor._owner) is not None:
            made: Array = owner._strided(0, tensor.shape, contiguous_strides(tensor.shape))
            return made
        return Array._in(tensor, tensor.dtype, False)

    def fill(self, value: Any) -> None:
        """Set all elements."""
        self[...] = value


if not TYPE_CHECKING:
    Array = _bound(Array)


def share(tensor: Tensor) -> Array:
    """Return an array in the memory of a tensor that has other owners."""
    if not tensor.is_init():
        which = "manager" if not tensor.manager.is_init() else "tensor"
        raise InvalidArgument(f"this {which} was destroyed")
    if tensor.size() == 0:
        return blank(tensor.manager, tensor.shape, tensor.dtype)
    return Array._in(tensor, tensor.dtype, True)


def converted(array: Array, dtype: DType) -> Array:
    """Return an array in another dtype."""
    if array._dtype == dtype:
        return array
    if type(array) is not Array:
        return array.astype(dtype)  # of a group
    return array._cast(dtype)

# SPDX-License-Identifier: Apache-2.0
"""The array type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import _cuda
from .._kp import DeviceGroup, Manager, Tensor
from .._wording import explains_methods
from . import launching
from .expressions import Node, before_write, cast, leaf
from .storage import DType, Shape, Storage, View, contiguous_strides
from .types import require_cast
from .values import Values, is_host

if TYPE_CHECKING:
    from .group_array import GroupArray


@explains_methods
class Array(Values):
    """An array on a device, with NumPy's semantics.

    It is a strided view of a tensor, or an expression that is computed when its values are needed:
    when they are read, viewed, sorted and so on, or by evaluate(). Created by kp.array(),
    kp.zeros() and the other functions of the array API standard. Several threads may read an
    array; while one changes it, no other uses it or arrays that share its memory.
    """

    __slots__ = ("__weakref__", "_dtype", "_manager", "_pending", "_shape", "_view")

    _manager: Manager
    _view: View | None
    _pending: Node | None

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("arrays are created by kp.array(), kp.zeros() and other functions")

    @classmethod
    def _of_node(cls, node: Node, manager: Manager) -> Array:
        self = object.__new__(cls)
        self._manager = manager
        self._dtype = node.dtype
        self._shape = node.shape
        self._view = None
        self._pending = node
        node.manager = manager
        if node.shared:
            self._evaluated()
        return self

    @classmethod
    def _of_view(cls, view: View) -> Array:
        self = object.__new__(cls)
        self._manager = view.storage.manager
        self._dtype = view.storage.dtype
        self._shape = view.shape
        self._view = view
        self._pending = None
        return self

    # --- evaluation -------------------------------------------------------------------------------

    def evaluate(self) -> Array:
        """Start computing the elements, if that has not happened yet. Returns the array at once."""
        self._evaluated()
        return self

    def _evaluated(self) -> View:
        """Return the elements in memory."""
        view = self._view
        if view is None:
            pending = self._pending
            if pending is not None:
                self._view = launching.materialize(pending)
                self._pending = None
            view = self._view  # another thread may have computed it
            assert view is not None
        return view

    def _node(self) -> Node:
        """Return the elements as a part of an expression."""
        pending = self._pending
        if pending is not None and pending.op != "leaf":
            return pending
        return leaf(self._evaluated())

    def _become(self, node: Node) -> None:
        """Replace the elements, of the same shape and dtype; no other array has them."""
        node.manager = self._manager
        self._pending = node
        self._view = None

    def glsl(self) -> str:
        """Return the shader that computes this array, or copies it if it is computed already."""
        return launching.glsl(self._node())

    # --- attributes -------------------------------------------------------------------------------

    @property
    def strides(self) -> Shape:
        """Bytes from an element to the next along each axis."""
        elements = contiguous_strides(self._shape) if self._view is None else self._view.strides
        return tuple(stride * self._dtype.itemsize for stride in elements)

    @property
    def manager(self) -> Manager:
        """The manager that the memory belongs to."""
        return self._manager

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
        if self.size == 0:
            return np.empty(self._shape, self._dtype)
        view = launching.contiguous(self._evaluated())
        read = view.storage.read(view.offset, self.size)
        return read.view(self._dtype).reshape(self._shape)

    def tensor(self) -> Tensor:
        """Return a tensor with these elements in C order, flat.

        It is the array's own memory if that has nothing else in it, and a copy otherwise.
        Expressions that are not computed yet keep the present values.
        """
        if self.size == 0:
            return self._manager.tensor(shape=(0,), dtype=self._dtype)
        view = launching.whole(self._evaluated())
        if not view.storage.shared:
            before_write(view.storage)
        view.storage.pooled = False
        view.storage.shared = True
        return view.storage.tensor

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a capsule with a copy in host memory.

        An array in the memory of a shared tensor gives a capsule of that, in CUDA's memory.
        """
        if (view := self._shared_view()) is not None:
            return _cuda.shared_dlpack(
                view.storage.tensor,
                view.shape,
                view.strides,
                view.offset,
                stream=stream,
                max_version=max_version,
                dl_device=dl_device,
                copy=copy,
            )
        return super().__dlpack__(
            stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        view = self._shared_view()
        return (
            super().__dlpack_device__()
            if view is None
            else _cuda.dlpack_device(view.storage.tensor)
        )

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Describe the memory to CuPy, Numba and others, if it is that of a shared tensor."""
        view = self._shared_view()
        if view is None:
            raise AttributeError(
                "only arrays in the memory of a shared tensor (kp.from_dlpack, kp.asarray) have a "
                "__cuda_array_interface__"
            )
        given = _cuda.array_interface(view.storage.tensor)
        item = self._dtype.itemsize
        given["shape"] = view.shape
        given["strides"] = tuple(step * item for step in view.strides)
        given["data"] = (given["data"][0] + view.offset * item, False)
        return given

    def _shared_view(self) -> View | None:
        """Return the elements if they are in memory that CUDA uses, too."""
        if self._view is None or not self._view.storage.tensor.is_shared:
            return None
        return self._view

    # --- elements ---------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Array:
        from .indexing import get

        return get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from .indexing import put

        put(self, key, value)

    def astype(
        self, dtype: DTypeLike, *, copy: bool = True, device: Any = None, casting: str = "unsafe"
    ) -> Array:
        """Return the elements in another dtype. Raises TypeError if the rule `casting` forbids it."""
        from .elementwise import astype

        require_cast(self._dtype, dtype, casting)
        return astype(self, dtype, copy=copy, device=device)

    def copy(self) -> Array:
        """Return a copy that shares no memory."""
        node = self._pending
        if node is None or node.op == "leaf":
            assert self._view is not None or node is not None
            view = View.new(self._manager, self._shape, self._dtype)
            launching.store(view, self._node())
            return Array._of_view(view)
        self._evaluated()
        return self.copy()

    def __kp_tensor__(self, writable: bool) -> tuple[Tensor, Callable[[], None] | None]:
        """Return a tensor with the elements in C order, for kernels, and what to call after they ran.

        The tensor is the array's own if it is a whole one, else a copy that is copied back.
        """
        view = self._evaluated()
        if writable and not view.writable:
            raise ValueError("the array is read-only, because it repeats elements; copy() it first")
        if not view.is_whole():
            copied = self.copy()
            tensor = copied._evaluated().storage.tensor
            return tensor, (lambda: self.__setitem__(..., copied)) if writable else None
        if writable:
            before_write(view.storage)
        return view.storage.tensor, None

    def __kp_whole__(self) -> bool:
        """Return whether __kp_tensor__ gives the array's own memory."""
        return self._evaluated().is_whole()

    @staticmethod
    def _from_tensor(tensor: Tensor) -> Array:
        """Return an array in the memory of a tensor, whatever its contents."""
        if tensor.size() == 0:  # kernels, reductions for example, take no memory without elements
            return Array._of_view(View.new(tensor.manager, tensor.shape, tensor.dtype))
        storage = tensor._owner or Storage.of(tensor)
        view = View(storage, 0, tensor.shape, contiguous_strides(tensor.shape))
        return Array._of_view(view)

    def fill(self, value: Any) -> None:
        """Set all elements."""
        self[...] = value


def share(tensor: Tensor) -> Array:
    """Return an array in the memory of a tensor that others have, too."""
    array = Array._from_tensor(tensor)
    array._evaluated().storage.shared = True
    return array


def converted(array: Array, dtype: DType) -> Array:
    """Return an array in another dtype."""
    if array._dtype == dtype:
        return array
    if type(array) is not Array:
        return array.astype(dtype)  # of a group
    return Array._of_node(cast(array._node(), dtype), array._manager)

# SPDX-License-Identifier: Apache-2.0
"""The array type."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._kp import Manager, Tensor
from .._notebook import values_as_html
from . import launching
from .expressions import Node, before_write, cast, leaf, storages
from .operators import Operators
from .storage import DType, Shape, Storage, View, contiguous_strides


class Array(Operators):
    """An array on a device, with NumPy's semantics.

    It is a strided view of a tensor, or an expression that is computed when its values are needed:
    when they are read, viewed, sorted and so on, or by evaluate(). Created by kp.array(),
    kp.zeros() and the other functions of the array API standard. One thread at a time uses an
    array, or arrays that share memory.
    """

    __slots__ = ("__weakref__", "_dtype", "_manager", "_pending", "_shape", "_view")
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    _dtype: DType
    _manager: Manager
    _shape: Shape
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
        if any(storage.shared for storage in storages(node).values()):
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
        if self._view is None:
            assert self._pending is not None
            self._view = launching.materialize(self._pending)
            self._pending = None
        return self._view

    def _node(self) -> Node:
        """Return the elements as a part of an expression."""
        if self._pending is not None:
            if self._pending.op != "leaf":
                return self._pending
            self._evaluated()
        assert self._view is not None
        return leaf(self._view)

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

    def to_device(self, device: Manager, /, *, stream: Any = None) -> Array:
        """Return the array itself, or a copy with another manager."""
        if stream is not None:
            raise ValueError("there are no streams here; leave out stream")
        if not isinstance(device, Manager):
            raise TypeError(f"device must be a kp.Manager, not {type(device).__name__}")
        if device is self._manager:
            return self
        from .creation import array

        return array(self.numpy(), device=device)

    # --- to the host ------------------------------------------------------------------------------

    def numpy(self) -> NDArray[Any]:
        """Return the elements as a new NumPy array."""
        if self.size == 0:
            return np.empty(self._shape, self._dtype)
        view = launching.contiguous(self._evaluated())
        read = view.storage.tensor.read(view.offset, self.size)
        return read.view(self._dtype).reshape(self._shape)

    get = numpy

    def item(self, *index: Any) -> Any:
        """Return the only element, or that at an index, as a Python number."""
        if not index:
            if self.size != 1:
                raise ValueError("item() without an index needs an array of one element")
            return self.numpy().item()
        if len(index) == 1 and isinstance(index[0], int):
            return self.flatten()[index[0]].item()
        return self[index[0] if len(index) == 1 else index].item()

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
        return self.numpy().tolist()

    def tobytes(self) -> bytes:
        """Return the elements in C order as bytes."""
        return self.numpy().tobytes()

    def tensor(self) -> Tensor:
        """Return a tensor with these elements in C order, flat.

        It is the array's own memory if that has nothing else in it, and a copy otherwise. The
        tensor must not be written while expressions that use the array are not evaluated.
        """
        view = launching.whole(self._evaluated())
        view.storage.pooled = False
        view.storage.shared = True
        return view.storage.tensor

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
        return self.numpy().__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    # --- Python -----------------------------------------------------------------------------------

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of an array without axes")
        return self._shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self._shape:
            raise TypeError("iteration over an array without axes")
        return (self[i] for i in range(self._shape[0]))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def _single(self, what: str) -> Any:
        if self.size != 1:
            raise ValueError(f"{what} needs an array of one element, but this one has {self.size}")
        return self.numpy().reshape(())[()].item()

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

    def __index__(self) -> int:
        if self._shape or self._dtype.kind not in "iu":
            raise TypeError("only integer arrays without axes can be an index")
        return int(self._single("an index"))

    def __repr__(self) -> str:
        return repr(self.numpy())

    def __str__(self) -> str:
        return str(self.numpy())

    def __format__(self, text: str) -> str:
        return format(self.numpy() if self._shape else self.numpy()[()], text)

    def _repr_html_(self) -> str:
        return values_as_html(f"kp.Array, shape {self._shape}, {self._dtype}", self.numpy())

    def __reduce__(self) -> tuple[Any, ...]:
        from .creation import array

        return (array, (self.numpy(),))

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Array:
        return self.copy()

    # --- protocols --------------------------------------------------------------------------------

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        if api_version is not None and api_version not in (
            "2021.12",
            "2022.12",
            "2023.12",
            "2024.12",
        ):
            raise ValueError(f"version {api_version} of the array API is not known here")
        import kp

        return kp

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .protocols import call_ufunc

        return call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from .protocols import call_function

        return call_function(func, args, kwargs)

    # --- elements ---------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Array:
        from .indexing import get

        return get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from .indexing import put

        put(self, key, value)

    def astype(self, dtype: DTypeLike, /, *, copy: bool = True, device: Any = None) -> Array:
        """Return the elements in another dtype."""
        from .elementwise import astype

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

    @staticmethod
    def _from_tensor(tensor: Tensor) -> Array:
        """Return an array in the memory of a tensor, whatever its contents."""
        view = View(Storage.of(tensor), 0, tensor.shape, contiguous_strides(tensor.shape))
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
    if array.dtype == dtype:
        return array
    return Array._of_node(cast(array._node(), dtype), array._manager)

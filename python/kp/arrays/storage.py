# SPDX-License-Identifier: Apache-2.0
"""Device memory of arrays, and strided views of it."""

from __future__ import annotations

import functools
import math
import threading
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InvalidArgument, OutOfMemory, Unsupported
from .._kp import Kernel, KernelLauncher, Manager, MemoryTypes, Tensor
from .types import number

if TYPE_CHECKING:
    from .expressions import Node

Shape = tuple[int, ...]
DType = np.dtype[Any]

#: Views count elements in 32 bits.
_LARGEST = 2**31 - 1

#: Bytes that freed memory of a manager may keep for new arrays, as a part of the device's memory.
_KEPT_PART = 1 / 8


#: dtype and number of elements.
_Key = tuple[DType, int]


class _Pool:
    """Memory of freed arrays of one manager, for new ones of the same type and size."""

    def __init__(self, manager: Manager) -> None:
        self._free: dict[_Key, list[Tensor]] = {}
        self._bytes = 0
        self._limit = int(manager.get_device_properties()["memory_bytes"] * _KEPT_PART)
        self._lock = threading.Lock()

    def take(self, key: _Key, bytes_: int) -> Tensor | None:
        with self._lock:
            found = self._free.get(key)
            if not found:
                return None
            self._bytes -= bytes_
            return found.pop()

    def put(self, tensor: Tensor, key: _Key, bytes_: int) -> None:
        if not tensor.is_init():
            return
        with self._lock:
            if self._bytes + bytes_ > self._limit:
                self._free.clear()
                self._bytes = 0
            if bytes_ <= self._limit:
                free = self._free.get(key)
                if free is None:
                    self._free[key] = [tensor]
                else:
                    free.append(tensor)
                self._bytes += bytes_

    def clear(self) -> None:
        with self._lock:
            self._free.clear()
            self._bytes = 0


class Home:
    """What arrays keep of a manager: freed memory, kernels, launchers, and which dtypes it lacks."""

    __slots__ = ("alive", "kernels", "launchers", "pool", "reasons")

    def __init__(self, manager: Manager) -> None:
        number_ = id(manager)
        self.alive = weakref.ref(manager, lambda _: _homes.pop(number_, None))
        self.pool = _Pool(manager)
        self.kernels: dict[str, Kernel] = {}
        self.launchers: dict[tuple[Any, ...], KernelLauncher] = {}
        self.reasons: dict[DType, str] = {}


_homes: dict[int, Home] = {}


def home_of(manager: Manager) -> Home:
    """Return what arrays keep of a manager."""
    found = _homes.get(id(manager))
    if found is None:
        found = _homes[id(manager)] = Home(manager)
    return found


def note(references: list[weakref.ref[Any]], item: Any) -> None:
    """Add a weak reference to a list. Now and then, those to what is gone are removed."""
    count = len(references)
    if count >= 16 and count & (count - 1) == 0:
        references[:] = [each for each in references if each() is not None]
    references.append(weakref.ref(item))


def alive(references: list[weakref.ref[Any]]) -> list[Any]:
    """Return what weak references refer to, if it is still there."""
    return [item for each in references if (item := each()) is not None]


class Storage:
    """A tensor in device memory, and the expressions that still have to read it.

    Whoever writes to it calls expressions.before_write() first, so that pending expressions keep the values
    that they were written with. Expressions with a shared storage are computed at once instead.
    """

    __slots__ = (
        "_key",
        "count",
        "dtype",
        "home",
        "leaves",
        "manager",
        "nbytes",
        "pooled",
        "shared",
        "tensor",
        "views",
    )

    tensor: Tensor
    shared: bool  #: whether somebody else has the tensor, and may write to it unseen
    leaves: list[weakref.ref[Node]]
    views: list[weakref.ref[View]]

    def __init__(self, manager: Manager, dtype: DType, count: int) -> None:
        """Allocate memory with undefined contents. Empty arrays have one element."""
        self.manager = manager
        self.dtype = dtype
        self.pooled = self.shared = False
        self.leaves = []
        self.views = []
        home = self.home = home_of(manager)
        self.count = count or 1
        self.nbytes = dtype.itemsize * self.count
        self._key = (dtype, self.count)
        found = home.pool.take(self._key, self.nbytes)
        self.tensor = _allocate(manager, dtype, self.count) if found is None else found
        self.pooled = True

    @classmethod
    def of(cls, tensor: Tensor) -> Storage:
        """Share the memory of a tensor that others use, too."""
        self = cls.__new__(cls)
        self.manager = tensor.manager
        self.dtype = number(tensor.dtype).dtype
        self.pooled = False
        require(self.manager, self.dtype)
        self.home = home_of(self.manager)
        self.count = tensor.size()
        self.nbytes = self.dtype.itemsize * self.count
        self.tensor = tensor
        self.shared = False
        self.leaves = []
        self.views = []
        return self

    def read(self, offset: int, count: int, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return elements of the tensor, which has to be there still."""
        if not self.tensor.is_init():
            which = "manager" if not self.manager.is_init() else "tensor"
            raise InvalidArgument(f"this {which} was destroyed, and with it the array's memory")
        return self.tensor.read(offset, count, out=out)

    def __del__(self) -> None:
        if self.pooled:
            self.home.pool.put(self.tensor, self._key, self.nbytes)


def _allocate(manager: Manager, dtype: DType, count: int) -> Tensor:
    if count > _LARGEST:
        raise Unsupported(
            f"an array has at most {_LARGEST} elements, but {count} were asked for; use several"
        )
    require(manager, dtype)

    def made() -> Tensor:
        return manager.tensor(shape=(count,), dtype=dtype, memory_type=MemoryTypes.storage)

    try:
        return made()
    except OutOfMemory:
        home_of(manager).pool.clear()
        return made()


def unsupported_reason(manager: Manager, dtype: DType) -> str:
    """Return why arrays of a device cannot have a dtype; empty if they can."""
    reasons = home_of(manager).reasons
    if dtype not in reasons:
        from .launching import probe

        reasons[dtype] = probe(manager, dtype)
    return reasons[dtype]


def require(manager: Manager, dtype: DType) -> None:
    """Raise Unsupported if arrays of a device cannot have a dtype."""
    if reason := unsupported_reason(manager, dtype):
        device = manager.get_device_properties()["device_name"]
        wider = {"f": "float32", "i": "int32", "u": "uint32", "b": "uint32", "c": "complex64"}
        raise Unsupported(
            f"{device} has no arrays of {dtype}; convert to {wider[dtype.kind]} first. {reason}"
        )


class View:
    """Strided elements of a storage. Offset and strides count elements."""

    __slots__ = ("__weakref__", "offset", "shape", "storage", "strides", "writable")

    def __init__(
        self,
        storage: Storage,
        offset: int,
        shape: Shape,
        strides: Shape,
        writable: bool = True,
    ) -> None:
        self.storage = storage
        self.offset = offset
        self.shape = shape
        self.strides = strides
        self.writable = writable
        if storage.views:
            note(storage.views, self)
        else:
            storage.views.append(weakref.ref(self))

    @classmethod
    def new(cls, manager: Manager, shape: Shape, dtype: DType) -> View:
        """Return new memory in C order."""
        return cls(Storage(manager, dtype, math.prod(shape)), 0, shape, contiguous_strides(shape))

    def is_contiguous(self) -> bool:
        """Return whether the elements are in C order without gaps."""
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent != 1 and stride != expected:
                return 0 in self.shape
            expected *= extent
        return True

    def is_whole(self) -> bool:
        """Return whether these are all elements of the storage in C order."""
        count = math.prod(self.shape)
        return self.offset == 0 and count == self.storage.tensor.size() and self.is_contiguous()


@functools.lru_cache(maxsize=4096)
def contiguous_strides(shape: Shape) -> Shape:
    """Return the strides of an array in C order."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def broadcast(*shapes: Shape, names: Sequence[str] = ()) -> Shape:
    """Return the shape that all shapes broadcast to.

    Raises ValueError if there is none, with the names of the operands, if they have any.
    """
    first = shapes[0]
    for shape in shapes[1:]:
        if shape != first:
            break
    else:
        return first
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        given = " ".join(map(str, shapes))
        if names:
            given = ", ".join(f"{n} {s}" for n, s in zip(names, shapes, strict=True))
        raise ValueError(f"operands could not be broadcast together with shapes {given}") from None


def broadcast_strides(shape: Shape, strides: Shape, target: Shape) -> list[int]:
    """Return the strides that repeat a view along the axes of a larger shape."""
    missing = len(target) - len(shape)
    repeated = [
        stride if extent == wanted else 0
        for extent, stride, wanted in zip(shape, strides, target[missing:], strict=True)
    ]
    return [0] * missing + repeated


def collapse(dims: list[int], strides: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Merge neighbouring axes that all views walk through as one.

    Returns new extents, without axes of one element, and the strides of each view.
    """
    kept = [axis for axis, extent in enumerate(dims) if extent != 1]
    merged: list[int] = []
    rows: list[list[int]] = [[] for _ in strides]
    for axis in kept:
        extent = dims[axis]
        if merged and all(
            row[-1] == own[axis] * extent for row, own in zip(rows, strides, strict=True)
        ):
            merged[-1] *= extent
            for row, own in zip(rows, strides, strict=True):
                row[-1] = own[axis]
        else:
            merged.append(extent)
            for row, own in zip(rows, strides, strict=True):
                row.append(own[axis])
    return merged, rows


def upload(manager: Manager, values: NDArray[Any]) -> View:
    """Return new memory with the contents of a NumPy array."""
    view = View.new(manager, values.shape, values.dtype)
    if values.size:
        view.storage.tensor.write(np.ascontiguousarray(values).reshape(-1))
    return view

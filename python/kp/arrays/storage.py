# SPDX-License-Identifier: Apache-2.0
"""Device memory of arrays, and strided views of it."""

from __future__ import annotations

import math
import threading
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._errors import OutOfMemory, Unsupported
from .._kp import Manager, MemoryTypes, Tensor
from .types import number

if TYPE_CHECKING:
    from .expressions import Node

Shape = tuple[int, ...]
DType = np.dtype[Any]

#: Views count elements in 32 bits.
_LARGEST = 2**31 - 1

#: Bytes that freed memory of a manager may keep for new arrays, as a part of the device's memory.
_KEPT_PART = 1 / 8


class _Pool:
    """Memory of freed arrays of one manager, for new ones of the same type and size."""

    def __init__(self, manager: Manager) -> None:
        self._free: dict[tuple[DType, int], list[Tensor]] = {}
        self._bytes = 0
        self._limit = int(manager.get_device_properties()["memory_bytes"] * _KEPT_PART)
        self._lock = threading.Lock()

    def take(self, dtype: DType, count: int) -> Tensor | None:
        with self._lock:
            found = self._free.get((dtype, count))
            if not found:
                return None
            tensor = found.pop()
            self._bytes -= tensor.nbytes
            return tensor

    def put(self, tensor: Tensor) -> None:
        if not tensor.is_init():
            return
        bytes_ = tensor.nbytes
        with self._lock:
            if self._bytes + bytes_ > self._limit:
                self._free.clear()
                self._bytes = 0
            if bytes_ <= self._limit:
                self._free.setdefault((tensor.dtype, tensor.size()), []).append(tensor)
                self._bytes += bytes_

    def clear(self) -> None:
        with self._lock:
            self._free.clear()
            self._bytes = 0


_pools: weakref.WeakKeyDictionary[Manager, _Pool] = weakref.WeakKeyDictionary()


def _pool(manager: Manager) -> _Pool:
    pool = _pools.get(manager)
    if pool is None:
        pool = _pools[manager] = _Pool(manager)
    return pool


class Storage:
    """A tensor in device memory, and the expressions that still have to read it.

    Whoever writes to it calls expressions.before_write() first, so that pending expressions keep the values
    that they were written with. Expressions with a shared storage are computed at once instead.
    """

    __slots__ = ("__weakref__", "dtype", "leaves", "manager", "pooled", "shared", "tensor", "views")

    def __init__(self, manager: Manager, dtype: DType, count: int) -> None:
        """Allocate memory with undefined contents. Empty arrays have one element."""
        self.manager = manager
        self.dtype = dtype
        self.pooled = True
        self._start()
        if count > _LARGEST:
            raise Unsupported(
                f"an array has at most {_LARGEST} elements, but {count} were asked for; use several"
            )
        require(manager, dtype)
        count = max(count, 1)
        found = _pool(manager).take(dtype, count)
        self.tensor = found if found is not None else _allocate(manager, dtype, count)

    @classmethod
    def of(cls, tensor: Tensor) -> Storage:
        """Share the memory of a tensor that others use, too."""
        self = cls.__new__(cls)
        self.manager = tensor.manager
        self.dtype = number(tensor.dtype).dtype
        require(self.manager, self.dtype)
        self.pooled = False
        self.tensor = tensor
        self._start()
        return self

    def _start(self) -> None:
        self.shared = False  # whether somebody else has the tensor, and may write to it unseen
        self.leaves: weakref.WeakSet[Node] = weakref.WeakSet()
        self.views: weakref.WeakSet[View] = weakref.WeakSet()

    def __del__(self) -> None:
        tensor = getattr(self, "tensor", None)
        if tensor is not None and self.pooled and _pool is not None:
            _pool(self.manager).put(tensor)


def _allocate(manager: Manager, dtype: DType, count: int) -> Tensor:
    def made() -> Tensor:
        return manager.tensor(shape=(count,), dtype=dtype, memory_type=MemoryTypes.storage)

    try:
        return made()
    except OutOfMemory:
        _pool(manager).clear()
        return made()


_supported: weakref.WeakKeyDictionary[Manager, dict[DType, str]] = weakref.WeakKeyDictionary()


def unsupported_reason(manager: Manager, dtype: DType) -> str:
    """Return why arrays of a device cannot have a dtype; empty if they can."""
    known = _supported.setdefault(manager, {})
    if dtype not in known:
        from .launching import probe

        known[dtype] = probe(manager, dtype)
    return known[dtype]


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
        storage.views.add(self)

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


def contiguous_strides(shape: Shape) -> Shape:
    """Return the strides of an array in C order."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


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

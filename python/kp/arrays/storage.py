# SPDX-License-Identifier: Apache-2.0
"""Device memory of arrays, and strided views of it."""

from __future__ import annotations

import functools
import math
import sys
import threading
import types
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InvalidArgument, OutOfMemory, Unsupported
from .._kp import (
    Kernel,
    KernelLauncher,
    Manager,
    MemoryTypes,
    ParametrizedKernelLauncher,
    Tensor,
)
from .rules import rules_of
from .types import number

if TYPE_CHECKING:
    from .expressions import Node

Shape = tuple[int, ...]
DType = np.dtype[Any]

#: Views count elements in 32 bits.
_LARGEST = 2**31 - 1

#: Bytes that freed memory of a manager may keep for new arrays, as a part of the device's memory.
_KEPT_PART = 1 / 8


#: Launchers of a manager that are kept.
_MAX_LAUNCHERS = 64

#: Forms that are kept.
_MAX_FORMS = 1 << 16


class Form:
    """How a view walks through its memory, in elements.

    Equal forms are the same object, as long as it is kept: keys of what was planned hold forms, which
    are compared and hashed in no time.

    - `key`: what freed memory is found by, dtype and number of elements. Empty arrays have one.
    - `nbytes`: the bytes of that memory.
    """

    __slots__ = ("dtype", "key", "nbytes", "offset", "shape", "strides")

    def __init__(self, dtype: DType, offset: int, shape: Shape, strides: Shape) -> None:
        self.dtype = dtype
        self.offset = offset
        self.shape = shape
        self.strides = strides
        count = math.prod(shape) or 1
        self.key = (dtype, count)
        self.nbytes = dtype.itemsize * count


_forms: dict[tuple[DType, int, Shape, Shape], Form] = {}


def form_of(dtype: DType, offset: int, shape: Shape, strides: Shape) -> Form:
    """Return a form."""
    parts = (dtype, offset, shape, strides)
    found = _forms.get(parts)
    if found is None:
        if len(_forms) >= _MAX_FORMS:
            _forms.clear()
        found = _forms.setdefault(parts, Form(*parts))
    return found


class _Shelf:
    """Memory of freed arrays of one dtype and size. It has room for some, which the pool grants."""

    __slots__ = ("free", "key", "nbytes", "room")

    def __init__(self, form: Form) -> None:
        self.key = form.key
        self.nbytes = form.nbytes
        self.free: list[Tensor] = []
        self.room = 0


class _Pool:
    """Memory of freed arrays of one manager, for new ones of the same type and size.

    Whoever takes memory from a shelf, or puts some where there is room, needs no lock, because a list does one
    thing at a time. The rooms of all shelves are within the limit, so their contents are, too.
    """

    def __init__(self, manager: Manager) -> None:
        self._shelves: dict[tuple[DType, int], _Shelf] = {}
        self._bytes = 0  # for which there is room
        self._limit = int(manager.get_device_properties()["memory_bytes"] * _KEPT_PART)
        self._lock = threading.RLock()  # the garbage collector may free an array meanwhile

    def shelf(self, form: Form) -> _Shelf:
        """Return the shelf for the memory of a form."""
        found = self._shelves.get(form.key)
        return self._shelves.setdefault(form.key, _Shelf(form)) if found is None else found

    def put(self, tensor: Tensor, shelf: _Shelf) -> None:
        """Keep memory for which its shelf has no room yet, unless it is larger than the limit."""
        if shelf.nbytes > self._limit:
            return
        with self._lock:
            if self._bytes + shelf.nbytes > self._limit:
                self._clear()
            shelf = self._shelves.setdefault(shelf.key, shelf)
            self._bytes += shelf.nbytes
            shelf.room += 1
            shelf.free.append(tensor)

    def clear(self) -> None:
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        shelves = list(self._shelves.values())
        self._shelves.clear()
        self._bytes = 0
        for shelf in shelves:
            shelf.room = 0
            shelf.free.clear()


class Home:
    """What arrays keep of a manager: freed memory, kernels, launchers, and which dtypes it lacks.

    - `launchers`: those with memory, by what they launch.
    - `kept`: how many references to a tensor they have, by its id.
    - `general`: those that take their memory with each call, by their plans.
    - `missed`: launches that had no launcher lately.
    - `rules`: how kernels divide their work on its device.
    - `range`: the bytes of memory that a kernel binds at most.
    """

    __slots__ = (
        "_memory",
        "alive",
        "general",
        "kept",
        "kernels",
        "launchers",
        "missed",
        "pool",
        "range",
        "reasons",
        "rules",
    )

    def __init__(self, manager: Manager) -> None:
        number_ = id(manager)
        self.alive = weakref.ref(manager, lambda _: _homes.pop(number_, None))
        self.pool = _Pool(manager)
        self.rules = rules_of(manager)
        self.range = int(manager.get_device_properties()["max_storage_buffer_range"])
        self.kernels: dict[str, Kernel] = {}
        self.launchers: dict[tuple[Any, ...], KernelLauncher] = {}
        self.kept: dict[int, int] = {}
        self._memory: dict[tuple[Any, ...], list[int]] = {}  # of the launchers: ids of tensors
        self.general: dict[Any, ParametrizedKernelLauncher] = {}
        self.missed: set[tuple[Any, ...]] = set()
        self.reasons: dict[DType, str] = {}

    def keep(self, key: tuple[Any, ...], launcher: KernelLauncher, memory: list[Tensor]) -> None:
        """Keep a new launcher with its memory, whose ids stay those of the key, in place of the oldest one.

        With the lock of expressions.
        """
        if key in self.launchers:
            return
        if len(self.launchers) >= _MAX_LAUNCHERS:
            oldest = next(iter(self.launchers))
            # While a launcher is made or forgotten, fewer references are known than there are: none is overlooked.
            for each in self._memory.pop(oldest):
                self.kept[each] -= 1
                if not self.kept[each]:
                    del self.kept[each]
            del self.launchers[oldest]
        self.launchers[key] = launcher
        ids = self._memory[key] = [id(each) for each in memory]
        for each in ids:
            self.kept[each] = self.kept.get(each, 0) + 1


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
        "_shelf",
        "dtype",
        "home",
        "large",
        "leaves",
        "manager",
        "pooled",
        "shared",
        "tensor",
        "views",
    )

    tensor: Tensor
    large: bool  #: whether a kernel cannot bind it
    shared: bool  #: whether somebody else has the tensor, and may write to it unseen
    leaves: list[weakref.ref[Node]]
    views: list[weakref.ref[View]]

    def __init__(self, manager: Manager, home: Home, whole: Form) -> None:
        """Allocate memory of a form, with undefined contents."""
        self.pooled = self.shared = False
        self.manager = manager
        self.home = home
        self.dtype = whole.dtype
        self.large = whole.nbytes > home.range
        self.leaves = []
        self.views = []
        shelf = self._shelf = home.pool.shelf(whole)
        try:
            self.tensor = shelf.free.pop()
        except IndexError:
            self.tensor = _allocate(manager, *whole.key)
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
        self.large = tensor.nbytes > self.home.range
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
        # A kernel that was given a copy of a view, for example, has the tensor although the copy is gone. Launches
        # that wait for the host have it unseen.
        if not self.pooled or not self.tensor.can_be_reused():
            return
        if _references(self) - self.home.kept.get(id(self.tensor), 0) == _ALONE:
            shelf = self._shelf
            if len(shelf.free) < shelf.room:
                shelf.free.append(self.tensor)
            else:
                self.home.pool.put(self.tensor, shelf)


def _references(holder: Any) -> int:
    """Return a measure of how many references there are to the holder's tensor."""
    return sys.getrefcount(holder.tensor)


#: The measure if the holder's reference is the only one.
_ALONE = _references(types.SimpleNamespace(tensor=object()))


def _allocate(manager: Manager, dtype: DType, count: int) -> Tensor:
    require_countable((count,))
    require(manager, dtype)

    def made() -> Tensor:
        return manager.tensor(shape=(count,), dtype=dtype, memory_type=MemoryTypes.storage)

    try:
        return made()
    except OutOfMemory:
        home_of(manager).pool.clear()
        return made()


def require_countable(shape: Shape) -> None:
    """Raise Unsupported if an array or an expression has more elements than kernels count."""
    if (count := math.prod(shape)) > _LARGEST:
        of = f" of shape {shape}" if len(shape) > 1 else ""
        raise Unsupported(
            f"an array{of} has {count} elements, but one has at most {_LARGEST}; use several"
        )


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

    __slots__ = (
        "__weakref__",
        "_form",
        "_whole",
        "offset",
        "shape",
        "storage",
        "strides",
        "writable",
    )

    _form: Form | None
    _whole: bool | None

    def __init__(
        self,
        storage: Storage,
        offset: int,
        shape: Shape,
        strides: Shape,
        writable: bool = True,
        form: Form | None = None,
    ) -> None:
        """`form` is that of these elements, if it is known."""
        self.storage = storage
        self.offset = offset
        self.shape = shape
        self.strides = strides
        self.writable = writable
        self._form = form
        self._whole = None
        if storage.views:
            note(storage.views, self)
        else:
            storage.views.append(weakref.ref(self))

    @classmethod
    def new(cls, manager: Manager, shape: Shape, dtype: DType) -> View:
        """Return new memory in C order."""
        return cls.blank(manager, home_of(manager), whole_form(dtype, shape))

    @classmethod
    def blank(cls, manager: Manager, home: Home, whole: Form) -> View:
        """Return new memory of a form that is in C order."""
        storage = Storage(manager, home, whole)
        return cls(storage, 0, whole.shape, whole.strides, True, whole)

    def form(self) -> Form:
        """Return how it walks through its memory."""
        found = self._form
        if found is None:
            found = self._form = form_of(self.storage.dtype, self.offset, self.shape, self.strides)
        return found

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
        found = self._whole
        if found is None:
            count = math.prod(self.shape)
            found = self._whole = (
                self.offset == 0 and count == self.storage.tensor.size() and self.is_contiguous()
            )
        return found


@functools.lru_cache(maxsize=4096)
def contiguous_strides(shape: Shape) -> Shape:
    """Return the strides of an array in C order."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


@functools.lru_cache(maxsize=4096)
def whole_form(dtype: DType, shape: Shape) -> Form:
    """Return the form of an array in C order that is all of its memory."""
    return form_of(dtype, 0, shape, contiguous_strides(shape))


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

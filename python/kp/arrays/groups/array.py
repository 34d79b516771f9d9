# SPDX-License-Identifier: Apache-2.0
"""The array type of a group of devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..._kp import Buffer, DeviceGroup, Manager
from ..._wording import explains_methods
from ..array import Array
from ..storage import DType, Shape, upload
from ..types import require_cast
from ..values import Values, is_host
from . import exchange
from .exchange import Rows
from .partial import Partial


@explains_methods
class GroupArray(Values):
    """An array on the devices of a group: its rows are shared among them, or each has a copy.

    Made by the creation functions with ``group=``. It has the functions and operators of Array.
    Elementwise functions, and functions along axes other than the first, run on each device with
    its own rows; expressions are lazy on each. Along the first axis, devices combine their results,
    or exchange the elements that they need. One thread at a time uses the arrays of a group.
    """

    __slots__ = (
        "__weakref__",
        "_dtype",
        "_group",
        "_made",
        "_partial",
        "_rows",
        "_shape",
        "_source",
    )

    _group: DeviceGroup
    #: None for a combination of partial results that no device has yet.
    _made: tuple[Array, ...] | None
    _partial: Partial | None
    _rows: Rows | None
    #: Of a copy of elements: the array that has them and their index. Writes go there.
    _source: tuple[GroupArray, tuple[Any, ...]] | None

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError(
            "arrays of a group are created by kp.array(..., group=group) and similar functions"
        )

    @classmethod
    def _of(cls, group: DeviceGroup, parts: Sequence[Array], rows: Rows | None) -> GroupArray:
        """Make an array of one part per device; without rows, each is a copy of all of it."""
        self = object.__new__(cls)
        self._group = group
        self._made = tuple(parts)
        self._partial = None
        self._rows = rows
        self._source = None
        self._dtype = parts[0]._dtype
        self._shape = parts[0].shape if rows is None else exchange.shape_of(rows, parts[0])
        return self

    @classmethod
    def _of_partial(
        cls, group: DeviceGroup, partial: Partial, shape: Shape, dtype: DType
    ) -> GroupArray:
        """Make an array of the devices' results, which are combined when needed."""
        self = object.__new__(cls)
        self._group = group
        self._made = None
        self._partial = partial
        self._rows = None
        self._source = None
        self._dtype = dtype
        self._shape = shape
        return self

    @property
    def _parts(self) -> tuple[Array, ...]:
        """The devices' parts."""
        if self._made is None:
            assert self._partial is not None
            values = self._combined()
            self._made = tuple(upload(manager, values) for manager in self._group)
            self._partial = None
        return self._made

    @_parts.setter
    def _parts(self, parts: tuple[Array, ...]) -> None:
        self._made = parts

    def _combined(self) -> NDArray[Any]:
        """Return the elements of a combination of partial results."""
        assert self._partial is not None
        values = np.asarray(self._partial.combined())
        return values.astype(self._dtype, copy=False).reshape(self._shape)

    def _then(self, function: Callable[[Any], Any], dtype: DType) -> GroupArray:
        """Return a function of a combination of partial results, which NumPy computes later."""
        assert self._partial is not None
        return GroupArray._of_partial(
            self._group, self._partial.then(self._dtype, function), self._shape, dtype
        )

    @classmethod
    def _of_some(cls, group: DeviceGroup, parts: Sequence[Array | None]) -> GroupArray:
        """Make an array of parts with rows; devices without any have None."""
        from ..creation import empty

        known = next(part for part in parts if part is not None)
        filled = [
            (
                part
                if part is not None
                else empty((0, *known.shape[1:]), dtype=known.dtype, device=manager)
            )
            for part, manager in zip(parts, group, strict=True)
        ]
        return cls._of(group, filled, tuple(part.shape[0] for part in filled))

    # --- attributes -------------------------------------------------------------------------------

    @property
    def group(self) -> DeviceGroup:
        """The devices."""
        return self._group

    @property
    def device(self) -> DeviceGroup:
        """The group, which stands for the device."""
        return self._group

    @property
    def placement(self) -> str:
        """ "sharded" by rows, or "replicated": a copy on each device."""
        return "replicated" if self._rows is None else "sharded"

    @property
    def parts(self) -> tuple[Array, ...]:
        """Each device's rows, or its copy. They share memory with this array."""
        return self._parts

    @property
    def rows(self) -> tuple[int, ...]:
        """How many rows each device has."""
        count = self._shape[0] if self._shape else 1
        return (count,) * len(self._parts) if self._rows is None else self._rows

    # --- placement --------------------------------------------------------------------------------

    def _replicas(self) -> tuple[Array, ...]:
        """Return all elements on each device."""
        if self._rows is None:
            return self._parts
        return tuple(exchange.gathered(self._group, self._parts, self._rows))

    def _read_only(self) -> GroupArray:
        """Return this copy of parts of another array as read-only, so that writes are not lost."""
        parts = [
            part._strided(part._offset, part.shape, part._strides, False) for part in self._parts
        ]
        return GroupArray._of(self._group, parts, self._rows)

    def replicate(self) -> GroupArray:
        """Return the array with a copy on each device; itself if it is one."""
        return self if self._rows is None else GroupArray._of(self._group, self._replicas(), None)

    def _sharded(self, rows: Rows) -> tuple[Array, ...]:
        """Return the elements as parts with these numbers of rows."""
        if self._rows == rows:
            return self._parts
        if self._rows is not None:
            return tuple(exchange.redistributed(self._group, self._parts, rows))
        starts = exchange.offsets(rows)
        return tuple(
            part[start : start + count]
            for part, start, count in zip(self._parts, starts, rows, strict=True)
        )

    def shard(self, rows: Sequence[int] | None = None) -> GroupArray:
        """Return the array with its rows distributed over the devices, evenly or by `rows`."""
        if not self._shape:
            raise ValueError("an array without axes has no rows to share")
        devices = len(self._parts)
        wanted = exchange.even_rows(self._shape[0], devices) if rows is None else tuple(rows)
        if len(wanted) != devices or sum(wanted) != self._shape[0] or min(wanted) < 0:
            raise ValueError(
                f"rows must be {devices} numbers with the sum {self._shape[0]}, but {wanted} were given"
            )
        if wanted == self._rows:
            return self
        parts = self._sharded(wanted)
        if self._rows is None:
            parts = tuple(part.copy() for part in parts)
        return GroupArray._of(self._group, parts, wanted)

    def buffer(self) -> Buffer:
        """Return a kp.Buffer with the memory of this array, for kernels of the group."""
        if self.size == 0 or len(self._shape) > 3:
            raise ValueError(
                f"a kp.Buffer has one to three axes and is not empty, but the shape is {self._shape}"
            )
        tensors = [part.tensor() if part.size else None for part in self._parts]
        shape = self._shape or (1,)
        return Buffer.from_tensors(
            shape, self._dtype, tensors, self._group, self.placement, self._rows
        )

    @overload
    def to_device(self, device: Manager, /, *, stream: Any = None) -> Array: ...
    @overload
    def to_device(self, device: DeviceGroup, /, *, stream: Any = None) -> GroupArray: ...
    @overload
    def to_device(self, device: Literal["cpu"], /, *, stream: Any = None) -> NDArray[Any]: ...
    def to_device(
        self, device: Manager | DeviceGroup | Literal["cpu"], /, *, stream: Any = None
    ) -> Array | GroupArray | NDArray[Any]:
        """Return all of the array on one device: without the host if it is of the group.

        "cpu" is the host, and the result a NumPy array.
        """
        if stream is not None:
            raise ValueError("there are no streams here; leave out stream")
        if is_host(device):
            return self.numpy()
        if device is self._group:
            return self
        for index, manager in enumerate(self._group):
            if manager is device:
                part = self._replicas()[index]
                return part.copy() if self._rows is None else part
        from ..creation import asarray

        if isinstance(device, DeviceGroup):
            return asarray(self.numpy(), group=device)
        assert isinstance(device, Manager)
        return asarray(self.numpy(), device=device)

    # --- values -----------------------------------------------------------------------------------

    def evaluate(self) -> GroupArray:
        """Start computing the elements on all devices. Returns the array at once."""
        if self._made is not None:  # else the devices have begun, and the host combines
            for part in self._made:
                part.evaluate()
        return self

    def numpy(self) -> NDArray[Any]:
        """Return the elements as a new NumPy array."""
        if self._made is None:
            return np.array(self._combined())
        if self._rows is None:
            return self._parts[0].numpy()
        whole = np.empty(self._shape, self._dtype)
        self.evaluate()
        for part, start in zip(self._parts, exchange.offsets(self._rows), strict=True):
            if part.size:
                part._read(whole[start : start + part.shape[0]])
        return whole

    def copy(self) -> GroupArray:
        """Return a copy that shares no memory."""
        return GroupArray._of(self._group, [part.copy() for part in self._parts], self._rows)

    def astype(
        self, dtype: DTypeLike, *, copy: bool = True, device: Any = None, casting: str = "unsafe"
    ) -> GroupArray:
        """Return the elements in another dtype. Raises TypeError if the rule `casting` forbids it."""
        require_cast(self._dtype, dtype, casting)
        if device is not None and device is not self._group:
            raise ValueError("astype of a group's array keeps it there; use to_device() then")
        parts = [part.astype(dtype, copy=copy) for part in self._parts]
        return GroupArray._of(self._group, parts, self._rows)

    def fill(self, value: Any) -> None:
        """Set all elements."""
        self[...] = value

    def __kp_parts__(self) -> tuple[DeviceGroup, tuple[Array, ...], Rows | None]:
        """Return the group, each device's part, and its rows, for kernels."""
        return self._group, self._parts, self._rows

    def __getitem__(self, key: Any) -> GroupArray:
        from .indexing import get

        return get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from .indexing import put

        put(self, key, value)

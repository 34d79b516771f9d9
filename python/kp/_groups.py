# SPDX-License-Identifier: Apache-2.0
"""The Python part of device groups: the default group, buffers from arrays, and launch()."""

from __future__ import annotations

import collections.abc
import threading
from collections.abc import Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._dtypes import element
from ._kp import (
    Algorithm,
    Buffer,
    DeviceGroup,
    Event,
    GroupKernel,
    KernelListLauncher,
    Launcher,
    Manager,
)
from ._wording import counted, kind_of

_lock = threading.Lock()
_default: DeviceGroup | None = None


def default_group() -> DeviceGroup:
    """Return the group of buffers that are created without one.

    This is the group that set_default_group() was given. If there is none, or if it was destroyed,
    a group of all GPUs is created.
    """
    global _default
    with _lock:
        if _default is None or not _default.is_init():
            _default = DeviceGroup()
        return _default


def set_default_group(group: DeviceGroup | None) -> None:
    """Set the group that default_group() returns. With None, default_group() creates a new one."""
    global _default
    if group is not None and not isinstance(group, DeviceGroup):
        raise TypeError(f"group must be a kp.DeviceGroup or None, not {type(group).__name__}")
    with _lock:
        _default = group


def asbuffer(
    array: ArrayLike,
    group: DeviceGroup | None = None,
    placement: str = "replicated",
    *,
    dtype: DTypeLike | None = None,
    shard_rows: Iterable[int] | None = None,
) -> Buffer:
    """Create a buffer with the shape, dtype and contents of an array.

    - `array`: anything that NumPy can convert to an array.
    - `group`: the devices; by default, default_group().
    - `placement`, `shard_rows`: see Buffer.
    - `dtype`: the element dtype, by default the array's. A vector or matrix takes up the last
      axes: with dtype="vec3", an array of shape (10, 3) becomes a buffer of 10 elements.

    Raises ValueError if the last axes of the array do not have the shape of an element.
    """
    contents = np.asarray(array)
    wanted = element(contents.dtype if dtype is None else dtype)
    if dtype is not None and wanted.base != contents.dtype:
        contents = contents.astype(wanted.base, casting="same_kind")
    axes = contents.ndim - len(wanted.shape)
    if axes < 0 or contents.shape[axes:] != wanted.shape:
        raise ValueError(
            f"the last axes of an array of {wanted} must have the shape {wanted.shape}, but the "
            f"array has the shape {contents.shape}"
        )
    buffer = Buffer(
        contents.shape[:axes], wanted, group=group, placement=placement, shard_rows=shard_rows
    )
    buffer.write(contents.astype(wanted.base, copy=False))
    return buffer


def copy(
    source: Buffer,
    destination: Buffer | None = None,
    wait_for: Iterable[Event | None] | Event | None = None,
) -> list[Event]:
    """Copy a buffer to another one: `source.copy_to(destination, wait_for)`."""
    given: tuple[Any, ...] = (source,) if destination is None else (source, destination)
    if destination is None or not all(isinstance(each, Buffer) for each in given):
        raise TypeError(
            "kp.copy(source, destination) copies the memory of a kp.Buffer to another kp.Buffer, but was "
            f"given {' and '.join(map(kind_of, given))}; array.copy() returns a copy of an array"
        )
    return source.copy_to(destination, wait_for)


def launch(
    self: DeviceGroup,
    what: (
        GroupKernel
        | collections.abc.Sequence[Launcher | KernelListLauncher]
        | collections.abc.Sequence[Algorithm]
        | collections.abc.Callable[..., Event | None]
    ),
    wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
    target: str | int = "all",
    **parameters: Any,
) -> list[Event]:
    """Launch work once on each device that `target` selects.

    - `what`: a GroupKernel; a list with one launcher, one list of launchers or one algorithm
      for each device; or a function with the signature that for_each() expects.
    - `wait_for`: the events that the work waits for.
    - `target`: "all", "any" or the index of a queue.
    - `parameters`: passed on to `what` with each call. Algorithms take none.

    Returns one event per selected device. Failures are reported as by for_each().
    """
    if isinstance(what, GroupKernel):
        if what.group is not self:
            raise ValueError("the kernel belongs to another group; launch it on kernel.group")
        return what(wait_for=wait_for, target=target, **parameters)
    if isinstance(what, (Launcher, KernelListLauncher, Algorithm)):
        raise TypeError(
            f"what must be a list with one {type(what).__name__} for each device, but a single one "
            "was given"
        )
    if callable(what):
        function = what
        if not parameters:
            return self.for_each(function, target, wait_for)
        return self.for_each(
            lambda manager, queue, waits: function(manager, queue, waits, **parameters),
            target,
            wait_for,
        )
    each = list(what)
    if len(each) != len(self):
        raise ValueError(
            f"what must have one entry for each of the {counted(len(self), 'device')} of the group, but "
            f"{len(each)} were given"
        )
    if each and all(isinstance(one, Algorithm) for one in each):
        if parameters:
            raise TypeError(
                f"algorithms take no parameters, but {', '.join(parameters)} were given; set push "
                "constants on each algorithm instead"
            )
        return self._launch_algorithms(cast("list[Algorithm]", each), target, wait_for)
    for one in each:
        if not isinstance(one, (Launcher, KernelListLauncher)):
            raise TypeError(
                "what must contain launchers, lists of launchers or algorithms, not "
                f"{type(one).__name__}"
            )

    def call(manager: Manager, queue: int, waits: list[Event]) -> Event | None:
        launcher = cast(Any, each[self.device_of_queue(queue)])
        event: Event | None = launcher(queue=self.queue(queue), wait_for=waits, **parameters)
        return event

    return self.for_each(call, target, wait_for)


def array_of(
    self: Buffer, dtype: DTypeLike | None = None, copy: bool | None = None
) -> NDArray[Any]:
    """Return read(): for NumPy, which sees the copies of a replicated buffer along a first axis."""
    if copy is False:
        raise ValueError("copy=False was given, but reading a buffer makes a copy")
    contents = self.read()
    return contents if dtype is None else contents.astype(dtype, copy=False)


def install() -> None:
    """Add launch() to DeviceGroup and __array__() to Buffer."""
    array_of.__name__ = "__array__"
    array_of.__qualname__ = "Buffer.__array__"
    setattr(Buffer, "__array__", array_of)
    launch.__qualname__ = "DeviceGroup.launch"
    setattr(DeviceGroup, "launch", launch)  # noqa: B010, the stub declares it already

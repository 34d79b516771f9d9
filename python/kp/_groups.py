# SPDX-License-Identifier: Apache-2.0
"""The parts of device groups that need no compiled code."""

from __future__ import annotations

import collections.abc
import threading
from collections.abc import Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

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

_lock = threading.Lock()
_default: DeviceGroup | None = None


def default_group() -> DeviceGroup:
    """The group of buffers that are made without one: what set_default_group() was given.

    Without, or where that was destroyed, a group of all GPUs is made.
    """
    global _default
    with _lock:
        if _default is None or not _default.is_init():
            _default = DeviceGroup()
        return _default


def set_default_group(group: DeviceGroup | None) -> None:
    """Sets what default_group() gives; None lets it make a new one."""
    global _default
    if group is not None and not isinstance(group, DeviceGroup):
        raise TypeError(f"group is a kp.DeviceGroup or None, not {type(group).__name__}")
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
    """A buffer with the shape, dtype and contents of an array.

    `dtype` makes vectors or matrices of the last axes: an array of shape (10, 3) is a buffer of 10
    elements with dtype="vec3".
    """
    contents = np.asarray(array)
    wanted = element(contents.dtype if dtype is None else dtype)
    if dtype is not None and wanted.base != contents.dtype:
        contents = contents.astype(wanted.base, casting="same_kind")
    axes = contents.ndim - len(wanted.shape)
    if axes < 0 or contents.shape[axes:] != wanted.shape:
        raise ValueError(
            f"the last axes of an array of {wanted} are {wanted.shape}, but its shape is "
            f"{contents.shape}"
        )
    buffer = Buffer(contents.shape[:axes], wanted, group, placement, shard_rows)
    buffer.write(contents.astype(wanted.base, copy=False))
    return buffer


def copy(
    source: Buffer, destination: Buffer, wait_for: Iterable[Event | None] | Event | None = None
) -> list[Event]:
    """source.copy_to(destination)."""
    return source.copy_to(destination, wait_for)


def launch(
    self: DeviceGroup,
    what: GroupKernel
    | collections.abc.Sequence[Launcher | KernelListLauncher]
    | collections.abc.Sequence[Algorithm]
    | collections.abc.Callable[..., Event | None],
    wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
    target: str | int = "all",
    **parameters: Any,
) -> list[Event]:
    """Launches something on the devices that `target` chooses, exactly once on each.

    `what` is a GroupKernel; a list with a launcher, a list of launchers or an algorithm for each
    device; or a function as for_each() takes it. Parameters go to it with each call. Errors as with
    for_each(). Gives an event for each device.
    """
    if isinstance(what, GroupKernel):
        if what.group is not self:
            raise ValueError("the kernel is of another group")
        return what(wait_for=wait_for, target=target, **parameters)
    if isinstance(what, (Launcher, KernelListLauncher, Algorithm)):
        raise TypeError(
            f"what is a list with a {type(what).__name__} for each device, not one alone"
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
        raise ValueError(f"what has {len(each)} entries, but the group has {len(self)} devices")
    if each and all(isinstance(one, Algorithm) for one in each):
        if parameters:
            raise TypeError("algorithms take no parameters; they are launched as they are")
        return self._launch_algorithms(cast("list[Algorithm]", each), target, wait_for)
    for one in each:
        if not isinstance(one, (Launcher, KernelListLauncher)):
            raise TypeError(
                f"what has launchers, lists of launchers or algorithms, not {type(one).__name__}"
            )

    def call(manager: Manager, queue: int, waits: list[Event]) -> Event | None:
        launcher = cast(Any, each[self.device_of_queue(queue)])
        event: Event | None = launcher(queue=self.queue(queue), wait_for=waits, **parameters)
        return event

    return self.for_each(call, target, wait_for)


def install() -> None:
    """Adds launch() to the class."""
    launch.__qualname__ = "DeviceGroup.launch"
    setattr(DeviceGroup, "launch", launch)  # noqa: B010, to types it is there already

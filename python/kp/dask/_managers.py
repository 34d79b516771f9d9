# SPDX-License-Identifier: Apache-2.0
"""The Managers of this process, one per GPU, and the choice of the GPU."""

from __future__ import annotations

import os
import re
import sys
import threading
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .._errors import InvalidArgument
from .._kp import Manager, list_devices

#: An index into kp.list_devices(), a UUID, a type or a part of a name.
Device = int | str

TYPES = ("discrete", "integrated", "virtual", "cpu")

_lock = threading.Lock()
_by_device: dict[Device | None, Manager] = {}
_by_index: dict[int, Manager] = {}
# The devices that setup() assigned to the Dask workers of this process. There can be several.
_assigned: WeakKeyDictionary[Any, Device] = WeakKeyDictionary()


def manager(device: Device | None = None) -> Manager:
    """Return this process's Manager of a device. The first call creates it.

    `device` is an index into kp.list_devices(), a UUID, a type ("discrete", "integrated",
    "virtual", "cpu") or a part of a name. Without it, the first of these decides: the environment
    variable KOMPUTE_DEVICE, the device that setup() assigned to this worker, the best device.

    Raises InvalidArgument if there is no such device.
    """
    if device is None:
        device = device_here()
    with _lock:
        found = _by_device.get(device)
        if found is None or not found.is_init():
            found = _by_device[device] = _make(device)
        return found


def device_here(worker: Any = None) -> Device | None:
    """Return the device that setup() assigned to `worker`, by default this thread's worker.

    Returns None if there is none, or if KOMPUTE_DEVICE overrides it.
    """
    if os.environ.get("KOMPUTE_DEVICE"):
        return None  # Manager() reads it
    with _lock:
        if not _assigned:
            return None
        worker = worker or _worker()
        if worker is None and len(_assigned) == 1:
            return next(iter(_assigned.values()))
        return None if worker is None else _assigned.get(worker)


def assign(worker: Any, device: Device) -> None:
    """Record the device that setup() assigned to a worker."""
    with _lock:
        _assigned[worker] = device


def forget(worker: Any) -> None:
    """Remove the device of a worker that closes."""
    with _lock:
        _assigned.pop(worker, None)


def drop(which: Manager | None = None) -> None:
    """Release one Manager, or all. The next call of manager() creates a new one."""
    with _lock:
        for managers in (_by_device, _by_index):
            for key in [key for key, value in managers.items() if which in (None, value)]:
                del managers[key]  # type: ignore[arg-type]


def count() -> int:
    """Return the number of Managers."""
    with _lock:
        return len(_by_index)


def best_devices() -> list[Device]:
    """Return the indices of this machine's devices of the best type, usually its GPUs."""
    devices = list_devices()
    ranks = [TYPES.index(found["type"]) if found["type"] in TYPES else 4 for found in devices]
    return [
        found["index"] for found, rank in zip(devices, ranks, strict=True) if rank == min(ranks)
    ]


def _make(device: Device | None) -> Manager:
    made = Manager(**_conditions(device))
    index = made.get_device_properties()["index"]
    # The same device may be known by another name already.
    known = _by_index.get(index)
    if known is None or not known.is_init():
        known = _by_index[index] = made
    return known


def _conditions(device: Device | None) -> dict[str, Any]:
    if device is None:
        return {}
    if isinstance(device, (int, np.integer)) and not isinstance(device, bool):
        return {"device": int(device)}
    if not isinstance(device, str) or not device:
        raise InvalidArgument(
            f"a device must be an index into kp.list_devices(), a UUID, a type or a part of a "
            f"name, but {device!r} was given"
        )
    if device in TYPES:
        return {"device_type": device}
    if re.fullmatch(r"[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}", device):
        return {"uuid": device}
    return {"name": device}


def _worker() -> Any:
    """Return the Dask worker whose task this thread runs, or None."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_worker()
    except ValueError:
        return None

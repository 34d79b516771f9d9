# SPDX-License-Identifier: Apache-2.0
"""One Manager for each GPU that this process uses, and which GPU that is."""

from __future__ import annotations

import os
import re
import sys
import threading
from typing import Any
from weakref import WeakKeyDictionary

from .._errors import InvalidArgument
from .._kp import Manager, list_devices

#: A place in kp.list_devices(), or a UUID, a type or a part of a name.
Device = int | str

TYPES = ("discrete", "integrated", "virtual", "cpu")

_lock = threading.Lock()
_by_device: dict[Device | None, Manager] = {}
_by_index: dict[int, Manager] = {}
# What setup() gave to the Dask workers of this process; there can be several.
_assigned: WeakKeyDictionary[Any, Device] = WeakKeyDictionary()


def manager(device: Device | None = None) -> Manager:
    """The Manager of this process, for one GPU; made upon the first call.

    `device` is a place in kp.list_devices(), or a UUID, a type ("discrete", "integrated", "virtual",
    "cpu") or a part of a name. Without it, it is what the environment variable KOMPUTE_DEVICE says,
    else what setup() gave to this worker, else the best device.
    """
    if device is None:
        device = device_here()
    with _lock:
        found = _by_device.get(device)
        if found is None or not found.is_init():
            found = _by_device[device] = _make(device)
        return found


def device_here(worker: Any = None) -> Device | None:
    """What setup() gave to `worker` (None: the one that runs this); None where that does not count."""
    if os.environ.get("KOMPUTE_DEVICE"):
        return None  # every Manager goes by it
    with _lock:
        if not _assigned:
            return None
        worker = worker or _worker()
        if worker is None and len(_assigned) == 1:
            return next(iter(_assigned.values()))
        return None if worker is None else _assigned.get(worker)


def assign(worker: Any, device: Device) -> None:
    """Notes what setup() gave to a worker."""
    with _lock:
        _assigned[worker] = device


def forget(worker: Any) -> None:
    """A worker that closes has no device any more."""
    with _lock:
        _assigned.pop(worker, None)


def drop(which: Manager | None = None) -> None:
    """Lets go of one Manager or of all; the next call of manager() makes another."""
    with _lock:
        for managers in (_by_device, _by_index):
            for key in [key for key, value in managers.items() if which in (None, value)]:
                del managers[key]  # type: ignore[arg-type]


def count() -> int:
    """Number of Managers."""
    with _lock:
        return len(_by_index)


def best_devices() -> list[Device]:
    """Places of the devices of the best type that this machine has: its GPUs, as a rule."""
    devices = list_devices()
    ranks = [TYPES.index(found["type"]) if found["type"] in TYPES else 4 for found in devices]
    return [
        found["index"] for found, rank in zip(devices, ranks, strict=True) if rank == min(ranks)
    ]


def _make(device: Device | None) -> Manager:
    made = Manager(**_conditions(device))
    index = made.get_device_properties()["index"]
    # Another way to name the same GPU may have led to it before.
    known = _by_index.get(index)
    if known is None or not known.is_init():
        known = _by_index[index] = made
    return known


def _conditions(device: Device | None) -> dict[str, Any]:
    if device is None:
        return {}
    if isinstance(device, int) and not isinstance(device, bool):
        return {"device": device}
    if not isinstance(device, str) or not device:
        raise InvalidArgument(
            f"a device is a place in kp.list_devices(), a UUID, a type or a part of a name, "
            f"not {device!r}"
        )
    if device in TYPES:
        return {"device_type": device}
    if re.fullmatch(r"[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}", device):
        return {"uuid": device}
    return {"name": device}


def _worker() -> Any:
    """The Dask worker whose task this thread runs."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_worker()
    except ValueError:
        return None

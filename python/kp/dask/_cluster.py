# SPDX-License-Identifier: Apache-2.0
"""The assignment of a cluster's workers to GPUs.

A worker plugin asks the scheduler for an index into the list of its machine's devices. A scheduler
plugin records which worker has which index.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections import Counter
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin, WorkerPlugin

from . import _managers
from ._cache import set_memory_limit
from ._managers import Device

BOARD = "kompute-places"
WORKERS = "kompute-devices"
OPERATION = "kompute_place"


class Board(SchedulerPlugin):  # type: ignore[misc]
    """The device index of each worker, by machine."""

    idempotent = True

    def __init__(self) -> None:
        self.places: dict[str, tuple[str, int]] = {}  # worker address: machine, index

    async def start(self, scheduler: Any) -> None:
        """Register the handler that workers call."""
        scheduler.handlers[OPERATION] = self.place

    def place(self, worker: str, machine: str, count: int) -> int:
        """Assign the index from 0 to count - 1 that the fewest workers of that machine have."""
        self.places.pop(worker, None)
        taken = Counter(place for where, place in self.places.values() if where == machine)
        chosen = min(range(count), key=lambda place: (taken[place], place))
        self.places[worker] = (machine, chosen)
        return chosen

    def remove_worker(self, scheduler: Any, worker: str, **_: Any) -> None:
        """Free the index of a worker."""
        self.places.pop(worker, None)


class Workers(WorkerPlugin):  # type: ignore[misc]
    """Gives each worker a device."""

    def __init__(self, devices: list[Device] | None, memory_limit: int | None) -> None:
        self.devices = devices
        self.memory_limit = memory_limit

    async def setup(self, worker: Any) -> None:
        """Ask the scheduler for a device and set the memory limit."""
        # Listing devices takes a while. It must not block the worker's event loop.
        devices = self.devices
        if devices is None:
            devices = await asyncio.to_thread(_managers.best_devices)
        ask = getattr(worker.scheduler, OPERATION)
        place = await ask(worker=worker.address, machine=socket.gethostname(), count=len(devices))
        _managers.assign(worker, devices[place])
        set_memory_limit(self.memory_limit)

    def teardown(self, worker: Any) -> None:
        """Forget the worker's device. Its Manager stays for as long as something uses it."""
        _managers.forget(worker)


def device_of(dask_worker: Any) -> Device | None:
    """Return the device that computes the blocks of a worker. It runs on each worker."""
    return os.environ.get("KOMPUTE_DEVICE") or _managers.device_here(dask_worker)


def register(
    client: Any, devices: list[Device] | None, memory_limit: int | None
) -> dict[str, Device]:
    """Register the plugins and return the device of each worker by address."""
    client.register_plugin(Board(), name=BOARD)
    client.register_plugin(Workers(devices, memory_limit), name=WORKERS)
    found: dict[str, Device] = client.run(device_of)
    return found


async def register_async(
    client: Any, devices: list[Device] | None, memory_limit: int | None
) -> dict[str, Device]:
    """Do the same as register() with an asynchronous client."""
    await client.register_plugin(Board(), name=BOARD)
    await client.register_plugin(Workers(devices, memory_limit), name=WORKERS)
    found: dict[str, Device] = await client.run(device_of)
    return found

# SPDX-License-Identifier: Apache-2.0
"""Which worker of a cluster uses which GPU.

A plugin of each worker asks the scheduler for a place among the devices of its machine, and a plugin of
the scheduler remembers who has which.
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
    """Who has which place, on each machine."""

    idempotent = True

    def __init__(self) -> None:
        self.places: dict[str, tuple[str, int]] = {}  # machine and place, by address of the worker

    async def start(self, scheduler: Any) -> None:
        """Lets workers ask."""
        scheduler.handlers[OPERATION] = self.place

    def place(self, worker: str, machine: str, count: int) -> int:
        """The first of the places 0 to count - 1 that the fewest workers of that machine have."""
        self.places.pop(worker, None)
        taken = Counter(place for where, place in self.places.values() if where == machine)
        chosen = min(range(count), key=lambda place: (taken[place], place))
        self.places[worker] = (machine, chosen)
        return chosen

    def remove_worker(self, scheduler: Any, worker: str, **_: Any) -> None:
        """Its place is free."""
        self.places.pop(worker, None)


class Workers(WorkerPlugin):  # type: ignore[misc]
    """Gives each worker its device."""

    def __init__(self, devices: list[Device] | None, memory_limit: int | None) -> None:
        self.devices = devices
        self.memory_limit = memory_limit

    async def setup(self, worker: Any) -> None:
        """Asks for a place."""
        # Looking for devices takes a while, in which the worker has other things to do.
        devices = self.devices
        if devices is None:
            devices = await asyncio.to_thread(_managers.best_devices)
        ask = getattr(worker.scheduler, OPERATION)
        place = await ask(worker=worker.address, machine=socket.gethostname(), count=len(devices))
        _managers.assign(worker, devices[place])
        set_memory_limit(self.memory_limit)

    def teardown(self, worker: Any) -> None:
        """The Manager stays as long as something uses it."""
        _managers.forget(worker)


def device_of(dask_worker: Any) -> Device | None:
    """Run on each worker: the device that its blocks go to."""
    return os.environ.get("KOMPUTE_DEVICE") or _managers.device_here(dask_worker)


def register(
    client: Any, devices: list[Device] | None, memory_limit: int | None
) -> dict[str, Device]:
    """What setup() does."""
    client.register_plugin(Board(), name=BOARD)
    client.register_plugin(Workers(devices, memory_limit), name=WORKERS)
    found: dict[str, Device] = client.run(device_of)
    return found


async def register_async(
    client: Any, devices: list[Device] | None, memory_limit: int | None
) -> dict[str, Device]:
    """What setup() does, for asynchronous clients."""
    await client.register_plugin(Board(), name=BOARD)
    await client.register_plugin(Workers(devices, memory_limit), name=WORKERS)
    found: dict[str, Device] = await client.run(device_of)
    return found

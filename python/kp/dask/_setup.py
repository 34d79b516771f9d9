# SPDX-License-Identifier: Apache-2.0
"""Preparing a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._managers import Device


def setup(
    client: Any, devices: Iterable[Device] | None = None, memory_limit: int | None = None
) -> Any:
    """Spreads the workers of each machine over its GPUs; gives the device of each worker by address.

    It also holds for workers that join later or are restarted. `devices` are what workers take in
    turn, as manager() takes them; by default the devices of the best type that a machine has. Workers
    that have the environment variable KOMPUTE_DEVICE keep to that. `memory_limit` is what
    set_memory_limit() sets, for each worker.

    `client` is a dask.distributed.Client; for an asynchronous one, the result is to be awaited.
    """
    try:
        from ._cluster import register, register_async
    except ImportError as error:
        raise ImportError(
            "setup() needs dask.distributed, which is not installed: pip install 'kompute[dask]'",
            name=error.name,
        ) from error
    chosen = None if devices is None else list(devices)
    if chosen is not None and not chosen:
        raise ValueError("devices is empty; leave it out for all GPUs")
    start = register_async if client.asynchronous else register
    return start(client, chosen, memory_limit)

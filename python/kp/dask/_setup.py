# SPDX-License-Identifier: Apache-2.0
"""The assignment of a cluster's workers to GPUs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._managers import Device


def setup(
    client: Any, devices: Iterable[Device] | None = None, memory_limit: int | None = None
) -> Any:
    """Distribute the workers of each machine over its GPUs. Return each worker's device by address.

    - `client`: a dask.distributed.Client. If it is asynchronous, await the result.
    - `devices`: the devices that workers take in turn, each as in manager(). The default is the
      devices of the best type on each machine.
    - `memory_limit`: the limit in bytes for each worker, as in set_memory_limit().

    Workers that join or restart later get a device too. A worker with the environment variable
    KOMPUTE_DEVICE uses that device.

    Raises ImportError without dask.distributed, and ValueError if `devices` is empty.
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
        raise ValueError("devices is empty; give one or more, or omit it to use all GPUs")
    start = register_async if client.asynchronous else register
    return start(client, chosen, memory_limit)

# SPDX-License-Identifier: Apache-2.0
"""Dask arrays whose blocks are arrays on a device."""

from __future__ import annotations

import uuid
from typing import Any

import dask.array as da
import numpy as np
from dask.array.dispatch import percentile_lookup
from dask.sizeof import sizeof

from .. import _default
from .._kp import DeviceGroup, Manager
from .._wording import kind_of
from ..arrays.array import Array
from ..arrays.creation import array, asarray, empty
from ..arrays.groups.array import GroupArray
from ._managers import Device, device_here, manager


def home(device: Device | None = None) -> Manager:
    """Return the Manager of blocks that are arrays.

    Without a device, it is the worker's if setup() assigned one, else kp.default_manager().
    """
    if device is None and device_here() is None:
        return _default.default_manager()
    return manager(device)


def _on_device(block: Any, device: Device | None = None) -> Array:
    made: Array = asarray(block, device=home(device))
    return made


def _on_host(block: Any) -> Any:
    return np.asarray(block)


def on_device(x: da.Array, device: Device | None = None) -> da.Array:
    """Return a Dask array whose blocks are kp.Arrays: Dask's functions run on the device then.

    - `device`: as in manager(). Without it, blocks are on kp.default_manager(), or on the device that
      setup() assigned to a worker.
    """
    _require(x)
    meta = empty((0,) * x.ndim, dtype=x.dtype)
    return x.map_blocks(_on_device, device, dtype=x.dtype, meta=meta)


def on_host(x: da.Array) -> da.Array:
    """Return a Dask array whose blocks are NumPy arrays."""
    _require(x)
    return x.map_blocks(_on_host, dtype=x.dtype, meta=np.empty((0,) * x.ndim, x.dtype))


def to_dask(x: Array | GroupArray, chunks: Any = "auto") -> da.Array:
    """Return a Dask array with the elements of an array. Its blocks are views of the array.

    `chunks`: as in dask.array.from_array. The array must not change while Dask uses it.
    """
    if isinstance(x, GroupArray):
        raise TypeError(
            "Dask combines blocks, so they are on one device; give x.to_device(group[0])"
        )
    if not isinstance(x, Array):
        raise TypeError(f"to_dask takes a kp.Array, not {kind_of(x)}")
    x.evaluate()
    meta = empty((0,) * x.ndim, dtype=x.dtype, device=x.manager)
    name = f"kp-array-{uuid.uuid4().hex}"
    return da.from_array(x, chunks=chunks, name=name, asarray=False, meta=meta)


def from_dask(
    x: da.Array, device: Manager | None = None, group: DeviceGroup | None = None
) -> Array | GroupArray:
    """Compute a Dask array and return it as an array, of a device or of a group."""
    _require(x)
    result = x.compute()
    if group is not None:
        if device is not None:
            raise ValueError("group and device were given; a group has several devices")
        return asarray(result, group=group)
    made: Array = asarray(result, device=device)
    return made


def unpickled(values: Any) -> Array:
    """Return an array that came from another process."""
    made: Array = array(values, device=home())
    return made


def _require(x: Any) -> None:
    if not isinstance(x, da.Array):
        raise TypeError(f"a Dask array is needed, not {kind_of(x)}; to_dask() makes one")


sizeof.register(Array, lambda x: x.nbytes)


@percentile_lookup.register(Array)  # type: ignore[untyped-decorator]
def _percentile(x: Array, q: Any, method: str = "linear") -> Any:
    """Return a block's part of percentiles, which Dask merges on the host."""
    return percentile_lookup(x.numpy(), q, method)

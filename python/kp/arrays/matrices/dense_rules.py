# SPDX-License-Identifier: Apache-2.0
"""Where dense linear algebra runs: on the device, or by NumPy on the host, whichever is faster."""

from __future__ import annotations

import weakref
from typing import Any, Literal

import numpy as np

from ... import _kp
from ..._floats import without_doubles
from ..._kp import Manager
from ..array import Array, converted
from ..elementwise import as_array, manager_of

Kind = Literal["cpu", "without doubles", "gpu"]

#: The dtypes that each kind of device computes. A driver that computes on the processor (lavapipe on two
#: cores) takes 5 to 100 times as long as NumPy for all functions and sizes, stacks of small matrices
#: included, so NumPy computes everything. Doubles that the device emulates are slower than the host's.
ON_DEVICE: dict[Kind, tuple[str, ...]] = {
    "cpu": (),
    "without doubles": ("float32",),
    "gpu": ("float32", "float64"),
}

_kinds: weakref.WeakKeyDictionary[Manager, Kind] = weakref.WeakKeyDictionary()


def kind_of_device(manager: Manager) -> Kind:
    """Return the rule for a device."""
    found = _kinds.get(manager)
    if found is None:
        if manager.get_device_properties()["type"] == "cpu":
            found = "cpu"
        else:
            found = "gpu" if _kp._has_doubles(manager) else "without doubles"
        _kinds[manager] = found
    return found


def are_square(array: Array) -> bool:
    return array.ndim > 1 and array.shape[-1] == array.shape[-2]


def matrices(a: Any, square: bool = False) -> Array | None:
    """Return matrices, perhaps square ones, that the device computes, or None if NumPy computes or
    refuses them.
    """
    array = as_array(a, manager_of(a))
    return for_device(array) if not square or are_square(array) else None


def for_device(x: Array) -> Array | None:
    """Return matrices in the dtype that a device computes, or None if NumPy computes them on the host.

    NumPy also handles, or refuses, anything but matrices.
    """
    if x.ndim < 2 or x._dtype.kind not in "biuf":
        return None
    if x._dtype.kind == "f":
        dtype = np.dtype(np.float32) if x._dtype == np.float16 else x._dtype
    else:
        dtype = without_doubles(np.dtype(np.float64), manager=x._manager)
    if dtype.name not in ON_DEVICE[kind_of_device(x._manager)]:
        return None
    return converted(x, dtype)

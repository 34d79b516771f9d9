# SPDX-License-Identifier: Apache-2.0
"""The manager of arrays and kernels that are created without one."""

from __future__ import annotations

import threading

from ._kp import Manager, MemoryUsage
from ._wording import explains_keywords

_lock = threading.Lock()
_default: Manager | None = None


def default_manager() -> Manager:
    """Return the manager of arrays and kernels that are created without one.

    This is the manager that set_default_manager() was given. If there is none, or if it was
    destroyed, one is created on the best device, or on the device that KOMPUTE_DEVICE names. Any
    thread may call it.
    """
    global _default
    with _lock:
        if _default is None or not _default.is_init():
            _default = Manager()
        return _default


def current_manager() -> Manager | None:
    """Return the default manager if it exists; otherwise None."""
    with _lock:
        return _default if _default is not None and _default.is_init() else None


def _manager_for(device: Manager | None) -> Manager:
    if device is not None and not isinstance(device, Manager):
        raise TypeError(f"device must be a kp.Manager or None, not {type(device).__name__}")
    return default_manager() if device is None else device


@explains_keywords
def synchronize(device: Manager | None = None) -> None:
    """Wait until a device (default: default_manager()'s) has finished all submitted work.

    Reading results waits automatically; this is for measuring times. Pending array expressions are
    not computed: read them, or pass them to a kernel.
    """
    _manager_for(device).wait_idle()


@explains_keywords
def memory(device: Manager | None = None) -> MemoryUsage:
    """Return the device memory of a manager, by default default_manager(): in use, kept for reuse, and peak.

    Manager.clear() frees memory kept for reuse.
    """
    return _manager_for(device).memory()


@explains_keywords
def reset_peak_memory(device: Manager | None = None) -> None:
    """Reset the peaks of memory() to the current values."""
    _manager_for(device).reset_peak_memory()


@explains_keywords
def set_default_manager(manager: Manager | None) -> None:
    """Set the manager that default_manager() returns. With None, it creates a new one."""
    global _default
    if manager is not None and not isinstance(manager, Manager):
        raise TypeError(f"manager must be a kp.Manager or None, not {type(manager).__name__}")
    if manager is not None and not manager.is_init():
        raise ValueError("manager is destroyed; give one that is in use")
    with _lock:
        _default = manager

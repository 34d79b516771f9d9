# SPDX-License-Identifier: Apache-2.0
"""The default floating-point type."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from . import _kp
from ._default import current_manager
from ._kp import Manager
from ._messages.warning import warn

_DOUBLE: np.dtype[Any] = np.dtype(np.float64)
_SINGLE: np.dtype[Any] = np.dtype(np.float32)
_COMPLEX: dict[np.dtype[Any], np.dtype[Any]] = {
    _DOUBLE: np.dtype(np.complex128),
    _SINGLE: np.dtype(np.complex64),
}
_DOUBLES = (_DOUBLE, _COMPLEX[_DOUBLE])
_Cache = TypeVar("_Cache")
#: Clear caches of another default.
_clear: list[Callable[[], None]] = []


def _checked(dtype: Any, name: str) -> np.dtype[Any]:
    found: np.dtype[Any]
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(np.void)
    if found not in _COMPLEX:
        raise ValueError(f"{name} is float32 or float64, not {dtype!r}")
    return found


_variable = os.environ.get("KOMPUTE_DEFAULT_FLOAT", "")
_OF_ENVIRONMENT = _checked(_variable, "KOMPUTE_DEFAULT_FLOAT") if _variable else None
_chosen = _OF_ENVIRONMENT


def default_float(manager: Manager | None = None) -> np.dtype[Any]:
    """Return the default floating-point dtype.

    set_default_float() or KOMPUTE_DEFAULT_FLOAT chooses it. Otherwise it is float64, as in
    NumPy, and float32 on a manager whose device has no float64 (shaderFloat64); the first use there warns.
    Without a manager, it is default_manager()'s, if that exists. Any thread may call it.
    """
    if _chosen is not None:
        return _chosen
    on = current_manager() if manager is None else manager
    if on is None or _kp._has_doubles(on):
        return _DOUBLE
    if not _kp._exchange_singles_noted(True):
        device = on.get_device_properties()["device_name"]
        warn(
            f"{device} has no native doubles, so float32 is the default float type there; "
            f"kp.set_default_float('float32') chooses it for all devices"
        )
    return _SINGLE


def set_default_float(dtype: DTypeLike | None) -> None:
    """Set the default floating-point dtype: float64, or float32.

    It applies to arrays that functions create (kp.zeros, kp.linspace, kp.random, kp.fft.fftfreq),
    to lists of Python's floats, and to floats that NumPy's rules make from integers
    (``kp.arange(3) / 2``). Complex numbers follow. With float32, only float64 inputs give float64 results: NumPy's
    arrays, and ``dtype="float64"``. Arrays that exist keep their dtype. It applies to the whole
    process. None undoes the choice: KOMPUTE_DEFAULT_FLOAT or the device decides again. Raises
    ValueError for another dtype.
    """
    global _chosen
    chosen = None if dtype is None else _checked(dtype, "the default float")
    _kp._set_default_float(chosen)
    _chosen = chosen or _OF_ENVIRONMENT
    for clear in _clear:
        clear()


def depends_on_default_float(cache: _Cache) -> _Cache:
    """Register a dict, or a function with functools' cache, to clear when the default changes."""
    _clear.append(getattr(cache, "cache_clear", None) or cache.clear)  # type: ignore[attr-defined]
    return cache


def default_complex(manager: Manager | None = None) -> np.dtype[Any]:
    """Return the complex dtype with parts of the default float."""
    return _COMPLEX[default_float(manager)]


def without_doubles(
    found: np.dtype[Any], *sources: Any, manager: Manager | None = None
) -> np.dtype[Any]:
    """Return the result type of NumPy's rules, with the default float unless a source has doubles.

    `sources` are dtypes, or Python's numbers and types, which have no dtype.
    """
    if found not in _DOUBLES or default_float(manager) == _DOUBLE:
        return found
    if any(isinstance(each, np.dtype) and each in _DOUBLES for each in sources):
        return found
    return _SINGLE if found == _DOUBLE else _COMPLEX[_SINGLE]

# SPDX-License-Identifier: Apache-2.0
"""The one floating-point type of numbers whose type nobody names."""

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
#: Clear what was cached under another default.
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
    """Return the dtype of floating-point numbers whose dtype nobody names.

    It is the one that set_default_float() or KOMPUTE_DEFAULT_FLOAT chose. Otherwise it is float64, as in
    NumPy, and float32 on a manager whose device has no float64 (shaderFloat64); the first use there warns.
    Without a manager it is that of default_manager(), once something has made it. Any thread may call it.
    """
    if _chosen is not None:
        return _chosen
    on = current_manager() if manager is None else manager
    if on is None or _kp._has_doubles(on):
        return _DOUBLE
    if not _kp._exchange_singles_noted(True):
        device = on.get_device_properties()["device_name"]
        warn(
            f"{device} has no doubles of its own, so floats whose type nobody names are float32 there; "
            f"kp.set_default_float('float32') says so for all devices"
        )
    return _SINGLE


def set_default_float(dtype: DTypeLike | None) -> None:
    """Set the dtype of floating-point numbers whose dtype nobody names: float64, or float32.

    It holds for arrays that functions create (kp.zeros, kp.linspace, kp.random, kp.fft.fftfreq), for
    lists of Python's floats, and for floats that NumPy's rules make of integers (``kp.arange(3) / 2``).
    Complex numbers follow. With float32, float64 comes only of what is float64 already: NumPy's arrays,
    and ``dtype="float64"``. Arrays that exist keep their dtype. It holds for the whole process. None
    takes the choice back: KOMPUTE_DEFAULT_FLOAT or the device decides again. Raises ValueError for another dtype.
    """
    global _chosen
    chosen = None if dtype is None else _checked(dtype, "the default float")
    _kp._set_default_float(chosen)
    _chosen = chosen or _OF_ENVIRONMENT
    for clear in _clear:
        clear()


def depends_on_default_float(cache: _Cache) -> _Cache:
    """Return a dict or a function with functools' cache, which is cleared when the default changes."""
    _clear.append(getattr(cache, "cache_clear", None) or cache.clear)  # type: ignore[attr-defined]
    return cache


def default_complex(manager: Manager | None = None) -> np.dtype[Any]:
    """Return the complex dtype with parts of the default float."""
    return _COMPLEX[default_float(manager)]


def without_doubles(
    found: np.dtype[Any], *sources: Any, manager: Manager | None = None
) -> np.dtype[Any]:
    """Return what NumPy's rules found, in the default float unless a source has doubles itself.

    `sources` are dtypes, or numbers and types of Python, which have none.
    """
    if found not in _DOUBLES or default_float(manager) == _DOUBLE:
        return found
    if any(isinstance(each, np.dtype) and each in _DOUBLES for each in sources):
        return found
    return _SINGLE if found == _DOUBLE else _COMPLEX[_SINGLE]

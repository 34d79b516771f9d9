# SPDX-License-Identifier: Apache-2.0
"""Properties and promotion of dtypes, from NumPy, and the capabilities of this namespace."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .._axes import normalized
from .. import _default
from .._floats import default_complex, default_float
from .._kp import DataTypes, Manager
from .array import Array
from .elementwise import result_dtype
from .storage import unsupported_reason
from .types import NUMBERS, number

__all__ = [
    "__array_namespace_info__",
    "can_cast",
    "finfo",
    "iinfo",
    "inf",
    "isdtype",
    "isscalar",
    "nan",
    "ndim",
    "pi",
    "promote_types",
    "result_type",
    "shape",
    "size",
]

newaxis = None
e = np.e
inf = np.inf
nan = np.nan
pi = np.pi


def _dtype_of(value: Any) -> Any:
    if isinstance(value, Array):
        return value._dtype
    is_number = isinstance(value, (bool, int, float, complex))
    # kp.bool is an enumerator, and so an integer of Python.
    return value if is_number and not isinstance(value, DataTypes) else number(value).dtype


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the dtype that arrays, dtypes and Python numbers are promoted to."""
    return result_dtype(*[_dtype_of(value) for value in arrays_and_dtypes])


def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]:
    """Return the smallest dtype that holds the elements of both."""
    return number(np.promote_types(number(type1).dtype, number(type2).dtype)).dtype


def _measured(a: Any) -> Any:
    return a if hasattr(a, "shape") else np.asarray(a)


def shape(a: Any) -> tuple[int, ...]:
    """Return the extents of an array, a list or a number."""
    found: tuple[int, ...] = _measured(a).shape
    return found


def ndim(a: Any) -> int:
    """Return the number of axes of an array, a list or a number."""
    return len(_measured(a).shape)


def size(a: Any, axis: int | tuple[int, ...] | None = None) -> int:
    """Return the number of elements of an array, a list or a number, or along axes."""
    extents = _measured(a).shape
    axes = range(len(extents)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(extents[normalized(each, len(extents))] for each in axes)


def isscalar(element: Any) -> bool:
    """Return whether a value is a number, not an array, even of one element."""
    return bool(np.isscalar(element))


def can_cast(from_: Any, /, to: DTypeLike) -> bool:
    """Return whether a dtype, or an array's, fits another without loss."""
    return bool(np.can_cast(_dtype_of(from_), number(to).dtype))


class FloatInfo:
    """The limits of a floating-point dtype, as numbers of Python; and the other attributes of np.finfo."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._numpy = limits = np.finfo(dtype)
        self.bits = int(limits.bits)
        self.eps = float(limits.eps)
        self.max = float(limits.max)
        self.min = float(limits.min)
        self.smallest_normal = float(limits.smallest_normal)
        self.dtype = limits.dtype

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # also while it is copied or unpickled
            raise AttributeError(name)
        return getattr(self._numpy, name)

    def __repr__(self) -> str:
        return repr(self._numpy)


def finfo(type: Any, /) -> FloatInfo:
    """Return the limits of a floating-point dtype."""
    return FloatInfo(_dtype_of(type))


def iinfo(type: Any, /) -> np.iinfo[Any]:
    """Return the limits of an integer dtype."""
    return np.iinfo(_dtype_of(type))


_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def isdtype(dtype: DTypeLike, kind: Any) -> bool:
    """Return whether a dtype is another one, of a kind ("integral", ...), or one of a tuple."""
    if isinstance(kind, tuple):
        return next((True for each in kind if isdtype(dtype, each)), False)
    wanted = number(dtype).dtype
    if isinstance(kind, str) and kind in _KINDS:
        return wanted.kind in _KINDS[kind]
    if isinstance(kind, str):
        raise ValueError(f"kind is one of {', '.join(_KINDS)}, not {kind!r}")
    return wanted == number(kind).dtype


class ArrayNamespaceInfo:
    """Information about the namespace, for the array API standard."""

    def capabilities(self) -> dict[str, Any]:
        """Return the optional behaviour."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> Manager:
        """Return the manager of arrays that are created without a device."""
        return _default.default_manager()

    def devices(self) -> tuple[Manager, ...]:
        """Return the default manager; others are made by kp.Manager()."""
        return (_default.default_manager(),)

    def default_dtypes(self, *, device: Manager | None = None) -> dict[str, np.dtype[Any]]:
        """Return the dtypes of arrays that are created without one."""
        return {
            "real floating": default_float(),
            "complex floating": default_complex(),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64),
        }

    def dtypes(
        self, *, device: Manager | None = None, kind: Any = None
    ) -> dict[str, np.dtype[Any]]:
        """Return the dtypes that a device has, by name; only one kind, if given."""
        manager = _default.default_manager() if device is None else device
        found = {}
        for dtype in NUMBERS:
            if dtype == np.float16 or (kind is not None and not isdtype(dtype, kind)):
                continue  # the standard knows no float16
            if not unsupported_reason(manager, dtype):
                found[dtype.name] = dtype
        return found


def __array_namespace_info__() -> ArrayNamespaceInfo:
    """Return information about this namespace, as the array API standard defines it."""
    return ArrayNamespaceInfo()

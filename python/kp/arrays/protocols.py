# SPDX-License-Identifier: Apache-2.0
"""Dispatches NumPy's functions of arrays to this package's functions of the same names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._package import package
from . import derived
from .reducing import reductions, scans, ufunc_methods
from .array import Array
from .elementwise import applied, into
from .functions import FUNCTIONS
from .groups.array import GroupArray
from .groups.functions import takes_groups
from .matrices.linear_algebra import matmul

#: NumPy's functions whose name differs here.
_NAMES = {
    "absolute": "abs",
    "concatenate": "concat",
    "amin": "min",
    "amax": "max",
    "around": "round",
    "cumulative_sum": "cumulative_sum",
    "copy": "array",
    "asanyarray": "asarray",
    "ascontiguousarray": "asarray",
}

_UFUNCS = {function.ufunc: name for name, function in FUNCTIONS.items()}
_UFUNCS |= {np.degrees: "rad2deg", np.radians: "deg2rad"}

#: Functions with two results.
_PAIRS: dict[Any, Callable[..., Any]] = {np.divmod: derived.divmod, np.modf: derived.modf}

#: Ufuncs with accumulate().
_SCANS: dict[Any, Callable[..., Any]] = {np.add: scans.cumsum, np.multiply: scans.cumprod}
_EXTREMES = {np.maximum: "max", np.minimum: "min"}

#: Functions that make text or write files, of the values on the host.
_ON_HOST = (
    "array2string",
    "array_repr",
    "array_str",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
)

_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "all",
    "logical_or": "any",
}


def _is_known(kind: type) -> bool:
    """Return whether a type lets this package handle NumPy's functions."""
    if issubclass(kind, (Array, GroupArray, np.ndarray, np.generic)):
        return True
    return not hasattr(kind, "__array_ufunc__") and not hasattr(kind, "__array_function__")


def refused(name: str, kinds: Any) -> Any:
    """Return NotImplemented if another library may know the function; else raise TypeError."""
    if [kind for kind in kinds if not _is_known(kind)]:
        return NotImplemented
    raise TypeError(
        f"numpy.{name} does not take kp.Array, with these arguments at least; x.numpy() is a NumPy "
        "array on the host"
    )


def call_ufunc(ufunc: Any, method: str, inputs: Any, kwargs: Any) -> Any:
    """Apply a ufunc of NumPy. Keywords and methods that are unknown here are refused."""
    found = _called(ufunc, method, inputs, kwargs)
    if found is not NotImplemented:
        return found
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    return refused(name, map(type, inputs))


def _called(ufunc: Any, method: str, inputs: Any, kwargs: Any) -> Any:
    """Return the result of a ufunc, or NotImplemented."""
    if method in ("at", "reduceat") and ufunc_methods.knows(ufunc.__name__, method):
        if method == "at" and isinstance(inputs[0], Array):
            return ufunc_methods.at(ufunc.__name__, *inputs)
        if method == "reduceat" and not set(kwargs) - {"axis", "out"}:
            out = kwargs.get("out") or (None,)
            axis = kwargs.get("axis", 0)
            found: Any = ufunc_methods.reduceat
            return takes_groups(found)(ufunc.__name__, *inputs, axis=axis, out=out[0])
    name = _UFUNCS.get(ufunc)
    outs = kwargs.pop("out", (None,))
    out = outs[0] if len(outs) == 1 else None
    if method == "__call__" and ufunc is np.matmul and not kwargs:
        product = takes_groups(matmul)(*inputs)
        return into(out, product)
    if method == "__call__" and ufunc in _PAIRS and not kwargs and outs == (None,):
        return takes_groups(_PAIRS[ufunc])(*inputs)
    for keyword in ("casting", "order", "subok"):
        if kwargs.get(keyword) in ("same_kind", "K", True):
            kwargs.pop(keyword)
    if name is None:
        return NotImplemented
    if method == "__call__" and set(kwargs) <= {"where", "dtype"}:
        return applied(name, inputs, out, kwargs.get("where"), kwargs.get("dtype"))
    if method == "reduce" and ufunc.__name__ in _REDUCTIONS:
        kwargs.setdefault("axis", 0)
        if kwargs.get("dtype") is None:
            kwargs.pop("dtype", None)
        return getattr(reductions, _REDUCTIONS[ufunc.__name__])(inputs[0], out=out, **kwargs)
    if method == "accumulate" and ufunc in _SCANS:
        kwargs.setdefault("axis", 0)
        return takes_groups(_SCANS[ufunc])(inputs[0], out=out, **kwargs)
    if method == "accumulate" and ufunc in _EXTREMES and not set(kwargs) - {"axis"}:
        operation = _EXTREMES[ufunc]
        return takes_groups(scans.scan)(inputs[0], operation, kwargs.get("axis", 0), out)
    if method == "outer" and len(inputs) == 2 and not kwargs:
        first, second = inputs
        axes = (slice(None),) * np.ndim(first) + (None,) * np.ndim(second)
        first = first[axes] if np.ndim(first) else first
        return applied(name, (first, second), out, None, None)
    return NotImplemented


def _host(value: Any) -> Any:
    return value.numpy() if isinstance(value, (Array, GroupArray)) else value


def call_function(function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Call the function of this package that has the name of one of NumPy's."""
    kp = package()

    name = function.__name__
    module = getattr(function, "__module__", "numpy")
    if module == "numpy" and name in _ON_HOST:
        return function(*map(_host, args), **{key: _host(each) for key, each in kwargs.items()})
    plain = module in ("numpy", "numpy.lib.stride_tricks", "numpy.lib._stride_tricks_impl")
    own = getattr(kp, _NAMES.get(name, name), None) if plain else None
    if module == "numpy.linalg":
        own = getattr(kp.linalg, name, None)
    if module == "numpy.fft":
        own = getattr(kp.fft, name, None)
    if own is None or not callable(own) or isinstance(own, type):
        return refused(f"{module.removeprefix('numpy').lstrip('.')}.{name}".lstrip("."), types)
    if kwargs.get("order", "C") in ("C", "K", "A", None):
        kwargs.pop("order", None)
    kwargs.pop("subok", None)
    kwargs.pop("like", None)
    return own(*args, **kwargs)

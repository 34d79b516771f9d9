# SPDX-License-Identifier: Apache-2.0
"""Functions that kernels can call, with the types of kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._jit.calls import name_of, type_of
from .._jit.types import Type
from .._jit.values import Named
from .arithmetic import Arithmetic, is_constant, value_of
from .elements import Elements
from .vectors import Vector, vector_of


def _by_number(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """Return a function of NumPy's numbers and arrays that one of Python's floats computes."""

    def safe(value: float) -> float:
        try:
            return function(value)
        except (OverflowError, ValueError):  # a pole, or no real result
            return math.inf if value >= 0 or function is math.lgamma else math.nan

    def of_array(value: Any) -> Any:
        return np.vectorize(safe, otypes=[np.float64])(np.asarray(value, np.float64))

    return of_array


#: Functions of one float.
_ONE_FLOAT: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(np, name) for name in ("sqrt", "floor", "ceil", "trunc", "sin", "cos", "tan")},
    **{name: getattr(np, name) for name in ("sinh", "cosh", "tanh", "exp", "exp2", "expm1")},
    **{name: getattr(np, name) for name in ("log", "log2", "log10", "log1p", "cbrt", "i0")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sinh", "cosh", "tanh")},
    **{name: _by_number(getattr(math, name)) for name in ("erf", "erfc", "gamma", "lgamma")},
    "inversesqrt": lambda x: 1 / np.sqrt(x),
    "fract": lambda x: x - np.floor(x),
    "round_even": np.rint,
}
#: Functions of several floats.
_FLOATS: dict[str, Callable[..., Any]] = {
    "math.fmod": np.fmod,
    "math.remainder": lambda x, y: np.vectorize(math.remainder)(x, y),
    "copysign": np.copysign,
    "hypot": np.hypot,
    "atan2": np.arctan2,
    "mix": lambda x, y, a: x * (1 - a) + y * a,
    "step": lambda edge, x: np.where(x < edge, 0, 1),
    "smoothstep": lambda low, high, x: (
        (t := np.clip((x - low) / (high - low), 0, 1)) * t * (3 - 2 * t)
    ),
    "fma": lambda a, b, c: np.asarray(a, np.float64) * b + c,
    "dot": lambda a, b: np.sum(a * b),
    "distance": lambda a, b: np.sqrt(np.sum((a - b) ** 2)),
    "length": lambda a: np.sqrt(np.sum(a * a)),
    "cross": np.cross,
    "normalize": lambda a: a / np.sqrt(np.sum(a * a)),
    "reflect": lambda a, n: a - 2 * np.sum(n * a) * n,
}
#: Functions of several numbers, which may be integers.
_NUMBERS: dict[str, Callable[..., Any]] = {
    "fmod": np.fmod,
    "sign": np.sign,
    **{name: getattr(np, name) for name in ("maximum", "minimum", "fmax", "fmin", "clip")},
    "clamp": np.clip,
}
_AS_NUMBER = ("dot", "distance", "length")
_TO_INTEGER = {"math.floor": "floor", "math.ceil": "ceil", "math.trunc": "trunc"}


class Functions:
    """The functions of a kernel."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self._arithmetic = arithmetic
        self._special: dict[str, Callable[..., Any]] = {
            "abs": self._abs,
            "min": lambda *values: self._least(min, values),
            "max": lambda *values: self._least(max, values),
            "pow": arithmetic.power,
            "math.pow": self._math_pow,
            "mod_python": lambda a, b: arithmetic.binary("%", a, b),
            "square": lambda a: arithmetic.binary("**", a, 2),
            "divmod": lambda a, b: tuple(arithmetic.binary(each, a, b) for each in ("//", "%")),
            "where": self._where,
            "deg2rad": lambda a: self._scaled(a, 0.017453292519943295),
            "rad2deg": lambda a: self._scaled(a, 57.295779513082321),
            "conjugate": lambda a: a.conjugate() if isinstance(a, np.complexfloating) else a,
            "len": lambda a: a.shape[0] if isinstance(a, Elements) else len(a),
            "round": self._round,
            "log": self._log,
            "isnan": lambda a: bool(np.isnan(arithmetic.floating(a))),
            "isinf": lambda a: bool(np.isinf(arithmetic.floating(a))),
            "isfinite": lambda a: bool(np.isfinite(arithmetic.floating(a))),
        }

    def named(self, thing: Any) -> Callable[..., Any] | None:
        """Return the kernel function for a Python object; None if there is none."""
        made = type_of(self._arithmetic.numbers, thing)
        if made is not None:
            return lambda *args: self._constructed(made, args)
        name = name_of(thing)
        function = self._special.get(name) or self._table(name)
        if function is None or not callable(thing) or isinstance(thing, Named):
            return function
        computed = function

        def folded(*args: Any) -> Any:
            if args and all(is_constant(each) for each in args):
                return value_of(thing(*args))
            return computed(*args)

        return folded

    def _table(self, name: str) -> Callable[..., Any] | None:
        arithmetic = self._arithmetic
        if name in _ONE_FLOAT:
            return lambda value: self._one_float(name, value)
        if name in _TO_INTEGER:
            return lambda value: self._to_integer(_TO_INTEGER[name], value)
        if name not in _FLOATS and name not in _NUMBERS:
            return None
        function = _FLOATS.get(name) or _NUMBERS[name]

        def several(*values: Any) -> Any:
            own = arithmetic.common(list(values))
            if own.kind == "bool":
                own = own.of(arithmetic.default_int.scalar)
            if name in _FLOATS and not own.is_float:
                own = own.of(arithmetic.default_float.scalar)
            own = arithmetic.numbers.strong(own)
            result = function(*(arithmetic.convert(each, own) for each in values))
            return self._as(result, own.number if name in _AS_NUMBER else own)

        return several

    def _as(self, result: Any, own: Type) -> Any:
        """Return a result of NumPy, which may have more bits, in a type."""
        if own.is_scalar:
            return self._arithmetic.convert(np.asarray(result)[()], own)
        return vector_of(np.asarray(result).astype(own.scalar))

    def _one_float(self, name: str, value: Any) -> Any:
        given = self._arithmetic.floating(value)
        return self._as(_ONE_FLOAT[name](np.asarray(given)), self._arithmetic.type_of(given))

    def _to_integer(self, name: str, value: Any) -> Any:
        if self._arithmetic.type_of(value).is_integer:
            return value
        return self._arithmetic.convert(self._one_float(name, value), self._arithmetic.default_int)

    def _round(self, value: Any, digits: int | None = None) -> Any:
        if digits is None:
            return self._to_integer("round_even", value)
        if self._arithmetic.type_of(value).is_integer and digits >= 0:
            return value
        given = self._arithmetic.floating(value)
        return self._as(np.round(np.asarray(given), digits), self._arithmetic.type_of(given))

    def _abs(self, value: Any) -> Any:
        if isinstance(value, (bool, np.bool_)):
            value = self._arithmetic.convert(value, self._arithmetic.default_int)
        result = np.abs(value)
        return result.view(Vector) if isinstance(value, Vector) else result

    def _least(self, function: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        own = self._arithmetic.common(list(values))
        if own.kind == "bool":
            own = own.of(self._arithmetic.default_int.scalar)
        own = self._arithmetic.numbers.strong(own)
        given = [self._arithmetic.convert(each, own) for each in values]
        if own.is_scalar:
            return function(given)
        result = given[0]
        for each in given[1:]:
            result = (np.minimum if function is min else np.maximum)(result, each)
        return result

    def _math_pow(self, a: Any, b: Any) -> Any:
        floating = self._arithmetic.floating
        a, b = (each if is_constant(each) else floating(each) for each in (a, b))
        return self._arithmetic.power(a, b)

    def _where(self, test: Any, a: Any, b: Any) -> Any:
        own = self._arithmetic.numbers.strong(self._arithmetic.common([a, b]))
        return self._arithmetic.convert(a if test else b, own)

    def _scaled(self, value: Any, factor: float) -> Any:
        return self._arithmetic.binary("*", self._arithmetic.floating(value), factor)

    def _log(self, value: Any, base: Any = None) -> Any:
        name = {2: "log2", 10: "log10"}.get(base, "log") if is_constant(base) else "log"
        result = self._one_float(name, value)
        if base is None or name != "log":
            return result
        return self._arithmetic.binary("/", result, self._one_float("log", base))

    def _constructed(self, own: Type, args: tuple[Any, ...]) -> Any:
        """Return a number, a vector or a matrix from its parts."""
        convert = self._arithmetic.convert
        if not args:
            return convert(0, own)
        if own.kind == "complex" and len(args) == 2:
            return np.complex64(complex(args[0], args[1]))
        if own.is_scalar:
            return bool(args[0]) if own.kind == "bool" else convert(args[0], own)
        if len(args) == 1 and own.is_vector and not isinstance(args[0], (Vector, tuple)):
            return convert(args[0], own)
        parts = np.concatenate([_flat(each, own.scalar) for each in args])
        return vector_of(parts.reshape((own.rows, own.columns) if own.is_matrix else own.rows))


def _flat(part: Any, scalar: str) -> Any:
    """Return the numbers of a part of a vector or a matrix."""
    if isinstance(part, (tuple, list)):
        return np.concatenate([_flat(each, scalar) for each in part])
    return np.asarray(part).astype(scalar).reshape(-1)


def item(arithmetic: Arithmetic, base: Any, index: Any) -> Any:
    """Return an element, a component, or an entry of a constant table by its index."""
    if isinstance(base, (Elements, Vector)):
        found = base[index]
        return found.copy() if isinstance(found, Vector) else found
    if isinstance(base, tuple) and is_constant(index):
        return base[index]
    table = np.asarray(base)
    places = index if isinstance(index, tuple) else (index,)
    for own, extent in zip(places, table.shape, strict=False):
        if not 0 <= own < extent:
            raise IndexError(f"element {own} of a constant array was read, which has {extent}")
    found = table[tuple(int(each) for each in places)]
    if isinstance(found, np.ndarray) or isinstance(base, np.ndarray) or found.dtype.kind == "b":
        return found
    is_integer = found.dtype.kind in "iu"
    return arithmetic.convert(
        found, arithmetic.default_int if is_integer else arithmetic.default_float
    )

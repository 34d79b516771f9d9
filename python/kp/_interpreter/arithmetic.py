# SPDX-License-Identifier: Apache-2.0
"""Operators with the types and the rounding of kernels.

Numbers are NumPy's scalars. Python's are constants, which take the type of the other operand.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .._jit.numbers import Numbers
from .._jit.types import Type, of_value
from .._jit.unit import Unit
from .vectors import Vector, vector_of

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv},
    **{"//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul},
    **{"<<": operator.lshift, ">>": operator.rshift},
    **{"&": operator.and_, "|": operator.or_, "^": operator.xor},
    **{"==": operator.eq, "!=": operator.ne},
    **{"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
}
_SIGNS: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
}


def is_constant(value: Any) -> bool:
    """Return whether a number is one of Python's."""
    return type(value) in (bool, int, float)


class Arithmetic:
    """The operators of a kernel: Python's numbers depend on its arguments."""

    def __init__(self, unit: Unit) -> None:
        self.numbers = Numbers(unit, unit.source)
        self.default_int = unit.default_int
        self.default_float = unit.default_float
        self._node = unit.source.node
        self._types: dict[np.dtype[Any], Type] = {}
        self._promoted: dict[tuple[Type, Type], Type] = {}

    def type_of(self, value: Any) -> Type:
        """Return the type of a number, a vector or a matrix. Raises TypeError for anything else."""
        if isinstance(value, Vector):
            return Type(value.dtype.name, *value.shape)
        if isinstance(value, np.generic):
            known = self._types.get(value.dtype)
            if known is not None:
                return known
        found = of_value(value)
        if found is None:
            raise TypeError(f"{value!r:.60} is not a number")
        if isinstance(value, np.generic):
            self._types[value.dtype] = found
        return found

    def strong_type_of(self, value: Any) -> Type:
        return self.numbers.strong(self.type_of(value))

    def promote(self, a: Type, b: Type) -> Type:
        """Return the type of the results of operators of two types."""
        found = self._promoted.get((a, b))
        if found is None:
            found = self._promoted[a, b] = self.numbers.promote(a, b, self._node)
        return found

    def common(self, values: list[Any]) -> Type:
        own = self.type_of(values[0])
        for each in values[1:]:
            own = self.promote(own, self.type_of(each))
        return own

    def convert(self, value: Any, own: Type) -> Any:
        """Return a number, a vector or a matrix in a type. Vectors are copied."""
        own = self.numbers.strong(own)
        if own.is_scalar:
            return _number(value, np.dtype(own.scalar))
        shape = (own.rows, own.columns) if own.is_matrix else (own.rows,)
        if not isinstance(value, Vector):
            value = np.full(shape, _number(value, np.dtype(own.scalar)))
        return vector_of(value.astype(own.scalar))

    def part(self, value: Any, own: Type) -> Any:
        """Return an operand of an operator whose result has a type: numbers stay numbers."""
        return self.convert(value, own if isinstance(value, Vector) else own.number)

    def floating(self, value: Any) -> Any:
        """Return a number as a float."""
        own = self.type_of(value)
        if own.is_float and not own.weak:
            return value
        return self.convert(value, own.of(self.default_float.scalar))

    def binary(self, symbol: str, a: Any, b: Any) -> Any:
        """Return the result of an operator."""
        if is_constant(a) and is_constant(b):
            return _OPERATORS[symbol](a, b)
        if symbol == "**":
            return self.power(a, b)
        if symbol == "@":
            own = self.promote(self.type_of(a).number, self.type_of(b).number)
            a, b = (each.astype(own.scalar) for each in (a, b))
            return _as_value(np.matmul(a.view(np.ndarray), b.view(np.ndarray)))
        if symbol in ("<<", ">>"):
            return self._shift(symbol, a, b)
        own = self.common([a, b])
        if own.kind == "bool":
            if symbol in "&|^":
                return bool(_OPERATORS[symbol](bool(a), bool(b)))
            own = own.of(self.default_int.scalar)
        if symbol == "/" and own.is_integer:
            own = own.of(self.default_float.scalar)
        a, b = self.part(a, own), self.part(b, own)
        if symbol in ("//", "%") and own.is_integer and not np.all(b):
            raise ZeroDivisionError("an integer is divided by zero")
        return _as_value(_OPERATORS[symbol](a, b))

    def _shift(self, symbol: str, a: Any, b: Any) -> Any:
        own = self.strong_type_of(a)
        if not 0 <= b < own.bits:
            raise ValueError(f"{own.said} is shifted by {b}; it has {own.bits} bits")
        return _as_value(_OPERATORS[symbol](self.convert(a, own), np.dtype(own.scalar).type(b)))

    def power(self, a: Any, b: Any) -> Any:
        """Return a power: of an integer, by products."""
        base, exponent = self.type_of(a), self.type_of(b)
        if base.kind == "bool":
            base = base.of(self.default_int.scalar)
        if is_constant(b) and not exponent.is_float:
            return self._product(a, int(b), self.numbers.strong(base))
        if base.is_integer and exponent.is_integer:
            return self._product(a, int(b), self.numbers.strong(base))
        own = self.numbers.strong(self.promote(base, exponent))
        if is_constant(b) and float(b).is_integer() and abs(b) <= 4:
            return self._product(a, int(b), own)
        return _as_value(_power(self.part(a, own), self.part(b, own)))

    def _product(self, a: Any, count: int, own: Type) -> Any:
        if count < 0:
            own = own if own.is_float else own.of(self.default_float.scalar)
            one = self.convert(1, own.number)
            return _as_value(one / self._product(a, -count, own))
        factor = self.convert(a, own)
        result = self.convert(1, own)
        if count <= 4:
            for _ in range(count):
                result = result * factor
            return _as_value(result)
        while count:
            if count & 1:
                result = result * factor
            factor = factor * factor
            count >>= 1
        return _as_value(result)

    def unary(self, symbol: str, value: Any) -> Any:
        """Return the result of -, + or ~."""
        if is_constant(value):
            return _SIGNS[symbol](value)
        if isinstance(value, np.bool_):
            value = self.convert(value, self.default_int)
        if symbol == "+":
            return value
        return _as_value(np.invert(value) if symbol == "~" else np.negative(value))

    def compare(self, symbol: str, a: Any, b: Any) -> bool:
        """Return the result of a comparison."""
        own = self.common([a, b])
        if own.kind == "bool" and symbol not in ("==", "!="):
            own = self.default_int
        return bool(_OPERATORS[symbol](self.convert(a, own), self.convert(b, own)))


def _power(a: Any, b: Any) -> Any:
    """Return powers by pow(). Only NumPy takes a root for an exponent of 0.5, with other special
    cases."""
    bases, exponents = np.broadcast_arrays(a, b)
    powers = np.power(
        np.append(bases, bases.flat[0]), np.append(exponents, exponents.dtype.type(2))
    )
    return powers[:-1].reshape(bases.shape)[()]


def value_of(thing: Any) -> Any:
    """Return a number of NumPy as Python's if only Python's numbers made it."""
    return thing.item() if isinstance(thing, np.generic) else thing


def _as_value(result: Any) -> Any:
    """Return a result of NumPy as a number, a vector or a matrix."""
    if isinstance(result, np.ndarray):
        return result[()] if result.ndim == 0 else result.view(Vector)
    return result


def _number(value: Any, wanted: np.dtype[Any]) -> Any:
    if isinstance(value, np.generic):
        return value if value.dtype == wanted else value.astype(wanted)
    if wanted.kind in "iu":
        bits = int(value) & (2 ** (8 * wanted.itemsize) - 1)
        return np.array(bits, np.dtype(f"u{wanted.itemsize}")).view(wanted)[()]
    return wanted.type(value)

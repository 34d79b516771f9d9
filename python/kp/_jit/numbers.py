# SPDX-License-Identifier: Apache-2.0
"""Literals, conversions and the types of results.

Numbers are promoted as in NumPy, with these differences: the result of an integer and a float has the
type of the float; signed and unsigned integers mix if the signed type is the wider one; Python's
floats are float32 unless the kernel has float64 arguments.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._kp import _rounding_function
from . import intrinsics
from .types import INT, Type
from .values import ATOM, PRECEDENCE, UNARY, Value

if TYPE_CHECKING:
    from .source import Source
    from .unit import Unit

_KINDS = {"bool": 0, "uint": 1, "int": 1, "float": 2, "complex": 3}


def uncalled(value: Value, node: ast.AST) -> str:
    """Return the end of a message about a function in place of a number: call it."""
    if value.array is not None or value.items is not None or not callable(value.object):
        return ""
    own = getattr(intrinsics, getattr(value.object, "__name__", ""), None)
    needed = own is None or len(own.__defaults__ or ()) < own.__code__.co_argcount
    written = ast.unparse(node.value if isinstance(node, ast.Assign) else node)
    return f"; call it: {written}({'...' if needed else ''})"


def _holds(signed: Type, unsigned: Type) -> bool:
    """Return whether a signed integer type holds all numbers of an unsigned one."""
    return signed.kind == "int" and unsigned.kind == "uint" and unsigned.bits < signed.bits


def _by_bits(single: int, double: int, type: Type) -> str:
    """Return a float without a GLSL literal: compilers may assume that it does not occur."""
    if type.scalar == "float64":
        return f"packDouble2x32(uvec2(0u, {double:#x}u))"
    text = f"uintBitsToFloat({single:#x}u)"
    return f"float16_t({text})" if type.scalar == "float16" else text


class Numbers:
    """Converts values of a function, whose syntax tree only says where an error is."""

    def __init__(self, unit: Unit, source: Source) -> None:
        self.unit = unit
        self.source = source
        self.default_float = unit.default_float

    @property
    def default_int(self) -> Type:
        """The type of Python's integers: literals, counters of loops, indices of work items."""
        return self.unit.default_int

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        self.source.fail(node, message)

    def named(self, named: Any, own: Type) -> Type:
        """Return the type that an annotation means here: Python's numbers depend on the kernel."""
        return self.default_float if named is float else self.default_int if named is int else own

    def common(self, values: Sequence[Value], node: ast.AST) -> Type:
        """Return the type of the results of operators of all values."""
        own = self.typed(values[0], node)
        for each in values[1:]:
            own = self.promote(own, self.typed(each, node), node)
        return own

    def promote(self, a: Type, b: Type, node: ast.AST) -> Type:
        """Return the type of the result of an operator, element by element."""
        shape = a if not a.is_scalar else b
        if not a.is_scalar and not b.is_scalar and (a.rows, a.columns) != (b.rows, b.columns):
            self.fail(node, f"{a} and {b} have different shapes")
        number = self._promote_numbers(a.number, b.number, node)
        if shape.is_scalar:
            return number
        return Type(number.scalar, shape.rows, shape.columns)

    def _promote_numbers(self, a: Type, b: Type, node: ast.AST) -> Type:
        if a == b:
            return a
        if _KINDS[a.kind] != _KINDS[b.kind]:
            high, low = (a, b) if _KINDS[a.kind] > _KINDS[b.kind] else (b, a)
            if high.weak and not low.weak and low.is_integer:
                return self.default_float if high.is_float else high.strong
            return high
        if a.weak != b.weak:
            return b if a.weak else a
        if _holds(a, b) or _holds(b, a):
            return a if _holds(a, b) else b
        if a.kind != b.kind:
            self.fail(
                node,
                f"{a} and {b} do not mix, because no type holds both; convert one of them, "
                f"as in kp.{b.scalar}(...)",
            )
        return a if a.bits > b.bits else b

    def strong(self, type: Type) -> Type:
        """Return the type of a variable for values of a type."""
        if type.weak and type.is_float:
            return self.default_float
        if type.weak and type.is_integer:
            return Type(self.default_int.scalar, type.rows, type.columns)
        return type.strong

    def python_int(self, value: Value) -> Value:
        """Return an int32 of GLSL, such as the index of a work item, as an integer of Python."""
        if value.type == self.default_int:
            return value
        made = self.cast(value, self.default_int)
        made.invariant, made.work_item = value.invariant, value.work_item
        return made

    def literal(self, constant: Any, type: Type, node: ast.AST) -> Value:
        """Return a constant as a number of a type."""
        if type.kind == "bool":
            return Value("true" if constant else "false", type)
        if type.is_integer:
            return self._integer(int(constant), type, node)
        if isinstance(constant, int) and constant.bit_length() > np.finfo(np.float64).maxexp:
            self.fail(node, f"an integer of {constant.bit_length()} bits does not fit {type}")
        if type.kind == "complex":
            number = complex(constant)
            parts = [
                self.literal(x, Type("float32"), node).text for x in (number.real, number.imag)
            ]
            return Value(f"vec2({', '.join(parts)})", type)
        return self._float(float(constant), type, node)

    def _integer(self, number: int, type: Type, node: ast.AST) -> Value:
        limits = np.iinfo(type.scalar)
        if not limits.min <= number <= limits.max:
            hint = (
                "; give it a type, as in kp.uint32(...) or kp.int64(...)"
                if type == INT and number > 0
                else ""
            )
            self.fail(node, f"{number} does not fit {type}{hint}")
        if number == limits.min < 0:
            one_more = self._integer(number + 1, type, node).text
            return Value(f"({one_more} - {type.glsl}(1))", type)
        precedence = UNARY if number < 0 else ATOM
        suffix = {"int32": "", "uint32": "u", "int64": "l", "uint64": "ul"}.get(type.scalar)
        if suffix is None:
            return Value(f"{type.glsl}({number})", type)
        return Value(f"{number}{suffix}", type, precedence)

    def _float(self, number: float, type: Type, node: ast.AST) -> Value:
        if math.isnan(number):
            return Value(_by_bits(0x7FC00000, 0x7FF80000, type), type)
        with np.errstate(over="ignore"):
            rounded = np.dtype(type.scalar).type(number)
        if math.isinf(number):
            sign = 0x80000000 if number < 0 else 0
            return Value(_by_bits(sign | 0x7F800000, sign | 0x7FF00000, type), type)
        if np.isinf(rounded):
            self.fail(node, f"{number} does not fit {type}")
        text = str(float(rounded) if type.scalar == "float16" else rounded)
        if "." not in text and "e" not in text:
            text += ".0"
        if type.scalar == "float16":
            return Value(f"float16_t({text})", type)
        precedence = UNARY if text.startswith("-") else ATOM
        return Value(text + ("lf" if type.scalar == "float64" else ""), type, precedence)

    def typed(self, value: Value, node: ast.AST) -> Type:
        """Return the type of a number, a vector or a matrix. Everything else is an error."""
        if value.type is None:
            self.fail(node, f"{self.describe(value)} is not a number{uncalled(value, node)}")
        self.unit.meet(value.type)
        return value.type

    def describe(self, value: Value) -> str:
        """Return a description of a value, for messages."""
        if value.array is not None:
            return f"{value.array.parameter or value.array.name} (an array)"
        if value.items is not None:
            return "a tuple"
        if value.type is not None:
            return f"{value.type.said}"
        name = getattr(value.object, "__name__", None)
        return f"'{name}'" if name else f"{value.object!r:.40}"

    def convert(self, value: Value, type: Type, node: ast.AST) -> Value:
        """Return a value in a type that promote() has chosen, or that the program asks for."""
        own = self.typed(value, node)
        self.unit.meet(type)
        type = self.strong(type)
        if value.is_constant and type.is_scalar:
            return self.literal(value.constant, type, node)
        if value.is_constant:
            number = self.literal(value.constant, Type(type.scalar), node)
            if type.is_matrix:
                self.fail(node, f"a number is not a {type}")
            return Value(f"{type.glsl}({number.text})", type)
        if value.choice is not None and self.strong(own) != type:
            test, a, b = value.choice
            return self.chosen(test, a, b, type, node)
        if self.strong(own) == type:
            return value
        if type.kind == "complex" and own.kind != "complex":
            part = self.convert(value, Type("float32"), node)
            return Value(f"vec2({part.text}, 0.0)", type, pure=value.pure)
        if own.kind == "complex":
            self.fail(node, f"{own.said} is no {type}; use .real, .imag or abs()")
        if type.is_matrix and own.is_scalar:
            self.fail(node, f"{own.said} is no {type}")
        return self.cast(value, type)

    def both(self, a: Value, b: Value, type: Type, node: ast.AST) -> tuple[Value, Value]:
        """Return both operands of an operator in a type."""
        return self.convert(a, type, node), self.convert(b, type, node)

    def cast(self, value: Value, type: Type) -> Value:
        """Return a value converted from its own type to another.

        Compilers remove roundings to a type that other types are made of, unless the texts prevent it.
        """
        own = value.type
        assert own is not None
        self.unit.observe(own)
        if own.is_scalar and not type.is_scalar and own.number != type.number:
            value = self.cast(value, type.number)
            return Value(f"{type.glsl}({value.text})", type, pure=value.pure)
        text = f"{type.glsl}({value.text})"
        # Drivers round a double to float first, and then to half.
        twice = own.scalar == "float64" and type.scalar == "float16"
        if twice or (type.scalar in self.unit.observed and own.bits > 8):
            text = self._rounded(value, own, type) or text
        return Value(text, type, pure=value.pure)

    def _rounded(self, value: Value, own: Type, type: Type) -> str:
        """Return the text of a conversion that rounds regardless of optimizations; "" if it is
        exact."""
        if type.scalar == "float16":
            single = type.of("float32")
            if own.scalar == "float64":
                name = "kp_half_of_double"
            else:
                name = "kp_half"
                value = value if own.scalar == "float32" else self.cast(value, single)
                own = single
            self.unit.need_rounding(name, own, single)
            return f"{type.glsl}({name}({value.text}))"
        found = _rounding_function(own.number.glsl, type.number.glsl)
        if not found:
            return ""
        self.unit.need_rounding(found, own, type)
        return f"{found}({value.text})"

    def chosen(self, test: Value, a: Value, b: Value, own: Type, node: ast.AST) -> Value:
        """Return one of two values, by a condition, in a type."""
        a, b = self.both(a, b, own, node)
        level = PRECEDENCE["?:"]
        text = f"{test.within(level - 1)} ? {a.within(level - 1)} : {b.within(level)}"
        return Value(text, own, level, pure=test.pure and a.pure and b.pure)

    def truth(self, value: Value, node: ast.AST) -> Value:
        """Return a value as a condition: whether it is not 0."""
        if value.items is not None or value.array is not None:
            self.fail(node, f"{self.describe(value)} is not a condition")
        type = self.typed(value, node)
        if not type.is_scalar or type.kind == "complex":
            self.fail(node, f"{type.said} is not a condition; compare its components")
        if type.kind == "bool":
            if value.is_constant:
                return Value(
                    "true" if value.constant else "false",
                    Type("bool"),
                    constant=bool(value.constant),
                )
            return value
        if value.is_constant:
            return Value("", Type("bool"), constant=bool(value.constant))
        zero = self.literal(0, self.strong(type), node).text
        return Value(f"{value.within(6)} != {zero}", Type("bool"), 6, pure=value.pure)

    def store(
        self, value: Value, type: Type, what: str, node: ast.AST, is_element: bool = False
    ) -> Value:
        """Return a value in the type of an array's element or of an annotated variable.

        Numbers of the same kind are rounded or cut, as NumPy does in an assignment. Elements also cut integers
        with another sign.
        """
        own = self.typed(value, node)
        fits = _KINDS[own.kind] <= _KINDS[type.kind] and (
            type.kind == "float"
            or own.kind == type.kind
            or (is_element and own.is_integer)
            or _holds(type, own)
            or own.kind == "bool"
            or own.weak
            or type.kind == "complex"
        )
        same_shape = (own.rows, own.columns) == (type.rows, type.columns)
        if not same_shape and not (own.is_scalar and type.is_vector):
            self.fail(node, f"{what} is {type.said}, but {own.said} is assigned")
        if not fits:
            cast = "int(...)" if type.scalar == "int32" else f"kp.{type.scalar}(...)"
            self.fail(
                node,
                f"{what} is {type.said}, but {own.strong.said} is assigned; convert it with {cast}",
            )
        return self.convert(value, type, node)

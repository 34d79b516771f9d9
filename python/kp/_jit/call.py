# SPDX-License-Identifier: Apache-2.0
"""A call of a function known to kernels."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from .types import Type
from .values import Value

if TYPE_CHECKING:
    from .expressions import Expressions


class Call:
    """The arguments of a call, and its place in the function."""

    def __init__(self, expressions: Expressions, args: list[Value], node: ast.Call) -> None:
        self.expressions = expressions
        self.args = args
        self.node = node
        self.numbers = expressions.numbers
        self.operators = expressions.operators
        self.unit = expressions.unit

    def fail(self, message: str) -> NoReturn:
        self.numbers.fail(self.node, message)

    def of(self, *args: Value) -> Call:
        """Return a call at the same place with other arguments."""
        return Call(self.expressions, list(args), self.node)

    def typed(self, place: int = 0) -> Type:
        """Return the type of an argument."""
        return self.numbers.typed(self.args[place], self.node)

    def convert(self, value: Value, own: Type) -> Value:
        return self.numbers.convert(value, own, self.node)

    def apply(self, symbol: str, a: Value, b: Value) -> Value:
        """Return the result of an operator."""
        return self.operators.apply(symbol, a, b, self.node)

    def floating(self, name: str) -> tuple[Value, Type]:
        """Return the first argument as a float, and its type."""
        own = self.typed()
        if own.kind == "complex" or own.is_matrix:
            self.fail(f"{name}() of {own.said} does not exist")
        if not own.is_float or own.weak:
            own = own.of(self.numbers.default_float.scalar)
        return self.convert(self.args[0], own), own

    def common(self, floating: bool = False) -> tuple[Type, list[Value]]:
        """Return the arguments in one type."""
        own = self.numbers.common(self.args, self.node)
        if own.kind == "complex":
            self.fail("complex numbers cannot be given here; use their parts")
        if own.kind == "bool":
            own = own.of(self.numbers.default_int.scalar)
        if floating and not own.is_float:
            own = own.of(self.numbers.default_float.scalar)
        own = self.numbers.strong(own)
        return own, [self.convert(each, own) for each in self.args]


Handler = Callable[[Call], Value]


def called(name: str, own: Type, args: list[Value]) -> Value:
    """Return a call of a function of GLSL."""
    text = f"{name}({', '.join(each.text for each in args)})"
    return Value(text, own, pure=all(each.pure for each in args))

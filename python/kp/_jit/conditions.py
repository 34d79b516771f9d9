# SPDX-License-Identifier: Apache-2.0
"""Comparisons and conditions, with Python's meaning."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from .arithmetic import Arithmetic
from .types import BOOL, Type
from .values import PRECEDENCE, Value

_COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


class Conditions(Arithmetic):
    """Base of Expressions: == != < <= > >=, and or not, a if b else c."""

    _branches = 0

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        raise NotImplementedError

    def number(self, node: ast.expr) -> Value:
        """Return the value of an expression that gives a number, a vector or a matrix."""
        raise NotImplementedError

    def wrap(self, thing: Any, node: ast.AST | None = None) -> Value:
        """Return a Python object that the function refers to."""
        raise NotImplementedError

    def temporary(self, own: Type) -> str:
        """Declare a variable that the program has not, and return its name."""
        raise NotImplementedError

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """Translate what some work items may not evaluate."""
        self._branches += 1
        yield
        self._branches -= 1

    def _on_Compare(self, node: ast.Compare) -> Value:
        for comparison in node.ops:
            if type(comparison) not in _COMPARISONS:
                self.fail(node, "in, not in, is and is not cannot be used in kernels")
        operands = [node.left, *node.comparators]
        values = [self.number(each) for each in operands[:2]]
        with self.perhaps():
            values += [self.number(each) for each in operands[2:]]
        parts = []
        for index, comparison in enumerate(node.ops):
            symbol, function = _COMPARISONS[type(comparison)]
            a, b = values[index], values[index + 1]
            if index + 2 < len(values) and not b.pure:  # the next comparison has it, too
                own = self.strong(self.typed(b, operands[index + 1]))
                name = self.temporary(own)
                b = Value(f"({name} = {b.text})", own, pure=False)
                values[index + 1] = Value(name, own)
            if a.is_constant and b.is_constant:
                parts.append(self.wrap(bool(function(a.constant, b.constant))))
                continue
            parts.append(self._compared(symbol, a, b, node))
        return self._joined("&&", parts, node)

    def _compared(self, symbol: str, a: Value, b: Value, node: ast.AST) -> Value:
        own = self.promote(self.typed(a, node), self.typed(b, node), node)
        if not own.is_scalar or (own.kind == "complex" and symbol not in ("==", "!=")):
            self.fail(node, f"{own.said} has no {symbol}; compare its components")
        if own.kind == "bool" and symbol not in ("==", "!="):
            own = self.default_int
        self.unit.observe(own)
        a, b = self.convert(a, own, node), self.convert(b, own, node)
        return self.infix(symbol, a, b, BOOL)

    def _joined(self, symbol: str, parts: list[Value], node: ast.AST) -> Value:
        """Return conditions joined by && or ||. Constants are left out where they decide nothing."""
        decides = symbol == "||"
        kept: list[Value] = []
        for part in parts:
            if part.is_constant and bool(part.constant) != decides:
                continue
            kept.append(part)
            if part.is_constant:
                break
        if not kept:
            return self.wrap(not decides)
        if len(kept) == 1:
            return kept[0]
        if kept[0].is_constant:
            return kept[0]
        level = PRECEDENCE[symbol]
        # Readers need not know that && binds tighter than ||.
        shown = [self._shown(part) for part in kept]
        texts = [part.text if part.precedence == level else part.within(6) for part in shown]
        return Value(f" {symbol} ".join(texts), BOOL, level, pure=all(part.pure for part in kept))

    def _on_BoolOp(self, node: ast.BoolOp) -> Value:
        parts: list[Value] = []
        for each in node.values:
            with self.perhaps() if parts else nullcontext():
                value = self.expression(each)
            if value.type is not None and value.type.kind != "bool" and not self.in_condition:
                word = "and" if isinstance(node.op, ast.And) else "or"
                self.fail(
                    each,
                    f"'{word}' of {value.type.said} gives one of its operands in Python; compare with 0 "
                    "to have a condition",
                )
            parts.append(self.truth(value, each))
        return self._joined("&&" if isinstance(node.op, ast.And) else "||", parts, node)

    in_condition = False

    def condition(self, node: ast.expr) -> Value:
        """Return an expression as a condition."""
        before, self.in_condition = self.in_condition, True
        try:
            return self.truth(self.expression(node), node)
        finally:
            self.in_condition = before

    def _on_IfExp(self, node: ast.IfExp) -> Value:
        test = self.condition(node.test)
        if test.is_constant:
            return self.expression(node.body if test.constant else node.orelse)
        with self.perhaps():
            a, b = self.number(node.body), self.number(node.orelse)
        own = self.promote(self.typed(a, node), self.typed(b, node), node)
        value = self.chosen(test, a, b, self.strong(own), node)
        if own.weak:  # 1 if x else 0 takes the type of what it meets
            value.type, value.choice = own, (test, a, b)
        return value

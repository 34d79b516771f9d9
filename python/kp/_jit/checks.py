# SPDX-License-Identifier: Apache-2.0
"""Assertions of kernels, which report in checked mode and are nothing otherwise."""

from __future__ import annotations

import ast

from . import intrinsics
from .emitter import Emitter
from .expressions import Expressions
from .types import UINT
from .values import Value


class Checks:
    """Translates `assert` and kp.check()."""

    def __init__(self, expressions: Expressions, emitter: Emitter) -> None:
        self._expressions = expressions
        self._numbers = expressions.numbers
        self._unit = expressions.unit
        self._emitter = emitter

    def asserted(self, node: ast.Assert) -> None:
        self._emit(node.test, node.msg, None)

    def is_check(self, node: ast.Call) -> bool:
        """Return whether a call is one of kp.check()."""
        try:
            return self._numbers.source.lookup(ast.unparse(node.func)) is intrinsics.check
        except KeyError:
            return False

    def check(self, node: ast.Call) -> None:
        given = dict(zip(("condition", "text", "value"), node.args, strict=False))
        given.update({each.arg or "**": each.value for each in node.keywords})
        if len(node.args) > 3 or not {"condition"} <= set(given) <= {"condition", "text", "value"}:
            self._numbers.fail(node, "kp.check() takes a condition, a text and a value")
        self._emit(given["condition"], given.get("text"), given.get("value"))

    def _emit(self, test: ast.expr, said: ast.expr | None, value: ast.expr | None) -> None:
        """Report a false condition, in checked mode."""
        if not self._unit.checked:
            return
        numbers = self._numbers
        text = ast.unparse(test)
        if said is not None:
            if not isinstance(said, ast.Constant) or not isinstance(said.value, str):
                numbers.fail(said, "the text of a check is a constant, such as 'x is positive'")
            text = said.value
        text = "".join(
            c if c.isascii() and c.isprintable() and c not in '\\"%' else "?" for c in text
        )
        condition = self._expressions.condition(test)
        shown = Value("0u", UINT)
        if value is not None:
            shown = self._expressions.evaluate(value)
            own = numbers.strong(numbers.typed(shown, value))
            if not own.is_scalar or own.bits != 32:
                numbers.fail(value, f"the value of a check is a number of 32 bits, not {own}")
            shown = numbers.convert(shown, own, value)
        self._unit.extensions.add("GL_EXT_debug_printf")
        wrong = (
            str(not condition.constant).lower() if condition.is_constant else f"!({condition.text})"
        )
        self._emitter.line(f'if ({wrong}) debugPrintfEXT("{text}", 0x6b70u, {shown.text});')

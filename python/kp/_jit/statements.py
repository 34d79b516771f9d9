# SPDX-License-Identifier: Apache-2.0
"""Statements of Python as statements of GLSL."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .assignments import Assignments
from . import intrinsics
from .emitter import Emitter
from .expressions import Expressions
from .local_arrays import LocalArrays
from .loops import Loops
from .scope import Scope, merged
from .source import Place
from .types import UINT
from .values import Value

if TYPE_CHECKING:
    from .function import Function


def in_python(called: Any) -> bool:
    """Return whether functions may call something while Python runs them, and nowhere else."""
    if called in (print, breakpoint):
        return True
    return getattr(called, "__module__", "") == "pdb" and called.__name__ == "set_trace"


class Statements:
    """Translates the statements of a function once, with the types that are known so far."""

    def __init__(self, function: Function, scope: Scope, emitter: Emitter) -> None:
        self._function = function
        self._scope = scope
        self._emitter = emitter
        self._numbers = scope.numbers
        self._fail = scope.numbers.fail
        self._expressions = expressions = Expressions(scope, emitter)
        arrays = LocalArrays(expressions, function.glsl_name)
        assignments = Assignments(expressions, arrays)
        loops = Loops(expressions, assignments, arrays, self.block)
        self._translators: dict[type[ast.stmt], Callable[[Any], None]] = {
            ast.Assign: assignments.assign,
            ast.AnnAssign: assignments.annotated,
            ast.AugAssign: assignments.augmented,
            ast.While: loops.repeat,
            ast.For: loops.iterate,
            ast.Break: loops.leave,
            ast.Continue: loops.proceed,
            ast.Pass: lambda node: None,
            ast.Assert: self._assert,
            ast.Expr: self._expression,
            ast.If: self._if,
            ast.Return: self._return,
        }

    @property
    def calls(self) -> dict[Place, Function]:
        """The functions that the statements call."""
        return self._expressions.calls

    @property
    def things(self) -> dict[Place, Any]:
        """The Python objects that the statements call."""
        return self._expressions.things

    def block(self, body: list[ast.stmt]) -> None:
        """Translate statements one after the other."""
        for statement in body:
            if self._scope.assigned is None:
                return  # never reached
            translate = self._translators.get(type(statement))
            if translate is None:
                self._fail(statement, f"{_name_of(statement)} cannot be used in kernels")
            with self._emitter.at(self._place_of(statement)):
                translate(statement)

    def _place_of(self, statement: ast.stmt) -> str:
        """Return the directives that give the lines of a statement its place in Python, in checked
        mode."""
        numbers = self._numbers
        return numbers.source.line_directive(statement) if numbers.unit.checked else ""

    def _nested(self, body: list[ast.stmt]) -> None:
        with self._emitter.indented():
            self.block(body)

    def _expression(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return
        if isinstance(node.value, (ast.Yield, ast.YieldFrom, ast.Await)):
            self._expressions.evaluate(node.value)  # refused by its name
        if not isinstance(node.value, ast.Call):
            self._fail(node, "this has no effect")
        called = self._called(node.value)
        if called is intrinsics.check:
            self._check(node.value)
            return
        if self._numbers.unit.interpreted and in_python(called):
            return
        value = self._expressions.evaluate(node.value)
        if value.text:
            self._emitter.line(f"{value.text};")

    def _assert(self, node: ast.Assert) -> None:
        self._emit_check(node.test, node.msg, None)

    def _called(self, node: ast.Call) -> Any:
        """Return the Python object that a call names, or None."""
        try:
            return self._numbers.source.lookup(ast.unparse(node.func))
        except KeyError:
            return None

    def _check(self, node: ast.Call) -> None:
        given = dict(zip(("condition", "text", "value"), node.args, strict=False))
        given.update({each.arg or "**": each.value for each in node.keywords})
        if len(node.args) > 3 or not {"condition"} <= set(given) <= {"condition", "text", "value"}:
            self._fail(node, "kp.check() takes a condition, a text and a value")
        self._emit_check(given["condition"], given.get("text"), given.get("value"))

    def _emit_check(self, test: ast.expr, said: ast.expr | None, value: ast.expr | None) -> None:
        """Report a false condition, in checked mode."""
        if not self._numbers.unit.checked:
            return
        numbers = self._numbers
        text = ast.unparse(test)
        if said is not None:
            if not isinstance(said, ast.Constant) or not isinstance(said.value, str):
                self._fail(said, "the text of a check is a constant, such as 'x is positive'")
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
                self._fail(value, f"the value of a check is a number of 32 bits, not {own}")
            shown = numbers.convert(shown, own, value)
        self._numbers.unit.extensions.add("GL_EXT_debug_printf")
        wrong = (
            str(not condition.constant).lower() if condition.is_constant else f"!({condition.text})"
        )
        self._emitter.line(f'if ({wrong}) debugPrintfEXT("{text}", 0x6b70u, {shown.text});')

    def _if(self, node: ast.If, keyword: str = "if") -> None:
        scope = self._scope
        test = self._expressions.condition(node.test)
        if test.is_constant:
            if keyword != "if":
                self._emitter.line("} else {")
                self._nested(node.body if test.constant else node.orelse)
                self._emitter.line("}")
                return
            self.block(node.body if test.constant else node.orelse)
            return
        self._emitter.line(f"{keyword} ({test.text}) {{")
        before = None if scope.assigned is None else set(scope.assigned)
        self._nested(node.body)
        after_body, scope.assigned = scope.assigned, before
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            with self._emitter.perhaps():
                self._if(node.orelse[0], "} else if")
        else:
            if node.orelse:
                self._emitter.line("} else {")
                self._nested(node.orelse)
            self._emitter.line("}")
        scope.assigned = merged(after_body, scope.assigned)

    def _return(self, node: ast.Return) -> None:
        self._emitter.may_have_ended = True
        if node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            if self._function.returned is not None:
                self._fail(node, "this returns nothing, but another return has a value")
            self._emitter.line("return;")
        elif self._function.is_kernel:
            self._fail(node, "a kernel returns nothing; write the result to an array")
        else:
            self._give(self._expressions.evaluate(node.value), node)
        self._scope.assigned = None

    def _give(self, value: Value, node: ast.Return) -> None:
        """Return one value, or several that a struct holds."""
        assert node.value is not None
        function, numbers = self._function, self._numbers
        items = [value] if value.items is None else value.items
        own = tuple(numbers.strong(numbers.typed(each, node.value)) for each in items)
        known = function.returned
        if known is None:
            known = own if value.items is not None else own[0]
        before = known if isinstance(known, tuple) else (known,)
        if isinstance(known, tuple) != (value.items is not None) or len(before) != len(own):
            self._fail(node, "the returns of a function have the same number of values")
        types = [
            numbers.strong(numbers.promote(*each, node)) for each in zip(before, own, strict=True)
        ]
        texts = [numbers.convert(*each, node).text for each in zip(items, types, strict=True)]
        function.returned = tuple(types) if value.items is not None else types[0]
        text = (
            f"{function.glsl_name}_result({', '.join(texts)})"
            if value.items is not None
            else texts[0]
        )
        self._emitter.line(f"return {text};")


def _name_of(node: ast.AST) -> str:
    """Return the name of a statement in messages."""
    name = type(node).__name__
    return {
        "FunctionDef": "a def inside a function",
        "AsyncFunctionDef": "async def",
        "ClassDef": "class",
        "Delete": "del",
        "With": "with",
        "Raise": "raise",
        "Try": "try",
        "Import": "import",
        "ImportFrom": "import",
        "Global": "global",
        "Nonlocal": "nonlocal",
        "Match": "match",
        "AsyncFor": "async for",
    }.get(name, name)

# SPDX-License-Identifier: Apache-2.0
"""Statements of a Python function as statements of GLSL."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NoReturn

from . import intrinsics
from .assignments import statement_name
from .divergence import Divergence
from .expressions import _ARITHMETIC
from .loops import Loop, Loops, merged
from .names import Names
from .source import Source
from .types import UINT, Type
from .values import Value

if TYPE_CHECKING:
    from .unit import Unit

_MOST_PASSES = 40


class Function(Loops):
    """One Python function for arguments of certain types.

    The types of variables are found by translating the function until they no longer change. The
    result is in `lines`.
    """

    def __init__(
        self, unit: Unit, source: Source, parameters: dict[str, Value], is_kernel: bool
    ) -> None:
        self.unit = unit
        self.source = source
        self.parameters = dict(parameters)
        self.is_kernel = is_kernel
        self.default_float = unit.default_float
        self.names = Names(source.node)
        self.locals = set(self.names.locals)
        self.types: dict[str, Type] = {}
        self.returned: Type | tuple[Type, ...] | None = None
        self.hardened = False
        self.lines: list[str] = []
        self.calls: list[Function] = []
        self.glsl_name = ""
        self.final = -1

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        self.source.fail(node, message)

    def translate(self) -> None:
        """Translate until the types of all variables are known."""
        self._require_meeting()
        for _ in range(_MOST_PASSES):
            before = (dict(self.types), self.returned, self.hardened)
            self._pass()
            if before != (self.types, self.returned, self.hardened):
                continue
            if self.hardened:
                return
            self.hardened = True
            self.types = {name: self.strong(each) for name, each in self.types.items()}
        self.fail(self.source.node, "the types of the variables do not settle; annotate them")

    def _require_meeting(self) -> None:
        """Fail if only some work items of a group reach a barrier."""
        found = Divergence(self.source)
        if found.barrier is not None:
            line = getattr(found.reason, "lineno", 0)
            self.fail(
                found.barrier,
                "only some work items of a group may come to this barrier, because of the condition in line "
                f"{line}; all of them have to",
            )

    def _pass(self) -> None:
        self.lines, self.calls, self.arrays = [], [], {}
        self.work_items = {}
        self._may_have_ended = False
        self.depth = 1
        self._hidden = 0
        self._statement: ast.stmt | None = None
        self._unpacked: ast.expr | None = None
        self._loops: list[Loop] = []
        self._temporaries: list[str] = []
        self._declared_inline: set[str] = set()
        self.assigned: set[str] | None = set()
        self._copy_parameters()
        body = self.source.node.body
        self.block(body)
        if not self.is_kernel and self.returned is not None and self.assigned is not None:
            self.fail(
                body[-1], f"{self.source.name}() may end without a value; return one at its end"
            )
        declared = [
            f"    {each.glsl} {self.variable(name)};"
            for name, each in self.types.items()
            if name not in self._declared_inline and name not in self._copied
        ]
        self.lines[:0] = declared + self._temporaries

    def _copy_parameters(self) -> None:
        """Declare variables for the parameters that the function assigns."""
        self._copied: set[str] = set()
        for name in sorted(self.locals & set(self.parameters)):
            value = self.parameters[name]
            if value.type is None:
                self._refuse_replacing(name, value)
            self.types.setdefault(name, self.strong(value.type))
            own = self.types[name]
            given = self.convert(value, own, self.source.node)
            assert self.assigned is not None
            self.assigned.add(name)
            self._copied.add(name)
            self.emit(f"{own.glsl} {self.variable(name)} = {given.text};")

    def _refuse_replacing(self, name: str, value: Value) -> NoReturn:
        """Fail at the statement that assigns to a parameter that is an array."""
        statement: ast.AST = self.source.node
        symbol = "="
        for each in ast.walk(self.source.node):
            stored = [
                part
                for part in ast.iter_child_nodes(each)
                if isinstance(part, ast.Name)
                and part.id == name
                and isinstance(part.ctx, ast.Store)
            ]
            if stored:
                statement = each
                if isinstance(each, ast.AugAssign):
                    symbol = f"{_ARITHMETIC[type(each.op)][0]}="
                break
        axes = value.array.ndim if value.array is not None else 1
        advice = f"write {name}[{', '.join('ijk'[:axes]) or 'i'}] {symbol} ... for each element"
        if isinstance(statement, ast.For):
            advice = "count with another name"
        self.fail(statement, f"'{name}' is an array and cannot be replaced; {advice}")

    def variable(self, name: str) -> str:
        text = self.unit.identifier(name)
        if name in self.parameters:
            return f"{text}_now"
        return f"{text.rstrip('_')}_own" if text in self.unit.taken else text

    def temporary(self, own: Type) -> str:
        self._hidden += 1
        text = f"value{self._hidden}_"
        self._temporaries.append(f"    {own.glsl} {text};")
        return text

    def emit(self, text: str) -> None:
        line = "    " * self.depth + text
        if self.unit.checked and self._statement is not None:
            line = f"{self.source.line_directive(self._statement)}{line}"
        self.lines.append(line)

    @property
    def is_certain(self) -> bool:
        return (
            self.is_kernel and self.depth == 1 and self._branches == 0 and not self._may_have_ended
        )

    # --- blocks -----------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt]) -> None:
        """Translate statements one after the other."""
        for statement in body:
            if self.assigned is None:
                return  # never reached
            method = getattr(self, f"_do_{type(statement).__name__}", None)
            if method is None:
                self.fail(statement, f"{statement_name(statement)} cannot be used in kernels")
            outer, self._statement = self._statement, statement
            method(statement)
            self._statement = outer

    def nested(self, body: list[ast.stmt]) -> None:
        self.depth += 1
        self.block(body)
        self.depth -= 1

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return
        if isinstance(node.value, (ast.Yield, ast.YieldFrom, ast.Await)):
            self.expression(node.value)  # refused by its name
        if not isinstance(node.value, ast.Call):
            self.fail(node, "this has no effect")
        if self._is_check(node.value):
            self._check(node.value)
            return
        value = self.expression(node.value)
        if value.text:
            self.emit(f"{value.text};")

    def _do_Assert(self, node: ast.Assert) -> None:
        self._emit_check(node.test, node.msg, None)

    def _is_check(self, node: ast.Call) -> bool:
        try:
            return self.source.lookup(ast.unparse(node.func)) is intrinsics.check
        except KeyError:
            return False

    def _check(self, node: ast.Call) -> None:
        given = dict(zip(("condition", "text", "value"), node.args, strict=False))
        given.update({each.arg or "**": each.value for each in node.keywords})
        if len(node.args) > 3 or not {"condition"} <= set(given) <= {"condition", "text", "value"}:
            self.fail(node, "kp.check() takes a condition, a text and a value")
        self._emit_check(given["condition"], given.get("text"), given.get("value"))

    def _emit_check(self, test: ast.expr, said: ast.expr | None, value: ast.expr | None) -> None:
        """Report a false condition, in checked mode."""
        if not self.unit.checked:
            return
        text = ast.unparse(test)
        if said is not None:
            if not isinstance(said, ast.Constant) or not isinstance(said.value, str):
                self.fail(said, "the text of a check is a constant, such as 'x is positive'")
            text = said.value
        text = "".join(
            c if c.isascii() and c.isprintable() and c not in '\\"%' else "?" for c in text
        )
        condition = self.condition(test)
        shown = Value("0u", UINT)
        if value is not None:
            shown = self.number(value)
            own = self.strong(self.typed(shown, value))
            if not own.is_scalar or own.bits != 32:
                self.fail(value, f"the value of a check is a number of 32 bits, not {own}")
            shown = self.convert(shown, own, value)
        self.unit.extensions.add("GL_EXT_debug_printf")
        wrong = (
            str(not condition.constant).lower() if condition.is_constant else f"!({condition.text})"
        )
        self.emit(f'if ({wrong}) debugPrintfEXT("{text}", 0x6b70u, {shown.text});')

    def _do_If(self, node: ast.If, keyword: str = "if") -> None:
        test = self.condition(node.test)
        if test.is_constant:
            if keyword != "if":
                self.emit("} else {")
                self.nested(node.body if test.constant else node.orelse)
                self.emit("}")
                return
            self.block(node.body if test.constant else node.orelse)
            return
        self.emit(f"{keyword} ({test.text}) {{")
        before = None if self.assigned is None else set(self.assigned)
        self.nested(node.body)
        after_body, self.assigned = self.assigned, before
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            with self.perhaps():
                self._do_If(node.orelse[0], "} else if")
        else:
            if node.orelse:
                self.emit("} else {")
                self.nested(node.orelse)
            self.emit("}")
        self.assigned = merged(after_body, self.assigned)

    def _do_Return(self, node: ast.Return) -> None:
        self._may_have_ended = True
        if node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            if self.returned is not None:
                self.fail(node, "this returns nothing, but another return has a value")
            self.emit("return;")
        elif self.is_kernel:
            self.fail(node, "a kernel returns nothing; write the result to an array")
        else:
            self._return(self.expression(node.value), node)
        self.assigned = None

    def _return(self, value: Value, node: ast.Return) -> None:
        assert node.value is not None
        if value.items is not None:
            own = tuple(self.strong(self.typed(each, node)) for each in value.items)
            if self.returned is None:
                self.returned = own
            if not isinstance(self.returned, tuple) or len(self.returned) != len(own):
                self.fail(node, "the returns of a function have the same number of values")
            self.returned = tuple(
                self.strong(self.promote(a, b, node))
                for a, b in zip(self.returned, own, strict=True)
            )
            parts = [
                self.convert(each, part, node).text
                for each, part in zip(value.items, self.returned, strict=True)
            ]
            self.emit(f"return {self.glsl_name}_result({', '.join(parts)});")
            return
        given = self.strong(self.typed(value, node.value))
        if self.returned is None:
            self.returned = given
        if isinstance(self.returned, tuple):
            self.fail(node, "the returns of a function have the same number of values")
        self.returned = self.strong(self.promote(self.returned, given, node))
        self.emit(f"return {self.convert(value, self.returned, node).text};")

    # --- calls ------------------------------------------------------------------------------------

    def call_function(self, function: Any, values: list[Value], node: ast.Call) -> Value:
        called, texts = self.unit.function(self, function, values, node)
        self.calls.append(called)
        text = f"{called.glsl_name}({', '.join(texts)})"
        if called.returned is None:
            return Value(text, Type("void"), pure=False)
        if isinstance(called.returned, tuple):
            if node is not self._unpacked:
                self.fail(node, "assign its values to names: a, b = ...")
            self._hidden += 1
            name = f"result{self._hidden}_"
            self.emit(f"{called.glsl_name}_result {name} = {text};")
            return Value(
                items=[Value(f"{name}.v{i}", each) for i, each in enumerate(called.returned)]
            )
        return Value(text, called.returned, pure=False)

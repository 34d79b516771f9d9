# SPDX-License-Identifier: Apache-2.0
"""Statements of a Python function as statements of GLSL."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NoReturn

from .assignments import Assignments, statement_name
from .expressions import _ARITHMETIC
from .names import Names
from .source import Source
from .types import Type
from .values import Value

if TYPE_CHECKING:
    from .unit import Unit

_MOST_PASSES = 40


class Function(Assignments):
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

    def _pass(self) -> None:
        self.lines, self.calls, self.arrays = [], [], {}
        self.work_items = {}
        self._may_have_ended = False
        self.depth = 1
        self._hidden = 0
        self._unpacked: ast.expr | None = None
        self._loops: list[list[set[str]]] = []
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
        self.lines[:0] = declared

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
        return f"{text}_" if text in self.unit.taken else text

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

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
            method(statement)

    def _nested(self, body: list[ast.stmt]) -> None:
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
        value = self.expression(node.value)
        if value.text:
            self.emit(f"{value.text};")

    def _do_If(self, node: ast.If, keyword: str = "if") -> None:
        test = self.condition(node.test)
        if test.is_constant:
            if keyword != "if":
                self.emit("} else {")
                self._nested(node.body if test.constant else node.orelse)
                self.emit("}")
                return
            self.block(node.body if test.constant else node.orelse)
            return
        self.emit(f"{keyword} ({test.text}) {{")
        before = None if self.assigned is None else set(self.assigned)
        self._nested(node.body)
        after_body, self.assigned = self.assigned, before
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            with self.perhaps():
                self._do_If(node.orelse[0], "} else if")
        else:
            if node.orelse:
                self.emit("} else {")
                self._nested(node.orelse)
            self.emit("}")
        self.assigned = _merge(after_body, self.assigned)

    def _do_While(self, node: ast.While) -> None:
        if node.orelse:
            self.fail(node.orelse[0], "else of loops cannot be used in kernels")
        test = self.condition(node.test)
        if test.is_constant and not test.constant:
            return
        self.emit(f"while ({self._shown(test).text}) {{")
        before = set(self.assigned or ())
        self._loops.append([])
        self._nested(node.body)
        breaks = self._loops.pop()
        self.emit("}")
        if not test.is_constant:
            self.assigned = before
        else:
            merged: set[str] | None = None
            for each in breaks:
                merged = _merge(merged, each)
            self.assigned = merged

    def _do_For(self, node: ast.For) -> None:
        if node.orelse:
            self.fail(node.orelse[0], "else of loops cannot be used in kernels")
        if not isinstance(node.target, ast.Name):
            self.fail(node.target, "a loop counts with one name: for i in range(...)")
        iterated = node.iter
        if not isinstance(iterated, ast.Call) or self.expression(iterated.func).object is not range:
            self.fail(iterated, "loops are over range(...); index arrays inside them")
        if iterated.keywords or not 1 <= len(iterated.args) <= 3:
            self.fail(iterated, "range() takes 1 to 3 integers")
        name = node.target.id
        own = self.default_int
        values = []
        for each in iterated.args:
            value = self.number(each)
            given = self.typed(value, each)
            if not given.is_integer or not given.is_scalar:
                self.fail(each, f"range() takes integers, not {given.said}")
            own = self.strong(self.promote(own, given, each)) if given.kind == "int" else given
            values.append(value)
        values = [
            self.convert(value, own, each) if not value.is_constant else value
            for value, each in zip(values, iterated.args, strict=True)
        ]
        self._loop(node, name, own, values)

    def _loop(self, node: ast.For, name: str, own: Type, values: list[Value]) -> None:
        assert isinstance(node.iter, ast.Call)
        zero, one = self.wrap(0), self.wrap(1)
        start, stop = (zero, values[0]) if len(values) == 1 else values[:2]
        step = values[2] if len(values) == 3 else one
        if step.is_constant and step.constant == 0:
            self.fail(node.iter, "the step of range() is 0")
        self._join(name, own, node)
        own = self.types[name] if self.names.counts_only(name) else own
        inline = self.names.counts_only(name)
        counter = self.variable(name) if inline else self._hidden_name(name)
        stop_text = self._bound(stop, own, f"{counter}_stop", node)
        first = self.convert(start, own, node).text
        if step.is_constant:
            forwards = step.constant > 0
            if own.kind == "uint" and step.constant < -1:
                self.fail(node.iter, f"{own} would pass 0 on the way down; convert to int")
            test = f"{counter} {'<' if forwards else '>'} {stop_text}"
            size = self.literal(abs(step.constant), own, node).text
            more = f"{'++' if forwards else '--'}{counter}"
            if abs(step.constant) != 1:
                more = f"{counter} {'+=' if forwards else '-='} {size}"
        else:
            step_text = self._bound(step, own, f"{counter}_step", node)
            none = self.literal(0, own, node).text
            test = (
                f"{step_text} > {none} ? {counter} < {stop_text} : "
                f"{step_text} < {none} && {counter} > {stop_text}"
            )
            more = f"{counter} += {step_text}"
        self.emit(f"for ({own.glsl} {counter} = {first}; {test}; {more}) {{")
        before = set(self.assigned or ())
        if inline:
            self._declared_inline.add(name)
        else:
            self.depth += 1
            target = self.types[name]
            self.emit(
                f"{self.variable(name)} = {self.convert(Value(counter, own), target, node).text};"
            )
            self.depth -= 1
        self.assigned = before | {name}
        self._loops.append([])
        self._nested(node.body)
        self._loops.pop()
        self.emit("}")
        self.assigned = before

    def _bound(self, value: Value, own: Type, name: str, node: ast.AST) -> str:
        """Return a bound of a loop, which is evaluated once."""
        converted = self.convert(value, own, node)
        if value.is_constant or value.invariant:
            return converted.within(4)
        self._hidden += 1
        name = f"{name}{self._hidden}"
        self.emit(f"{own.glsl} {name} = {converted.text};")
        return name

    def _hidden_name(self, name: str) -> str:
        self._hidden += 1
        return f"{self.unit.identifier(name)}_at{self._hidden}"

    def _do_Break(self, node: ast.Break) -> None:
        self._loops[-1].append(set(self.assigned or ()))
        self.emit("break;")
        self.assigned = None

    def _do_Continue(self, node: ast.Continue) -> None:
        self.emit("continue;")
        self.assigned = None

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


def _merge(a: set[str] | None, b: set[str] | None) -> set[str] | None:
    """Return what both ways into a place have assigned. None is a way that is never taken."""
    if a is None or b is None:
        return a if b is None else b
    return a & b

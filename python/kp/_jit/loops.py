# SPDX-License-Identifier: Apache-2.0
"""Loops of Python as loops of GLSL."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from .assignments import Assignments
from .expressions import Expressions
from .local_arrays import LocalArrays
from .scope import merged
from .types import Array, Type
from .values import Value


@dataclass
class Loop:
    """A loop that is being translated.

    - `breaks`: the names that have a value at each of its breaks.
    - `flag`: the variable that a break sets, if the loop has an else.
    """

    flag: str = ""
    breaks: list[set[str]] = field(default_factory=list)


class Loops:
    """Translates the loops of a function.

    - `block`: translates statements one after the other.
    """

    def __init__(
        self,
        expressions: Expressions,
        assignments: Assignments,
        arrays: LocalArrays,
        block: Callable[[list[ast.stmt]], None],
    ) -> None:
        self._expressions = expressions
        self._assignments = assignments
        self._arrays = arrays
        self._block = block
        self._scope = expressions.scope
        self._emitter = expressions.emitter
        self._numbers = expressions.numbers
        self._fail = expressions.fail
        self._open: list[Loop] = []

    def repeat(self, node: ast.While) -> None:
        """Translate a while loop."""
        loop = self._loop_of(node)
        test = self._expressions.condition(node.test)
        if test.is_constant and not test.constant:
            self._otherwise(node, loop, self._scope.assigned)
            return
        self._emitter.line(f"while ({self._expressions.operators.shown(test).text}) {{")
        before = set(self._scope.assigned or ())
        self._body(node, loop)
        self._otherwise(node, loop, None if test.is_constant else before)

    def _loop_of(self, node: ast.For | ast.While) -> Loop:
        if not node.orelse or not any(_breaks(each) for each in node.body):
            return Loop()
        loop = Loop(self._emitter.temporary(Type("bool")))
        self._emitter.line(f"{loop.flag} = false;")
        return loop

    def _body(self, node: ast.For | ast.While, loop: Loop) -> None:
        self._open.append(loop)
        with self._emitter.indented():
            self._block(node.body)
        self._open.pop()
        self._emitter.line("}")

    def _otherwise(self, node: ast.For | ast.While, loop: Loop, ended: set[str] | None) -> None:
        """Translate the else of a loop. `ended` has the names with a value if no break ends it."""
        scope = self._scope
        scope.assigned = ended
        if loop.flag and ended is not None:
            self._emitter.line(f"if (!{loop.flag}) {{")
            with self._emitter.indented():
                self._block(node.orelse)
            self._emitter.line("}")
        else:
            self._block(node.orelse)
        for names in loop.breaks if ended is None or node.orelse else ():
            scope.assigned = merged(scope.assigned, names)

    def iterate(self, node: ast.For) -> None:
        """Translate a for loop."""
        loop = self._loop_of(node)
        iterated = node.iter
        called = None
        if isinstance(iterated, ast.Call):
            called = self._expressions.evaluate(iterated.func).object
        if called is range:
            assert isinstance(iterated, ast.Call)
            self._count(node, iterated, loop)
        elif called is enumerate:
            assert isinstance(iterated, ast.Call)
            if len(iterated.args) != 1 or iterated.keywords:
                self._fail(iterated, "enumerate() takes one array or tuple in kernels")
            if not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
                self._fail(node.target, "enumerate() gives two values: for i, x in enumerate(...)")
            index, target = node.target.elts
            self._each(node, iterated.args[0], target, index, loop)
        else:
            self._each(node, iterated, node.target, None, loop)

    # --- over elements ----------------------------------------------------------------------------

    def _each(
        self,
        node: ast.For,
        iterated: ast.expr,
        target: ast.expr,
        index: ast.expr | None,
        loop: Loop,
    ) -> None:
        """Translate a loop over the elements of an array or a tuple."""
        numbers, expressions = self._numbers, self._expressions
        value = expressions.listed(iterated)
        if value.array is not None and value.array.ndim == 1:
            count = expressions.elements.extent(value.array, 0)
            columns = [value.array]
        elif value.items is not None:
            columns = self._columns(value, iterated)
            count = expressions.wrap(len(value.items))
        else:
            what = numbers.describe(value)
            if value.array is not None:
                what += " of several dimensions"
            self._fail(
                iterated,
                f"loops are over range(...), arrays of one dimension and tuples, not {what}",
            )
        own = numbers.default_int
        counter = self._counter("item")
        stop = self._bound(count, own, f"{counter}_stop", node)
        self._emitter.line(
            f"for ({own.glsl} {counter} = {numbers.literal(0, own, node).text}; {counter} < {stop}; ++{counter}) {{"
        )
        before = set(self._scope.assigned or ())
        place = counter if own.bits == 32 else f"int({counter})"
        load = expressions.elements.loaded
        items = [load(each, f"{each.name}[{place}]", True) for each in columns]
        with self._emitter.indented():
            if index is not None:
                self._assignments.to(index, Value(counter, own), node)
            for each, item in zip(self._targets(target, value, len(items)), items, strict=True):
                self._assignments.to(each, item, node)
        self._body(node, loop)
        self._otherwise(node, loop, before)

    def _targets(self, target: ast.expr, value: Value, count: int) -> list[ast.expr]:
        """Return the targets of the numbers that an entry has."""
        if value.array is not None or not isinstance(target, ast.Tuple):
            if count > 1:
                self._fail(target, f"{count} values cannot be assigned to one name")
            return [target]
        if count != len(target.elts):
            self._fail(target, f"{count} values cannot be unpacked into {len(target.elts)} names")
        return target.elts

    def _columns(self, value: Value, node: ast.expr) -> list[Array]:
        """Return arrays with the numbers of a tuple, one per place in its entries."""
        assert value.items is not None
        if not value.items:
            self._fail(node, "a loop over an empty tuple does nothing")
        rows = [each.items if each.items is not None else [each] for each in value.items]
        if len({len(row) for row in rows}) != 1:
            self._fail(node, "the entries of the tuple have different lengths")
        return [self._arrays.of_values(list(column), node) for column in zip(*rows, strict=True)]

    # --- over numbers -----------------------------------------------------------------------------

    def _count(self, node: ast.For, iterated: ast.Call, loop: Loop) -> None:
        numbers, scope = self._numbers, self._scope
        if not isinstance(node.target, ast.Name):
            self._fail(node.target, "range() gives one number: for i in range(...)")
        if iterated.keywords or not 1 <= len(iterated.args) <= 3:
            self._fail(iterated, "range() takes 1 to 3 integers")
        name, own = node.target.id, numbers.default_int
        values = []
        for each in iterated.args:
            values.append(self._expressions.number(each))
            given = numbers.typed(values[-1], each)
            if not given.is_integer or not given.is_scalar:
                self._fail(each, f"range() takes integers, not {given.said}")
            is_signed = given.kind == "int"
            own = numbers.strong(numbers.promote(own, given, each)) if is_signed else given
        for place, each in enumerate(iterated.args):
            if not values[place].is_constant:
                values[place] = numbers.convert(values[place], own, each)
        if len(values) == 1:
            values.insert(0, self._expressions.wrap(0))
        start, stop = values[:2]
        step = values[2] if len(values) == 3 else self._expressions.wrap(1)
        if step.is_constant and step.constant == 0:
            self._fail(node.iter, "the step of range() is 0")
        scope.join(name, own, node)
        inline = scope.names.counts_only(name)
        own = scope.types[name] if inline else own
        counter = scope.variable(name) if inline else self._counter(name)
        stop_text = self._bound(stop, own, f"{counter}_stop", node)
        first = numbers.convert(start, own, node).text
        if step.is_constant:
            forwards = step.constant > 0
            if own.kind == "uint" and step.constant < -1:
                self._fail(node.iter, f"{own} would pass 0 on the way down; convert to int")
            test = f"{counter} {'<' if forwards else '>'} {stop_text}"
            size = numbers.literal(abs(step.constant), own, node).text
            more = f"{'++' if forwards else '--'}{counter}"
            if abs(step.constant) != 1:
                more = f"{counter} {'+=' if forwards else '-='} {size}"
        else:
            step_text = self._bound(step, own, f"{counter}_step", node)
            none = numbers.literal(0, own, node).text
            test = (
                f"{step_text} > {none} ? {counter} < {stop_text} : "
                f"{step_text} < {none} && {counter} > {stop_text}"
            )
            more = f"{counter} += {step_text}"
        self._emitter.line(f"for ({own.glsl} {counter} = {first}; {test}; {more}) {{")
        before = set(scope.assigned or ())
        if inline:
            scope.declare(name)
        else:
            copied = numbers.convert(Value(counter, own), scope.types[name], node).text
            with self._emitter.indented():
                self._emitter.line(f"{scope.variable(name)} = {copied};")
        scope.assigned = before | {name}
        self._body(node, loop)
        self._otherwise(node, loop, before)

    def _bound(self, value: Value, own: Type, name: str, node: ast.AST) -> str:
        """Return a bound of a loop, which is evaluated once."""
        converted = self._numbers.convert(value, own, node)
        if value.is_constant or value.invariant:
            return converted.within(4)
        name = self._emitter.fresh(name, "")
        self._emitter.line(f"{own.glsl} {name} = {converted.text};")
        return name

    def _counter(self, name: str) -> str:
        """Return an unused name for a counter."""
        return self._emitter.fresh(f"{self._numbers.unit.identifier(name)}_at", "")

    # --- leaving ----------------------------------------------------------------------------------

    def leave(self, node: ast.Break) -> None:
        """Translate a break."""
        loop = self._open[-1]
        loop.breaks.append(set(self._scope.assigned or ()))
        if loop.flag:
            self._emitter.line(f"{loop.flag} = true;")
        self._emitter.line("break;")
        self._scope.assigned = None

    def proceed(self, node: ast.Continue) -> None:
        """Translate a continue."""
        self._emitter.line("continue;")
        self._scope.assigned = None


def _breaks(node: ast.stmt) -> bool:
    """Return whether a statement of a loop can break it."""
    if isinstance(node, ast.Break):
        return True
    inner = getattr(node, "orelse", []) if isinstance(node, (ast.For, ast.While)) else None
    parts = inner if inner is not None else list(ast.iter_child_nodes(node))
    return any(_breaks(each) for each in parts if isinstance(each, ast.stmt))

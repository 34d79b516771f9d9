# SPDX-License-Identifier: Apache-2.0
"""Loops of Python as loops of GLSL."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .assignments import Assignments
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


class Loops(Assignments):
    """Base of Function: translates loops."""

    _loops: list[Loop]

    def nested(self, body: list[ast.stmt]) -> None:
        """Translate statements of a block."""
        raise NotImplementedError

    def _do_While(self, node: ast.While) -> None:
        loop = self._loop_of(node)
        test = self.condition(node.test)
        if test.is_constant and not test.constant:
            self._otherwise(node, loop, self.assigned)
            return
        self.emit(f"while ({self._shown(test).text}) {{")
        before = set(self.assigned or ())
        self._body(node, loop)
        self.emit("}")
        self._otherwise(node, loop, None if test.is_constant else before)

    def _loop_of(self, node: ast.For | ast.While) -> Loop:
        if not node.orelse or not any(_breaks(each) for each in node.body):
            return Loop()
        loop = Loop(self.temporary(Type("bool")))
        self.emit(f"{loop.flag} = false;")
        return loop

    def _body(self, node: ast.For | ast.While, loop: Loop, first: tuple[str, ...] = ()) -> None:
        self.depth += 1
        for line in first:
            self.emit(line)
        self.depth -= 1
        self._loops.append(loop)
        self.nested(node.body)
        self._loops.pop()

    def _otherwise(self, node: ast.For | ast.While, loop: Loop, ended: set[str] | None) -> None:
        """Translate the else of a loop. `ended` has the names with a value if no break ends it."""
        self.assigned = ended
        if node.orelse and ended is not None:
            if loop.flag:
                self.emit(f"if (!{loop.flag}) {{")
                self.nested(node.orelse)
                self.emit("}")
            else:
                for each in node.orelse:
                    self.block([each])
        for names in loop.breaks if ended is None or node.orelse else ():
            self.assigned = merged(self.assigned, names)

    def block(self, body: list[ast.stmt]) -> None:
        """Translate statements one after the other."""
        raise NotImplementedError

    def _do_For(self, node: ast.For) -> None:
        loop = self._loop_of(node)
        iterated = node.iter
        called = self.expression(iterated.func).object if isinstance(iterated, ast.Call) else None
        if called is range:
            assert isinstance(iterated, ast.Call)
            self._count(node, iterated, loop)
        elif called is enumerate:
            assert isinstance(iterated, ast.Call)
            if len(iterated.args) != 1 or iterated.keywords:
                self.fail(iterated, "enumerate() takes one array or tuple in kernels")
            if not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
                self.fail(node.target, "enumerate() gives two values: for i, x in enumerate(...)")
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
        value = self.listed(iterated)
        if value.array is not None and value.array.ndim == 1:
            count = self.extent(value.array, 0)
            columns = [value.array]
        elif value.items is not None:
            columns = self._columns(value, iterated)
            count = self.wrap(len(value.items))
        else:
            what = self.describe(value)
            if value.array is not None:
                what += " of several dimensions"
            self.fail(
                iterated,
                f"loops are over range(...), arrays of one dimension and tuples, not {what}",
            )
        own = self.default_int
        counter = self.hidden("item")
        stop = self.bound(count, own, f"{counter}_stop", node)
        self.emit(
            f"for ({own.glsl} {counter} = {self.literal(0, own, node).text}; {counter} < {stop}; ++{counter}) {{"
        )
        before = set(self.assigned or ())
        self.depth += 1
        place = counter if own.bits == 32 else f"int({counter})"
        items = [self.loaded(each, f"{each.name}[{place}]", True) for each in columns]
        if index is not None:
            self._assign(index, Value(counter, own), node)
        if value.array is not None or not isinstance(target, ast.Tuple):
            if len(items) > 1:
                self.fail(target, f"{len(items)} values cannot be given to one name")
            self._assign(target, items[0], node)
        else:
            if len(items) != len(target.elts):
                self.fail(
                    target, f"{len(items)} values cannot be unpacked into {len(target.elts)} names"
                )
            for each, item in zip(target.elts, items, strict=True):
                self._assign(each, item, node)
        self.depth -= 1
        self._body(node, loop)
        self.emit("}")
        self._otherwise(node, loop, before)

    def _columns(self, value: Value, node: ast.expr) -> list[Array]:
        """Return arrays with the numbers of a tuple, one per place in its entries."""
        assert value.items is not None
        if not value.items:
            self.fail(node, "a loop over an empty tuple does nothing")
        rows = [each.items if each.items is not None else [each] for each in value.items]
        if len({len(row) for row in rows}) != 1:
            self.fail(node, "the entries of the tuple have different lengths")
        return [self.made_array(list(column), node) for column in zip(*rows, strict=True)]

    # --- over numbers -----------------------------------------------------------------------------

    def _count(self, node: ast.For, iterated: ast.Call, loop: Loop) -> None:
        if not isinstance(node.target, ast.Name):
            self.fail(node.target, "range() gives one number: for i in range(...)")
        if iterated.keywords or not 1 <= len(iterated.args) <= 3:
            self.fail(iterated, "range() takes 1 to 3 integers")
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
        self._count_with(node, node.target.id, own, values, loop)

    def _count_with(
        self, node: ast.For, name: str, own: Type, values: list[Value], loop: Loop
    ) -> None:
        zero, one = self.wrap(0), self.wrap(1)
        start, stop = (zero, values[0]) if len(values) == 1 else values[:2]
        step = values[2] if len(values) == 3 else one
        if step.is_constant and step.constant == 0:
            self.fail(node.iter, "the step of range() is 0")
        self._join(name, own, node)
        own = self.types[name] if self.names.counts_only(name) else own
        inline = self.names.counts_only(name)
        counter = self.variable(name) if inline else self.hidden(name)
        stop_text = self.bound(stop, own, f"{counter}_stop", node)
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
            step_text = self.bound(step, own, f"{counter}_step", node)
            none = self.literal(0, own, node).text
            test = (
                f"{step_text} > {none} ? {counter} < {stop_text} : "
                f"{step_text} < {none} && {counter} > {stop_text}"
            )
            more = f"{counter} += {step_text}"
        self.emit(f"for ({own.glsl} {counter} = {first}; {test}; {more}) {{")
        before = set(self.assigned or ())
        copied: tuple[str, ...] = ()
        if inline:
            self._declared_inline.add(name)
        else:
            given = self.convert(Value(counter, own), self.types[name], node).text
            copied = (f"{self.variable(name)} = {given};",)
        self.assigned = before | {name}
        self._body(node, loop, copied)
        self.emit("}")
        self._otherwise(node, loop, before)

    def bound(self, value: Value, own: Type, name: str, node: ast.AST) -> str:
        """Return a bound of a loop, which is evaluated once."""
        converted = self.convert(value, own, node)
        if value.is_constant or value.invariant:
            return converted.within(4)
        self._hidden += 1
        name = f"{name}{self._hidden}"
        self.emit(f"{own.glsl} {name} = {converted.text};")
        return name

    def hidden(self, name: str) -> str:
        """Return a name that the program has not."""
        self._hidden += 1
        return f"{self.unit.identifier(name)}_at{self._hidden}"

    # --- leaving ----------------------------------------------------------------------------------

    def _do_Break(self, node: ast.Break) -> None:
        loop = self._loops[-1]
        loop.breaks.append(set(self.assigned or ()))
        if loop.flag:
            self.emit(f"{loop.flag} = true;")
        self.emit("break;")
        self.assigned = None

    def _do_Continue(self, node: ast.Continue) -> None:
        self.emit("continue;")
        self.assigned = None


def _breaks(node: ast.stmt) -> bool:
    """Return whether a statement of a loop can break it."""
    if isinstance(node, ast.Break):
        return True
    inner = getattr(node, "orelse", []) if isinstance(node, (ast.For, ast.While)) else None
    parts = inner if inner is not None else list(ast.iter_child_nodes(node))
    return any(_breaks(each) for each in parts if isinstance(each, ast.stmt))


def merged(a: set[str] | None, b: set[str] | None) -> set[str] | None:
    """Return what both ways into a place have assigned. None is a way that is never taken."""
    if a is None or b is None:
        return a if b is None else b
    return a & b

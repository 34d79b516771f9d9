# SPDX-License-Identifier: Apache-2.0
"""Assignments to variables, elements and components."""

from __future__ import annotations

import ast

from .._wording import counted
from .expressions import ARITHMETIC, Expressions
from .local_arrays import LocalArrays
from .numbers import uncalled
from .types import Type
from .values import Value

#: Operators that GLSL has as assignments with the same meaning.
_IN_PLACE = ("+", "-", "*", "&", "|", "^")


class Assignments:
    """Translates the assignments of a function."""

    def __init__(self, expressions: Expressions, arrays: LocalArrays) -> None:
        self._expressions = expressions
        self._arrays = arrays
        self._scope = expressions.scope
        self._emitter = expressions.emitter
        self._numbers = expressions.numbers
        self._operators = expressions.operators
        self._elements = expressions.elements
        self._fail = expressions.fail

    def assign(self, node: ast.Assign) -> None:
        expressions = self._expressions
        if len(node.targets) > 1:
            value = expressions.held(expressions.evaluate(node.value), node)
            for target in node.targets:
                if isinstance(target, (ast.Tuple, ast.List)):
                    expressions.unpacked = node.value
                self.to(target, value, node)
            return
        target = node.targets[0]
        if isinstance(target, ast.Name) and self._arrays.is_made_by(node.value):
            self._arrays.make(target.id, node.value, node)
            return
        if isinstance(target, (ast.Tuple, ast.List)):
            expressions.unpacked = node.value
        self.to(target, expressions.evaluate(node.value), node)

    def annotated(self, node: ast.AnnAssign) -> None:
        if not isinstance(node.target, ast.Name):
            self._fail(node, "only names are annotated")
        if node.value is None:
            self._fail(node, f"give '{node.target.id}' a value")
        own = self._expressions.annotation(node.annotation)
        value = self._expressions.evaluate(node.value)
        self.to(
            node.target, self._numbers.store(value, own, f"'{node.target.id}'", node.value), node
        )

    def augmented(self, node: ast.AugAssign) -> None:
        numbers, expressions = self._numbers, self._expressions
        symbol, _ = ARITHMETIC[type(node.op)]
        target = node.target
        reading = _as_load(target)
        old = expressions.number(reading)
        given = expressions.number(node.value)
        own = numbers.typed(old, target)
        if old.is_constant and given.is_constant:
            both = ast.copy_location(ast.BinOp(reading, node.op, node.value), node)
            result = expressions.evaluate(both)
        else:
            result = self._operators.apply(symbol, old, given, node)
        same = own == numbers.typed(result, node)
        in_place = symbol in _IN_PLACE and own.is_scalar and own.kind not in ("bool", "complex")
        if same and in_place and old.text:
            if isinstance(target, ast.Name):
                own = numbers.strong(self._scope.join(target.id, own, node))
            self._emitter.line(f"{old.text} {symbol}= {numbers.convert(given, own, node).text};")
            return
        if not old.pure:
            self._fail(target, "its index would be evaluated twice; give it a name first")
        self.to(target, result, node)

    def _unpack(self, target: ast.Tuple | ast.List, value: Value, node: ast.stmt) -> None:
        pairs = self._pairs(target, value, node)
        changed = {each.id for each, _ in pairs if isinstance(each, ast.Name)}
        unpacked = self._expressions.unpacked or node
        read = {each.id for each in ast.walk(unpacked) if isinstance(each, ast.Name)}
        if len(changed) != len(pairs) or changed & read:
            # All values come before the first assignment, as in a, b = b, a.
            pairs = [(place, self._expressions.held(each, node)) for place, each in pairs]
        for place, each in pairs:
            self.to(place, each, node)

    def _pairs(
        self, target: ast.expr, value: Value, node: ast.stmt
    ) -> list[tuple[ast.expr, Value]]:
        """Return the targets other than tuples, each with its value."""
        if not isinstance(target, (ast.Tuple, ast.List)):
            return [(target, value)]
        if value.items is None:
            self._fail(node, f"{self._numbers.describe(value)} cannot be unpacked")
        if len(value.items) != len(target.elts):
            self._fail(
                node,
                f"{counted(len(value.items), 'value')} cannot be unpacked into "
                f"{counted(len(target.elts), 'target')}",
            )
        parts = zip(target.elts, value.items, strict=True)
        return [pair for part in parts for pair in self._pairs(*part, node)]

    def to(self, target: ast.expr, value: Value, node: ast.stmt) -> None:
        """Assign a value to a target."""
        if isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, node)
        elif isinstance(target, ast.Name):
            self._assign_name(target.id, value, node)
        elif isinstance(target, ast.Subscript):
            self._assign_element(target, value, node)
        elif isinstance(target, ast.Attribute):
            self._assign_component(target, value, node)
        else:
            self._fail(target, "* cannot be assigned")

    def _assign_name(self, name: str, value: Value, node: ast.stmt) -> None:
        numbers, scope = self._numbers, self._scope
        if value.array is not None or value.items is not None or value.type is None:
            hint = uncalled(value, node) if isinstance(node, ast.Assign) else ""
            self._fail(
                node,
                f"'{name}' can be a number, a vector or a matrix, but not "
                f"{numbers.describe(value)}{hint}",
            )
        if name in scope.arrays:
            self._fail(node, f"'{name}' is an array and cannot be replaced")
        own = numbers.strong(scope.join(name, value.type, node))
        text = numbers.convert(value, own, node).text
        if scope.declares(name, node):
            self._emitter.line(f"{own.glsl} {scope.declare(name)} = {text};")
        else:
            self._emitter.line(f"{scope.variable(name)} = {text};")
        if value.work_item is not None and scope.names.found[name].stores == 1:
            scope.work_items[name] = value.work_item
        scope.assign(name)

    def _assign_element(self, target: ast.Subscript, value: Value, node: ast.stmt) -> None:
        numbers = self._numbers
        base = self._expressions.evaluate(target.value)
        if base.items is not None or (base.array is not None and base.array.storage == "constant"):
            what = ast.unparse(target.value)
            self._fail(
                node, f"'{what}' is a constant here; copy its elements to a local array first"
            )
        if base.array is not None:
            text, _ = self._elements.element(base.array, target)
            what = f"an element of {base.array.parameter or base.array.name}"
            own = base.array.element
            given = numbers.store(value, own, what, node, is_element=True).text
            if own.kind == "bool" and base.array.storage == "parameter":
                given = f"uint8_t({given})"
            self._emitter.line(f"{text} = {given};")
            return
        place = self._place(target.value, node)
        part = self._elements.part(place, target)
        stored = numbers.store(value, numbers.typed(part, target), "the component", node, True)
        self._emitter.line(f"{part.text} = {stored.text};")

    def _place(self, node: ast.expr, statement: ast.stmt) -> Value:
        """Return a vector or matrix whose component is assigned: a variable or an element."""
        value = self._expressions.evaluate(node)
        if isinstance(node, ast.Name) and node.id not in self._scope.names.locals:
            self._elements.require_elements(value, node)
            self._fail(
                statement, f"'{node.id}' cannot be changed here; copy it to a variable first"
            )
        if not isinstance(node, (ast.Name, ast.Subscript)):
            self._fail(statement, "components of variables and of elements can be assigned")
        return value

    def _assign_component(self, target: ast.Attribute, value: Value, node: ast.stmt) -> None:
        place = self._place(target.value, node)
        own = self._numbers.typed(place, target.value)
        name = target.attr
        if own.kind == "complex" and name in ("real", "imag"):
            name, part = ("x" if name == "real" else "y"), Type("float32")
        elif own.is_vector and self._elements.is_swizzle(own, name) and len(set(name)) == len(name):
            part = Type(own.scalar, len(name))
        else:
            self._fail(target, f"{own.said} has no component '{name}' to assign")
        stored = self._numbers.store(value, part, f".{target.attr}", node)
        self._emitter.line(f"{place.text}.{name} = {stored.text};")


def _as_load(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        made: ast.expr = ast.Name(node.id, ast.Load())
    elif isinstance(node, ast.Subscript):
        made = ast.Subscript(node.value, node.slice, ast.Load())
    elif isinstance(node, ast.Attribute):
        made = ast.Attribute(node.value, node.attr, ast.Load())
    else:
        return node
    return ast.copy_location(made, node)

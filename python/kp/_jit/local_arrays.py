# SPDX-License-Identifier: Apache-2.0
"""Arrays that a function makes: local and shared ones."""

from __future__ import annotations

import ast
import math
from contextlib import ExitStack

from .expressions import Expressions
from .types import Array, Type
from .values import NOTHING, Value

#: Bytes of an array. Devices have little private memory for each work item, or use much slower
#: memory. No device shares more than this; its own limit is checked when the kernel is made.
MAX_BYTES = {"local": 65536, "shared": 1 << 20}


class LocalArrays:
    """Translates assignments that make arrays.

    - `owner`: the function's name in GLSL; "" for the kernel.
    """

    def __init__(self, expressions: Expressions, owner: str) -> None:
        self._expressions = expressions
        self._owner = owner
        self._scope = expressions.scope
        self._emitter = expressions.emitter
        self._numbers = expressions.numbers
        self._unit = expressions.unit
        self._fail = expressions.fail

    def is_made_by(self, node: ast.expr) -> bool:
        """Return whether an expression makes an array."""
        if isinstance(node, ast.List):
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            return isinstance(node.left, ast.List)
        if not isinstance(node, ast.Call):
            return False
        thing = self._expressions.evaluate(node.func).object if _is_name(node.func) else NOTHING
        return getattr(thing, "__name__", "") in ("shared_array", "local_array")

    def make(self, name: str, node: ast.expr, statement: ast.stmt) -> None:
        """Translate an assignment of an array to a name."""
        scope = self._scope
        entry = scope.names.found[name]
        if entry.stores > 1 or not scope.names.is_declared_at(name, statement):
            self._fail(statement, f"the array '{name}' is made once, before all its uses")
        if isinstance(node, ast.Call):
            self._make_empty(name, node)
        else:
            self._make_filled(name, node)
        scope.assign(name)

    def _make_empty(self, name: str, node: ast.Call) -> None:
        expressions = self._expressions
        made = expressions.evaluate(node.func).object
        given = [
            *node.args,
            *(each.value for each in node.keywords if each.arg in ("shape", "dtype")),
        ]
        if len(given) != 2:
            self._fail(node, "give the shape and the type: kp.shared_array((16, 16), kp.float32)")
        shape = expressions.evaluate(given[0])
        extents = []
        for each in shape.items if shape.items is not None else [shape]:
            if not each.is_constant or int(each.constant) < 1:
                self._fail(
                    given[0], "the shape of an array in a kernel must consist of positive constants"
                )
            extents.append(int(each.constant))
        own = expressions.annotation(given[1])
        sizes = "".join(f"[{extent}]" for extent in extents)
        if made.__name__ == "shared_array":
            self._require_room("shared", own, extents, node)
            storage, text = "shared", self._unit.shared(self._owner, name, own, sizes)
        else:
            storage, text = "local", self._scope.variable(name)
            self._require_room("local", own, extents, node)
            self._emitter.line(f"{own.glsl} {text}{sizes};")
            self._fill(text, extents, self._numbers.literal(0, own.number, node).text, own)
        self._scope.arrays[name] = Array(text, own, len(extents), storage, extents=tuple(extents))

    def _fill(self, name: str, extents: list[int], text: str, own: Type) -> None:
        """Set all elements of a local array."""
        with ExitStack() as loops:
            for axis, extent in enumerate(extents):
                self._emitter.line(f"for (int k{axis}_ = 0; k{axis}_ < {extent}; ++k{axis}_)")
                loops.enter_context(self._emitter.indented())
                name += f"[k{axis}_]"
            self._emitter.line(f"{name} = {text if own.is_scalar else f'{own.glsl}({text})'};")

    def _require_room(self, storage: str, own: Type, extents: list[int], node: ast.AST) -> None:
        """Fail if an array has more bytes than every work item, or work group, may have."""
        size = (
            math.prod(extents)
            * own.components
            * max(own.bits // (8 * (1 + (own.kind == "complex"))), 1)
        )
        most = MAX_BYTES[storage]
        if size > most:
            owner = "each work item has its own" if storage == "local" else "work groups share it"
            self._fail(
                node, f"a {storage} array has {most} bytes at most, but this one {size}; {owner}"
            )

    def _make_filled(self, name: str, node: ast.expr) -> None:
        expressions, scope = self._expressions, self._scope
        count = 1
        items = node
        if isinstance(node, ast.BinOp):
            items = node.left
            times = expressions.number(node.right)
            if not times.is_constant or int(times.constant) < 1:
                self._fail(
                    node.right, "the size of an array in a kernel must be a positive constant"
                )
            count = int(times.constant)
        assert isinstance(items, ast.List)
        if not items.elts:
            self._fail(node, "an array in a kernel has elements")
        values = [expressions.number(each) for each in items.elts]
        own = self._common(values, node)
        self._require_room("local", own, [count * len(values)], node)
        if len(values) == 1 and count > 8:
            value = self._numbers.convert(values[0], own, node)
            text = scope.variable(name)
            self._emitter.line(f"{own.glsl} {text}[{count}];")
            if not value.pure:
                value = expressions.held(value, node)
            self._fill(text, [count], value.text, Type(own.scalar))
            scope.arrays[name] = Array(text, own, 1, "local", extents=(count,))
            return
        if count > 1:
            values = [each if each.pure else expressions.held(each, node) for each in values]
        scope.arrays[name] = self.of_values(values * count, node, scope.variable(name))

    def _common(self, values: list[Value], node: ast.AST) -> Type:
        """Return the type that holds all values."""
        return self._numbers.strong(self._numbers.common(values, node))

    def of_values(self, values: list[Value], node: ast.AST, text: str = "") -> Array:
        """Return a local array of values."""
        own = self._common(values, node)
        text = text or self._emitter.fresh("values")
        texts = ", ".join(self._numbers.convert(each, own, node).text for each in values)
        self._emitter.line(
            f"{own.glsl} {text}[{len(values)}] = {own.glsl}[{len(values)}]({texts});"
        )
        return Array(text, own, 1, "local", extents=(len(values),))


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )

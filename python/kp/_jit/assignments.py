# SPDX-License-Identifier: Apache-2.0
"""Assignments to variables, elements and components, and local arrays."""

from __future__ import annotations

import ast
import math
from typing import Any

from .._wording import counted
from .conversions import uncalled
from .expressions import _ARITHMETIC, Expressions
from .names import Names
from .types import Array, Type, of_annotation
from .values import NOTHING, Value

#: Operators that GLSL has as assignments with the same meaning.
_IN_PLACE = ("+", "-", "*", "&", "|", "^", "<<", ">>")

#: Bytes of a local array. Devices have little of such memory for each work item, or use much slower one.
MAX_LOCAL_BYTES = 65536


class Assignments(Expressions):
    """Base of Function: translates assignments."""

    names: Names
    is_kernel: bool
    glsl_name: str
    depth: int
    _hidden: int
    _copied: set[str]
    _unpacked: ast.expr | None
    _declared_inline: set[str]

    def emit(self, text: str) -> None:
        """Append a line of GLSL."""
        raise NotImplementedError

    # --- assignments ------------------------------------------------------------------------------

    def _do_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) > 1:
            value = self.held(self.expression(node.value), node)
            for target in node.targets:
                if isinstance(target, (ast.Tuple, ast.List)):
                    self._unpacked = node.value
                    self._unpack(target, value, node)
                else:
                    self._assign(target, value, node)
            return
        target = node.targets[0]
        if isinstance(target, ast.Name) and self._is_array(node.value):
            self._make_array(target.id, node.value, node)
            return
        if isinstance(target, (ast.Tuple, ast.List)):
            self._unpacked = node.value
            self._unpack(target, self.expression(node.value), node)
            return
        self._assign(target, self.expression(node.value), node)

    def _do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not isinstance(node.target, ast.Name):
            self.fail(node, "only names are annotated")
        if node.value is None:
            self.fail(node, f"give '{node.target.id}' a value")
        own = self.annotation(node.annotation)
        value = self.expression(node.value)
        self._assign(node.target, self.store(value, own, f"'{node.target.id}'", node.value), node)

    def annotation(self, node: ast.expr) -> Type:
        """Return the type that an annotation in the function names."""
        named = node.value if isinstance(node, ast.Constant) else self.expression(node).object
        own = of_annotation(named)
        if not isinstance(own, Type):
            self.fail(
                node, "this is no type of variables; use int, float, bool, kp.vec3 and the like"
            )
        return self.named(named, own)

    def named(self, named: Any, own: Type) -> Type:
        """Return the type that an annotation means here: Python's numbers depend on the kernel."""
        return self.default_float if named is float else self.default_int if named is int else own

    def _unpack(self, target: ast.Tuple | ast.List, value: Value, node: ast.stmt) -> None:
        if value.items is None:
            self.fail(node, f"{self.describe(value)} cannot be unpacked")
        if len(value.items) != len(target.elts):
            self.fail(
                node,
                f"{counted(len(value.items), 'value')} cannot be unpacked into {counted(len(target.elts), 'target')}",
            )
        # All values come before the first assignment, as in a, b = b, a.
        changed = {each.id for each in target.elts if isinstance(each, ast.Name)}
        read = {each.id for each in ast.walk(self._unpacked or node) if isinstance(each, ast.Name)}
        apart = len(changed) == len(target.elts) and not (self._unpacked and changed & read)
        held = []
        for each in value.items:
            if apart or each.is_constant or each.type is None:
                held.append(each)
                continue
            held.append(self.held(each, node))
        for place, each in zip(target.elts, held, strict=True):
            if isinstance(place, (ast.Tuple, ast.List)):
                self._unpack(place, each, node)
            else:
                self._assign(place, each, node)

    def held(self, value: Value, node: ast.AST) -> Value:
        """Return a value that is evaluated here, however often it is read."""
        if value.items is not None:
            return Value(items=[self.held(each, node) for each in value.items])
        if value.is_constant or value.type is None:
            return value
        self._hidden += 1
        own = self.strong(value.type)
        text = f"value{self._hidden}_"
        self.emit(f"{own.glsl} {text} = {self.convert(value, own, node).text};")
        return Value(text, own, invariant=value.invariant, work_item=value.work_item)

    def _join(self, name: str, given: Type, node: ast.AST) -> Type:
        """Return the type of a variable after another assignment."""
        known = self.types.get(name)
        weak = given.weak and given.is_integer and (known is not None or not self.hardened)
        own = given if weak else self.strong(given)
        if known is not None and known != own:
            if (known.rows, known.columns) != (own.rows, own.columns):
                self.fail(
                    node, f"'{name}' is {known.strong.said}, but {own.strong.said} is assigned"
                )
            own = self.promote(known, own, node)
            own = own if own.weak and own.is_integer else self.strong(own)
        self.types[name] = own
        return own

    def _assign(self, target: ast.expr, value: Value, node: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            self._assign_name(target.id, value, node)
        elif isinstance(target, ast.Subscript):
            self._assign_element(target, value, node)
        elif isinstance(target, ast.Attribute):
            self._assign_component(target, value, node)
        else:
            self.fail(target, f"{statement_name(target)} cannot be assigned")

    def _assign_name(self, name: str, value: Value, node: ast.stmt) -> None:
        if value.array is not None or value.items is not None or value.type is None:
            hint = uncalled(value, node) if isinstance(node, ast.Assign) else ""
            self.fail(
                node,
                f"'{name}' can be a number, a vector or a matrix, but not "
                f"{self.describe(value)}{hint}",
            )
        if name in self.arrays:
            self.fail(node, f"'{name}' is an array and cannot be replaced")
        own = self.strong(self._join(name, value.type, node))
        text = self.convert(value, own, node).text
        if self.names.is_declared_at(name, node) and name not in self._copied:
            self._declared_inline.add(name)
            self.emit(f"{own.glsl} {self.variable(name)} = {text};")
        else:
            self.emit(f"{self.variable(name)} = {text};")
        if value.work_item is not None and self.names.found[name].stores == 1:
            self.work_items[name] = value.work_item
        assert self.assigned is not None
        self.assigned.add(name)

    def _assign_element(self, target: ast.Subscript, value: Value, node: ast.stmt) -> None:
        base = self.expression(target.value)
        if base.items is not None or (base.array is not None and base.array.storage == "constant"):
            what = ast.unparse(target.value)
            self.fail(
                node, f"'{what}' is a constant here; copy its elements to a local array first"
            )
        if base.array is not None:
            text, _ = self.element(base.array, target)
            what = f"an element of {base.array.parameter or base.array.name}"
            stored = self.store(value, base.array.element, what, node, is_element=True)
            self.emit(f"{text} = {self._stored(base.array, stored)};")
            return
        place = self._place(target.value, node)
        part = self.part(place, target)
        stored = self.store(value, self.typed(part, target), "the component", node, True)
        self.emit(f"{part.text} = {stored.text};")

    @staticmethod
    def _stored(array: Array, value: Value) -> str:
        if array.element.kind == "bool" and array.storage == "parameter":
            return f"uint8_t({value.text})"
        return value.text

    def _place(self, node: ast.expr, statement: ast.stmt) -> Value:
        """Return a vector or matrix whose component is assigned: a variable or an element."""
        value = self.expression(node)
        if isinstance(node, ast.Name) and node.id not in self.locals:
            self.require_elements(value, node)
            self.fail(statement, f"'{node.id}' cannot be changed here; copy it to a variable first")
        if not isinstance(node, (ast.Name, ast.Subscript)):
            self.fail(statement, "components of variables and of elements can be assigned")
        return value

    def _assign_component(self, target: ast.Attribute, value: Value, node: ast.stmt) -> None:
        place = self._place(target.value, node)
        own = self.typed(place, target.value)
        name = target.attr
        if own.kind == "complex" and name in ("real", "imag"):
            name, part = ("x" if name == "real" else "y"), Type("float32")
        elif own.is_vector and self.is_swizzle(own, name) and len(set(name)) == len(name):
            part = Type(own.scalar, len(name))
        else:
            self.fail(target, f"{own.said} has no component '{name}' to assign")
        self.emit(f"{place.text}.{name} = {self.store(value, part, f'.{target.attr}', node).text};")

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        symbol, _ = _ARITHMETIC[type(node.op)]
        target = node.target
        reading = _as_load(target)
        old = self.number(reading)
        given = self.number(node.value)
        own = self.typed(old, target)
        as_text = old.text
        result = (
            self.arithmetic(symbol, old, given, node)
            if not (old.is_constant and given.is_constant)
            else self.expression(ast.copy_location(ast.BinOp(reading, node.op, node.value), node))
        )
        kind = self.typed(result, node)
        plain = isinstance(target, ast.Name) or not (own.kind == "bool")
        if (
            symbol in _IN_PLACE
            and plain
            and own == kind
            and own.is_scalar
            and own.kind not in ("bool", "complex")
            and as_text
            and symbol not in ("<<", ">>")
        ):
            if isinstance(target, ast.Name):
                own = self.strong(self._join(target.id, kind, node))
            self.emit(f"{as_text} {symbol}= {self.convert(given, own, node).text};")
            return
        if not old.pure:
            self.fail(target, "its index would be evaluated twice; give it a name first")
        self._assign(target, result, node)

    # --- arrays -----------------------------------------------------------------------------------

    def _is_array(self, node: ast.expr) -> bool:
        if isinstance(node, ast.List):
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            return isinstance(node.left, ast.List)
        if not isinstance(node, ast.Call):
            return False
        thing = self.expression(node.func).object if _is_name(node.func) else NOTHING
        return getattr(thing, "__name__", "") in ("shared_array", "local_array")

    def _make_array(self, name: str, node: ast.expr, statement: ast.stmt) -> None:
        entry = self.names.found[name]
        if entry.stores > 1 or not self.names.is_declared_at(name, statement):
            self.fail(statement, f"the array '{name}' is made once, before all its uses")
        if isinstance(node, ast.Call):
            self._make_empty(name, node)
        else:
            self._make_filled(name, node)
        assert self.assigned is not None
        self.assigned.add(name)

    def _make_empty(self, name: str, node: ast.Call) -> None:
        shared = getattr(self.expression(node.func).object, "__name__", "") == "shared_array"
        given = [
            *node.args,
            *(each.value for each in node.keywords if each.arg in ("shape", "dtype")),
        ]
        if len(given) != 2:
            self.fail(node, "give the shape and the type: kp.shared_array((16, 16), kp.float32)")
        shape = self.expression(given[0])
        extents = []
        for each in shape.items if shape.items is not None else [shape]:
            if not each.is_constant or int(each.constant) < 1:
                self.fail(given[0], "the shape of an array in a kernel is made of constants over 0")
            extents.append(int(each.constant))
        own = self.annotation(given[1])
        sizes = "".join(f"[{extent}]" for extent in extents)
        if shared:
            text = self.unit.shared(self, name, own, sizes)
            array = Array(text, own, len(extents), "shared", extents=tuple(extents))
        else:
            self._require_room(own, extents, node)
            text = self.variable(name)
            array = Array(text, own, len(extents), "local", extents=tuple(extents))
            self.emit(f"{own.glsl} {text}{sizes};")
            self._fill(text, extents, self.literal(0, own.number, node).text, own)
        self.arrays[name] = array

    def _fill(self, name: str, extents: list[int], text: str, own: Type) -> None:
        """Set all elements of a local array."""
        for axis, extent in enumerate(extents):
            self.emit(f"for (int k{axis}_ = 0; k{axis}_ < {extent}; ++k{axis}_)")
            self.depth += 1
            name += f"[k{axis}_]"
        self.emit(f"{name} = {text if own.is_scalar else f'{own.glsl}({text})'};")
        self.depth -= len(extents)

    def _require_room(self, own: Type, extents: list[int], node: ast.AST) -> None:
        """Fail if a local array has more bytes than every work item may have."""
        size = (
            math.prod(extents)
            * own.components
            * max(own.bits // (8 * (1 + (own.kind == "complex"))), 1)
        )
        if size > MAX_LOCAL_BYTES:
            self.fail(
                node,
                f"a local array has {MAX_LOCAL_BYTES} bytes at most, but this one {size}; each work item has "
                "its own",
            )

    def _make_filled(self, name: str, node: ast.expr) -> None:
        count = 1
        items = node
        if isinstance(node, ast.BinOp):
            items = node.left
            times = self.number(node.right)
            if not times.is_constant or int(times.constant) < 1:
                self.fail(node.right, "the size of an array in a kernel is a constant over 0")
            count = int(times.constant)
        assert isinstance(items, ast.List)
        if not items.elts:
            self.fail(node, "an array in a kernel has elements")
        values = [self.number(each) for each in items.elts]
        own = self._common(values, node)
        self._require_room(own, [count * len(values)], node)
        if len(values) == 1 and count > 8:
            value = self.convert(values[0], own, node)
            text = self.variable(name)
            self.emit(f"{own.glsl} {text}[{count}];")
            if not value.pure:
                value = self.held(value, node)
            self._fill(text, [count], value.text, Type(own.scalar))
            self.arrays[name] = Array(text, own, 1, "local", extents=(count,))
            return
        if count > 1:
            values = [each if each.pure else self.held(each, node) for each in values]
        self.arrays[name] = self.made_array(values * count, node, self.variable(name))

    def _common(self, values: list[Value], node: ast.AST) -> Type:
        """Return the type that holds all values."""
        own = self.typed(values[0], node)
        for each in values[1:]:
            own = self.promote(own, self.typed(each, node), node)
        return self.strong(own)

    def made_array(self, values: list[Value], node: ast.AST, text: str = "") -> Array:
        """Return a local array of values."""
        own = self._common(values, node)
        if not text:
            self._hidden += 1
            text = f"values{self._hidden}_"
        texts = ", ".join(self.convert(each, own, node).text for each in values)
        self.emit(f"{own.glsl} {text}[{len(values)}] = {own.glsl}[{len(values)}]({texts});")
        return Array(text, own, 1, "local", extents=(len(values),))


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )


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


def statement_name(node: ast.AST) -> str:
    """Return how messages call a statement."""
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
        "Starred": "*",
    }.get(name, name)

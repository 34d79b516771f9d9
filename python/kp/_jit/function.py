# SPDX-License-Identifier: Apache-2.0
"""Statements of a Python function as statements of GLSL."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NoReturn

from .expressions import _ARITHMETIC, Expressions
from .names import Names
from .source import Source
from .types import INT, Array, Type, of_annotation
from .values import NOTHING, Value

if TYPE_CHECKING:
    from .unit import Unit

_MOST_PASSES = 40
#: Operators that GLSL has as assignments with the same meaning.
_IN_PLACE = ("+", "-", "*", "&", "|", "^", "<<", ">>")


class Function(Expressions):
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
                self.fail(self.source.node, f"'{name}' is an array and cannot be replaced")
            self.types.setdefault(name, self.strong(value.type))
            own = self.types[name]
            given = self.convert(value, own, self.source.node)
            assert self.assigned is not None
            self.assigned.add(name)
            self._copied.add(name)
            self.emit(f"{own.glsl} {self.variable(name)} = {given.text};")

    def variable(self, name: str) -> str:
        text = self.unit.identifier(name)
        if name in self.parameters:
            return f"{text}_now"
        return f"{text}_" if text in self.unit.taken else text

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    # --- blocks -----------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt]) -> None:
        """Translate statements one after the other."""
        for statement in body:
            if self.assigned is None:
                return  # never reached
            method = getattr(self, f"_do_{type(statement).__name__}", None)
            if method is None:
                self.fail(statement, f"{_statement(statement)} cannot be used in kernels")
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
        own = INT
        values = []
        for each in iterated.args:
            value = self.number(each)
            given = self.typed(value, each)
            if not given.is_integer or not given.is_scalar:
                self.fail(each, f"range() takes integers, not a {given}")
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

    # --- assignments ------------------------------------------------------------------------------

    def _do_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) > 1:
            self.fail(node, "a = b = ... cannot be used in kernels; assign one after the other")
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
        return self.default_float if named is float else own

    def _unpack(self, target: ast.Tuple | ast.List, value: Value, node: ast.stmt) -> None:
        if value.items is None:
            self.fail(node, f"{self.describe(value)} cannot be unpacked")
        if len(value.items) != len(target.elts):
            self.fail(node, f"{len(value.items)} values are assigned to {len(target.elts)} targets")
        # All values come before the first assignment, as in a, b = b, a.
        changed = {each.id for each in target.elts if isinstance(each, ast.Name)}
        read = {each.id for each in ast.walk(self._unpacked or node) if isinstance(each, ast.Name)}
        apart = len(changed) == len(target.elts) and not (self._unpacked and changed & read)
        held = []
        for each in value.items:
            if apart or each.is_constant or each.type is None:
                held.append(each)
                continue
            self._hidden += 1
            own = self.strong(each.type)
            text = f"value{self._hidden}_"
            self.emit(f"{own.glsl} {text} = {self.convert(each, own, node).text};")
            held.append(Value(text, each.type if not each.type.weak else own))
        for place, each in zip(target.elts, held, strict=True):
            if isinstance(place, (ast.Tuple, ast.List)):
                self._unpack(place, each, node)
            else:
                self._assign(place, each, node)

    def _join(self, name: str, given: Type, node: ast.AST) -> Type:
        """Return the type of a variable after another assignment."""
        known = self.types.get(name)
        weak = given.weak and given.is_integer and (known is not None or not self.hardened)
        own = given if weak else self.strong(given)
        if known is not None and known != own:
            if (known.rows, known.columns) != (own.rows, own.columns):
                self.fail(node, f"'{name}' is a {known.strong}, but a {own.strong} is assigned")
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
            self.fail(target, f"{_statement(target)} cannot be assigned")

    def _assign_name(self, name: str, value: Value, node: ast.stmt) -> None:
        if value.array is not None or value.items is not None or value.type is None:
            self.fail(
                node,
                f"'{name}' can be a number, a vector or a matrix, but not {self.describe(value)}",
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
        assert self.assigned is not None
        self.assigned.add(name)

    def _assign_element(self, target: ast.Subscript, value: Value, node: ast.stmt) -> None:
        base = self.expression(target.value)
        if base.array is not None:
            text, _ = self.element(base.array, target)
            what = f"an element of {base.array.parameter or base.array.name}"
            stored = self.store(value, base.array.element, what, node)
            self.emit(f"{text} = {self._stored(base.array, stored)};")
            return
        place = self._place(target.value, node)
        own = self.typed(place, target.value)
        if own.is_scalar:
            self.fail(target, f"a {own} has no elements")
        text, rank = self.part(place, own, target)
        kept = (own.rows, own.columns)[rank:] if own.is_matrix else ()
        part = Type(own.scalar, kept[0]) if kept else Type(own.scalar)
        self.emit(f"{text} = {self.store(value, part, 'the component', node).text};")

    @staticmethod
    def _stored(array: Array, value: Value) -> str:
        if array.element.kind == "bool" and array.storage == "parameter":
            return f"uint8_t({value.text})"
        return value.text

    def _place(self, node: ast.expr, statement: ast.stmt) -> Value:
        """Return a vector or matrix whose component is assigned: a variable or an element."""
        value = self.expression(node)
        if isinstance(node, ast.Name) and node.id not in self.locals:
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
            self.fail(target, f"a {own} has no component '{name}' to assign")
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
            text = self.variable(name)
            array = Array(text, own, len(extents), "local", extents=tuple(extents))
            self.emit(f"{own.glsl} {text}{sizes} = {_zeros(own, extents)};")
        self.arrays[name] = array

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
        values = [self.number(each) for each in items.elts] * count
        own = self.typed(values[0], node)
        for each in values[1:]:
            own = self.promote(own, self.typed(each, node), node)
        own = self.strong(own)
        texts = ", ".join(self.convert(each, own, node).text for each in values)
        text = self.variable(name)
        self.arrays[name] = Array(text, own, 1, "local", extents=(len(values),))
        self.emit(f"{own.glsl} {text}[{len(values)}] = {own.glsl}[{len(values)}]({texts});")

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


def _zeros(own: Type, extents: list[int]) -> str:
    sizes = "".join(f"[{extent}]" for extent in extents)
    inner = f"{own.glsl}(0)" if len(extents) == 1 else _zeros(own, extents[1:])
    return f"{own.glsl}{sizes}({', '.join([inner] * extents[0])})"


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


def _statement(node: ast.AST) -> str:
    name = type(node).__name__
    return {
        "FunctionDef": "a def inside a function",
        "AsyncFunctionDef": "async def",
        "ClassDef": "class",
        "Delete": "del",
        "With": "with",
        "Raise": "raise",
        "Try": "try",
        "Assert": "assert",
        "Import": "import",
        "ImportFrom": "import",
        "Global": "global",
        "Nonlocal": "nonlocal",
        "Match": "match",
        "AsyncFor": "async for",
        "Starred": "*",
    }.get(name, name)

# SPDX-License-Identifier: Apache-2.0
"""Expressions of Python as expressions of GLSL, with Python's meaning."""

from __future__ import annotations

import ast
import operator
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from .._wording import counted, nearest
from . import functions
from .arithmetic import Arithmetic
from .types import BOOL, INT, SCALARS, UINT, Array, Type, of_value
from .values import ATOM, NOTHING, PRECEDENCE, UNARY, Value

if TYPE_CHECKING:
    from .source import Source
    from .unit import Unit

_ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.MatMult: ("@", operator.matmul),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_SWIZZLES = ("xyzw", "rgba")


class Expressions(Arithmetic):
    """Base of Function: translates expressions."""

    source: Source
    unit: Unit
    locals: set[str]
    types: dict[str, Type]
    arrays: dict[str, Array]
    parameters: dict[str, Value]
    assigned: set[str] | None
    hardened: bool
    work_items: dict[str, int]
    _branches = 0

    @property
    def is_certain(self) -> bool:
        """Whether every work item of the kernel reaches what is being translated."""
        raise NotImplementedError

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """Translate what some work items may not evaluate."""
        self._branches += 1
        yield
        self._branches -= 1

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        method = getattr(self, f"_on_{type(node).__name__}", None)
        if method is None:
            self.fail(node, f"{_names_of(node)} cannot be used in kernels")
        is_logic = isinstance(node, ast.BoolOp) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        )
        before, self.in_condition = self.in_condition, self.in_condition and is_logic
        try:
            value: Value = method(node)
        finally:
            self.in_condition = before
        return value

    def number(self, node: ast.expr) -> Value:
        """Return the value of an expression that gives a number, a vector or a matrix."""
        value = self.expression(node)
        self.typed(value, node)
        return value

    def wrap(self, thing: Any) -> Value:
        """Return a Python object that the function refers to."""
        if isinstance(thing, Value):
            return thing
        found = of_value(thing)
        if found is not None:
            return Value(type=found, constant=thing, invariant=True)
        if isinstance(thing, tuple):
            return Value(items=[self.wrap(each) for each in thing])
        return Value(object=thing)

    # --- names ------------------------------------------------------------------------------------

    def _on_Constant(self, node: ast.Constant) -> Value:
        if of_value(node.value) is None:
            self.fail(node, f"{node.value!r} is no number")
        return self.wrap(node.value)

    def _on_Name(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.locals:
            if self.assigned is not None and name not in self.assigned:
                self.fail(node, f"'{name}' may have no value here; give it one before")
            if name in self.arrays:
                array = self.arrays[name]
                return Value(array.name, array=array)
            found = self.types.get(name)
            if found is None:  # in code that is never reached
                self.fail(node, f"'{name}' has no value here")
            return Value(self.variable(name), found, work_item=self.work_items.get(name))
        if name in self.parameters:
            return self.parameters[name]
        try:
            thing = self.source.lookup(name)
        except KeyError:
            if (known := self.unit.names.get(name)) is not None:
                return self.wrap(known)
            self.fail(
                node, f"'{name}' is not known{nearest(name, [*self.parameters, *self.locals])}"
            )
        value = self.wrap(thing)
        self._watch(name, thing, value)
        return value

    def _watch(self, name: str, thing: Any, value: Value) -> None:
        """Note a constant or a function of the program, which may be replaced between calls."""
        is_function = isinstance(thing, types.FunctionType) or hasattr(thing, "__kp_function__")
        if value.object is NOTHING or is_function:
            self.unit.captured[self.source, name] = thing

    def variable(self, name: str) -> str:
        """Return the name of a variable in GLSL."""
        return self.unit.identifier(name)

    def _on_Attribute(self, node: ast.Attribute) -> Value:
        base = self.expression(node.value)
        name = node.attr
        if base.object is not NOTHING:
            if isinstance(base.object, types.ModuleType):
                if base.object.__name__ == "kp" and name in functions.BY_NAME:
                    return Value(object=functions.Named(name))
                if base.object.__name__ == "kp" and name in SCALARS:
                    return Value(object=Type(name))
                if not hasattr(base.object, name):
                    self.fail(node, f"{base.object.__name__} has no '{name}'")
            try:
                thing = getattr(base.object, name)
            except AttributeError:
                self.fail(node, f"{self.describe(base)} has no '{name}'")
            value = self.wrap(thing)
            self._watch(ast.unparse(node), thing, value)
            return value
        if base.array is not None:
            return self._of_array(base.array, name, node)
        if base.type is not None:
            return self._component(base, name, node)
        self.fail(node, f"a tuple has no '{name}'")

    def _of_array(self, array: Array, name: str, node: ast.AST) -> Value:
        if name == "shape":
            return Value(items=[self.extent(array, axis) for axis in range(array.ndim)])
        if name == "ndim":
            return self.wrap(array.ndim)
        if name == "size":
            size = self.extent(array, 0)
            for axis in range(1, array.ndim):
                size = self.arithmetic("*", size, self.extent(array, axis), node)
            size.invariant = True
            return size
        if name == "flat":
            flat = Array(
                array.name, array.element, -1, array.storage, array.parameter, array.extents
            )
            return Value(array.name, array=flat)
        self.fail(node, f"arrays of kernels have shape, size, ndim and flat, but no '{name}'")

    def extent(self, array: Array, axis: int) -> Value:
        """Return an extent of an array."""
        if array.storage == "parameter":
            extent = Value(self.unit.extent(array.parameter, axis), INT, invariant=True)
            return self.python_int(extent)
        return Value(type=Type("int32", weak=True), constant=array.extents[axis], invariant=True)

    def _component(self, base: Value, name: str, node: ast.AST) -> Value:
        own = self.typed(base, node)
        if own.kind == "complex" and name in ("real", "imag"):
            return Value(f"{base.within(ATOM)}.{'x' if name == 'real' else 'y'}", Type("float32"))
        if own.kind == "complex" and name == "conjugate":
            return Value(object=functions.Named("conjugate"), receiver=base)
        if own.is_matrix and name in ("T", "transpose"):
            turned = Type(own.scalar, own.columns, own.rows)
            value = Value(f"transpose({base.text})", turned, pure=base.pure)
            return value if name == "T" else Value(object=functions.Named("self"), receiver=value)
        if own.is_vector and self.is_swizzle(own, name):
            rows = len(name)
            return Value(f"{base.within(ATOM)}.{name}", Type(own.scalar, rows), pure=base.pure)
        what = "components x, y, z and w" if own.is_vector else "no attributes"
        self.fail(node, f"{own.said} has {what}, but no '{name}'")

    @staticmethod
    def is_swizzle(own: Type, name: str) -> bool:
        return 1 <= len(name) <= 4 and any(
            all(letter in letters[: own.rows] for letter in name) for letters in _SWIZZLES
        )

    # --- elements ---------------------------------------------------------------------------------

    def _on_Subscript(self, node: ast.Subscript) -> Value:
        base = self.expression(node.value)
        if base.array is not None:
            text, pure = self.element(base.array, node)
            own = base.array.element
            if own.kind == "bool" and base.array.storage == "parameter":
                return Value(f"{text} != uint8_t(0)", own, 6, pure=pure)
            return Value(text, own, pure=pure)
        if base.items is not None:
            index = self.number(node.slice)
            if not index.is_constant or not isinstance(index.constant, (int, np.integer)):
                self.fail(node.slice, "a tuple is indexed by a constant")
            if not -len(base.items) <= index.constant < len(base.items):
                self.fail(
                    node.slice,
                    f"{index.constant} is over the {counted(len(base.items), 'entry')} of the tuple",
                )
            return base.items[index.constant]
        return self.part(base, node)

    def part(self, base: Value, node: ast.Subscript) -> Value:
        """Return a component of a vector or a matrix, or a row of a matrix."""
        own = self.typed(base, node.value)
        if own.is_scalar:
            self.require_elements(base, node.value)
            self.fail(node, f"{own.said} has no elements")
        limits = (own.rows, own.columns) if own.is_matrix else (own.rows,)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indices) > len(limits):
            self.fail(
                node,
                f"{own.said} has {counted(len(limits), 'index')}, but was given {len(indices)}",
            )
        text = base.within(ATOM)
        for index, limit in zip(indices, limits, strict=False):
            text += f"[{self.index(index, limit).text}]"
        kept = (own.rows, own.columns)[len(indices) :] if own.is_matrix else ()
        result = Type(own.scalar, kept[0]) if kept else Type(own.scalar)
        return Value(text, result, pure=base.pure)

    def require_elements(self, base: Value, node: ast.expr) -> None:
        """Fail if a parameter that is used as an array was given a number."""
        if not isinstance(node, ast.Name) or node.id not in self.parameters:
            return
        if base.type is not None and base.type.is_scalar:
            self.fail(
                node,
                f"'{node.id}' is an array here, but was given a number ({base.type.strong}); give it an "
                "array",
            )

    def index(self, node: ast.expr, limit: int | None = None) -> Value:
        """Return an index: an integer that is not known to be negative or over the limit."""
        if isinstance(node, (ast.Slice, ast.Starred)):
            self.fail(node, "slices cannot be used in kernels; index single elements")
        value = self.number(node)
        own = self.typed(value, node)
        if not own.is_scalar or not own.is_integer:
            self.fail(node, f"an index is an integer, but {own.said} was given")
        if value.is_constant:
            if value.constant < 0:
                self.fail(node, f"the index {value.constant} is negative; count from the start")
            if limit is not None and value.constant >= limit:
                self.fail(node, f"the index {value.constant} is over the last one, {limit - 1}")
        if value.is_constant:
            return self.literal(value.constant, INT if value.constant < 2**31 else UINT, node)
        made = self.convert(value, own, node)
        if self.strong(own).bits == 64:
            made = Value(f"uint({made.text})", UINT, pure=made.pure)
        made.work_item = value.work_item
        return made

    def element(self, array: Array, node: ast.Subscript) -> tuple[str, bool]:
        """Return the text of an array's element, and whether it may be evaluated twice."""
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        what = array.parameter or array.name
        if array.ndim == -1:  # array.flat
            if array.storage != "parameter" and len(array.extents) > 1:
                self.fail(node, "only arrays that are parameters have .flat")
            if len(indices) != 1:
                self.fail(node, f"{what}.flat has 1 index, but was given {len(indices)}")
            value = self.index(indices[0])
            self._use(array, [value])
            return f"{array.name}[{value.text}]", value.pure
        if len(indices) != array.ndim:
            hint = f"; {what}.flat[i] takes one" if len(indices) == 1 else ""
            self.fail(
                node,
                f"{what} has {counted(array.ndim, 'dimension')}, but was given "
                f"{counted(len(indices), 'index')}{hint}",
            )
        limits = array.extents or (None,) * array.ndim
        values = [self.index(each, limit) for each, limit in zip(indices, limits, strict=True)]
        pure = all(value.pure for value in values)
        self._use(array, values)
        if array.storage != "parameter":
            return array.name + "".join(f"[{value.text}]" for value in values), pure
        flat = values[0]
        for axis, value in enumerate(values[1:], 1):
            size = Value(self.unit.extent(array.parameter, axis), INT)
            extent = self.convert(size, self.typed(flat, node), node)
            row = self.arithmetic("*", flat, extent, node)
            flat = self.arithmetic("+", row, self.convert(value, self.typed(row, node), node), node)
        return f"{array.name}[{flat.text}]", pure

    def _use(self, array: Array, indices: list[Value]) -> None:
        self.unit.use_array(array)
        items = tuple(index.work_item for index in indices)
        if array.storage == "parameter" and self.is_certain and any(i is not None for i in items):
            self.unit.by_index[array.parameter, items] = None

    # --- operators --------------------------------------------------------------------------------

    def _on_BinOp(self, node: ast.BinOp) -> Value:
        symbol, function = _ARITHMETIC[type(node.op)]
        a, b = self.number(node.left), self.number(node.right)
        if a.is_constant and b.is_constant and symbol != "@":
            try:
                with np.errstate(all="raise"):
                    return self.wrap(function(a.constant, b.constant))
            except (ArithmeticError, TypeError, ValueError) as error:
                self.fail(node, str(error))
        return self.arithmetic(symbol, a, b, node)

    def _on_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            value = self.truth(value, node.operand)
            if value.is_constant:
                return self.wrap(not value.constant)
            return Value(f"!{value.within(UNARY)}", BOOL, UNARY, pure=value.pure)
        own = self.typed(value, node.operand)
        symbol = {ast.USub: "-", ast.UAdd: "", ast.Invert: "~"}[type(node.op)]
        if value.is_constant:
            signs: dict[str, Callable[[Any], Any]] = {
                "-": operator.neg,
                "": operator.pos,
                "~": operator.invert,
            }
            return self.wrap(signs[symbol](value.constant))
        if own.kind == "bool":
            own = self.default_int
            value = self.convert(value, own, node)
        if symbol == "~" and not own.is_integer:
            self.fail(node, f"{own.said} has no ~")
        if not symbol:
            return value
        # Two signs in a row would be one operator.
        operand = f"({value.text})" if value.precedence >= UNARY else value.text
        return Value(f"{symbol}{operand}", own, UNARY, pure=value.pure)

    def _on_Compare(self, node: ast.Compare) -> Value:
        for comparison in node.ops:
            if type(comparison) not in _COMPARISONS:
                self.fail(node, "in, not in, is and is not cannot be used in kernels")
        operands = [node.left, *node.comparators]
        values = [self.number(each) for each in operands[:2]]
        with self.perhaps():
            values += [self.number(each) for each in operands[2:]]
        for each, value in zip(operands[1:-1], values[1:-1], strict=True):
            if not value.pure:
                self.fail(each, "this would be evaluated twice; give it a name first")
        parts = []
        for index, comparison in enumerate(node.ops):
            symbol, function = _COMPARISONS[type(comparison)]
            a, b = values[index], values[index + 1]
            if a.is_constant and b.is_constant:
                parts.append(self.wrap(bool(function(a.constant, b.constant))))
                continue
            parts.append(self._compared(symbol, a, b, node))
        return self._joined("&&", parts, node)

    def _compared(self, symbol: str, a: Value, b: Value, node: ast.AST) -> Value:
        own = self.promote(self.typed(a, node), self.typed(b, node), node)
        if not own.is_scalar or (own.kind == "complex" and symbol not in ("==", "!=")):
            self.fail(node, f"{own.said} has no {symbol}; compare its components")
        if own.kind == "bool" and symbol not in ("==", "!="):
            own = self.default_int
        self.unit.observe(own)
        a, b = self.convert(a, own, node), self.convert(b, own, node)
        return self.infix(symbol, a, b, BOOL)

    def _joined(self, symbol: str, parts: list[Value], node: ast.AST) -> Value:
        """Return conditions joined by && or ||. Constants are left out where they decide nothing."""
        decides = symbol == "||"
        kept: list[Value] = []
        for part in parts:
            if part.is_constant and bool(part.constant) != decides:
                continue
            kept.append(part)
            if part.is_constant:
                break
        if not kept:
            return self.wrap(not decides)
        if len(kept) == 1:
            return kept[0]
        if kept[0].is_constant:
            return kept[0]
        level = PRECEDENCE[symbol]
        # Readers need not know that && binds tighter than ||.
        shown = [self._shown(part) for part in kept]
        texts = [part.text if part.precedence == level else part.within(6) for part in shown]
        return Value(f" {symbol} ".join(texts), BOOL, level, pure=all(part.pure for part in kept))

    def _on_BoolOp(self, node: ast.BoolOp) -> Value:
        parts: list[Value] = []
        for each in node.values:
            with self.perhaps() if parts else nullcontext():
                value = self.expression(each)
            if value.type is not None and value.type.kind != "bool" and not self.in_condition:
                word = "and" if isinstance(node.op, ast.And) else "or"
                self.fail(
                    each,
                    f"'{word}' of {value.type.said} gives one of its operands in Python; compare with 0 "
                    "to have a condition",
                )
            parts.append(self.truth(value, each))
        return self._joined("&&" if isinstance(node.op, ast.And) else "||", parts, node)

    in_condition = False

    def condition(self, node: ast.expr) -> Value:
        """Return an expression as a condition."""
        before, self.in_condition = self.in_condition, True
        try:
            return self.truth(self.expression(node), node)
        finally:
            self.in_condition = before

    def _on_IfExp(self, node: ast.IfExp) -> Value:
        test = self.condition(node.test)
        if test.is_constant:
            return self.expression(node.body if test.constant else node.orelse)
        with self.perhaps():
            a, b = self.number(node.body), self.number(node.orelse)
        own = self.promote(self.typed(a, node), self.typed(b, node), node)
        value = self.chosen(test, a, b, self.strong(own), node)
        if own.weak:  # 1 if x else 0 takes the type of what it meets
            value.type, value.choice = own, (test, a, b)
        return value

    def _on_Tuple(self, node: ast.Tuple) -> Value:
        return Value(items=[self.expression(each) for each in node.elts])

    def _on_NamedExpr(self, node: ast.NamedExpr) -> Value:
        self.fail(node, ":= cannot be used in kernels; assign before")

    # --- calls ------------------------------------------------------------------------------------

    def _on_Call(self, node: ast.Call) -> Value:
        called = self.expression(node.func)
        if called.object is NOTHING:
            self.fail(node, f"{self.describe(called)} cannot be called")
        if any(isinstance(each, ast.Starred) for each in node.args) or any(
            each.arg is None for each in node.keywords
        ):
            self.fail(node, "* and ** cannot be used in calls in kernels")
        return functions.call(self, called, node)

    def call_function(self, function: Any, values: list[Value], node: ast.Call) -> Value:
        """Return a call of another Python function."""
        raise NotImplementedError


def _names_of(node: ast.AST) -> str:
    return {
        "ListComp": "a list comprehension",
        "Lambda": "a lambda",
        "Dict": "a dict",
        "Set": "a set",
        "List": "a list (except as a local array: a = [1, 2])",
        "JoinedStr": "a string",
        "Await": "await",
        "Yield": "yield",
        "YieldFrom": "yield",
        "Starred": "*",
    }.get(type(node).__name__, type(node).__name__)

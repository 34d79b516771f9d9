# SPDX-License-Identifier: Apache-2.0
"""Expressions of Python as expressions of GLSL, with Python's meaning."""

from __future__ import annotations

import ast
import copy
import dataclasses
import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._wording import counted, nearest
from . import functions
from .conditions import Conditions
from .folding import too_large
from .types import BOOL, INT, SCALARS, UINT, Array, Type, of_value
from .values import ATOM, NOTHING, UNARY, Value

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
_SWIZZLES = ("xyzw", "rgba")


class Expressions(Conditions):
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

    @property
    def is_certain(self) -> bool:
        """Whether every work item of the kernel reaches what is being translated."""
        raise NotImplementedError

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

    def wrap(self, thing: Any, node: ast.AST | None = None) -> Value:
        """Return a Python object that the function refers to."""
        if isinstance(thing, Value):
            return thing
        found = of_value(thing)
        if found is not None:
            return Value(type=found, constant=thing, invariant=True)
        if isinstance(thing, tuple):
            return Value(items=[self.wrap(each) for each in thing], object=thing)
        if isinstance(thing, (list, np.ndarray)) and self._is_table(thing):
            array = self.unit.table(thing, self, node or self.source.node)
            return Value(array.name, array=array)
        return Value(object=thing)

    @staticmethod
    def _is_table(thing: Any) -> bool:
        """Return whether a tuple, a list or a NumPy array is a table of numbers."""
        if not isinstance(thing, (tuple, list, np.ndarray)):
            return False
        try:
            numbers = np.asarray(thing)
        except ValueError:  # of different lengths
            return False
        return numbers.ndim > 0 and numbers.size > 0 and numbers.dtype.kind in "biuf"

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
        value = self.wrap(thing, node)
        if value.array is not None:
            value.array = dataclasses.replace(value.array, parameter=name)  # for messages
        self._watch(name, thing, value)
        return value

    def _watch(self, name: str, thing: Any, value: Value) -> None:
        """Note a constant or a function of the program, which may be replaced between calls."""
        is_function = isinstance(thing, types.FunctionType) or hasattr(thing, "__kp_function__")
        if value.object is NOTHING or value.items is not None or is_function:
            self.unit.captured[self.source, name] = (
                copy.deepcopy(thing) if isinstance(thing, (list, np.ndarray)) else thing
            )

    def variable(self, name: str) -> str:
        """Return the name of a variable in GLSL."""
        return self.unit.identifier(name)

    def _on_Attribute(self, node: ast.Attribute) -> Value:
        base = self.expression(node.value)
        name = node.attr
        if base.object is not NOTHING and base.items is None:
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
            value = self.wrap(thing, node)
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
            return self._entry(base.array, node)
        if base.items is not None:
            index = self.number(node.slice)
            if not index.is_constant and self._is_table(base.object):
                return self._entry(self.unit.table(base.object, self, node), node)
            if not index.is_constant or not isinstance(index.constant, (int, np.integer)):
                self.fail(node.slice, "a tuple is indexed by a constant")
            if not -len(base.items) <= index.constant < len(base.items):
                self.fail(
                    node.slice,
                    f"{index.constant} is over the {counted(len(base.items), 'entry')} of the tuple",
                )
            return base.items[index.constant]
        return self.part(base, node)

    def _entry(self, array: Array, node: ast.Subscript) -> Value:
        """Return an element of an array, or an array of the last axes of a constant one."""
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if array.storage != "constant" or len(indices) >= array.ndim:
            return self.loaded(array, *self.element(array, node))
        places = [self.index(*each) for each in zip(indices, array.extents, strict=False)]
        rest = dataclasses.replace(
            array,
            name=array.name + "".join(f"[{each.text}]" for each in places),
            ndim=array.ndim - len(places),
            extents=array.extents[len(places) :],
        )
        return Value(rest.name, array=rest)

    def loaded(self, array: Array, text: str, pure: bool) -> Value:
        """Return an element of an array, whose place is given as text."""
        self.unit.use_array(array)
        own = array.element
        if own.kind == "bool" and array.storage == "parameter":
            return Value(f"{text} != uint8_t(0)", own, 6, pure=pure)
        return Value(text, own, pure=pure)

    def listed(self, node: ast.expr) -> Value:
        """Return the value of an expression that may be a list."""
        return self.expression(functions.as_tuple(node))

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
            made = self.literal(value.constant, INT if value.constant < 2**31 else UINT, node)
            made.place = int(value.constant)
            return made
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
        if array.storage == "parameter" and self.is_certain:
            for axis, index in enumerate(indices):
                if index.place is not None:
                    key = array.parameter, axis if len(indices) > 1 or array.ndim == 1 else None
                    places = self.unit.places
                    places[key] = max(places.get(key, 0), index.place)

    # --- operators --------------------------------------------------------------------------------

    def _on_BinOp(self, node: ast.BinOp) -> Value:
        symbol, function = _ARITHMETIC[type(node.op)]
        a, b = self.number(node.left), self.number(node.right)
        if a.is_constant and b.is_constant and symbol != "@":
            if message := too_large(symbol, a.constant, b.constant):
                self.fail(node, message)
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

    def _on_Tuple(self, node: ast.Tuple) -> Value:
        return Value(items=[self.expression(each) for each in node.elts])

    def _on_NamedExpr(self, node: ast.NamedExpr) -> Value:
        value = self.number(node.value)
        name = node.target.id
        if name in self.arrays or name not in self.locals:
            self.fail(node, f"'{name}' cannot be assigned here")
        own = self.strong(self._join(name, value.type, node))
        made = self.convert(value, own, node)
        if self._branches == 0 and self.assigned is not None:
            self.assigned.add(name)
        return Value(f"({self.variable(name)} = {made.text})", own, pure=False)

    def _join(self, name: str, given: Any, node: ast.AST) -> Type:
        """Return the type of a variable after another assignment."""
        raise NotImplementedError

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

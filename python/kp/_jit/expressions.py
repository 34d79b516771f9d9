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
from . import calls
from .elements import Elements
from .emitter import Emitter
from .functions import BY_NAME
from .operators import Operators, too_large
from .scope import Scope
from .source import Place, place_of
from .types import BOOL, SCALARS, Type, of_annotation, of_value
from .values import NOTHING, UNARY, Named, Value

if TYPE_CHECKING:
    from .function import Function

ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
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
_SIGNS: dict[type[ast.unaryop], tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("-", operator.neg),
    ast.UAdd: ("", operator.pos),
    ast.Invert: ("~", operator.invert),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


class Expressions:
    """Translates the expressions of a function.

    - `calls`: the functions that it has called, by the place of the call.
    - `things`: the Python objects that it has called, by the place of the call.
    - `unpacked`: the expression whose values the next assignment gives to several targets.
    """

    def __init__(self, scope: Scope, emitter: Emitter) -> None:
        self.scope = scope
        self.emitter = emitter
        self.numbers = scope.numbers
        self.unit = scope.numbers.unit
        self.fail = scope.numbers.fail
        self.operators = Operators(scope.numbers)
        self.elements = Elements(scope, emitter, self.operators, self.number)
        self.calls: dict[Place, Function] = {}
        self.things: dict[Place, Any] = {}
        self.unpacked: ast.expr | None = None

    def evaluate(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        method = getattr(self, f"_on_{type(node).__name__}", None)
        if method is None:
            self.fail(node, f"{_names_of(node)} cannot be used in kernels")
        value: Value = method(node)
        return value

    def number(self, node: ast.expr) -> Value:
        """Return the value of an expression that gives a number, a vector or a matrix."""
        value = self.evaluate(node)
        self.numbers.typed(value, node)
        return value

    def condition(self, node: ast.expr) -> Value:
        """Return an expression as a condition."""
        if isinstance(node, ast.BoolOp):
            return self._connected(node, self.condition)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._negated(self.condition(node.operand))
        return self.numbers.truth(self.evaluate(node), node)

    def listed(self, node: ast.expr) -> Value:
        """Return the value of an expression that may be a list."""
        return self.evaluate(_as_tuple(node))

    def annotation(self, node: ast.expr) -> Type:
        """Return the type that an annotation in the function names."""
        named = node.value if isinstance(node, ast.Constant) else self.evaluate(node).object
        own = of_annotation(named)
        if not isinstance(own, Type):
            self.fail(
                node,
                "variables cannot have this type; use int, float, bool, kp.vec3 or another one",
            )
        return self.numbers.named(named, own)

    def held(self, value: Value, node: ast.AST) -> Value:
        """Return a value that is evaluated once, here."""
        if value.items is not None:
            return Value(items=[self.held(each, node) for each in value.items])
        if value.is_constant or value.type is None:
            return value
        own = self.numbers.strong(value.type)
        text = self.emitter.fresh("value")
        self.emitter.line(f"{own.glsl} {text} = {self.numbers.convert(value, own, node).text};")
        return Value(text, own, invariant=value.invariant, work_item=value.work_item)

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
            array = self.unit.table(thing, self.numbers, node or self.numbers.source.node)
            return Value(array.name, array=array)
        return Value(object=thing)

    @staticmethod
    def _is_table(thing: Any) -> bool:
        """Return whether a tuple, list or NumPy array is a table of numbers."""
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
            self.fail(node, f"{node.value!r} is not a number")
        return self.wrap(node.value)

    def _on_Name(self, node: ast.Name) -> Value:
        scope = self.scope
        name = node.id
        if name in scope.names.locals:
            if scope.assigned is not None and name not in scope.assigned:
                self.fail(node, f"'{name}' may have no value here; give it one before")
            if name in scope.arrays:
                array = scope.arrays[name]
                return Value(array.name, array=array)
            found = scope.types.get(name)
            if found is None:  # in code that is never reached
                self.fail(node, f"'{name}' has no value here")
            return Value(scope.variable(name), found, work_item=scope.work_items.get(name))
        if name in scope.parameters:
            return scope.parameters[name]
        try:
            thing = self.numbers.source.lookup(name)
        except KeyError:
            if (known := self.unit.names.get(name)) is not None:
                return self.wrap(known)
            self.fail(
                node,
                f"'{name}' is not known{nearest(name, [*scope.parameters, *scope.names.locals])}",
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
            self.unit.captured[self.numbers.source, name] = (
                copy.deepcopy(thing) if isinstance(thing, (list, np.ndarray)) else thing
            )

    def _on_Attribute(self, node: ast.Attribute) -> Value:
        base = self.evaluate(node.value)
        name = node.attr
        if base.object is not NOTHING and base.items is None:
            if isinstance(base.object, types.ModuleType):
                if base.object.__name__ == "kp" and name in BY_NAME:
                    return Value(object=Named(name))
                if base.object.__name__ == "kp" and name in SCALARS:
                    return Value(object=Type(name))
                if not hasattr(base.object, name):
                    self.fail(node, f"{base.object.__name__} has no '{name}'")
            try:
                thing = getattr(base.object, name)
            except AttributeError:
                self.fail(node, f"{self.numbers.describe(base)} has no '{name}'")
            value = self.wrap(thing, node)
            self._watch(ast.unparse(node), thing, value)
            return value
        if base.array is not None:
            return self.elements.attribute(base.array, name, node)
        if base.type is not None:
            return self.elements.component(base, name, node)
        self.fail(node, f"a tuple has no '{name}'")

    def _on_Subscript(self, node: ast.Subscript) -> Value:
        base = self.evaluate(node.value)
        if base.array is not None:
            return self.elements.entry(base.array, node)
        if base.items is not None:
            index = self.number(node.slice)
            if not index.is_constant and self._is_table(base.object):
                return self.elements.entry(self.unit.table(base.object, self.numbers, node), node)
            if not index.is_constant or not isinstance(index.constant, (int, np.integer)):
                self.fail(node.slice, "a tuple is indexed by a constant")
            if not -len(base.items) <= index.constant < len(base.items):
                self.fail(
                    node.slice,
                    f"{index.constant} is over the {counted(len(base.items), 'entry')} of the tuple",
                )
            return base.items[index.constant]
        return self.elements.part(base, node)

    def _on_Tuple(self, node: ast.Tuple) -> Value:
        return Value(items=[self.evaluate(each) for each in node.elts])

    def _on_NamedExpr(self, node: ast.NamedExpr) -> Value:
        scope = self.scope
        value = self.number(node.value)
        name = node.target.id
        if name in scope.arrays or name not in scope.names.locals:
            self.fail(node, f"'{name}' cannot be assigned here")
        own = self.numbers.strong(scope.join(name, self.numbers.typed(value, node), node))
        made = self.numbers.convert(value, own, node)
        if self.emitter.is_unconditional:
            scope.assign(name)
        return Value(f"({scope.variable(name)} = {made.text})", own, pure=False)

    # --- operators --------------------------------------------------------------------------------

    def _on_BinOp(self, node: ast.BinOp) -> Value:
        symbol, function = ARITHMETIC[type(node.op)]
        a, b = self.number(node.left), self.number(node.right)
        if a.is_constant and b.is_constant and symbol != "@":
            if message := too_large(symbol, a.constant, b.constant):
                self.fail(node, message)
            try:
                with np.errstate(all="raise"):
                    return self.wrap(function(a.constant, b.constant))
            except (ArithmeticError, TypeError, ValueError) as error:
                self.fail(node, str(error))
        return self.operators.apply(symbol, a, b, node)

    def _on_UnaryOp(self, node: ast.UnaryOp) -> Value:
        numbers = self.numbers
        value = self.evaluate(node.operand)
        if isinstance(node.op, ast.Not):
            return self._negated(numbers.truth(value, node.operand))
        own = numbers.typed(value, node.operand)
        symbol, function = _SIGNS[type(node.op)]
        if value.is_constant:
            return self.wrap(function(value.constant))
        if own.kind == "bool":
            own = numbers.default_int
            value = numbers.convert(value, own, node)
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
        with self.emitter.perhaps():
            values += [self.number(each) for each in operands[2:]]
        parts = []
        for index, comparison in enumerate(node.ops):
            symbol, function = _COMPARISONS[type(comparison)]
            a, b = values[index], values[index + 1]
            if index + 2 < len(values) and not b.pure:  # the next comparison has it, too
                own = self.numbers.strong(self.numbers.typed(b, operands[index + 1]))
                name = self.emitter.temporary(own)
                b = Value(f"({name} = {b.text})", own, pure=False)
                values[index + 1] = Value(name, own)
            if a.is_constant and b.is_constant:
                parts.append(self.wrap(bool(function(a.constant, b.constant))))
                continue
            parts.append(self.operators.compare(symbol, a, b, node))
        return self.operators.connect("&&", parts)

    def _on_BoolOp(self, node: ast.BoolOp) -> Value:
        def operand(each: ast.expr) -> Value:
            value = self.evaluate(each)
            if value.type is not None and value.type.kind != "bool":
                word = "and" if isinstance(node.op, ast.And) else "or"
                self.fail(
                    each,
                    f"'{word}' of {value.type.said} gives one of its operands in Python; compare with 0 "
                    "to have a condition",
                )
            return self.numbers.truth(value, each)

        return self._connected(node, operand)

    def _connected(self, node: ast.BoolOp, operand: Callable[[ast.expr], Value]) -> Value:
        first, *others = node.values
        parts = [operand(first)]
        with self.emitter.perhaps():
            parts += [operand(each) for each in others]
        return self.operators.connect("&&" if isinstance(node.op, ast.And) else "||", parts)

    def _negated(self, value: Value) -> Value:
        if value.is_constant:
            return self.wrap(not value.constant)
        return Value(f"!{value.within(UNARY)}", BOOL, UNARY, pure=value.pure)

    def _on_IfExp(self, node: ast.IfExp) -> Value:
        numbers = self.numbers
        test = self.condition(node.test)
        if test.is_constant:
            return self.evaluate(node.body if test.constant else node.orelse)
        with self.emitter.perhaps():
            a, b = self.number(node.body), self.number(node.orelse)
        own = numbers.promote(numbers.typed(a, node), numbers.typed(b, node), node)
        value = numbers.chosen(test, a, b, numbers.strong(own), node)
        if own.weak:  # 1 if x else 0 takes the type of the other operand
            value.type, value.choice = own, (test, a, b)
        return value

    # --- calls ------------------------------------------------------------------------------------

    def _on_Call(self, node: ast.Call) -> Value:
        called = self.evaluate(node.func)
        if called.object is NOTHING:
            self.fail(node, f"{self.numbers.describe(called)} cannot be called")
        if any(isinstance(each, ast.Starred) for each in node.args) or any(
            each.arg is None for each in node.keywords
        ):
            self.fail(node, "* and ** cannot be used in calls in kernels")
        self.things[place_of(node)] = called.object
        return calls.translate(self, called, node)

    def call_function(self, function: Any, values: list[Value], node: ast.Call) -> Value:
        """Return a call of another Python function."""
        called, texts = self.unit.function(self, function, values, node)
        self.calls[place_of(node)] = called
        text = f"{called.glsl_name}({', '.join(texts)})"
        if called.returned is None:
            return Value(text, Type("void"), pure=False)
        if isinstance(called.returned, tuple):
            if node is not self.unpacked:
                self.fail(node, "assign its values to names: a, b = ...")
            name = self.emitter.fresh("result")
            self.emitter.line(f"{called.glsl_name}_result {name} = {text};")
            return Value(
                items=[Value(f"{name}.v{i}", each) for i, each in enumerate(called.returned)]
            )
        return Value(text, called.returned, pure=False)


def _as_tuple(node: ast.expr) -> ast.expr:
    """Return a list of the program as a tuple, as kernels take it."""
    if isinstance(node, ast.List):
        return ast.copy_location(
            ast.Tuple([_as_tuple(each) for each in node.elts], ast.Load()), node
        )
    return node


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

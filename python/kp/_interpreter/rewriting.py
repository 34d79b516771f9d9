# SPDX-License-Identifier: Apache-2.0
"""Rewrites a kernel's function for Python: the same statements at the same lines.

Operators, calls, elements and assignments become calls of a Runtime, which computes with the types of
the kernel. In functions that wait for other work items, those calls are yields.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._jit.expressions import ARITHMETIC
from .._jit.function import Function
from .._jit.source import Source, place_of
from .._jit.statements import in_python
from .._jit.types import Array
from .._jit.values import Named

if TYPE_CHECKING:
    from .runtime import Runtime

_RUNTIME = "kp_runtime_"
_SIGNS = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_COMPARISONS = {
    **{ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
}


def rewritten(runtime: Runtime, source: Source, function: Function | None) -> Callable[..., Any]:
    """Return a function that computes with a runtime.

    - `function`: its types, as far as known; or None.
    """
    rewriter = _Rewriter(runtime, source, function)
    node = rewriter.function()
    tree = ast.fix_missing_locations(ast.Module([node], []))
    own = source.function
    names = dict(own.__globals__)
    for name, cell in zip(own.__code__.co_freevars, own.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # it has no value yet
            names.pop(name, None)
    names.update(rewriter.constants)
    names[_RUNTIME] = runtime
    exec(compile(tree, source.file, "exec"), names)
    made: Callable[..., Any] = names[node.name]
    return made


class _Rewriter(ast.NodeTransformer):
    """Rewrites one function."""

    def __init__(self, runtime: Runtime, source: Source, function: Function | None) -> None:
        self.constants: dict[str, Any] = {}
        self._runtime = runtime
        self._source = source
        self._function = function
        self._waits = runtime.waits(function)
        self._loops: list[tuple[int, str]] = []  # line and the name of the counter
        self._count = 0

    def function(self) -> ast.FunctionDef:
        """Return the definition."""
        node = copy.deepcopy(self._source.node)
        node.decorator_list = []
        node.returns = None
        arguments = node.args
        arguments.defaults, arguments.kw_defaults = [], [None] * len(arguments.kwonlyargs)
        for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            each.annotation = None
        node.body = self._body(node.body)
        return node

    # --- pieces -----------------------------------------------------------------------------------

    def _constant(self, thing: Any) -> ast.expr:
        """Return a name for a Python object."""
        self._count += 1
        name = f"kp_constant{self._count}_"
        self.constants[name] = thing
        return ast.Name(name, ast.Load())

    def _call(self, name: str, *args: ast.expr, at: ast.AST) -> Any:
        """Return a call of a function of the runtime."""
        function = ast.Attribute(ast.Name(_RUNTIME, ast.Load()), name, ast.Load())
        made = ast.Call(function, list(args), [])
        for each in ast.walk(made):
            if not hasattr(each, "lineno"):
                ast.copy_location(each, at)
        return ast.copy_location(made, at)

    def _body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for each in statements:
            result = self.visit(each)
            made += result if isinstance(result, list) else [result]
        return made

    def _fresh(self, what: str) -> str:
        self._count += 1
        return f"kp_{what}{self._count}_"

    def _key(self, node: ast.expr) -> ast.expr:
        """Return the place of a wait: each enclosing loop with its count, then its own."""
        parts: list[ast.expr] = []
        for line, counter in self._loops:
            parts += [ast.Constant(line), ast.Name(counter, ast.Load())]
        parts += [ast.Constant(node.lineno), ast.Constant(node.col_offset)]
        return ast.Tuple(parts, ast.Load())

    def _type(self, name: str) -> Any:
        return self._function.types.get(name) if self._function is not None else None

    def _array(self, name: str) -> Array | None:
        return self._function.arrays.get(name) if self._function is not None else None

    # --- assignments ------------------------------------------------------------------------------

    def _types(self, target: ast.expr) -> Any:
        """Return the types of a target: a type, None, or a tuple of them."""
        if isinstance(target, (ast.Tuple, ast.List)):
            return tuple(self._types(each) for each in target.elts)
        return self._type(target.id) if isinstance(target, ast.Name) else None

    def _stored(self, target: ast.expr, value: ast.expr, node: ast.AST) -> list[ast.stmt]:
        """Return the assignment of a value to a target."""
        if isinstance(target, ast.Attribute) and target.attr in ("real", "imag"):
            whole = copy.deepcopy(target.value)
            for each in ast.walk(whole):
                if hasattr(each, "ctx"):
                    each.ctx = ast.Load()
            part = self._call(
                "with_part", self.visit(whole), ast.Constant(target.attr), value, at=node
            )
            place: Any = copy.deepcopy(target.value)
            place.ctx = ast.Store()
            return self._stored(place, part, node)
        types = self._types(target)
        if types is not None and types != ():
            value = self._call("as_type", value, self._constant(types), at=node)
        made = ast.Assign([self._target(target)], value)
        return [ast.copy_location(made, node)]

    def _target(self, target: Any) -> Any:
        if isinstance(target, (ast.Tuple, ast.List)):
            target.elts = [self._target(each) for each in target.elts]
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            if isinstance(target.value, ast.Subscript):
                inner = target.value
                target.value = self._call(
                    "ref", self.visit(inner.value), self.visit(inner.slice), at=inner
                )
            else:
                target.value = self.visit(target.value)
            if isinstance(target, ast.Subscript):
                target.slice = self.visit(target.slice)
        return target

    def visit_Assign(self, node: ast.Assign) -> Any:
        first = node.targets[0]
        if isinstance(first, ast.Name) and (array := self._array(first.id)) is not None:
            values = self._constant(None)
            if not isinstance(node.value, ast.Call):
                values = self.visit(node.value)
            node.value = self._call("array", self._constant(array), values, at=node.value)
            return node
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self._stored(first, value, node)
        name = self._fresh("value")
        made: list[ast.stmt] = [
            ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)
        ]
        for target in node.targets:
            made += self._stored(target, ast.Name(name, ast.Load()), node)
        return made

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        assert node.value is not None
        return self._stored(node.target, self.visit(node.value), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        symbol, value = ast.Constant(ARITHMETIC[type(node.op)][0]), self.visit(node.value)
        target: Any = node.target
        if isinstance(target, ast.Subscript):
            made = self._call(
                "update",
                self._place_value(target.value),
                self.visit(target.slice),
                symbol,
                value,
                at=node,
            )
            return ast.copy_location(ast.Expr(made), node)
        old = copy.deepcopy(target)
        old.ctx = ast.Load()
        result = self._call("binary", symbol, self.visit(old), value, at=node)
        return self._stored(target, result, node)

    def _place_value(self, node: Any) -> Any:
        """Return the base of an element that is changed in place."""
        if isinstance(node, ast.Subscript):
            return self._call("ref", self.visit(node.value), self.visit(node.slice), at=node)
        return self.visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        value = self.visit(node.value)
        own = self._type(node.target.id)
        if own is not None:
            value = self._call("as_type", value, self._constant(own), at=node)
        return ast.copy_location(ast.NamedExpr(node.target, value), node)

    # --- loops ------------------------------------------------------------------------------------

    def visit_For(self, node: ast.For) -> Any:
        node.iter = self.visit(node.iter)
        types = self._types(node.target)
        node.target = self._target(node.target)
        start: list[ast.stmt] = []
        if types is not None and types != ():
            value = copy.deepcopy(node.target)
            for each in ast.walk(value):
                if hasattr(each, "ctx"):
                    each.ctx = ast.Load()
            converted = self._call("as_type", value, self._constant(types), at=node.target)
            made = ast.Assign([copy.deepcopy(node.target)], converted)
            start.append(ast.copy_location(made, node.target))
        return self._loop(node, start)

    def visit_While(self, node: ast.While) -> Any:
        return self._loop(node, [])

    def _loop(self, node: ast.For | ast.While, start: list[ast.stmt]) -> Any:
        if not self._waits:
            if isinstance(node, ast.While):
                node.test = self.visit(node.test)
            node.body = start + self._body(node.body)
            node.orelse = self._body(node.orelse)
            return node
        counter = self._fresh("count")
        begin = ast.Assign([ast.Name(counter, ast.Store())], ast.Constant(0))
        more = ast.AugAssign(ast.Name(counter, ast.Store()), ast.Add(), ast.Constant(1))
        self._loops.append((node.lineno, counter))
        if isinstance(node, ast.While):
            node.test = self.visit(node.test)
        node.body = [ast.copy_location(more, node), *start, *self._body(node.body)]
        self._loops.pop()
        node.orelse = self._body(node.orelse)
        return [ast.copy_location(begin, node), node]

    # --- expressions ------------------------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if isinstance(node.left, ast.List) and isinstance(node.op, ast.Mult):
            return self.generic_visit(node)  # a local array
        symbol = ast.Constant(ARITHMETIC[type(node.op)][0])
        left, right = self.visit(node.left), self.visit(node.right)
        return self._call("binary", symbol, left, right, at=node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self.visit(node.operand)
        symbol = _SIGNS.get(type(node.op))
        if symbol is None:
            return ast.copy_location(ast.UnaryOp(node.op, operand), node)
        return self._call("unary", ast.Constant(symbol), operand, at=node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        operands = [self.visit(each) for each in (node.left, *node.comparators)]
        parts: list[ast.expr] = []
        for place, comparison in enumerate(node.ops):
            left, right = operands[place], operands[place + 1]
            if place + 1 < len(node.ops):
                name = self._fresh("middle")
                right = ast.NamedExpr(ast.Name(name, ast.Store()), right)
                operands[place + 1] = ast.Name(name, ast.Load())
            symbol = ast.Constant(_COMPARISONS[type(comparison)])
            parts.append(self._call("compare", symbol, left, right, at=node))
        made = parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)
        return ast.copy_location(made, node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return self._call("item", self.visit(node.value), self.visit(node.slice), at=node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        place = place_of(node)
        function = self._function
        callee = function.calls.get(place) if function is not None else None
        if callee is not None:
            return self._helper(node, callee)
        thing = self._thing(node)
        is_method = isinstance(thing, Named) and thing.name in ("conjugate", "self")
        if is_method and isinstance(node.func, ast.Attribute) and not node.args:
            node.func.value = self.visit(node.func.value)  # a method of a number or a matrix
            return node
        if thing in (range, enumerate) or in_python(thing):
            node.args = [self.visit(each) for each in node.args]
            for keyword in node.keywords:
                keyword.value = self.visit(keyword.value)
            return node
        known = self._runtime.known(thing)
        if known is None:
            self.generic_visit(node)
            return node
        given = node.args
        if known.is_atomic and isinstance(given[0], ast.Subscript) and len(given) < known.arguments:
            first = given[0]
            given = [first.value, first.slice, *given[1:]]
        args = [self.visit(each) for each in given]
        keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
        if known.waits:
            args.insert(0, self._key(node))
        made: Any = ast.copy_location(ast.Call(self._constant(known.run), args, keywords), node)
        if known.waits and self._waits:
            made = ast.copy_location(ast.Yield(made), node)
        return made

    def _thing(self, node: ast.Call) -> Any:
        """Return the Python object that a call names, or None."""
        if self._function is not None and place_of(node) in self._function.things:
            return self._function.things[place_of(node)]
        try:
            return self._source.lookup(ast.unparse(node.func))
        except KeyError:
            return None

    def _helper(self, node: ast.Call, callee: Function) -> Any:
        """Return the call of a function of the program."""
        args = [self.visit(each) for each in node.args]
        keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
        function = self._constant(self._runtime.helper(callee))
        if not self._runtime.waits(callee):
            return ast.copy_location(ast.Call(function, args, keywords), node)
        call = ast.Call(function, [self._key(node), *args], keywords)
        return ast.copy_location(ast.YieldFrom(ast.copy_location(call, node)), node)

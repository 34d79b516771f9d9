# SPDX-License-Identifier: Apache-2.0
"""A Python function as a function of GLSL."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NoReturn

from .divergence import Divergence
from .emitter import Emitter
from .expressions import ARITHMETIC
from .names import Names
from .numbers import Numbers
from .scope import Scope
from .source import Place, Source
from .statements import Statements
from .types import Array, Type
from .values import Value

if TYPE_CHECKING:
    from .unit import Unit

_MAX_PASSES = 40


class Function:
    """One Python function for arguments of certain types.

    The types of variables are found by translating the function until they no longer change. The
    result is in `lines`.

    - `glsl_name`: its name in GLSL; "" for the kernel.
    - `calls`: the functions that it calls, by the place of the call.
    - `things`: the Python objects that it calls, by the place of the call.
    - `arrays`: the local and shared arrays that it makes, by name.
    """

    def __init__(
        self, unit: Unit, source: Source, parameters: dict[str, Value], glsl_name: str = ""
    ) -> None:
        self.parameters = dict(parameters)
        self.glsl_name = glsl_name
        self.is_kernel = not glsl_name
        self.returned: Type | tuple[Type, ...] | None = None
        self.lines: list[str] = []
        self.calls: dict[Place, Function] = {}
        self.things: dict[Place, Any] = {}
        self.arrays: dict[str, Array] = {}
        self.final = -1
        self.source = source
        self._numbers = Numbers(unit, source)
        self._names = Names(source.node)
        self.types: dict[str, Type] = {}
        self._hardened = False

    def translate(self) -> None:
        """Translate until the types of all variables are known."""
        self._require_meeting()
        for _ in range(_MAX_PASSES):
            before = (dict(self.types), self.returned, self._hardened)
            self.run()
            if before != (self.types, self.returned, self._hardened):
                continue
            if self._hardened:
                return
            self._hardened = True
            self.types = {name: self._numbers.strong(each) for name, each in self.types.items()}
        self.source.fail(
            self.source.node, "the types of the variables do not settle; annotate them"
        )

    def _require_meeting(self) -> None:
        """Fail if only some work items of a group reach a barrier."""
        found = Divergence(self.source)
        if found.barrier is not None:
            line = getattr(found.reason, "lineno", 0)
            self.source.fail(
                found.barrier,
                "only some work items of a group may come to this barrier, because of the condition in line "
                f"{line}; all of them have to",
            )

    def run(self) -> None:
        """Translate once, with the types that are known so far."""
        scope = Scope(self._numbers, self._names, self.parameters, self.types, self._hardened)
        emitter = Emitter(self.is_kernel)
        statements = Statements(self, scope, emitter)
        self._copy_parameters(scope, emitter)
        body = self.source.node.body
        statements.block(body)
        if not self.is_kernel and self.returned is not None and scope.assigned is not None:
            self.source.fail(
                body[-1], f"{self.source.name}() may end without a value; return one at its end"
            )
        self.lines = [*scope.declarations, *emitter.declarations, *emitter.lines]
        self.calls = statements.calls
        self.things = statements.things
        self.arrays = scope.arrays

    def _copy_parameters(self, scope: Scope, emitter: Emitter) -> None:
        """Declare variables for the parameters that the function assigns."""
        for name in sorted(self._names.locals & set(self.parameters)):
            value = self.parameters[name]
            if value.type is None:
                self._refuse_replacing(name, value)
            own = self.types.setdefault(name, self._numbers.strong(value.type))
            given = self._numbers.convert(value, own, self.source.node)
            scope.assign(name)
            emitter.line(f"{own.glsl} {scope.declare(name)} = {given.text};")

    def _refuse_replacing(self, name: str, value: Value) -> NoReturn:
        """Fail at the statement that assigns to a parameter that is an array."""
        statement: ast.AST = self.source.node
        symbol = "="
        for each in ast.walk(self.source.node):
            stored = [
                part
                for part in ast.iter_child_nodes(each)
                if isinstance(part, ast.Name)
                and part.id == name
                and isinstance(part.ctx, ast.Store)
            ]
            if stored:
                statement = each
                if isinstance(each, ast.AugAssign):
                    symbol = f"{ARITHMETIC[type(each.op)][0]}="
                break
        axes = value.array.ndim if value.array is not None else 1
        advice = f"write {name}[{', '.join('ijk'[:axes]) or 'i'}] {symbol} ... for each element"
        if isinstance(statement, ast.For):
            advice = "count with another name"
        self.source.fail(statement, f"'{name}' is an array and cannot be replaced; {advice}")

# SPDX-License-Identifier: Apache-2.0
"""Barriers that some work items of a group may not reach. There, devices hang or compute nonsense."""

from __future__ import annotations

import ast
import functools
from types import FunctionType
from typing import Any

from .._errors import ShaderError
from . import intrinsics
from .source import Source

#: Functions whose results differ between the work items of a group.
_OWN = tuple(
    getattr(intrinsics, name)
    for name in intrinsics.__all__
    if name in ("global_id", "local_id")
    or (name.startswith(("atomic_", "subgroup_")) and name != "subgroup_size")
)


class Divergence:
    """Finds the barriers of a function in control flow that depends on the work item.

    - `lookup`: returns the Python object that an expression names, or None.

    A variable differs if its value depends on something that does, or was assigned where only some
    work items come. Elements at common indices count as common, and so do parameters of functions.
    """

    def __init__(self, source: Source) -> None:
        self._lookup = functools.partial(_found, source)
        self._names: set[str] = set()
        self.barrier: ast.AST | None = None
        self.reason: ast.AST | None = None
        self._block(source.node.body, None, _Leaving())

    def differs(self, node: ast.AST | None) -> bool:
        """Return whether an expression may differ between the work items of a group."""
        if node is None:
            return False
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each.id in self._names:
                return True
            if isinstance(each, ast.Call):
                thing = self._lookup(each.func)
                if any(thing is own for own in _OWN):
                    return True
        return False

    def _block(self, body: list[ast.stmt], reason: ast.AST | None, leaving: _Leaving) -> None:
        """`reason` is the condition because of which only some work items come here."""
        for statement in body:
            self._statement(statement, reason or leaving.reason, leaving)

    def _statement(self, node: ast.stmt, reason: ast.AST | None, leaving: _Leaving) -> None:
        if isinstance(node, ast.If):
            self._expression(node.test, reason)
            inner = reason or (node.test if self.differs(node.test) else None)
            before = set(self._names)
            self._block(node.body, inner, leaving)
            after, self._names = self._names, before
            self._block(node.orelse, inner, leaving)
            self._names |= after
        elif isinstance(node, (ast.For, ast.While)):
            source = node.iter if isinstance(node, ast.For) else node.test
            self._expression(source, reason)
            loop = _Leaving(leaving)
            known: tuple[Any, ...] = ()
            while known != (
                self._names,
                loop.reason,
            ):  # the end of the body comes before its start, too
                known = (set(self._names), loop.reason)
                inner = reason or loop.reason or (source if self.differs(source) else None)
                if isinstance(node, ast.For):
                    self._assigned(node.target, source, inner)
                self._block(node.body, inner, loop)
                self._names |= known[0]
            self._block(node.orelse, reason or loop.reason, leaving)
        elif isinstance(node, (ast.Break, ast.Continue)):
            leaving.reason = leaving.reason or reason
        elif isinstance(node, ast.Return):
            self._expression(node.value, reason)
            leaving.end(reason)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self._expression(node.value, reason)
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value: ast.expr | None = node.value
            if isinstance(node, ast.AugAssign) and self.differs(node.target):
                value = node.target
            for target in targets:
                self._assigned(target, value, reason)
        elif isinstance(node, ast.Expr):
            self._expression(node.value, reason)

    def _assigned(self, target: ast.expr, value: ast.AST | None, reason: ast.AST | None) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            parts = value.elts if same and isinstance(value, (ast.Tuple, ast.List)) else None
            for place, each in enumerate(target.elts):
                self._assigned(each, parts[place] if parts else value, reason)
        elif isinstance(target, ast.Name):
            if reason is not None or self.differs(value):
                self._names.add(target.id)
            else:
                self._names.discard(target.id)

    def _expression(self, node: ast.expr | None, reason: ast.AST | None) -> None:
        """Look for barriers, which are in the called functions, too, and for := in an expression."""
        for each in ast.walk(node) if node is not None else ():
            if isinstance(each, ast.NamedExpr):
                self._assigned(each.target, each.value, reason)
            if isinstance(each, ast.Call) and reason is not None and self.barrier is None:
                if self.waits(self._lookup(each.func)):
                    self.barrier, self.reason = each, reason

    def waits(self, thing: Any, known: frozenset[Any] = frozenset()) -> bool:
        """Return whether a function is a barrier or calls one."""
        if thing is intrinsics.barrier:
            return True
        function = getattr(thing, "__kp_function__", thing)
        if not isinstance(function, FunctionType) or function in known:
            return False
        if function.__module__.startswith(("kp.", "numpy")):
            return False
        try:
            source = Source(function)
        except ShaderError:  # which matters only if it is called
            return False
        return any(
            isinstance(each, ast.Call) and self.waits(_found(source, each.func), known | {function})
            for each in ast.walk(source.node)
        )


class _Leaving:
    """Why only some work items are left in a loop, or in the function."""

    def __init__(self, outer: _Leaving | None = None) -> None:
        self.reason: ast.AST | None = outer.reason if outer is not None else None
        self._outer = outer

    def end(self, reason: ast.AST | None) -> None:
        """Some work items have returned."""
        at: _Leaving | None = self
        while at is not None:
            at.reason = at.reason or reason
            at = at._outer


def _found(source: Source, node: ast.expr) -> Any:
    """Return the Python object that a name with attributes refers to, or None."""
    try:
        return (
            source.lookup(ast.unparse(node))
            if isinstance(node, (ast.Name, ast.Attribute))
            else None
        )
    except KeyError:
        return None

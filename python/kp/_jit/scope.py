# SPDX-License-Identifier: Apache-2.0
"""The variables of a function while it is translated."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .names import Names
from .types import Array, Type
from .values import Value

if TYPE_CHECKING:
    from .numbers import Numbers


class Scope:
    """The parameters, variables and local arrays of a function.

    - `types`: the types of variables that are known so far.
    - `hardened`: whether variables with integers of Python alone have the type of the kernel's.
    - `assigned`: the variables that have a value; None in unreachable code.
    - `work_items`: the variables that are the work item's index, and its axis.
    """

    def __init__(
        self,
        numbers: Numbers,
        names: Names,
        parameters: dict[str, Value],
        types: dict[str, Type],
        hardened: bool,
    ) -> None:
        self.numbers = numbers
        self.names = names
        self.parameters = parameters
        self.types = types
        self.arrays: dict[str, Array] = {}
        self.work_items: dict[str, int] = {}
        self.assigned: set[str] | None = set()
        self._hardened = hardened
        self._declared: set[str] = set()

    def variable(self, name: str) -> str:
        """Return the name of a variable in GLSL."""
        unit = self.numbers.unit
        text = unit.identifier(name)
        if name in self.parameters:
            return f"{text}_now"
        return f"{text.rstrip('_')}_own" if text in unit.taken else text

    def declare(self, name: str) -> str:
        """Return the name of a variable that the next line declares."""
        self._declared.add(name)
        return self.variable(name)

    def assign(self, name: str) -> None:
        """Note that a variable has a value."""
        if self.assigned is not None:
            self.assigned.add(name)

    @property
    def declarations(self) -> list[str]:
        """The lines that declare all variables that no other line does."""
        return [
            f"    {each.glsl} {self.variable(name)};"
            for name, each in self.types.items()
            if name not in self._declared
        ]

    def declares(self, name: str, node: ast.stmt) -> bool:
        """Return whether an assignment is the place to declare a variable."""
        return name not in self.parameters and self.names.is_declared_at(name, node)

    def join(self, name: str, given: Type, node: ast.AST) -> Type:
        """Return the type of a variable after another assignment."""
        numbers = self.numbers
        known = self.types.get(name)
        weak = given.weak and given.is_integer and (known is not None or not self._hardened)
        own = given if weak else numbers.strong(given)
        if known is not None and known != own:
            if (known.rows, known.columns) != (own.rows, own.columns):
                numbers.fail(
                    node, f"'{name}' is {known.strong.said}, but {own.strong.said} is assigned"
                )
            own = numbers.promote(known, own, node)
            own = own if own.weak and own.is_integer else numbers.strong(own)
        self.types[name] = own
        return own


def merged(a: set[str] | None, b: set[str] | None) -> set[str] | None:
    """Return the variables assigned on both paths to a place. None stands for a path that is never
    taken."""
    if a is None or b is None:
        return a if b is None else b
    return a & b

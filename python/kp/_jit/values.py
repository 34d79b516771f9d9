# SPDX-License-Identifier: Apache-2.0
"""Values of expressions: GLSL text with a type, constants, tuples, arrays and Python objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .types import Array, Type

#: How tightly GLSL's operators bind; a smaller number binds tighter.
ATOM, UNARY = 0, 1
PRECEDENCE = {
    **{"*": 2, "/": 2, "%": 2, "+": 3, "-": 3, "<<": 4, ">>": 4},
    **{"<": 5, ">": 5, "<=": 5, ">=": 5, "==": 6, "!=": 6, "&": 7, "^": 8, "|": 9},
    **{"&&": 10, "^^": 11, "||": 12, "?:": 13},
}

#: Stands for "no constant" and "no object", since None is a value.
NOTHING: Any = object()


@dataclass
class Value:
    """The value of an expression. One of `type`, `items`, `array` and `object` states its kind.

    - ``constant``: its value if it is known while compiling; then there is no text.
    - ``pure``: whether it may be evaluated twice.
    - ``choice``: of numbers that have no type of their own yet: the condition and both values.
    - ``invariant``: whether it is the same wherever the function reads it.
    - ``place``: its value if it is a constant index.
    - ``work_item``: the axis of which it is the work item's index, if it is one.
    """

    text: str = ""
    type: Type | None = None
    precedence: int = ATOM
    constant: Any = NOTHING
    pure: bool = True
    invariant: bool = False
    items: list[Value] | None = None
    array: Array | None = None
    object: Any = NOTHING
    choice: tuple[Value, Value, Value] | None = None
    work_item: int | None = None
    place: int | None = None
    receiver: Value | None = field(default=None, repr=False)

    @property
    def is_constant(self) -> bool:
        return self.constant is not NOTHING

    def within(self, precedence: int) -> str:
        """Return the text as an operand of an operator with this precedence."""
        return f"({self.text})" if self.precedence > precedence else self.text


@dataclass(frozen=True)
class Named:
    """A function that is known by its name."""

    name: str

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.name}() is for functions that are compiled for the device")

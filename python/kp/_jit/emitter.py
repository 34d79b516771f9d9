# SPDX-License-Identifier: Apache-2.0
"""The lines of a function in GLSL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .types import Type


class Emitter:
    """Collects the lines of a function, and knows which work items reach the next one."""

    def __init__(self, is_kernel: bool) -> None:
        self.lines: list[str] = []
        self.declarations: list[str] = []
        self.may_have_ended = False
        self._is_kernel = is_kernel
        self._place = ""
        self._depth = 1
        self._branches = 0
        self._count = 0

    def line(self, text: str) -> None:
        self.lines.append(self._place + "    " * self._depth + text)

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Put a directive before each line."""
        outer, self._place = self._place, place
        yield
        self._place = outer

    @contextmanager
    def indented(self) -> Iterator[None]:
        self._depth += 1
        yield
        self._depth -= 1

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """Translate a part of a line that some work items may not evaluate."""
        self._branches += 1
        yield
        self._branches -= 1

    @property
    def is_unconditional(self) -> bool:
        """Whether all work items that come to the line evaluate the code being translated."""
        return self._branches == 0

    @property
    def is_certain(self) -> bool:
        """Whether every work item of the kernel evaluates the code being translated."""
        at_top = self._is_kernel and self._depth == 1 and not self.may_have_ended
        return at_top and self.is_unconditional

    def fresh(self, name: str, end: str = "_") -> str:
        """Return an unused name."""
        self._count += 1
        return f"{name}{self._count}{end}"

    def temporary(self, own: Type) -> str:
        """Declare a variable with an unused name, and return the name."""
        name = self.fresh("value")
        self.declarations.append(f"    {own.glsl} {name};")
        return name

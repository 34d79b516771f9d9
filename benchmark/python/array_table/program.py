# SPDX-License-Identifier: Apache-2.0
"""A whole program, as users write it for any of the libraries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .comparing import difference
from .libraries import Library, Run
from .reporting import Entry


@dataclass
class Program:
    """A function of the library and of inputs, which are arrays of the host or plain values.

    It may change its inputs: later runs start from what it left.
    """

    name: str
    family: str
    run: Callable[..., Any]
    #: Elements of the whole program: numbers, points, bodies or the side of a matrix.
    n: int
    dtype: str
    make: Callable[[int], dict[str, Any]]
    tolerance: float = 0.0
    other_types: bool = False
    #: Which part of the elements may differ: iterations end elsewhere after other roundings.
    most_different: float = 0.0

    def elements(self, divisor: int) -> int:
        """Return the elements of a part of the program's work."""
        return max(self.n // divisor, 16)

    def entry(self, n: int) -> Entry:
        return Entry(self.name, self.family, self.dtype, "", self.elements(n))

    def prepare(self, library: Library, n: int, own: bool) -> list[Callable[[], Run]]:
        return [lambda: self._run(library, n)]

    def _run(self, library: Library, divisor: int) -> Run:
        inputs = self.make(self.elements(divisor))
        arrays = {
            name: library.array(value) if isinstance(value, np.ndarray) else value
            for name, value in inputs.items()
        }
        return lambda: self.run(library.namespace, **arrays)

    def difference(self, n: int, ours: list[np.ndarray], theirs: list[np.ndarray]) -> str:
        if self.most_different:
            different = np.mean([np.mean(a != b) for a, b in zip(ours, theirs, strict=True)])
            return (
                ""
                if different <= self.most_different
                else f"{different:.2%} of the elements differ"
            )
        return difference(ours, theirs, types=not self.other_types, tolerance=self.tolerance)

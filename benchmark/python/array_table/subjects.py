# SPDX-License-Identifier: Apache-2.0
"""The measured subjects: cases of the table, and whole programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .cases import NUMBERS, Case, work_of
from .comparing import difference, moments
from .inputs import OWN_TYPES, axis_of, side_of
from .libraries import Library, Run, host_input
from .reporting import Entry


def reason_of(error: Exception) -> str:
    """Return an error in one line."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:300]


class Subject(Protocol):
    """Something that several libraries do."""

    def entry(self, n: int) -> Entry:
        """Return an entry without times."""

    def prepare(self, library: Library, n: int, own: bool) -> list[Callable[[], Run]]:
        """Return the ways in which a library may do it, each with inputs of its own once it is called.

        `own` is true for kp, which has one way.
        """

    def difference(self, n: int, ours: list[np.ndarray], theirs: list[np.ndarray]) -> str:
        """Return how two results differ, or ""."""


class CaseSubject:
    """A case of the table."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def entry(self, n: int) -> Entry:
        case = self.case
        typed = set(work_of(case.shown)[1]) - OWN_TYPES - set(NUMBERS)
        dtype = case.dtype if typed else ""
        n = min(n, case.most)
        return Entry(case.shown, case.family, dtype, case.form, n, expected=case.refused)

    def prepare(self, library: Library, n: int, own: bool) -> list[Callable[[], Run]]:
        n = min(n, self.case.most)
        texts = self.case.texts()
        return [
            lambda text=text: self._run(library, text, n) for text in texts[: 1 if own else None]
        ]

    def _run(self, library: Library, text: str, n: int) -> Run:
        work, names = work_of(text)
        inputs = [library.input(name, self.case, n, self.case.changing) for name in names]
        return lambda: work(library.namespace, *inputs)

    def difference(self, n: int, ours: list[np.ndarray], theirs: list[np.ndarray]) -> str:
        case, n = self.case, min(n, self.case.most)
        tolerance = case.tolerance
        if case.check == "moments":
            tolerance = tolerance or max(0.02, 10 / n**0.5)
        results = (self._checked(each, n) for each in (ours, theirs))
        return difference(*results, types=not case.other_types, tolerance=tolerance)

    def _checked(self, result: list[np.ndarray], n: int) -> list[np.ndarray]:
        """Return the part of a result that is compared."""
        case = self.case
        if case.check == "moments":
            return moments(result)
        if case.check == "r":
            return result
        if not case.check:
            return [np.zeros(each.shape, each.dtype) for each in result]
        given: dict[str, Any] = {"np": np, "r": result[0] if len(result) == 1 else result}
        for name in work_of(case.check)[1]:
            if name in NUMBERS:
                given[name] = {"n": n, "side": side_of(n), "axis": axis_of(case.form)}[name]
            elif name != "r":
                given[name] = host_input(name, case, n)
        found = eval(case.check, given)
        return [np.asarray(each) for each in (found if isinstance(found, tuple) else (found,))]


@dataclass
class Program:
    """A function of the library and of inputs, which are arrays of the host or plain values.

    It may change its inputs: later runs start from its results.
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

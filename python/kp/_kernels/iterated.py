# SPDX-License-Identifier: Apache-2.0
"""Values of the parameters of an iterative launcher."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any


class ParameterGenerator(ABC):
    """Base class of generators for the values of an iterated parameter."""

    @abstractmethod
    def new_generator(self) -> Iterator[Any]:
        """Return a new iterator over the values. Called for each launch."""


class ParameterYielder(ParameterGenerator):
    """A generator from a function that returns an iterable."""

    def __init__(self, fn: Callable[[], Iterable[Any]]) -> None:
        if not callable(fn):
            raise TypeError(f"fn must be callable, not {type(fn).__name__}")
        self._fn = fn

    def new_generator(self) -> Iterator[Any]:
        """Call the function and return an iterator over its result."""
        return iter(self._fn())


def fresh(generator: Any) -> Iterator[Any]:
    """Return a new iterator from a ParameterGenerator, a function or an iterable."""
    if hasattr(generator, "new_generator"):
        return iter(generator.new_generator())
    return iter(generator() if callable(generator) else generator)


def combinations(iterated: Mapping[str, Any], zipped: bool) -> Iterator[tuple[Any, ...]]:
    runs = [fresh(generator) for generator in iterated.values()]
    if not runs:
        return iter(())
    return zip(*runs, strict=True) if zipped else itertools.product(*runs)

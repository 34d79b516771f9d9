# SPDX-License-Identifier: Apache-2.0
"""How functions of arrays treat the rows of a group's arrays, declared at each function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class RowTrait:
    """How a function treats rows.

    - "each": it is one of elements, so each device computes its own.
    - "along": it works along an axis. Along the first one, each device gets all rows of a part of another axis.
    - "made": it is made of functions that know groups, or refuses them.
    - "module.function": a rule of this room, which takes the function and its arguments.
    - "all": every device computes all of it, from all rows.
    """

    how: str = "all"
    #: Its results are views in NumPy. If rows must move, they are read-only copies, so that writes
    #: are not lost.
    view: bool = False


_OTHERS = RowTrait()


def by_rows(how: str = "all", *, view: bool = False) -> Callable[[F], F]:
    """Declare how a function treats rows."""
    trait = RowTrait(how, view)

    def marked(function: F) -> F:
        setattr(function, "__kp_rows__", trait)  # noqa: B010, mypy does not know it
        return function

    return marked


def trait_of(function: Callable[..., Any]) -> RowTrait:
    """Return how a function treats rows: by default, every device computes all of it."""
    trait: RowTrait = getattr(function, "__kp_rows__", _OTHERS)
    return trait


@functools.lru_cache(maxsize=1024)
def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Return inspect.signature(function), which takes long."""
    return inspect.signature(function)

# SPDX-License-Identifier: Apache-2.0
"""Loops of array functions that the device ends."""

from __future__ import annotations

import gc
import operator
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _kp
from .._errors import InvalidArgument
from ..arrays.array import Array
from .function import _located, _Shape

__all__ = ["while_loop"]

State = TypeVar("State")


def _arrays_of(state: Any, place: str, found: list[Array]) -> None:
    """Append the arrays of a state. Raises TypeError that names anything else."""
    kind = type(state)
    if isinstance(state, Array):
        found.append(state)
    elif kind in (tuple, list):
        for number, item in enumerate(state):
            _arrays_of(item, f"{place}[{number}]", found)
    elif kind is dict:
        for key, item in state.items():
            _arrays_of(item, f"{place}[{key!r}]", found)
    else:
        raise TypeError(
            f"the state of a loop consists of arrays, in tuples, lists and dicts, but {place} is of the type "
            f"{kind.__name__}; pass kp.asarray(x)"
        )


def _places_of(state: Any) -> Any:
    """Return how a state is made of arrays, for comparisons."""
    if type(state) in (tuple, list):
        return type(state), [_places_of(item) for item in state]
    if type(state) is dict:
        return dict, [(key, _places_of(item)) for key, item in state.items()]
    return None


def while_loop(
    condition: Callable[[State], Array],
    body: Callable[[State], State],
    state: State,
    most: int,
) -> State:
    """Repeat `state = body(state)` on the device while `condition(state)` holds, at most `most` times.

    Returns the last state. A state is an array, or arrays in tuples, lists and dicts, and the body
    returns one of the same structure, shapes and types. A condition is an array of one element, such as
    `x.max() < 1`.

    Both functions are called once or twice, to be traced, as kp.function() traces: they see no numbers, and
    keep no array that they make. The host does nothing between steps: the device ends the loop. Within a
    kp.function or a program, all `most` steps are recorded, so memory and time grow with their number.
    Otherwise, 16 steps are a submission, and the host looks at the condition some submissions later.

    Arrays of the state that the body changes in place (`x += y`) and returns are not copied in each step. The
    arrays given stay as they are. Loops cannot be nested. To see whether `most` steps were enough,
    make a count of steps, or the value of the condition, a part of the state.
    """
    steps = operator.index(most)
    if not 0 < steps < 2**32:
        raise ValueError(f"most is from 1 to 2**32 - 1, not {steps}")
    start: list[Array] = []
    _arrays_of(state, "state", start)
    shape, places = _Shape(state, []), _places_of(state)

    def holds(given: list[Array]) -> Array:
        held: Any = condition(shape.fill(given))
        if not isinstance(held, Array):
            raise TypeError(
                f"the condition of a loop returns an array, not {type(held).__name__}; "
                "compare arrays, as in x.max() < 1"
            )
        gc.collect()  # cycles with arrays, which would seem to outlive the step
        return held

    def stepped(given: list[Array]) -> list[Array]:
        made = body(shape.fill(given))
        arrays: list[Array] = []
        _arrays_of(made, "the body's result", arrays)
        if _places_of(made) != places:
            raise TypeError("the body of a loop returns arrays in another structure than the state")
        return arrays

    try:
        found = _kp._while_loop(holds, stepped, start, steps)
    except InvalidArgument as error:
        raise _located(error) from error
    made: State = shape.fill(found)
    return made

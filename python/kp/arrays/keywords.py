# SPDX-License-Identifier: Apache-2.0
"""NumPy's names of parameters that are positional in the array API standard: kp.sort(a=x)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from .._wording import label_of, refuse_unknown

F = TypeVar("F", bound=Callable[..., Any])


@functools.lru_cache(maxsize=None)
def _places(name: str) -> dict[str, int]:
    """Return the places of the positional parameters of NumPy's functions of a name."""
    places = {"start": 0} if name == "arange" else {}  # its first argument is start or stop
    for module in (np, np.linalg, np.fft):
        try:
            parameters = inspect.signature(getattr(module, name)).parameters
        except (AttributeError, TypeError, ValueError):  # NumPy before 2.4 hides some signatures
            continue
        for place, each in enumerate(parameters):
            places.setdefault(each, place)
    return places


def _by_place(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return the arguments of a call, with arguments by NumPy's names in their places.

    Returns None if there are none, or if they conflict with the others.
    """
    own = list(inspect.signature(function).parameters.values())
    positional = [
        each for each in own if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    known = {each.name for each in own if each.kind is not each.POSITIONAL_ONLY}
    places = _places(function.__name__)
    found: dict[int, Any] = {}
    rest = dict(kwargs)
    for name in kwargs:
        place = places.get(name, len(positional))
        if name not in known and place < len(positional) and place not in found:
            found[place] = rest.pop(name)
    if not found or sorted(found) != list(range(len(args), len(args) + len(found))):
        return None
    return (*args, *[found[place] for place in sorted(found)]), rest


def _refuse(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raise TypeError if a call had a keyword that is neither a parameter nor one of NumPy's names."""
    places = _places(function.__name__)
    own = inspect.signature(function).parameters.values()
    count = len([each for each in own if each.kind is not each.KEYWORD_ONLY])
    named = {each.name for each in own if each.kind is not each.POSITIONAL_ONLY}
    others: dict[str, None] = {}
    for name in kwargs:
        place = places.get(name, count)
        if name in named or place >= count:
            others[name] = None
        elif place < len(args):
            raise TypeError(
                f"{label_of(function)} got the argument {name!r} twice, by position and by name"
            ) from None
    refuse_unknown(function, others)


def in_places(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call that raised TypeError, placed as NumPy names them.

    Called while the error is handled. Raises it again if no name of NumPy's explains it, or a clearer
    one.
    """
    again = _by_place(function, args, kwargs) if kwargs else None
    if again is None:
        _refuse(function, args, kwargs)
        raise  # the caller's TypeError
    return again


def takes_numpys_names(function: F) -> F:
    """Return a function that takes its positional arguments by NumPy's names, too."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            args, kwargs = in_places(function, args, kwargs)
        return function(*args, **kwargs)

    made: Any = called
    typed: F = made
    return typed


def install(names: dict[str, Any], wanted: Any) -> None:
    """Let the functions of a module take NumPy's names."""
    for name in wanted:
        if isinstance(names[name], FunctionType):
            names[name] = takes_numpys_names(names[name])

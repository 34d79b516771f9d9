# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays, called with arrays of a group by their traits."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any, TypeVar

from ..keywords import in_places
from .along import along
from .array import GroupArray
from .placing import Function, everywhere, group_of, mapped
from .traits import signature_of, trait_of

F = TypeVar("F", bound=Function)


def call(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of arrays, some of which belong to a group."""
    how = trait_of(function).how
    if how == "made":
        return function(*args, **kwargs)
    args, out = _without_out(function, args, kwargs)
    if how == "each":
        bound = signature_of(function).bind(*args, **kwargs)
        result = mapped(lambda *values: function(*values, **bound.kwargs), *bound.args)
    else:
        result = _rule(how)(function, *args, **kwargs)
    from ..elementwise import broadcast_into, into

    return (broadcast_into if how == "each" else into)(out, result)


@functools.lru_cache(maxsize=None)
def _rule(how: str) -> Function:
    """Return the rule for functions of a trait."""
    if how == "all":
        return everywhere
    if how == "along":
        return along
    module, _, name = how.partition(".")
    rule: Function = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    return rule


@functools.lru_cache(maxsize=None)
def _place_of_out(function: Function) -> int | None:
    """Return the place of the parameter `out`, or None if it has none."""
    for place, (name, each) in enumerate(inspect.signature(function).parameters.items()):
        if name == "out" and each.kind is each.POSITIONAL_OR_KEYWORD:
            return place
    return None


def _without_out(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], Any]:
    """Take the argument `out` of a call away. Returns the other arguments by position, and it."""
    place = _place_of_out(function)
    if place is None or place >= len(args):
        return args, kwargs.pop("out", None)
    rest = args[place + 1 :]
    return (*args[:place], *((None, *rest) if rest else ())), args[place]


_LISTS = (list, tuple)


def takes_groups(function: F) -> F:
    """Return a function of arrays in its public form, the same for each call.

    It also takes arrays of groups, NumPy's names, and tensors if in_kind() marks it.
    """
    typed: F = _public(function)
    return typed


@functools.lru_cache(maxsize=None)
def _public(function: Function) -> Any:
    of_tensors = getattr(function, "__kp_tensors__", None)

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            if of_tensors is not None:
                if of_tensors.decides(args):
                    return of_tensors(args, kwargs)
                if of_tensors.strict:
                    of_tensors.require(args)
            for value in args:
                kind = type(value)
                if kind is GroupArray or (kind in _LISTS and group_of(value) is not None):
                    return call(function, args, kwargs)
            for value in kwargs.values():
                if type(value) is GroupArray:
                    return call(function, args, kwargs)
            return function(*args, **kwargs)
        except TypeError:
            args, kwargs = in_places(function, args, kwargs)
        return called(*args, **kwargs)

    made: Any = called
    made.__kp_varies__ = "Array"  # for type stubs: the class in whose place it takes others
    return made

# SPDX-License-Identifier: Apache-2.0
"""Builds the operators and methods of arrays from the functions of the namespace."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .array import Array
    from .operators import Operand


@functools.lru_cache(maxsize=None)
def _elementwise() -> Any:
    from . import elementwise

    return elementwise


def binary(name: str, x: Any, y: Any) -> Any:
    """Apply a function to two operands, or return NotImplemented."""
    return _elementwise().binary(name, x, y)


def unary(name: str, x: Any) -> Array:
    """Apply a function to one operand."""
    found: Array = _elementwise().unary(name, x)
    return found


def binary_operator(name: str, swapped: bool = False) -> Any:
    def operator(self: Array, other: Operand) -> Array:
        made: Array = binary(name, self, other)
        return made

    def reflected(self: Array, other: Operand) -> Array:
        made: Array = binary(name, other, self)
        return made

    return reflected if swapped else operator


def unary_operator(name: str) -> Any:
    def operator(self: Array) -> Array:
        return unary(name, self)

    return operator


#: == of classes that do not define it.
_IDENTITY: Any = object.__eq__


def compared(name: str, x: Any, y: Any) -> Any:
    """Return a comparison. == and != compare with anything; values other than numbers equal no
    element."""
    found = binary(name, x, y)
    if found is not NotImplemented or name not in ("equal", "not_equal"):
        return found
    if y is None or isinstance(y, (str, bytes)) or type(y).__eq__ is _IDENTITY:
        return function_of("creation", "full_like")(x, name == "not_equal", dtype="bool")
    return found


def comparison(name: str) -> Any:
    def operator(self: Array, other: Any) -> Array:
        found: Array = compared(name, self, other)
        return found

    return operator


def in_place(function: Callable[[Any, Any], Any]) -> Any:
    """Return the method of an in-place operator."""

    def operator(self: Array, other: Operand) -> Array:
        module = _elementwise()
        if module.is_operand(other):
            changed: Array = module.assign_all(self, function(self, other))
        else:
            changed = NotImplemented
        return changed

    return operator


def _own_function(module: str, name: str) -> Any:
    """Return a function of arrays of one device."""
    import importlib

    return getattr(importlib.import_module(f"{__package__}.{module}"), name)


@functools.lru_cache(maxsize=None)
def function_of(module: str, name: str) -> Callable[..., Array]:
    """Return a function of arrays that also takes arrays of groups."""
    from .groups.functions import takes_groups

    made: Callable[..., Array] = takes_groups(_own_function(module, name))
    return made


def method(module: str, name: str) -> Any:
    function: Any = None

    def called(self: Array, *args: Any, **kwargs: Any) -> Any:
        nonlocal function
        if function is None:
            function = function_of(module, name)
        return function(self, *args, **kwargs)

    return _named(called, name, module)


def _named(method: Any, name: str, module: str) -> Any:
    public = name.removesuffix("_method")
    method.__name__ = public
    method.__qualname__ = f"Array.{public}"
    method.__doc__ = f"Return kp.{public}(self, ...)."
    _methods.append((method, module, name))
    return method


#: Methods that are functions, with their modules and names.
_methods: list[tuple[Any, str, str]] = []


def describe() -> None:
    """Give the methods the signatures of their functions. Called once these can be imported."""
    for method, module, name in _methods:
        method.__signature__ = inspect.signature(_own_function(module, name))
        method.__module__ = f"{__package__}.{module}"  # annotations use these names


def reduction(name: str) -> Any:
    """Return a method that reduces along axes: the function itself, which knows groups."""
    general = method("reducing.reductions", name)
    function: Any = None

    def called(self: Array, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        nonlocal function
        if args or kwargs:
            return general(self, axis, *args, **kwargs)
        if function is None:
            function = _own_function("reducing.reductions", name)
        return function(self, axis)

    return _named(called, name, "reducing.reductions")

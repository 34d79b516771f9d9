# SPDX-License-Identifier: Apache-2.0
"""How the operators and methods of arrays are made of the functions of the namespace."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .array import Array
    from .operators import Operand


def _unknown(name: str, *operands: Any) -> Array:
    raise AssertionError("elementwise, which imports this module, sets `binary` and `unary`")


#: Applies a function to two operands, or returns NotImplemented.
binary: Callable[[str, Any, Any], Array] = _unknown

#: Applies a function to one.
unary: Callable[[str, Any], Array] = _unknown


def binary_operator(name: str, swapped: bool = False) -> Any:
    def operator(self: Array, other: Operand) -> Array:
        return binary(name, self, other)

    def reflected(self: Array, other: Operand) -> Array:
        return binary(name, other, self)

    return reflected if swapped else operator


def unary_operator(name: str) -> Any:
    def operator(self: Array) -> Array:
        return unary(name, self)

    return operator


def power(self: Array, other: Operand) -> Array:
    """Return the power. NumPy's operator squares for the exponent 2, which makes bool int8."""
    if type(other) is int and other == 2 and self._dtype.kind == "b":
        return unary("square", self)
    return binary("pow", self, other)


#: == of classes without an own one.
_IDENTITY: Any = object.__eq__


def comparison(name: str, otherwise: bool) -> Any:
    """Return == or !=, which compare elements with anything: what is no number equals none of them."""

    def operator(self: Array, other: Any) -> Array:
        found = binary(name, self, other)
        if found is NotImplemented and (
            other is None or isinstance(other, (str, bytes)) or type(other).__eq__ is _IDENTITY
        ):
            return function_of("creation", "full_like")(self, otherwise, dtype="bool")
        return found

    return operator


def in_place(name: str) -> Any:
    def operator(self: Array, other: Operand) -> Array:
        from .elementwise import apply_in_place, is_operand

        return apply_in_place(name, self, other) if is_operand(other) else NotImplemented

    return operator


def _own_function(module: str, name: str) -> Any:
    """Return a function of arrays of one device."""
    import importlib

    return getattr(importlib.import_module(f"{__package__}.{module}"), name)


@functools.lru_cache(maxsize=None)
def function_of(module: str, name: str) -> Callable[..., Array]:
    """Return a function of arrays, which also takes those of groups."""
    from .group_functions import takes_groups

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


#: Methods that are functions, with the modules and names of these.
_methods: list[tuple[Any, str, str]] = []


def describe() -> None:
    """Give the methods the signatures of their functions. Called once these can be imported."""
    for method, module, name in _methods:
        method.__signature__ = inspect.signature(_own_function(module, name))
        method.__module__ = f"{__package__}.{module}"  # whose names the annotations have


def reduction(name: str) -> Any:
    """Return a method that reduces along axes: the function itself, which knows groups."""
    general = method("reductions", name)
    function: Any = None

    def called(self: Array, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        nonlocal function
        if args or kwargs:
            return general(self, axis, *args, **kwargs)
        if function is None:
            function = _own_function("reductions", name)
        return function(self, axis)

    return _named(called, name, "reductions")

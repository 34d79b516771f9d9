# SPDX-License-Identifier: Apache-2.0
"""The operators and methods of arrays that are functions of the namespace."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .array import Array


def _unknown(name: str, *operands: Any) -> Any:
    raise AssertionError("elementwise, which imports this module, sets `binary` and `unary`")


#: Applies a function to two operands, or returns NotImplemented.
binary: Callable[[str, Any, Any], Any] = _unknown

#: Applies a function to one.
unary: Callable[[str, Any], Any] = _unknown


def _binary(name: str, swapped: bool = False) -> Any:
    if swapped:
        return lambda self, other: binary(name, other, self)
    return lambda self, other: binary(name, self, other)


def _unary(name: str) -> Any:
    return lambda self: unary(name, self)


def _power(self: Array, exponent: Any) -> Any:
    """Return the power. NumPy's operator squares for the exponent 2, which makes bool int8."""
    if type(exponent) is int and exponent == 2 and self._dtype.kind == "b":
        return unary("square", self)
    return binary("pow", self, exponent)


#: == of classes without an own one.
_IDENTITY: Any = object.__eq__


def _comparison(name: str, otherwise: bool) -> Any:
    """Return == or !=, which compare elements with anything: what is no number equals none of them."""

    def operator(self: Array, other: Any) -> Any:
        found = binary(name, self, other)
        if found is not NotImplemented:
            return found
        if other is None or isinstance(other, (str, bytes)) or type(other).__eq__ is _IDENTITY:
            return _function("creation", "full_like")(self, otherwise, dtype="bool")
        return NotImplemented

    return operator


def _in_place(name: str) -> Any:
    def operator(self: Array, other: Any) -> Any:
        from .elementwise import apply_in_place, is_operand

        return apply_in_place(name, self, other) if is_operand(other) else NotImplemented

    return operator


def _own_function(module: str, name: str) -> Any:
    """Return a function of arrays of one device."""
    import importlib

    return getattr(importlib.import_module(f"{__package__}.{module}"), name)


@functools.lru_cache(maxsize=None)
def _function(module: str, name: str) -> Any:
    """Return a function of arrays, which also takes those of groups."""
    from .group_functions import takes_groups

    return takes_groups(_own_function(module, name))


def _method(module: str, name: str) -> Any:
    function: Any = None

    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        nonlocal function
        if function is None:
            function = _function(module, name)
        return function(self, *args, **kwargs)

    return _named(method, name)


def _named(method: Any, name: str) -> Any:
    method.__name__ = name
    method.__qualname__ = f"Array.{name}"
    method.__doc__ = f"Return kp.{name}(self, ...)."
    return method


def _reduction(name: str) -> Any:
    """Return a method that reduces along axes: the function itself, which knows groups."""
    general = _method("reductions", name)
    function: Any = None

    def method(self: Array, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        nonlocal function
        if args or kwargs:
            return general(self, axis, *args, **kwargs)
        if function is None:
            function = _own_function("reductions", name)
        return function(self, axis)

    return _named(method, name)


class Operators:
    """Base of Array and GroupArray."""

    __slots__ = ()

    __add__, __radd__, __iadd__ = _binary("add"), _binary("add", True), _in_place("add")
    __sub__, __rsub__ = _binary("subtract"), _binary("subtract", True)
    __isub__ = _in_place("subtract")
    __mul__, __rmul__ = _binary("multiply"), _binary("multiply", True)
    __imul__ = _in_place("multiply")
    __truediv__, __rtruediv__ = _binary("divide"), _binary("divide", True)
    __itruediv__ = _in_place("divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide"), _binary("floor_divide", True)
    __ifloordiv__ = _in_place("floor_divide")
    __mod__, __rmod__ = _binary("remainder"), _binary("remainder", True)
    __imod__ = _in_place("remainder")
    __pow__, __rpow__, __ipow__ = _power, _binary("pow", True), _in_place("pow")
    __and__, __rand__ = _binary("bitwise_and"), _binary("bitwise_and", True)
    __iand__ = _in_place("bitwise_and")
    __or__, __ror__ = _binary("bitwise_or"), _binary("bitwise_or", True)
    __ior__ = _in_place("bitwise_or")
    __xor__, __rxor__ = _binary("bitwise_xor"), _binary("bitwise_xor", True)
    __ixor__ = _in_place("bitwise_xor")
    __lshift__, __rlshift__ = _binary("bitwise_left_shift"), _binary("bitwise_left_shift", True)
    __ilshift__ = _in_place("bitwise_left_shift")
    __rshift__, __rrshift__ = _binary("bitwise_right_shift"), _binary("bitwise_right_shift", True)
    __irshift__ = _in_place("bitwise_right_shift")
    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __eq__, __ne__ = _comparison("equal", False), _comparison("not_equal", True)
    __neg__, __pos__, __abs__ = _unary("negative"), _unary("positive"), _unary("abs")
    __invert__ = _unary("bitwise_invert")

    def __divmod__(self, other: Any) -> Any:
        return _function("derived", "divmod")(self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return _function("derived", "divmod")(other, self)

    def __matmul__(self, other: Any) -> Any:
        return _function("linear_algebra", "matmul")(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _function("linear_algebra", "matmul")(other, self)

    def __imatmul__(self, other: Any) -> Any:
        from .elementwise import into

        return into(self, _function("linear_algebra", "matmul")(self, other))

    @property
    def T(self) -> Any:
        """The array with its axes in reverse order, as a view."""
        return _function("manipulation", "transpose")(self)

    @property
    def mT(self) -> Any:
        """The array with its last two axes swapped, as a view."""
        return _function("manipulation", "matrix_transpose")(self)

    @property
    def real(self) -> Any:
        """The real parts."""
        return _function("elementwise", "real")(self)

    @real.setter
    def real(self, value: Any) -> None:
        _function("elementwise", "set_part")(self, 0, value)

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        return _function("elementwise", "imag")(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        _function("elementwise", "set_part")(self, 1, value)

    sum, prod, mean = _reduction("sum"), _reduction("prod"), _reduction("mean")
    min, max = _reduction("min"), _reduction("max")
    argmin, argmax = _method("reductions", "argmin"), _method("reductions", "argmax")
    any, all = _reduction("any"), _reduction("all")
    var, std = _reduction("var"), _reduction("std")
    cumsum, cumprod = _method("scans", "cumsum"), _method("scans", "cumprod")
    reshape = _method("manipulation", "reshape_method")
    transpose = _method("manipulation", "transpose")
    squeeze = _method("manipulation", "squeeze")
    flatten = _method("manipulation", "flatten")
    ravel = _method("manipulation", "ravel")
    take = _method("searching", "take")
    repeat = _method("manipulation", "repeat")
    clip = _method("elementwise", "clip")
    round = _method("elementwise", "round")
    conj = _method("elementwise", "conj")
    conjugate = _method("elementwise", "conj")
    dot = _method("products", "dot")
    diagonal, trace = _method("products", "diagonal"), _method("products", "trace")
    swapaxes = _method("manipulation", "swapaxes")
    choose, put = _method("choosing", "choose"), _method("choosing", "put")
    searchsorted = _method("searching", "searchsorted")
    argsort = _method("searching", "argsort")
    nonzero = _method("searching", "nonzero")

    def sort(self, axis: int = -1) -> None:
        """Sort in place along an axis."""
        self[...] = _function("searching", "sort")(self, axis=axis)  # type: ignore[index]

    def partition(self, kth: Any, axis: int = -1) -> None:
        """Bring the kth elements along an axis to their sorted places, in place."""
        self[...] = _function("searching", "partition")(self, kth, axis)  # type: ignore[index]

    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Any:
        """Return the slices along an axis, or the flat elements, whose flag is true."""
        from .._polymorphic_counts import compress

        return compress(condition, self, axis, out)

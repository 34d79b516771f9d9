# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions of arrays. They return expressions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from .. import _default, _kp
from .._floats import without_doubles
from .._kp import Manager, Tensor
from . import methods
from .array import Array, converted, share
from .functions import FUNCTIONS, OfFloats
from .groups.array import GroupArray
from .groups.functions import takes_groups
from .groups.placing import assign_parts, in_place_of_each, mapped
from .groups.traits import by_rows
from .host_data import dtype_of, host_values
from .storage import DType, Shape, broadcast as broadcast, upload
from .types import number, warn_if_cut
from .values import Values


_A = TypeVar("_A", bound=Values)

_SCALARS = (bool, int, float, complex)
_OPERANDS = (Array, *_SCALARS, np.generic, np.ndarray, Tensor, GroupArray)


def other_manager() -> ValueError:
    """Return the error about arrays of different managers in one call."""
    return ValueError(
        "the arrays belong to different managers; bring one to the other's device with to_device()"
    )


def is_operand(value: Any) -> bool:
    """Return whether operators take a value."""
    return isinstance(value, _OPERANDS) or (
        isinstance(value, (list, tuple)) and np.asarray(value).dtype.kind in "biufc"
    )


def manager_of(*operands: Any) -> Manager:
    """Return the manager of the first array, or the default one."""
    for operand in operands:
        if isinstance(operand, Array):
            return operand._manager
        if isinstance(operand, Tensor):
            return operand.manager
    return _default.default_manager()


def as_array(value: Any, manager: Manager) -> Array:
    """Return an operand as an array: itself, a tensor's memory, or a copy of host data.

    Raises ValueError for an array or a tensor of another manager.
    """
    if isinstance(value, (Array, Tensor)):
        if value.manager is not manager:
            raise other_manager()
        return value if isinstance(value, Array) else share(value)
    if isinstance(value, GroupArray):
        raise TypeError(
            "an array of a group was given where one of a device is needed; x.to_device(group[0]) is "
            "one"
        )
    values = host_values(value)
    dtype = number(dtype_of(value, values, manager)).dtype
    return upload(manager, values.astype(dtype, copy=False))


def fitting(value: Any, like: Array) -> Array:
    """Return a value as an array with the manager and the dtype of another one.

    Numbers of Python, also in lists, have to fit: as in NumPy, the others raise OverflowError or ValueError.
    """
    if isinstance(value, (Array, Tensor, GroupArray, np.ndarray, np.generic)):
        return converted(as_array(value, like._manager), like._dtype)
    number(np.asarray(value).dtype)
    return as_array(np.asarray(value, like._dtype), like._manager)


class Operand:
    """An argument of a function, and its role in type promotion.

    `kind` is a dtype, or Python's type of a number, which adapts to the others.
    """

    __slots__ = ("array", "kind", "shape", "value")

    def __init__(self, value: Any, manager: Manager) -> None:
        self.array: Array | None = None
        self.value = value
        self.shape: Shape = ()
        if isinstance(value, bool):
            self.kind: Any = np.dtype(np.bool_)
        elif isinstance(value, np.generic):
            self.kind = number(value.dtype).dtype
        elif isinstance(value, (int, float, complex)):
            self.kind = type(value)
            for base in (int, float, complex):
                if isinstance(value, base):
                    self.kind = base
        else:
            self.array = as_array(value, manager)
            self.kind = self.array._dtype
            self.shape = self.array._shape

    def part(self, dtype: DType) -> Any:
        """Return it as a part of an expression: an array, or a number with its dtype.

        The dtype is for numbers that adapt; others have their own.
        """
        if self.array is not None:
            return self.array
        return self.value, dtype if not isinstance(self.kind, np.dtype) else self.kind


def _are_plain(values: tuple[Any, ...]) -> bool:
    """Return whether operands are an array, and arrays of its device or numbers of Python."""
    first = values[0]
    if type(first) is not Array:
        return False
    for value in values[1:]:
        kind = type(value)
        if kind is Array:
            if value._manager is not first._manager:
                return False
        elif kind is not float and kind is not int:
            return False
    return True


def apply(name: str, *values: Any) -> Array:
    """Return a function of arrays, numbers and anything that NumPy converts to arrays."""
    if _are_plain(values):
        made: Array | None = _kp._apply(name, values)
        if made is not None:
            return made
    for value in values:
        if type(value) is GroupArray:
            by_device: Array | None = in_place_of_each(name, values)
            if by_device is None:
                by_device = mapped(functools.partial(apply, name), *values)
            return by_device
    manager = manager_of(*values)
    operands = [_operand(value, manager) for value in values]
    if not any_array(operands):
        operands[0] = as_array(values[0], manager)
    found: Array | None = _kp._apply(name, operands)
    return _on_host(name, values, manager) if found is None else found


def _operand(value: Any, manager: Manager) -> Any:
    """Return a value as the library takes it: an array, or a number of Python or NumPy."""
    if isinstance(value, np.generic):
        number(value.dtype)  # raises for values that arrays cannot hold
        return value
    if isinstance(value, (bool, int, float, complex)):
        return value if type(value) in _SCALARS else _plain(value)
    return as_array(value, manager)


def _plain(value: Any) -> Any:
    """Return a number of a derived class as Python's own."""
    base: Any = next(base for base in _SCALARS if isinstance(value, base))
    return base(value)


def binary(name: str, x: Any, y: Any) -> Any:
    """Return apply(name, x, y) for an operator, or NotImplemented."""
    return apply(name, x, y) if is_operand(x) and is_operand(y) else NotImplemented


def unary(name: str, x: Any) -> Array:
    """Return apply(name, x)."""
    return apply(name, x)


def _selected(x: Array, key: Any) -> Array:
    from .shapes.indexing import get

    return get(x, key)


_kp._set_array_hooks(binary, unary, methods.compared, _selected)


def any_array(operands: list[Any]) -> bool:
    """Return whether one operand is an array."""
    return Array in [type(operand) for operand in operands]


def _on_host(name: str, values: tuple[Any, ...], manager: Manager) -> Array:
    """Compute with NumPy."""
    given = [value.numpy() if isinstance(value, Array) else value for value in values]
    ufunc = FUNCTIONS[name].ufunc
    samples = [value if isinstance(value, _SCALARS) else np.asarray(value).dtype for value in given]
    with np.errstate(all="ignore"):
        result = np.asarray(ufunc(*given))
    dtype = result.dtype
    if dtype.kind in "fc" and name != "float_power":
        dtype = without_doubles(dtype, *samples, manager=manager)
    return upload(manager, result.astype(dtype, copy=False))


def assign_all(target: _A, result: Any) -> _A:
    """Copy all elements of another array, whose dtype may be another of the same kind."""
    own: Any = target
    if (
        type(own) is Array
        and type(result) is Array
        and own._shape == result._shape
        and own._dtype == result._dtype
        and own._manager is result._manager
        and own._alone
    ):
        own._become(result)
        return target
    if not isinstance(target, (Array, GroupArray)):
        raise TypeError("out must be a kp.Array; for a NumPy array, use numpy()")
    if not np.can_cast(result._dtype, target._dtype, "same_kind"):
        raise TypeError(
            f"the result is of {result._dtype}, which an array of {target._dtype} cannot hold; use "
            "astype()"
        )
    try:
        fits = broadcast(target._shape, result._shape) == target._shape
    except ValueError:
        fits = False
    if not fits:
        raise misfit(target, result._shape)
    if not isinstance(target, Array) or isinstance(result, GroupArray):
        assign_parts(target, result)
        return target
    if result._manager is not target._manager:
        raise other_manager()
    result = converted(result, target._dtype)
    if target._alone and result._shape == target._shape:
        target._become(result)
    else:
        target[...] = result
    return target


def misfit(out: Any, shape: Shape) -> ValueError:
    """Return the error of a result that does not fit an array `out`."""
    return ValueError(
        f"the result has the shape {shape}, which does not fit an array (out) of the shape "
        f"{out._shape}"
    )


def into(out: Any, result: _A) -> _A:
    """Return a result: itself, or stored in the array of its shape that the caller gave for it."""
    if out is None:
        return result
    if isinstance(out, (Array, GroupArray)) and out._shape != result._shape:
        raise misfit(out, result._shape)
    stored: _A = assign_all(out, result)
    return stored


def broadcast_into(out: Any, result: _A) -> _A:
    """Do the same for functions of elements: like NumPy's, they repeat a result that is smaller."""
    return result if out is None else assign_all(out, result)


def _unary(name: str) -> Callable[..., Array]:
    def function(
        x: Any,
        /,
        *,
        out: Array | None = None,
        where: Any = None,
        dtype: DTypeLike | None = None,
    ) -> Array:
        if out is where is dtype is None:
            return apply(name, x)
        return applied(name, (x,), out, where, dtype)

    return _named(function, name)


def _binary(name: str) -> Callable[..., Array]:
    def function(
        x1: Any,
        x2: Any,
        /,
        *,
        out: Array | None = None,
        where: Any = None,
        dtype: DTypeLike | None = None,
    ) -> Array:
        if out is where is dtype is None:
            return apply(name, x1, x2)
        return applied(name, (x1, x2), out, where, dtype)

    return _named(function, name)


def applied(name: str, values: tuple[Any, ...], out: Any, where: Any, dtype: Any) -> Array:
    """Apply a function with the keywords of NumPy's ufuncs.

    - `out`: gets the result. Where the mask `where` is false, it stays as it is.
    - `dtype`: the type to which operands are converted first.
    """
    if dtype is not None:
        wanted = number(dtype).dtype
        for value in values:
            given = value if hasattr(value, "dtype") else np.asarray(value)
            if not np.can_cast(given.dtype, wanted, "same_kind"):
                raise TypeError(f"{name} in {wanted} cannot take {given.dtype}; use astype()")
        values = tuple(
            (
                value.astype(wanted)
                if hasattr(value, "astype")
                else np.asarray(value).astype(wanted)[()]
            )
            for value in values
        )
    result = apply(name, *values)
    if where is not None and where is not True:
        if out is None:
            raise TypeError(
                f"{name} with where= needs out=, which keeps the other elements; kp.where() chooses "
                "between two arrays"
            )
        result = _choose(where, result, out)
    return broadcast_into(out, result)


def _named(function: Callable[..., Array], name: str) -> Callable[..., Array]:
    function.__name__ = function.__qualname__ = name
    ufunc = FUNCTIONS[name].ufunc
    numpy_name = "cbrt" if isinstance(ufunc, OfFloats) else ufunc.__name__
    function.__doc__ = f"Return {FUNCTIONS[name].words}. Types follow numpy.{numpy_name}."
    return by_rows("made")(function)


@by_rows("each")
def where(condition: Any, x1: Any, x2: Any, /) -> Array:
    """Return elements of x1 where a condition is true, and of x2 elsewhere."""
    if _are_plain((condition, x1, x2)):
        return _kp._where(condition, x1, x2)
    manager = manager_of(condition, x1, x2)
    return _kp._where(as_array(condition, manager), _operand(x1, manager), _operand(x2, manager))


_choose = takes_groups(where)


def result_dtype(*values: Any, manager: Manager | None = None) -> DType:
    """Return NumPy's promotion of dtypes and Python numbers, with the default float of a manager."""
    found: DType = np.result_type(*values)
    return without_doubles(number(found).dtype, *values, manager=manager)


@by_rows("each")
def astype(x: Any, dtype: DTypeLike, /, *, copy: bool = True, device: Any = None) -> Array:
    """Return the elements in another dtype; without `copy`, the array itself if it has it."""
    array = as_array(x, manager_of(x))
    if device is not None:
        from .creation import manager

        array = array.to_device(manager(device))
    wanted = number(dtype).dtype
    if array._dtype == wanted:
        return array.copy() if copy else array
    from .storage import require

    require(array._manager, wanted)
    warn_if_cut(array._dtype, wanted)
    return converted(array, wanted)


@by_rows("each")
def real(x: Any, /) -> Array:
    """Return the real parts: of an array in memory, a view."""
    return _kp._real(as_array(x, manager_of(x)))


@by_rows("each")
def imag(x: Any, /) -> Array:
    """Return the imaginary parts: of an array in memory, a view; 0 for real numbers."""
    return _kp._imag(as_array(x, manager_of(x)))


def set_part(x: Any, part: int, value: Any) -> None:
    """Set the real (0) or the imaginary parts (1) of the elements."""
    if not isinstance(x, Array):
        raise TypeError("parts are set for arrays of one device; for a group, use x.parts")
    if x._dtype.kind != "c":
        if part == 1:
            raise TypeError(f"an array of {x._dtype} has no imaginary parts to set; use astype()")
        x[...] = value
        return
    parts = [real(x), imag(x)]
    parts[part] = fitting(value, parts[part])
    if broadcast(x._shape, parts[part]._shape) != x._shape:
        raise ValueError(f"the parts have the shape {parts[part]._shape}, but the array {x._shape}")
    text = f"{number(x._dtype).computed}({{0}}, {{1}})"
    x[...] = _kp._expression(text, x._dtype, x._shape, parts)


negative = _unary("negative")
positive = _unary("positive")
abs = _unary("abs")
square = _unary("square")
reciprocal = _unary("reciprocal")
sqrt = _unary("sqrt")
sign = _unary("sign")
signbit = _unary("signbit")
conj = _unary("conj")
floor = _unary("floor")
ceil = _unary("ceil")
trunc = _unary("trunc")
logical_not = _unary("logical_not")
bitwise_invert = _unary("bitwise_invert")
isnan = _unary("isnan")
isinf = _unary("isinf")
isfinite = _unary("isfinite")
exp = _unary("exp")
exp2 = _unary("exp2")
expm1 = _unary("expm1")
log = _unary("log")
log2 = _unary("log2")
log10 = _unary("log10")
log1p = _unary("log1p")
sin = _unary("sin")
cos = _unary("cos")
tan = _unary("tan")
asin = _unary("asin")
acos = _unary("acos")
atan = _unary("atan")
sinh = _unary("sinh")
cosh = _unary("cosh")
tanh = _unary("tanh")
asinh = _unary("asinh")
acosh = _unary("acosh")
atanh = _unary("atanh")
cbrt = _unary("cbrt")
erf = _unary("erf")
erfc = _unary("erfc")
gamma = _unary("gamma")
lgamma = _unary("lgamma")
i0 = _unary("i0")
add = _binary("add")
subtract = _binary("subtract")
multiply = _binary("multiply")
divide = _binary("divide")
floor_divide = _binary("floor_divide")
remainder = _binary("remainder")
fmod = _binary("fmod")
copysign = _binary("copysign")
nextafter = _binary("nextafter")
hypot = _binary("hypot")
minimum = _binary("minimum")
maximum = _binary("maximum")
fmin = _binary("fmin")
fmax = _binary("fmax")
equal = _binary("equal")
not_equal = _binary("not_equal")
less = _binary("less")
less_equal = _binary("less_equal")
greater = _binary("greater")
greater_equal = _binary("greater_equal")
logical_and = _binary("logical_and")
logical_or = _binary("logical_or")
logical_xor = _binary("logical_xor")
bitwise_and = _binary("bitwise_and")
bitwise_or = _binary("bitwise_or")
bitwise_xor = _binary("bitwise_xor")
bitwise_left_shift = _binary("bitwise_left_shift")
bitwise_right_shift = _binary("bitwise_right_shift")
gcd = _binary("gcd")
lcm = _binary("lcm")
fabs = _unary("fabs")
heaviside = _binary("heaviside")
deg2rad = _unary("deg2rad")
rad2deg = _unary("rad2deg")
pow = _binary("pow")
atan2 = _binary("atan2")
logaddexp = _binary("logaddexp")
float_power = _binary("float_power")
ldexp = _binary("ldexp")
logaddexp2 = _binary("logaddexp2")
spacing = _unary("spacing")

if not TYPE_CHECKING:  # to type checkers, all names are public
    __all__ = sorted({*FUNCTIONS} & {*globals()} | {"astype", "imag", "real"})

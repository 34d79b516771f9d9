# SPDX-License-Identifier: Apache-2.0
"""The operators and methods of arrays that are functions of the namespace.

scripts/python_stubs.py writes operators.pyi from this class, with the signatures of these functions.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeAlias

from .methods import (
    binary_operator as _binary,
    comparison as _comparison,
    function_of as _function,
    in_place as _in_place,
    method as _method,
    reduction as _reduction,
    unary_operator as _unary,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .._kp import Tensor
    from .array import Array

#: Other operands of an array's operators.
Operand: TypeAlias = (
    "Operators | Tensor | complex | np.generic | NDArray[Any] | list[Any] | tuple[Any, ...]"
)


class Operators:
    """Base of Array and GroupArray."""

    __slots__ = ()

    __add__, __radd__, __iadd__ = _binary("add"), _binary("add", True), _in_place(operator.add)
    __sub__, __rsub__ = _binary("subtract"), _binary("subtract", True)
    __isub__ = _in_place(operator.sub)
    __mul__, __rmul__ = _binary("multiply"), _binary("multiply", True)
    __imul__ = _in_place(operator.mul)
    __truediv__, __rtruediv__ = _binary("divide"), _binary("divide", True)
    __itruediv__ = _in_place(operator.truediv)
    __floordiv__, __rfloordiv__ = _binary("floor_divide"), _binary("floor_divide", True)
    __ifloordiv__ = _in_place(operator.floordiv)
    __mod__, __rmod__ = _binary("remainder"), _binary("remainder", True)
    __imod__ = _in_place(operator.mod)
    __pow__, __rpow__, __ipow__ = _binary("pow"), _binary("pow", True), _in_place(operator.pow)
    __and__, __rand__ = _binary("bitwise_and"), _binary("bitwise_and", True)
    __iand__ = _in_place(operator.and_)
    __or__, __ror__ = _binary("bitwise_or"), _binary("bitwise_or", True)
    __ior__ = _in_place(operator.or_)
    __xor__, __rxor__ = _binary("bitwise_xor"), _binary("bitwise_xor", True)
    __ixor__ = _in_place(operator.xor)
    __lshift__, __rlshift__ = _binary("bitwise_left_shift"), _binary("bitwise_left_shift", True)
    __ilshift__ = _in_place(operator.lshift)
    __rshift__, __rrshift__ = _binary("bitwise_right_shift"), _binary("bitwise_right_shift", True)
    __irshift__ = _in_place(operator.rshift)
    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __eq__, __ne__ = _comparison("equal"), _comparison("not_equal")
    __neg__, __pos__, __abs__ = _unary("negative"), _unary("positive"), _unary("abs")
    __invert__ = _unary("bitwise_invert")

    def __divmod__(self, other: Operand) -> tuple[Array, Array]:
        quotients, remainders = _function("derived", "divmod")(self, other)
        return quotients, remainders

    def __rdivmod__(self, other: Operand) -> tuple[Array, Array]:
        quotients, remainders = _function("derived", "divmod")(other, self)
        return quotients, remainders

    def __matmul__(self, other: Operand) -> Array:
        if hasattr(other, "_multiplies_arrays"):  # sparse matrices
            return NotImplemented
        return _function("matrices.linear_algebra", "matmul")(self, other)

    def __rmatmul__(self, other: Operand) -> Array:
        return _function("matrices.linear_algebra", "matmul")(other, self)

    def __imatmul__(self, other: Operand) -> Array:
        from .elementwise import into

        return into(self, _function("matrices.linear_algebra", "matmul")(self, other))

    @property
    def T(self) -> Array:
        """The array with its axes in reverse order, as a view."""
        return _function("shapes.manipulation", "transpose")(self)

    @property
    def mT(self) -> Array:
        """The array with its last two axes swapped, as a view."""
        return _function("shapes.manipulation", "matrix_transpose")(self)

    @property
    def real(self) -> Array:
        """The real parts."""
        return _function("elementwise", "real")(self)

    @real.setter
    def real(self, value: Any) -> None:
        _function("elementwise", "set_part")(self, 0, value)

    @property
    def imag(self) -> Array:
        """The imaginary parts."""
        return _function("elementwise", "imag")(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        _function("elementwise", "set_part")(self, 1, value)

    sum, prod, mean = _reduction("sum"), _reduction("prod"), _reduction("mean")
    min, max = _reduction("min"), _reduction("max")
    argmin, argmax = _method("reducing.by_operator", "argmin"), _method(
        "reducing.by_operator", "argmax"
    )
    any, all = _reduction("any"), _reduction("all")
    var, std = _reduction("var"), _reduction("std")
    cumsum, cumprod = _method("reducing.scans", "cumsum"), _method("reducing.scans", "cumprod")
    reshape = _method("shapes.manipulation", "reshape_method")
    transpose = _method("shapes.manipulation", "transpose_method")
    squeeze = _method("shapes.manipulation", "squeeze")
    flatten = _method("shapes.manipulation", "flatten")
    ravel = _method("shapes.manipulation", "ravel")
    take = _method("selection.searching", "take")
    repeat = _method("shapes.manipulation", "repeat")
    clip = _method("derived", "clip")
    round = _method("derived", "round")
    dot = _method("matrices.products", "dot")
    diagonal, trace = _method("matrices.products", "diagonal"), _method(
        "matrices.products", "trace"
    )
    swapaxes = _method("shapes.manipulation", "swapaxes")
    choose, put = _method("selection.choosing", "choose"), _method("selection.choosing", "put")
    searchsorted = _method("selection.searching", "searchsorted")
    argsort = _method("selection.searching", "argsort")
    nonzero = _method("selection.searching", "nonzero")

    def conj(self) -> Array:
        """Return the complex conjugates; for real numbers the array itself, as in NumPy."""
        array: Any = self
        return _function("elementwise", "conj")(array) if array.dtype.kind == "c" else array

    conjugate = conj

    def sort(self, axis: int = -1) -> None:
        """Sort in place along an axis."""
        self[...] = _function("selection.searching", "sort")(self, axis=axis)  # type: ignore[index]

    def partition(self, kth: Any, axis: int = -1) -> None:
        """Bring the kth elements along an axis to their sorted places, in place."""
        self[...] = _function("selection.searching", "partition")(self, kth, axis)  # type: ignore[index]

    def compress(self, condition: Any, axis: int | None = None, out: Array | None = None) -> Array:
        """Return the slices along an axis, or the flat elements, whose flag is true."""
        from .selection.selecting import compress

        array: Any = self
        kept: Array = compress(condition, array, axis, out)
        return kept

# SPDX-License-Identifier: Apache-2.0
"""Operators and ufuncs of bool, and of bool with other types, beside NumPy's: values, dtypes and errors."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kp
from kp.arrays.functions import FUNCTIONS

FLAGS = np.array([True, False, True, False])
OTHERS: dict[str, Any] = {
    **{
        name: np.array([1, 0, 3, 2]).astype(name)
        for name in ("bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32")
    },
    "float64": np.array([1, 0, 3, 2.0]),
    "complex64": np.array([1, 0, 3, 2j], np.complex64),
    **{repr(value): value for value in (True, False, 0, 1, 2, 3, -1, 300, 0.5, 2.0, 2j)},
    **{repr(value): value for value in (np.True_, np.int8(2), np.float32(2))},
}
BINARY = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
    *(operator.mod, operator.pow, operator.and_, operator.or_, operator.xor, operator.lshift),
    *(operator.rshift, operator.lt, operator.le, operator.gt, operator.ge, operator.eq),
    *(operator.ne, divmod),
)
OF_ONE = [name for name, each in FUNCTIONS.items() if each.ufunc.types[0].index("-") == 1]
UNARY = (operator.neg, operator.pos, operator.invert, abs, round)
IN_PLACE = (
    *(operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv),
    *(operator.imod, operator.ipow, operator.iand, operator.ior, operator.ixor),
    *(operator.ilshift, operator.irshift),
)


def outcome(call: Callable[..., Any], *operands: Any) -> Any:
    """Return the results of a call, or Python's type of its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = call(*operands)
        except Exception as error:
            return next(each for each in type(error).__mro__ if each.__module__ == "builtins")
    return found if isinstance(found, tuple) else (found,)


def own(operand: Any) -> Any:
    return kp.array(operand) if isinstance(operand, np.ndarray) else operand


def require_same(
    numpys: Callable[..., Any], ours: Callable[..., Any], *operands: Any, values: bool = True
) -> None:
    expected, found = outcome(numpys, *operands), outcome(ours, *map(own, operands))
    if isinstance(expected, type) or isinstance(found, type):
        assert isinstance(expected, type) and isinstance(found, type), (expected, found)
        assert issubclass(found, expected)
        return
    for one, other in zip(expected, found, strict=True):
        assert other.dtype == np.asarray(one).dtype
        assert other.shape == np.shape(one)
        if values:
            np.testing.assert_allclose(other.numpy(), one, rtol=2e-3)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("function", BINARY)
def test_operators_of_flags_have_numpys_types(function: Any, other: str) -> None:
    values = other in ("bool", "int8", "2")
    require_same(function, function, FLAGS, OTHERS[other], values=values)
    require_same(function, function, OTHERS[other], FLAGS, values=values)


@pytest.mark.parametrize("function", UNARY)
def test_operators_of_one_flag_have_numpys_types(function: Any) -> None:
    require_same(function, function, FLAGS)


# Of -1, NumPy names the type of the power first, and this package its value.
@pytest.mark.parametrize("other", [name for name in OTHERS if name != "-1"])
@pytest.mark.parametrize("function", IN_PLACE)
def test_flags_change_in_place_as_in_numpy(function: Any, other: str) -> None:
    def changed(x: Any, y: Any) -> Any:
        return function(x.copy(), y)

    require_same(changed, changed, FLAGS, OTHERS[other], values=other in ("bool", "True"))


@pytest.mark.parametrize("name", OF_ONE)
def test_functions_of_flags_have_numpys_types(name: str) -> None:
    require_same(FUNCTIONS[name].ufunc, getattr(kp, name), FLAGS)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OF_ONE])
def test_functions_of_flags_and_others_have_numpys_types(name: str) -> None:
    for other, value in OTHERS.items():
        ufunc, ours = FUNCTIONS[name].ufunc, getattr(kp, name)
        require_same(ufunc, ours, FLAGS, value, values=other == "bool")
        require_same(ufunc, ours, value, FLAGS, values=False)

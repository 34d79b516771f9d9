# SPDX-License-Identifier: Apache-2.0
"""Messages for features of arrays that tensors lack: arithmetic and most methods."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .._kp import Tensor

_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
_COMPARING = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNARY = {"neg": "-", "pos": "+", "invert": "~", "abs": "abs()"}


def _refuse(operator: str) -> NoReturn:
    raise TypeError(
        f"a kp.Tensor has no operator {operator}; kp.asarray(tensor) is an array over the same "
        "memory that has it"
    )


def _binary(operator: str) -> Callable[[Tensor, Any], Any]:
    def method(self: Tensor, other: Any) -> Any:
        # Arrays compute with tensors themselves, and so do NumPy's.
        if isinstance(other, (Tensor, numbers.Number)) and not isinstance(other, np.generic):
            _refuse(operator)
        return NotImplemented

    return method


def _unary(operator: str) -> Callable[[Tensor], Any]:
    def method(self: Tensor) -> Any:
        _refuse(operator)

    return method


def _missing(self: Tensor, name: str) -> NoReturn:
    """Called for attributes that a tensor does not have."""
    from ..arrays.array import Array  # tensors do without the arrays' modules

    hint = ""
    if not name.startswith("_") and hasattr(Array, name):
        hint = f"; kp.asarray(tensor) is an array over the same memory, and has {name}"
    raise AttributeError(f"a kp.Tensor has no attribute '{name}'{hint}", name=name, obj=self)


def install() -> None:
    """Add the methods to Tensor."""
    for name, operator in _BINARY.items():
        for prefix in ("", "r"):
            setattr(Tensor, f"__{prefix}{name}__", _binary(operator))
    for name, operator in _COMPARING.items():
        setattr(Tensor, f"__{name}__", _binary(operator))
    for name, operator in _UNARY.items():
        setattr(Tensor, f"__{name}__", _unary(operator))
    setattr(Tensor, "__getattr__", _missing)

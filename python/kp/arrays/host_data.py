# SPDX-License-Identifier: Apache-2.0
"""Data of the host that becomes an array."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._floats import without_doubles
from .._kp import Manager, Tensor
from .._wording import kind_of


def host_values(obj: Any) -> NDArray[Any]:
    """Return data as numpy.asarray. Raises TypeError or OverflowError for data other than numbers."""
    _refuse_part(obj)
    values = np.asarray(obj)
    if values.dtype.kind in "OUS":
        _require_64_bits(values)
        raise TypeError(f"arrays hold numbers and bool, not {_other_kind(obj, values)}")
    return values


def dtype_of(obj: Any, values: NDArray[Any], manager: Manager) -> np.dtype[Any]:
    """Return the dtype of an array of data on a manager, given host_values(obj): the default float for Python's."""
    if isinstance(obj, (float, complex, list, tuple)) and not isinstance(obj, np.generic):
        return without_doubles(values.dtype, manager=manager)
    return values.dtype


def _refuse_part(obj: Any) -> None:
    """Raise TypeError for operations' form of a part of a tensor."""
    if not (isinstance(obj, tuple) and 2 <= len(obj) <= 3):
        return
    tensor, *places = obj
    if isinstance(tensor, Tensor) and tensor.shape and all(isinstance(at, int) for at in places):
        raise TypeError(
            "(tensor, first, count) is a part of a tensor for operations, such as kp.OpReduce; "
            "functions take kp.asarray(tensor)[first:first + count]"
        )


def _require_64_bits(values: NDArray[Any]) -> None:
    """Raise OverflowError for whole numbers that NumPy has no dtype for."""
    for each in values.reshape(-1):
        if isinstance(each, int) and not -(2**63) <= each < 2**64:
            raise OverflowError(
                f"{each} does not fit an integer of 64 bits; a float, as float(x) makes it, holds it "
                "less exactly"
            )


def _other_kind(obj: Any, values: NDArray[Any]) -> str:
    """Return the first value in data that is not a number."""
    if values.dtype.kind in "US":
        return "text"
    if values.ndim == 0:
        return kind_of(obj)
    return next((kind_of(each) for each in values.flat if not isinstance(each, Number)), "objects")

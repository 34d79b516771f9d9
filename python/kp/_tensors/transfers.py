# SPDX-License-Identifier: Apache-2.0
"""Checks and converts arrays for writing and reading buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._wording import counted


def _of_bytes(data: bytes | bytearray | memoryview) -> NDArray[Any]:
    view = memoryview(data)
    if view.nbytes == 0:
        return np.empty(0, np.uint8)
    return np.frombuffer(view if view.c_contiguous else view.tobytes(), np.uint8)


def _of_sequence(data: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Convert a list, a tuple or a number to the buffer's dtype if no value changes."""
    if dtype.names is not None:
        return np.asarray(data, dtype)
    given = np.asarray(data)
    if given.dtype.kind not in "biufc":
        raise TypeError(f"data must contain numbers, not {type(data).__name__} of {given.dtype}")
    if not np.can_cast(given.dtype, dtype, "same_kind") and not (
        given.dtype.kind in "iu" and dtype.kind in "iu"
    ):
        raise TypeError(
            f"data has dtype {given.dtype}, which {dtype} cannot hold; convert it to {dtype}"
        )
    converted = given.astype(dtype)
    if dtype.kind in "iu" and not np.array_equal(converted, given):
        raise ValueError(f"data has values that {dtype} cannot hold")
    return converted


def source(data: Any, dtype: np.dtype[Any], room: int, row: int) -> NDArray[Any]:
    """Return the data of a write as a C-contiguous array.

    - `data`: an array of the buffer's dtype, bytes, or numbers that the dtype can hold.
    - `dtype`: the dtype of the buffer's elements.
    - `room`: the size in bytes of the part that is written.
    - `row`: the size in bytes of a row, or 0. If it is 0, lists must fill `room`. Otherwise arrays
      and lists may have any number of whole rows that fit. Arrays and bytes may always be fewer.

    Raises ValueError or TypeError if the data does not fit.
    """
    if isinstance(data, (bytes, bytearray, memoryview)):
        array = _of_bytes(data)
        if array.nbytes > room:
            raise ValueError(f"data has {counted(array.nbytes, 'byte')}, but only {room} fit")
        return array
    if data is None or isinstance(data, str):
        raise TypeError(
            f"data must be an array, bytes or a list of numbers, not {type(data).__name__}"
        )
    number = dtype.base
    converted = isinstance(data, (list, tuple, int, float, complex))
    if converted:
        array = _of_sequence(data, number)
    else:
        array = np.asarray(data)
        if array.dtype != number:
            raise ValueError(
                f"data has dtype {array.dtype}, but the buffer's elements are {number}; convert it "
                "with astype()"
            )
    array = np.ascontiguousarray(array)
    if array.nbytes > room:
        raise ValueError(f"data has {counted(array.nbytes, 'byte')}, but only {room} fit")
    if row and array.nbytes % row:
        raise ValueError(f"data has {counted(array.nbytes, 'byte')}, but a row has {row}")
    if converted and not row and array.nbytes != room:
        raise ValueError(f"data has {counted(array.nbytes, 'byte')}, but {room} are expected")
    return array


def target(shape: tuple[int, ...], dtype: np.dtype[Any], out: Any) -> NDArray[Any]:
    """Return the array that a read fills: `out` if it is given and fits, else a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError("out must be a C-contiguous, writable array")
    if out.dtype != dtype.base:
        raise ValueError(f"out has dtype {out.dtype}, but the buffer's elements are {dtype.base}")
    needed = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if out.nbytes != needed:
        raise ValueError(f"out has {counted(out.nbytes, 'byte')}, but {needed} are read")
    return out

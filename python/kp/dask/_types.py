# SPDX-License-Identifier: Apache-2.0
"""Dtypes of blocks, and their match with the element types of shaders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._errors import InvalidArgument
from .._shaders.reflection import Binding

Shape = tuple[int, ...]


def check_dtype(dtype: np.dtype[Any], binding: Binding | None, what: str) -> None:
    """Raise InvalidArgument if the shader declares another element type.

    bool matches 8-bit integers. Complex numbers match vec2. Structs are not compared.
    """
    if binding is None or binding.dtype is None or dtype.names is not None:
        return
    declared, components = binding.dtype, binding.components
    place = f"binding {binding.binding} ({binding.name})"
    if binding.array_stride not in (0, components * declared.itemsize):
        raise InvalidArgument(
            f"{place} has elements of {components} x {declared} with a stride of "
            f"{binding.array_stride} bytes, but blocks have no padding; declare an array of "
            "scalars, or layout(scalar)"
        )
    if dtype.kind == "b":
        fits = declared.kind in "iu" and declared.itemsize == 1
    elif dtype.kind == "c":
        fits = declared.kind == "f" and components == 2 and dtype.itemsize == 2 * declared.itemsize
    else:
        fits = native_dtype(dtype) == declared
    if not fits:
        vector = f"{components} x " if components > 1 else ""
        raise InvalidArgument(
            f"{what} has dtype {dtype}, but {place} of the shader holds {vector}{declared}; "
            f"convert it with astype, or change the shader"
        )


def native_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the dtype in native byte order."""
    found: np.dtype[Any] = np.dtype(dtype).newbyteorder("=")
    return found


def native(block: Any) -> NDArray[Any]:
    """Return the block as a C-contiguous array in native byte order."""
    array = np.asarray(block)
    contiguous = np.ascontiguousarray(array, native_dtype(array.dtype))
    found: NDArray[Any] = contiguous.reshape(array.shape)
    return found


def own(array: NDArray[Any]) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the array, or a copy if it is a view of a tensor, whose memory could not be freed."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return array if base is None else array.copy()

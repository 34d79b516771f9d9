# SPDX-License-Identifier: Apache-2.0
"""Elements of buffers: NumPy's dtypes, and the names that GLSL has for vectors and matrices."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

#: The numbers that a vector or matrix is of, by what comes before its name in GLSL. Names with
#: sizes are those of GL_EXT_shader_explicit_arithmetic_types.
_NUMBERS = {
    "": np.float32,
    "d": np.float64,
    "i": np.int32,
    "u": np.uint32,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "u8": np.uint8,
    "i16": np.int16,
    "u16": np.uint16,
    "i32": np.int32,
    "u32": np.uint32,
    "i64": np.int64,
    "u64": np.uint64,
}
_NAME = re.compile(r"([a-z]?\d*)(?:vec([2-4])|mat([2-4])(?:x([2-4]))?)")


def _of_glsl(name: str) -> np.dtype[Any] | None:
    """The dtype of a vector or matrix of GLSL; None where the name is not one."""
    match = _NAME.fullmatch(name)
    if match is None or match[1] not in _NUMBERS:
        return None
    number = _NUMBERS[match[1]]
    if match[2]:
        return np.dtype((number, int(match[2])))
    if not np.issubdtype(number, np.floating):
        return None
    columns = int(match[3])
    return np.dtype((number, (columns, int(match[4] or columns))))


def element(dtype: DTypeLike | None) -> np.dtype[Any]:
    """What an element is: float32 for None, in the machine's own byte order.

    A matrix has a column after the other, so "mat2x3" is an array of 2 columns with 3 rows each.
    """
    if dtype is None:
        return np.dtype(np.float32)
    if isinstance(dtype, str) and (vector := _of_glsl(dtype)) is not None:
        return vector
    try:
        native: np.dtype[Any] = np.dtype(dtype).newbyteorder("=")
    except TypeError as error:
        raise TypeError(
            f"dtype is one that NumPy knows, or the name of a vector or matrix of GLSL "
            f"('vec3', 'ivec2', 'mat4', 'mat2x3'), not {dtype!r}"
        ) from error
    return native

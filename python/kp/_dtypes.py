# SPDX-License-Identifier: Apache-2.0
"""Element dtypes of buffers: NumPy's dtypes and GLSL's names of vectors and matrices."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

#: Scalar types by the prefix of a GLSL vector or matrix name. Prefixes with a size come from
#: GL_EXT_shader_explicit_arithmetic_types.
_SCALARS = {
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
    """Return the dtype of a GLSL vector or matrix name, or None for any other name."""
    match = _NAME.fullmatch(name)
    if match is None or match[1] not in _SCALARS:
        return None
    scalar = _SCALARS[match[1]]
    if match[2]:
        return np.dtype((scalar, int(match[2])))
    if not np.issubdtype(scalar, np.floating):
        return None
    columns = int(match[3])
    return np.dtype((scalar, (columns, int(match[4] or columns))))


def element(dtype: DTypeLike | None) -> np.dtype[Any]:
    """Return the dtype of a buffer's elements, in native byte order.

    `dtype` is a NumPy dtype, the name of a GLSL vector or matrix, or None for float32. Matrices are
    stored in column-major order: "mat2x3" has the shape (2, 3), which is 2 columns of 3 rows.

    Raises TypeError if `dtype` is none of these.
    """
    if dtype is None:
        return np.dtype(np.float32)
    if isinstance(dtype, str) and (vector := _of_glsl(dtype)) is not None:
        return vector
    try:
        native: np.dtype[Any] = np.dtype(dtype).newbyteorder("=")
    except TypeError as error:
        raise TypeError(
            f"dtype must be a NumPy dtype or the name of a GLSL vector or matrix "
            f"('vec3', 'ivec2', 'mat4', 'mat2x3'), but {dtype!r} was given"
        ) from error
    return native

# SPDX-License-Identifier: Apache-2.0
"""Element dtypes of buffers: NumPy's dtypes and GLSL's names of vectors and matrices.

The dtypes that have a name here are NumPy's, with the names of vkdispatch. A vector or a matrix is a
sub-array: `vec3 == np.dtype((np.float32, 3))`.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

__all__ = [
    "complex32",
    "complex64",
    "complex128",
    "dtype",
    "dvec2",
    "dvec3",
    "dvec4",
    "float16",
    "float32",
    "float64",
    "from_numpy_dtype",
    "hvec2",
    "hvec3",
    "hvec4",
    "ihvec2",
    "ihvec3",
    "ihvec4",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_complex",
    "is_dtype",
    "is_matrix",
    "is_scalar",
    "is_vector",
    "ivec2",
    "ivec3",
    "ivec4",
    "mat2",
    "mat3",
    "mat4",
    "to_numpy_dtype",
    "to_vector",
    "uhvec2",
    "uhvec3",
    "uhvec4",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uvec2",
    "uvec3",
    "uvec4",
    "vec2",
    "vec3",
    "vec4",
]

#: Scalar types by the prefix of a GLSL vector or matrix name. Prefixes with a size come from
#: GL_EXT_shader_explicit_arithmetic_types; h, ih and uh are vkdispatch's.
_SCALARS = {
    "": np.float32,
    "d": np.float64,
    "i": np.int32,
    "u": np.uint32,
    "h": np.float16,
    "ih": np.int16,
    "uh": np.uint16,
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
_NAME = re.compile(r"([a-z]{0,2}\d*)(?:vec([2-4])|mat([2-4])(?:x([2-4]))?)")


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

    Raises TypeError for anything else.
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


dtype = np.dtype

# NumPy's types: dtypes equal them, and kp.float32(3) is a number.
int8, uint8 = np.int8, np.uint8
int16, uint16 = np.int16, np.uint16
int32, uint32 = np.int32, np.uint32
int64, uint64 = np.int64, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64
complex64, complex128 = np.complex64, np.complex128
#: NumPy has no complex numbers of half precision.
complex32: np.dtype[Any] = np.dtype([("real", np.float16), ("imag", np.float16)])

hvec2, hvec3, hvec4 = element("hvec2"), element("hvec3"), element("hvec4")
vec2, vec3, vec4 = element("vec2"), element("vec3"), element("vec4")
dvec2, dvec3, dvec4 = element("dvec2"), element("dvec3"), element("dvec4")
ihvec2, ihvec3, ihvec4 = element("ihvec2"), element("ihvec3"), element("ihvec4")
ivec2, ivec3, ivec4 = element("ivec2"), element("ivec3"), element("ivec4")
uhvec2, uhvec3, uhvec4 = element("uhvec2"), element("uhvec3"), element("uhvec4")
uvec2, uvec3, uvec4 = element("uvec2"), element("uvec3"), element("uvec4")
mat2, mat3, mat4 = element("mat2"), element("mat3"), element("mat4")


def is_dtype(in_type: object) -> bool:
    """Return whether this is a dtype."""
    return isinstance(in_type, np.dtype)


def is_scalar(dtype: DTypeLike) -> bool:
    """Return whether the elements are single numbers, not complex."""
    return element(dtype).kind in "biuf"


def is_complex(dtype: DTypeLike) -> bool:
    """Return whether the elements are complex numbers."""
    wanted = element(dtype)
    return wanted.kind == "c" or wanted == complex32


def is_vector(dtype: DTypeLike) -> bool:
    """Return whether the elements are vectors."""
    return len(element(dtype).shape) == 1


def is_matrix(dtype: DTypeLike) -> bool:
    """Return whether the elements are matrices."""
    return len(element(dtype).shape) == 2


def from_numpy_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the dtype of a buffer's elements; see Buffer."""
    return element(dtype)


def to_numpy_dtype(shader_type: DTypeLike) -> np.dtype[Any]:
    """Return NumPy's dtype of a buffer's elements, which is the same."""
    return element(shader_type)


def to_vector(dtype: DTypeLike, count: int) -> np.dtype[Any]:
    """Return the dtype of vectors of 2, 3 or 4 numbers.

    Raises ValueError if `dtype` is not a single number or `count` is out of range.
    """
    number = element(dtype)
    if not is_scalar(number):
        raise ValueError(f"dtype must be a single number's, but {number} was given")
    if isinstance(count, bool) or count not in (2, 3, 4):
        raise ValueError(f"count must be 2, 3 or 4, but {count!r} was given")
    return np.dtype((number, count))

# SPDX-License-Identifier: Apache-2.0
"""vkdispatch's functions that create a buffer of one dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _dtypes
from .._kp import Buffer

__all__ = [
    "buffer_c64",
    "buffer_dv2",
    "buffer_dv3",
    "buffer_dv4",
    "buffer_f16",
    "buffer_f32",
    "buffer_f64",
    "buffer_hv2",
    "buffer_hv3",
    "buffer_hv4",
    "buffer_i16",
    "buffer_i32",
    "buffer_ihv2",
    "buffer_ihv3",
    "buffer_ihv4",
    "buffer_iv2",
    "buffer_iv3",
    "buffer_iv4",
    "buffer_u16",
    "buffer_u32",
    "buffer_uhv2",
    "buffer_uhv3",
    "buffer_uhv4",
    "buffer_uv2",
    "buffer_uv3",
    "buffer_uv4",
    "buffer_v2",
    "buffer_v3",
    "buffer_v4",
]


def _creates(name: str, dtype: str) -> Callable[..., Buffer]:
    def create(shape: Any, **options: Any) -> Buffer:
        return Buffer(shape, getattr(_dtypes, dtype), **options)

    create.__name__ = create.__qualname__ = name
    create.__doc__ = f"""Create a buffer of {dtype}: `Buffer(shape, {dtype}, **options)`."""
    return create


buffer_u16 = _creates("buffer_u16", "uint16")
buffer_u32 = _creates("buffer_u32", "uint32")
buffer_i16 = _creates("buffer_i16", "int16")
buffer_i32 = _creates("buffer_i32", "int32")
buffer_f16 = _creates("buffer_f16", "float16")
buffer_f32 = _creates("buffer_f32", "float32")
buffer_f64 = _creates("buffer_f64", "float64")
buffer_c64 = _creates("buffer_c64", "complex64")
buffer_hv2 = _creates("buffer_hv2", "hvec2")
buffer_hv3 = _creates("buffer_hv3", "hvec3")
buffer_hv4 = _creates("buffer_hv4", "hvec4")
buffer_v2 = _creates("buffer_v2", "vec2")
buffer_v3 = _creates("buffer_v3", "vec3")
buffer_v4 = _creates("buffer_v4", "vec4")
buffer_dv2 = _creates("buffer_dv2", "dvec2")
buffer_dv3 = _creates("buffer_dv3", "dvec3")
buffer_dv4 = _creates("buffer_dv4", "dvec4")
buffer_ihv2 = _creates("buffer_ihv2", "ihvec2")
buffer_ihv3 = _creates("buffer_ihv3", "ihvec3")
buffer_ihv4 = _creates("buffer_ihv4", "ihvec4")
buffer_iv2 = _creates("buffer_iv2", "ivec2")
buffer_iv3 = _creates("buffer_iv3", "ivec3")
buffer_iv4 = _creates("buffer_iv4", "ivec4")
buffer_uhv2 = _creates("buffer_uhv2", "uhvec2")
buffer_uhv3 = _creates("buffer_uhv3", "uhvec3")
buffer_uhv4 = _creates("buffer_uhv4", "uhvec4")
buffer_uv2 = _creates("buffer_uv2", "uvec2")
buffer_uv3 = _creates("buffer_uv3", "uvec3")
buffer_uv4 = _creates("buffer_uv4", "uvec4")

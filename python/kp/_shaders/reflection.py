# SPDX-License-Identifier: Apache-2.0
"""Reflection of compute shaders: bindings, constants and local size."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _kp


@dataclass(frozen=True)
class Binding:
    """A descriptor binding that the shader uses.

    - ``count``: descriptors in an array of them, else 1. 0 if the shader does not fix their number.
    - ``argument``: index of the first of an algorithm's memory objects that is bound here. None for
      a separate sampler.
    - ``dtype``: the scalar type of a buffer's trailing array or only member, or the sampled type of
      an image. None for structs.
    - ``components``: scalars per element. A ``vec4`` has 4.
    - ``fixed_size``: bytes before the trailing array.
    - ``array_stride``: bytes from one element of the trailing array to the next. 0 if there is no
      such array.
    """

    set: int
    binding: int
    kind: str
    name: str
    count: int
    argument: int | None
    reads: bool
    writes: bool
    dtype: np.dtype[Any] | None
    components: int
    fixed_size: int
    array_stride: int
    image_format: int


@dataclass(frozen=True)
class PushConstant:
    """A member of the push-constant block. ``offset`` and ``size`` are in bytes.

    - ``components``: all its numbers. ``mat3 m[2]`` has 18.
    - ``axes``: their layout, outermost first, as the shader indexes them: a count and the bytes
      from
      one to the next. Empty for a single number and for structs.
    """

    name: str
    offset: int
    size: int
    dtype: np.dtype[Any] | None
    components: int
    axes: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class SpecializationConstant:
    """A specialization constant and its default value."""

    id: int
    name: str
    dtype: np.dtype[Any] | None
    default: bool | int | float | None


@dataclass(frozen=True)
class Reflection:
    """The result of reflect(). It holds data only and needs no device."""

    entry_point: str
    local_size: tuple[int, int, int]
    #: constant_id of the specialization constant that sets the local size in x, y and z, or None
    local_size_ids: tuple[int | None, int | None, int | None]
    bindings: tuple[Binding, ...]
    #: in bytes
    push_constant_size: int
    push_constants: tuple[PushConstant, ...]
    spec_constants: tuple[SpecializationConstant, ...]
    capabilities: tuple[str, ...]


def reflect(
    shader: bytes | bytearray | memoryview | str | os.PathLike[str], entry_point: str = "main"
) -> Reflection:
    """Return the bindings, constants and local size of a shader.

    `shader` is SPIR-V, source text or a path.

    Raises ShaderError if the shader is not valid or has no such entry point.
    """
    found = _kp._reflect(shader, entry_point)
    return Reflection(
        entry_point=found["entry_point"],
        local_size=found["local_size"],
        local_size_ids=found["local_size_ids"],
        bindings=tuple(Binding(**binding) for binding in found["bindings"]),
        push_constant_size=found["push_constant_size"],
        push_constants=tuple(PushConstant(**member) for member in found["push_constants"]),
        spec_constants=tuple(SpecializationConstant(**c) for c in found["spec_constants"]),
        capabilities=found["capabilities"],
    )

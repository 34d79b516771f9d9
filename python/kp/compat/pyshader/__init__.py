# SPDX-License-Identifier: Apache-2.0
"""The decorator and the type names of pyshader, with which programs of Kompute wrote kernels.

```python
import kp.pyshader as ps


@ps.python2shader
def multiply(
    index=("input", "GlobalInvocationId", ps.ivec3),
    a=("buffer", 0, ps.Array(ps.f32)),
    b=("buffer", 1, ps.Array(ps.f32)),
    product=("buffer", 2, ps.Array(ps.f32)),
):
    i = index.x
    product[i] = a[i] * b[i]


algorithm = mgr.algorithm(tensors, multiply.to_spirv())
```

Functions are compiled as by kp.jit, with all of its statements and functions. New programs should
use kp.jit itself.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from ..._jit.source import Source
from ..._jit.types import ArrayType, Type
from ..._jit.unit import Unit
from ..._jit.values import Value
from ..._kp import compile
from . import stdlib

__all__ = [
    "RES_BUFFER",
    "RES_INPUT",
    "Array",
    "ShaderModule",
    "boolean",
    "f16",
    "f32",
    "f64",
    "i16",
    "i32",
    "i64",
    "ivec2",
    "ivec3",
    "ivec4",
    "mat2",
    "mat3",
    "mat4",
    "python2shader",
    "stdlib",
    "u8",
    "u32",
    "vec2",
    "vec3",
    "vec4",
]

RES_INPUT, RES_BUFFER = "input", "buffer"

boolean = Type("bool")
u8, u32 = Type("uint8"), Type("uint32")
i16, i32, i64 = Type("int16"), Type("int32"), Type("int64")
f16, f32, f64 = Type("float16"), Type("float32"), Type("float64")
vec2, vec3, vec4 = Type("float32", 2), Type("float32", 3), Type("float32", 4)
ivec2, ivec3, ivec4 = Type("int32", 2), Type("int32", 3), Type("int32", 4)
mat2, mat3, mat4 = Type("float32", 2, 2), Type("float32", 3, 3), Type("float32", 4, 4)

#: The inputs of compute shaders: GLSL's names.
_INPUTS = {
    "GlobalInvocationId": "gl_GlobalInvocationID",
    "LocalInvocationId": "gl_LocalInvocationID",
    "WorkgroupId": "gl_WorkGroupID",
    "NumWorkgroups": "gl_NumWorkGroups",
    "LocalInvocationIndex": "gl_LocalInvocationIndex",
}
_ARRAY = re.compile(r"\s*Array\s*\(\s*(?:\d+\s*,)?\s*(\w+)\s*\)\s*")


def Array(*arguments: Any) -> ArrayType:  # noqa: N802, pyshader's name
    """Return the type of an array: Array(f32), or Array(size, f32), whose size is not needed."""
    if not 1 <= len(arguments) <= 2 or not isinstance(arguments[-1], Type):
        raise TypeError(f"Array takes a type, or a size and a type, but was given {arguments!r}")
    return ArrayType(arguments[-1], 1)


def _type_of(given: Any) -> Type | ArrayType | None:
    """Return a type that is given as itself or as text."""
    if isinstance(given, (Type, ArrayType)):
        return given
    if isinstance(given, str):
        if match := _ARRAY.fullmatch(given):
            element = _type_of(match[1])
            return ArrayType(element, 1) if isinstance(element, Type) else None
        found = globals().get(given.strip())
        return found if isinstance(found, Type) else None
    return None


class ShaderModule:
    """A compiled function. Made by python2shader()."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._source = Source(function)
        self.__name__ = function.__name__
        self._specs: dict[str, ArrayType | Type] = {}
        self._values: dict[str, Value] = {}
        self._slots: dict[str, int] = {}
        for name, parameter in inspect.signature(function).parameters.items():
            annotation = function.__annotations__.get(name)
            given = annotation if isinstance(annotation, tuple) else parameter.default
            if not isinstance(given, tuple) or len(given) != 3:
                self._fail(name, "(kind, slot, type), as in ('buffer', 0, Array(f32))", given)
            self._add(name, *given)
        names = {**{name: getattr(stdlib, name) for name in stdlib.__all__}, **_types()}
        unit = Unit(
            self._source, self._specs, (1, 1, 1), names, self._values, self._slots, plain=True
        )
        self._glsl = unit.glsl
        self._spirv = compile(self._glsl, file_name=f"{self.__name__}.comp", include_policy="none")

    def _fail(self, name: str, expected: str, given: Any) -> None:
        self._source.fail(self._source.node, f"'{name}' is {expected}, but {given!r} was given")

    def _add(self, name: str, kind: Any, slot: Any, given: Any) -> None:
        own = _type_of(given)
        if kind == RES_BUFFER:
            if not isinstance(own, ArrayType):
                self._fail(name, "a buffer of Array(type)", given)
            place = slot[-1] if isinstance(slot, tuple) else slot
            if not isinstance(place, int) or place in self._slots.values():
                self._fail(name, "a buffer with a binding of its own", slot)
            assert isinstance(own, ArrayType)
            self._slots[name] = place
            self._specs[name] = own
        elif kind == RES_INPUT:
            if slot not in _INPUTS:
                self._fail(name, f"one of {', '.join(_INPUTS)}", slot)
            if not isinstance(own, Type):
                self._fail(name, "i32, u32, or a vector of 2 or 3 of them", given)
            assert isinstance(own, Type)
            part = "" if slot == "LocalInvocationIndex" or own.rows == 3 else ".xyz"[: own.rows + 1]
            self._values[name] = Value(f"{own.glsl}({_INPUTS[slot]}{part})", own, invariant=True)
        else:
            self._fail(name, "an 'input' or a 'buffer'", kind)

    @property
    def glsl(self) -> str:
        """The GLSL that it was compiled to."""
        return self._glsl

    def to_spirv(self) -> bytes:
        """Return the compiled shader."""
        return self._spirv

    def __kp_shader__(self) -> bytes:
        return self._spirv

    def __repr__(self) -> str:
        return f"<kp.pyshader {self.__name__}>"


def _types() -> dict[str, Type]:
    return {name: each for name, each in globals().items() if isinstance(each, Type)}


def python2shader(function: Callable[..., Any]) -> ShaderModule:
    """Compile a function: a decorator. Its parameters are inputs and buffers.

    A group has one work item, as Kompute's programs expect. Raises ShaderError, which points at the
    line of the function.
    """
    return ShaderModule(function)

# SPDX-License-Identifier: Apache-2.0
"""The types of values and arrays in compiled Python functions."""

from __future__ import annotations

import __future__
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._dtypes import element
from .._kp import Buffer
from .._wording import suggestion

#: GLSL's names of scalar types, and the prefixes of their vectors.
_GLSL = {
    "bool": ("bool", "b"),
    "int8": ("int8_t", "i8"),
    "uint8": ("uint8_t", "u8"),
    "int16": ("int16_t", "i16"),
    "uint16": ("uint16_t", "u16"),
    "int32": ("int", "i"),
    "uint32": ("uint", "u"),
    "int64": ("int64_t", "i64"),
    "uint64": ("uint64_t", "u64"),
    "float16": ("float16_t", "f16"),
    "float32": ("float", ""),
    "float64": ("double", "d"),
    "complex64": ("vec2", "?"),
}
SCALARS = frozenset(_GLSL)
_PYTHON = {int: "int32", float: "float32", bool: "bool", complex: "complex64"}
_SHORT = {
    "int": "int32",
    "uint": "uint32",
    "float": "float32",
    "double": "float64",
    "half": "float16",
}
_NAMED = re.compile(r"\s*(\w+)\s*(\[[\s:,]*\])?\s*")


@dataclass(frozen=True)
class Type:
    """A number, a vector (rows > 1) or a matrix (columns > 1).

    A matrix is NumPy's: its rows are the columns of GLSL's, so that both have them one after the
    other in memory. Products therefore have their operands swapped in GLSL.

    A weak type belongs to a Python number, which takes the type of the other operand.
    """

    scalar: str
    rows: int = 1
    columns: int = 1
    weak: bool = False

    @property
    def glsl(self) -> str:
        name, prefix = _GLSL[self.scalar]
        if self.columns > 1:
            return f"{prefix}mat{self.rows}" + f"x{self.columns}" * (self.columns != self.rows)
        return f"{prefix}vec{self.rows}" if self.rows > 1 else name

    @property
    def kind(self) -> str:
        """One of "bool", "int", "uint", "float" and "complex"."""
        return self.scalar.rstrip("0123456789")

    @property
    def bits(self) -> int:
        return int(self.scalar[len(self.kind) :] or 1)

    @property
    def is_scalar(self) -> bool:
        return self.rows == 1 and self.columns == 1

    @property
    def is_vector(self) -> bool:
        return self.rows > 1 and self.columns == 1

    @property
    def is_matrix(self) -> bool:
        return self.columns > 1

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def components(self) -> int:
        return 2 if self.kind == "complex" else self.rows * self.columns

    def of(self, scalar: str) -> Type:
        """Return the type of the same shape with other numbers."""
        return Type(scalar, self.rows, self.columns)

    @property
    def number(self) -> Type:
        """The type of its numbers."""
        return Type(self.scalar, weak=self.weak)

    @property
    def strong(self) -> Type:
        return replace(self, weak=False)

    def __str__(self) -> str:
        if self.is_scalar:
            return self.scalar
        return self.glsl

    @property
    def said(self) -> str:
        """The type with its article: "a float32", "an int32"."""
        return f"{'an' if str(self).startswith('i') else 'a'} {self}"


BOOL = Type("bool")
INT = Type("int32")
UINT = Type("uint32")
FLOAT = Type("float32")
WEAK_INT = Type("int32", weak=True)
WEAK_FLOAT = Type("float32", weak=True)


@dataclass(frozen=True)
class ArrayType:
    """An array that is a parameter. `ndim` is 0 for any number of dimensions."""

    element: Type
    ndim: int

    def __str__(self) -> str:
        return f"{self.element}[{', '.join(':' * self.ndim)}]"


@dataclass(frozen=True)
class Array:
    """An array in the shader.

    - ``storage``: "parameter", "shared", "local" or "constant".
    - ``parameter``: its name in Python, if it is not one of the function's variables.
    - ``extents``: of arrays other than parameters.
    """

    name: str
    element: Type
    ndim: int
    storage: str
    parameter: str = ""
    extents: tuple[int, ...] = ()


def of_dtype(dtype: Any) -> Type:
    """Return the type of a NumPy dtype or of a GLSL name. Raises TypeError."""
    wanted = element(_SHORT.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    base = wanted.base
    if base.name not in _GLSL:
        raise TypeError(f"{base} is not a type in kernels, which have {', '.join(_GLSL)}")
    shape = wanted.shape
    if len(shape) > 2 or any(not 2 <= extent <= 4 for extent in shape):
        raise TypeError(f"{wanted} is not a type in kernels: vectors and matrices have 2 to 4 rows")
    if len(shape) == 2:
        return Type(base.name, shape[0], shape[1])
    return Type(base.name, rows=shape[0] if shape else 1)


def is_int32(value: Any) -> bool:
    """Return whether a number is an integer of 32 bits, or not an integer."""
    return not isinstance(value, (int, np.integer)) or bool(-(2**31) <= value < 2**31)


def of_value(value: Any) -> Type | None:
    """Return the type of a number, which is weak for Python's, or None."""
    if isinstance(value, (bool, np.bool_)):
        return BOOL
    if isinstance(value, np.generic):
        return of_dtype(value.dtype)
    if isinstance(value, int):
        return WEAK_INT
    if isinstance(value, float):
        return WEAK_FLOAT
    if isinstance(value, complex):
        return Type("complex64")
    return None


def of_annotation(annotation: Any) -> Type | ArrayType | None:
    """Return the type that an annotation names, or None for anything else.

    Arrays are "float[:]", "vec3[:, :]" or kp.Buffer[kp.float32]; numbers are types of Python, NumPy
    or this package, or the name of one.
    """
    if isinstance(annotation, type) and annotation in _PYTHON:
        return Type(_PYTHON[annotation])
    if isinstance(annotation, Type):
        return annotation
    if isinstance(annotation, str):
        match = _NAMED.fullmatch(annotation)
        if match is None:
            return None
        try:
            found = of_dtype(match[1])
        except TypeError:
            return None
        return ArrayType(found, match[2].count(",") + 1) if match[2] else found
    arguments = getattr(annotation, "__args__", None)
    if arguments and annotation.__origin__ is Buffer:
        return ArrayType(of_dtype(arguments[0]), 0)
    if isinstance(annotation, np.dtype) or (
        isinstance(annotation, type) and issubclass(annotation, np.generic)
    ):
        return of_dtype(annotation)
    return None


def nearest_type(text: str) -> str:
    """Return "; did you mean 'float'?" if text is nearly an annotation, else nothing."""
    vectors = [
        f"{prefix}vec{n}" for _, prefix in _GLSL.values() if prefix != "?" for n in (2, 3, 4)
    ]
    name, bracket, axes = text.partition("[")
    end = f"[{axes}" if bracket and _NAMED.fullmatch(text) else "[:]" if bracket else ""
    return suggestion(name.strip() + end, [each + end for each in (*_SHORT, *_GLSL, *vectors)])


def annotation_of(function: Callable[..., Any], name: str) -> Any:
    """Return the annotation of a parameter. Text that names something else is evaluated.

    Text that cannot be evaluated is returned as it is, unless the whole module's annotations are
    text. Their names may exist only for type checkers.
    """
    text = function.__annotations__.get(name)
    if isinstance(text, str) and of_annotation(text) is None:
        try:
            return eval(text, getattr(function, "__globals__", {}))
        except Exception:
            return (
                None if function.__code__.co_flags & __future__.annotations.compiler_flag else text
            )
    if text in ("float", "int", "bool", "complex"):
        return {"float": float, "int": int, "bool": bool, "complex": complex}[text]
    return text

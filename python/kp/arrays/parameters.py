# SPDX-License-Identifier: Apache-2.0
"""The parameters of kernels from lines of GLSL: their declarations and arguments."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._floats import without_doubles
from .._wording import no_argument
from .elementwise import Operand
from .storage import DType
from .types import number, require_held


@dataclass(frozen=True)
class LineParameter:
    """A parameter: `kind` is a dtype or a letter, which stands for any; raw is indexed by hand."""

    name: str
    kind: Any
    raw: bool


_PARAMETER = re.compile(r"(raw\s+)?(\w+)\s+([A-Za-z_]\w*)")

#: Names that kernels use themselves.
_TAKEN = re.compile(r"i|n|p|v\d+|gl_\w*|kp_\w*|memory\d*|main|total|combine|kept\d+|reduced\d+")

_GLSL_NAMES = {"float": "float32", "double": "float64", "int": "int32", "uint": "uint32"}


@functools.lru_cache(maxsize=256)
def parse(text: str, what: str) -> tuple[LineParameter, ...]:
    """Return the parameters of a declaration as in "T x, raw float32 y"."""
    found = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        match = _PARAMETER.fullmatch(part)
        if match is None:
            raise ValueError(f"{what} has {part!r}; a parameter is a type and a name, as 'T x'")
        raw, kind, name = match[1] is not None, match[2], match[3]
        if _TAKEN.fullmatch(name):
            raise ValueError(f"{what} has a parameter named {name!r}, which kernels use themselves")
        if len(kind) == 1 and kind.isupper():
            found.append(LineParameter(name, kind, raw))
            continue
        try:
            dtype = number(_GLSL_NAMES.get(kind, kind)).dtype
        except TypeError:
            raise ValueError(
                f"{what} has the type {kind!r}; types are NumPy's names, or a capital letter"
            ) from None
        found.append(LineParameter(name, _real(name, dtype), raw))
    names = [each.name for each in found]
    if len(set(names)) != len(names):
        raise ValueError(f"{what} has a name twice: {text!r}")
    return tuple(found)


def in_order(
    kernel: object,
    parameters: tuple[LineParameter, ...],
    args: tuple[Any, ...],
    named: dict[str, Any],
    keywords: tuple[str, ...],
) -> tuple[Any, ...]:
    """Return the arguments of a call in the order of the parameters. `keywords` are for messages."""
    label = f"a call of a kp.{type(kernel).__name__}"
    names = [each.name for each in parameters]
    given = dict(zip(names, args, strict=False))
    for name, value in named.items():
        if name not in names:
            raise TypeError(no_argument(label, name, [*names, *keywords]))
        if name in given:
            raise TypeError(f"{label} got its argument '{name}' twice")
        given[name] = value
    missing = [name for name in names[: len(given)] if name not in given]
    if missing:
        raise TypeError(f"{label} lacks its argument '{missing[0]}'")
    return (*[given[name] for name in names[: len(given)]], *args[len(names) :])


def letters_of(parameters: tuple[LineParameter, ...], operands: list[Operand]) -> dict[str, DType]:
    """Return the dtypes of type letters. Python numbers adapt to arrays with the same letter."""
    groups: dict[str, list[Any]] = {}
    for parameter, operand in zip(parameters, operands, strict=True):
        if isinstance(parameter.kind, str):
            known = operand.kind if isinstance(operand.kind, np.dtype) else operand.value
            groups.setdefault(parameter.kind, []).append(known)
    letters = {}
    for letter, values in groups.items():
        arrays = {value for value in values if isinstance(value, np.dtype)}
        if len(arrays) > 1:
            given = ", ".join(
                f"{parameter.name} is {operand.kind}"
                for parameter, operand in zip(parameters, operands, strict=True)
                if parameter.kind == letter and isinstance(operand.kind, np.dtype)
            )
            raise TypeError(f"the type {letter} stands for several dtypes: {given}; convert them")
        if arrays:
            letters[letter] = arrays.pop()
            found = np.result_type(letters[letter], *values)
            if found.kind != letters[letter].kind:
                numbers = [value for value in values if not isinstance(value, np.dtype)]
                raise TypeError(
                    f"the type {letter} is {letters[letter]}, which cannot hold {numbers[0]!r}; "
                    f"convert the array with astype('{found}')"
                )
        else:
            letters[letter] = without_doubles(np.result_type(*values))
    return letters


def type_of(parameter: LineParameter, letters: dict[str, DType]) -> DType:
    """Return the dtype of a parameter. Raises TypeError if it is complex, or nothing tells it."""
    if not isinstance(parameter.kind, str):
        dtype: DType = parameter.kind
        return dtype
    if parameter.kind not in letters:
        raise TypeError(f"nothing determines the type {parameter.kind} of {parameter.name}")
    return _real(parameter.name, letters[parameter.kind])


def _real(name: str, dtype: DType) -> DType:
    """Return a dtype. Raises TypeError if it is complex: GLSL would multiply its parts."""
    if dtype.kind == "c":
        raise TypeError(
            f"{name} is {dtype}, but lines of GLSL do not compute complex numbers; use an expression "
            "of arrays, as x * y + 1, or @kp.jit"
        )
    return dtype


def require_input(parameter: LineParameter, operand: Operand, dtype: DType) -> None:
    """Refuse arguments that would lose information in a named type.

    Arrays convert by NumPy's rule "same_kind". Numbers of Python, also in lists, have to fit.
    """
    if isinstance(parameter.kind, str):
        return
    given = operand.kind
    if not isinstance(given, np.dtype) or isinstance(operand.value, (list, tuple)):
        require_held(operand.value, dtype, parameter.name)
    elif not np.can_cast(given, dtype, "same_kind"):
        raise TypeError(
            f"{parameter.name} is {dtype}, but {given} was given; convert it with astype('{dtype}')"
        )


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", re.M)


def require_expression(name: str, text: str, example: str) -> None:
    """Refuse statements where GLSL needs an expression."""
    if re.search(r"\breturn\b|[;{}]", _COMMENT.sub(" ", text)):
        raise ValueError(
            f"{name} is an expression, such as '{example}', without statements; given was {text!r}"
        )


def require_set(outputs: tuple[LineParameter, ...], operation: str, preamble: str) -> None:
    """Refuse an operation without a statement that may set a result, or that may return before it.

    A statement may set it by assignment, as an argument of a function (an out parameter), or in a
    macro.
    """
    text = _COMMENT.sub(" ", operation)
    if re.search(r"\breturn\b", text):
        raise ValueError(
            f"operation sets the result, as '{outputs[0].name} = ...', and does not return: every "
            "element needs a result; write 'if (...) ... else ...', or a function in preamble. Given "
            f"was {operation!r}"
        )
    macros = "\n".join(_MACRO.findall(f"{preamble}\n{text}"))
    for name in (each.name for each in outputs):
        word = rf"(?<![.\w]){name}\b"
        part = rf"{word}(?:\s|\.\w+|\[[^;=]*\])*"
        if not (
            re.search(rf"{part}=(?!=)", text)
            or re.search(rf"[(,]\s*{part}[,)]", text)
            or re.search(word, macros)
        ):
            raise ValueError(f"operation sets the result, as '{name} = ...', not {operation!r}")

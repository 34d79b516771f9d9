# SPDX-License-Identifier: Apache-2.0
"""Messages for calls of the extension module that no signature accepts.

pybind11 prints all arguments, whole shaders among them, and every signature. These messages name
the wrong argument.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

import numpy as np

from .. import _kp
from .._wording import counted, is_unicode, no_argument, not_unicode

#: How pybind11's message begins.
_REFUSED = re.compile(r"\w+\(\): incompatible (function|constructor) arguments")
#: A parameter in a signature of pybind11: name, type and default.
_PARAMETER = re.compile(
    r"(?P<stars>\*{0,2})(?P<name>\w*)(?:: (?P<type>.*?))?(?P<default> = .*)?", re.S
)


def _split(text: str) -> list[str]:
    """Split at the commas that are outside of brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


#: pybind11's names for whole numbers.
_INTEGERS = ("int", "typing.SupportsInt", "typing.SupportsIndex")
#: The type of sequences of whole numbers, and their alternatives.
_ROW = re.compile(r"(?P<kind>tuple|collections\.abc\.Sequence)\[(?P<items>[^\]]*)\](?: \| None)?")


def _row_length(type_: str) -> int | None:
    """Return how many whole numbers an argument of a type has: 0 for any number, None for others."""
    found = _ROW.fullmatch(type_)
    if found is None:
        return None
    items = [item.strip().split(" | ") for item in found["items"].split(",")]
    if not all({*_INTEGERS, "None"}.issuperset(kinds) for kinds in items):
        return None
    return len(items) if found["kind"] == "tuple" else 0


class _Signature:
    """The parameters of a function without `self`, from the first line of its documentation."""

    def __init__(self, documentation: str) -> None:
        self.text = documentation.partition("\n")[0]
        inside = self.text.partition("(")[2].rpartition(") -> ")[0]
        self.positional: list[str] = []
        self.keywords: list[str] = []
        self.required: list[str] = []
        self.integers: set[str] = set()  # parameters that are whole numbers
        self.rows: dict[str, int] = {}  # parameters that are several, and how many; 0: any number
        self.flags: set[str] = set()
        self.texts: set[str] = set()
        keyword_only = False
        for part in _split(inside):
            found = _PARAMETER.fullmatch(part)
            if found is None or part == "/":
                continue
            if found["stars"]:
                keyword_only = True
            elif found["name"] and found["name"] != "self":
                self.keywords.append(found["name"])
                kinds = (found["type"] or "").split(" | ")
                if set(kinds) <= {*_INTEGERS, "None"} and set(kinds) != {"None"}:
                    self.integers.add(found["name"])
                for kind, group in (("bool", self.flags), ("str", self.texts)):
                    if kind in kinds and set(kinds) <= {kind, "None"}:
                        group.add(found["name"])
                length = _row_length(found["type"] or "")
                if length is not None:
                    self.rows[found["name"]] = length
                if not keyword_only:
                    self.positional.append(found["name"])
                if found["default"] is None:
                    self.required.append(found["name"])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _fault_in_row(label: str, name: str, value: Any, length: int) -> str | None:
    """Describe the error in an argument that is several whole numbers."""
    wanted = f"a tuple of {counted(length, 'whole number')}" if length else "a row of whole numbers"
    is_row = isinstance(value, (list, tuple, np.ndarray)) and (not length or len(value) == length)
    if not is_row or not all(isinstance(each, (int, np.integer, type(None))) for each in value):
        return f"{label}: {name} is {wanted}, not {value!r:.60}"
    for each in value:
        if name != "axes" and each is not None and not 0 <= each < 2**64:
            return f"{label}: {name} has {each}, which is too {'small' if each < 0 else 'large'}"
    return None


def _explanation(
    label: str, signature: _Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> str:
    """Describe the error in a call. Raises UnicodeEncodeError if a text has no UTF-8."""
    for name in kwargs:
        if name not in signature.keywords:
            return no_argument(label, name, signature.keywords)
    if len(args) > len(signature.positional):
        return (
            f"{label} takes at most {counted(len(signature.positional), 'argument')} by position "
            f"({_listed(signature.positional)}), but was given {len(args)}"
        )
    given = dict(zip(signature.positional, args))
    for name in kwargs:
        if name in given:
            return f"{label} got the argument {name!r} twice, by position and by name"
    missing = [n for n in signature.required if n not in given and n not in kwargs]
    if missing:
        return f"{label} lacks {_listed(missing)}. Its signature is {signature.text}"
    for name, value in {**given, **kwargs}.items():
        if isinstance(value, str) and not is_unicode(value):
            raise not_unicode(f"{name} of {label}", value)
        if name in signature.flags and value is not None and not hasattr(value, "__bool__"):
            return f"{label}: {name} is True or False, not {value!r:.60}"
        if name in signature.texts and not isinstance(value, (str, bytes, type(None))):
            return f"{label}: {name} is text, not {value!r:.60}"
        if name in signature.rows and value is not None:
            fault = _fault_in_row(label, name, value, signature.rows[name])
            if fault:
                return fault
        if name not in signature.integers or value is None:
            continue
        if not isinstance(value, (int, np.integer)):
            return f"{label}: {name} is a whole number, not {value!r}"
        if value < 0 or value >= 2**31:
            return f"{label}: {name} is {value}, which is too {'small' if value < 0 else 'large'}"
    types_given = [f"{name}: {type(value).__name__}" for name, value in {**given, **kwargs}.items()]
    return (
        f"{label} does not take arguments of these types: {_listed(types_given)}. Its signature is "
        f"{signature.text}"
    )


def explained(function: Callable[..., Any], label: str, bound: bool) -> Callable[..., Any]:
    """Return a function of the extension module with messages of ours.

    - `label`: its name in messages: "kp.Manager.tensor()".
    - `bound`: whether the first argument is the object.
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            # An error from inside of the call, as of a function that it calls, has more frames.
            inside = error.__traceback__ is not None and error.__traceback__.tb_next is not None
            if inside or not _REFUSED.match(str(error)):
                raise
        signature = _Signature(function.__doc__ or "")
        raise TypeError(_explanation(label, signature, args[1:] if bound else args, kwargs))

    name = label.removeprefix("kp.").removesuffix("()")
    is_init = call.__name__ == "__init__"
    call.__qualname__ = f"{name}.__init__" if is_init else name
    return call


def _takes_names(documentation: str | None) -> bool:
    """Whether a function has arguments that callers name."""
    keywords = _Signature(documentation or "").keywords
    return any(not re.fullmatch(r"arg\d+", name) for name in keywords)


def install() -> None:
    """Wrap the public functions of the extension module that have named arguments.

    Functions that CPython calls directly have another type and their own messages.
    """
    for name, member in list(vars(_kp).items()):
        private = name.startswith("_")
        if (
            isinstance(member, types.BuiltinFunctionType)
            and not private
            and _takes_names(member.__doc__)
        ):
            setattr(_kp, name, explained(member, f"kp.{name}()", bound=False))
        if isinstance(member, type):
            _install_in(member)


def _install_in(class_: type) -> None:
    for name, member in list(vars(class_).items()):
        static = isinstance(member, staticmethod)
        function = member.__func__ if isinstance(member, staticmethod) else member
        is_ours = type(function).__name__ in ("instancemethod", "builtin_function_or_method")
        if not is_ours or (name.startswith("_") and name != "__init__"):
            continue
        if not _takes_names(function.__doc__):
            continue
        label = (
            f"kp.{class_.__name__}()" if name == "__init__" else f"kp.{class_.__name__}.{name}()"
        )
        wrapped: Any = explained(function, label, bound=not static)
        setattr(class_, name, staticmethod(wrapped) if static else wrapped)


install()

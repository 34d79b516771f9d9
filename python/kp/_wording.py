# SPDX-License-Identifier: Apache-2.0
"""Names of things in messages: given values, and suggestions for misspelled names."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ._package import package

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

_SURROGATE = re.compile("[\ud800-\udfff]")


def kind_of(value: Any) -> str:
    """Return what a value is, with an article: "a kp.Image", "an int", "None"."""
    if value is None:
        return "None"
    kind = type(value)
    name = kind.__qualname__
    package = kind.__module__.partition(".")[0]
    if package in ("kp", "numpy"):
        name = f"{package}.{name}"
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def readable(text: str) -> str:
    """Return a text, such as the name of a file, with escapes in place of lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


def is_unicode(text: str) -> bool:
    """Return whether a text has UTF-8: Python's may have lone surrogates."""
    return not _SURROGATE.search(text)


def not_unicode(name: str, text: str) -> UnicodeEncodeError:
    """Return the error about an argument that is text with a lone surrogate."""
    found = _SURROGATE.search(text)
    first, end = found.span() if found else (0, 0)
    reason = (
        f"surrogates not allowed. {name} is text; if it was decoded from bytes, decode them by their "
        "encoding, or with errors='replace'"
    )
    return UnicodeEncodeError("utf-8", text, first, end, reason)


def counted(count: int, noun: str) -> str:
    """Return a number of things: "1 axis", "2 axes"."""
    if count == 1:
        return f"1 {noun}"
    irregular = {"axis": "axes", "index": "indices", "entry": "entries"}
    return f"{count} {irregular.get(noun, noun + 's')}"


def of_no_elements(name: str) -> ValueError:
    """Return the error of a reduction that needs an element."""
    return ValueError(f"{name} of no elements does not exist")


def inner_extents_differ(
    first: tuple[int, ...], second: tuple[int, ...], inner: tuple[int, int]
) -> ValueError:
    """Return the error of a product of arrays of these shapes."""
    return ValueError(
        f"arrays of the shapes {first} and {second} cannot be multiplied: their inner extents differ, "
        f"{inner[0]} and {inner[1]}"
    )


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" if a known name is near an unknown one, else nothing."""
    close = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def no_function(module: str, name: str, numpys: Any, known: Iterable[str], advice: str) -> str:
    """Return the message about a name that a module lacks but a module of NumPy may have.

    `numpys` is NumPy's module, and `advice` is added if it has the name.
    """
    here = f"{module} has no '{name}'"
    if not name.startswith("_") and hasattr(numpys, name):
        return f"{here}; {advice}"
    return here + suggestion(name, [each for each in known if not each.startswith("_")])


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest known name, and all of them."""
    names = list(known)
    listed = f"(it has {', '.join(names)})" if names else "(it has none)"
    return f"{suggestion(name, names)} {listed}"


def no_argument(label: str, name: str, known: Iterable[str]) -> str:
    """Return the message about a keyword that a function does not take."""
    names = list(known)
    hint = suggestion(name, names) or "."
    return f"{label} has no argument {name!r}{hint} Its arguments are {', '.join(names) or 'none'}"


def label_of(function: Callable[..., Any]) -> str:
    """Return the name of a public function or method in messages: "kp.fft.rfft()"."""
    kp = package()

    name = function.__qualname__
    if name.endswith(".__call__"):
        return f"a call of a kp.{name.removesuffix('.__call__')}"
    first = name.partition(".")[0]
    for prefix, module in (
        ("", kp),
        ("linalg.", kp.linalg),
        ("fft.", kp.fft),
        ("random.", kp.random),
    ):
        public = getattr(module, first, None)
        own = callable(public) and inspect.unwrap(public) is inspect.unwrap(function)
        if own or isinstance(public, type):
            return f"kp.{prefix}{name}()"
    return f"kp.{name.removesuffix('_method')}()"


def refuse_unknown(function: Callable[..., Any], kwargs: Mapping[str, Any]) -> None:
    """Raise TypeError if a call of a function had a keyword that the function does not take."""
    parameters = inspect.signature(function).parameters.values()
    if not kwargs or [each for each in parameters if each.kind is each.VAR_KEYWORD]:
        return
    known = [
        each.name
        for each in parameters
        if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) and each.name != "self"
    ]
    for name in kwargs:
        if name not in known:
            raise TypeError(no_argument(label_of(function), name, known)) from None


def explains_keywords(function: F) -> F:
    """Return a function whose calls with an unknown keyword name the nearest one that it takes."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            refuse_unknown(function, kwargs)
            raise

    made: Any = called
    typed: F = made
    return typed


def explains_methods(class_: C) -> C:
    """Do the same for the public methods of a class."""
    for name, member in list(vars(class_).items()):
        public = not name.startswith("_") or name == "__call__"
        if not public or not inspect.isfunction(member):
            continue
        if member.__code__.co_argcount + member.__code__.co_kwonlyargcount > 1:
            setattr(class_, name, explains_keywords(member))
    return class_

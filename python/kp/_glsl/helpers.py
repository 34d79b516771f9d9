# SPDX-License-Identifier: Apache-2.0
"""The table of GLSL functions, one text for all types T that have them, and the definitions that a text needs.

Names in other texts pull in what they need. Results are NumPy's, for special values, too.
"""

from __future__ import annotations

import re

from .complex_numbers import COMPLEX
from .conversions import CONVERSIONS
from .integers import INTEGERS
from .mathematics import MATHEMATICS
from .reals import REALS

#: Name -> text. T is the type, S the type of its parts (T itself if it is not complex).
HELPERS: dict[str, str] = {**CONVERSIONS, **REALS, **INTEGERS, **COMPLEX, **MATHEMATICS}

_NAME = re.compile(r"\bkp_\w+")
_SIGNATURE = re.compile(r"(\w+) (kp_\w+)\((.*?)\) {")

#: Types of parts.
_PARTS = {"vec2": "float", "dvec2": "double"}


def _is_of_float(name: str) -> bool:
    """Return whether a function has one text, whose types do not depend on T."""
    return name in MATHEMATICS or name in CONVERSIONS


def has_double(name: str) -> bool:
    """Return whether a function of reals takes double, too."""
    return name in REALS


def define(name: str, computed: str, texts: dict[str, str]) -> None:
    """Add the definition of a function for a type to `texts`, after those that it calls.

    Does nothing for names that are not in HELPERS.
    """
    text = HELPERS.get(name)
    if _is_of_float(name):
        computed = "float"
    key = f"{name} {computed}"
    if text is None or key in texts:
        return
    part = _PARTS.get(computed, computed)
    own = "#else" not in text
    if not own:  # one text for float, another for double
        double, single = text.split("#else")
        text = double.replace("#if IS_DOUBLE", "") if part == "double" else single
        text = text.replace("#endif", "")
        key = f"{name} {part}"
        if key in texts:
            return
    for called in dict.fromkeys(_NAME.findall(text)):
        if called != name:
            define(called, part if called in REALS else computed, texts)
    texts[key] = re.sub(r"\bS\b", part, re.sub(r"\bT\b", computed, text)).strip() + "\n"


def define_by_part(
    name: str, part: str, whole: tuple[str, str], count: int, texts: dict[str, str]
) -> None:
    """Add the definition of a function for vectors, by their components, or for matrices, by their columns.

    - `part`: the type of numbers that it takes.
    - `whole`: the types that it takes and returns.
    """
    define(name, part, texts)
    match = _SIGNATURE.search(HELPERS[name].split("#else")[-1])
    assert match is not None, name
    given = [each.split() for each in match[3].split(",")]
    own = given[0][0]
    calls = ", ".join(
        f"{name}({', '.join(f'{each}[{i}]' if kind == own else each for kind, each in given)})"
        for i in range(count)
    )
    listed = ", ".join(f"{whole[0] if kind == own else kind} {each}" for kind, each in given)
    texts[f"{name} {whole[0]}"] = f"{whole[1]} {name}({listed}) {{ return {whole[1]}({calls}); }}\n"


def functions_in(text: str) -> list[str]:
    """Return the names of helpers in a text."""
    return [name for name in dict.fromkeys(_NAME.findall(text)) if name in HELPERS]

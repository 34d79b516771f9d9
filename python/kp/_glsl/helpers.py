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


def define_by_component(name: str, computed: str, vector: str, texts: dict[str, str]) -> None:
    """Add the definition of a function of reals for vectors, by their components."""
    define(name, computed, texts)
    match = _SIGNATURE.search(texts.get(f"{name} {computed}", ""))
    assert match is not None, name
    names = [each.split()[-1] for each in match[3].split(",")]
    result = vector if match[1] == computed else f"b{vector.lstrip('d')}"
    calls = ", ".join(
        f"{name}({', '.join(f'{each}.{part}' for each in names)})"
        for part in "xyzw"[: int(vector[-1])]
    )
    given = ", ".join(f"{vector} {each}" for each in names)
    texts[f"{name} {vector}"] = f"{result} {name}({given}) {{ return {result}({calls}); }}\n"


def functions_in(text: str) -> list[str]:
    """Return the names of helpers in a text."""
    return [name for name in dict.fromkeys(_NAME.findall(text)) if name in HELPERS]

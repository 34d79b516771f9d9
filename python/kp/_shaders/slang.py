# SPDX-License-Identifier: Apache-2.0
"""Finds Slang's library, which compiles shaders in Slang."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

#: Names in the order of preference. Linux's have the version at their end.
_PATTERNS = {
    "win32": ("slang-compiler.dll", "slang.dll"),
    "darwin": ("libslang-compiler*.dylib", "libslang.dylib"),
}
_OTHERS = ("libslang-compiler.so*", "libslang.so*")


def library() -> str:
    """Return the path of the library in the installed package slangpy, or "".

    The package is not imported.
    """
    try:
        spec = find_spec("slangpy")
    except (ImportError, ValueError):  # a package that is damaged or half imported
        return ""
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for pattern in _PATTERNS.get(sys.platform, _OTHERS):
            for path in sorted(Path(folder).glob(pattern)):
                return str(path)
    return ""

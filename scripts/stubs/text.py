# SPDX-License-Identifier: Apache-2.0
"""How stubs are written: one function at a time, in lines of a limited width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

WIDTH = 100


class Failure(Exception):
    """An error for the user of scripts/python_stubs.py."""


def documented(text: str, indent: str) -> Iterator[str]:
    if "\\" in text or '"""' in text:
        raise Failure(f"this documentation needs escapes: {text}")
    # A single line needs room for the quotes at both ends.
    width = WIDTH - len(indent) - len('"""') * (1 if "\n" in text.strip() else 2)
    paragraphs = [
        (
            textwrap.fill(paragraph, width)
            if any(len(line) > width for line in paragraph.split("\n"))
            else paragraph
        )
        for paragraph in text.strip().split("\n\n")
    ]
    text = "\n\n".join(paragraphs)
    end = "\n" if "\n" in text else ""
    yield from textwrap.indent(f'"""{text}{end}"""', indent).split("\n")


def defined(
    name: str,
    arguments: Sequence[str],
    result: str,
    documentation: str,
    indent: str = "",
    comment: str = "",
) -> Iterator[str]:
    """Yield the lines of a function. `comment` is for type checkers, after the first line."""
    end = ":" if documentation else ": ..."
    line = f"{indent}def {name}({', '.join(arguments)}) -> {result}{end}"
    if len(line) <= WIDTH:
        yield line + comment
    else:
        yield f"{indent}def {name}({comment}"
        yield from (f"{indent}    {argument}," for argument in arguments)
        yield f"{indent}) -> {result}{end}"
    if documentation:
        yield from documented(documentation, indent + "    ")

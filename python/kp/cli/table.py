# SPDX-License-Identifier: Apache-2.0
"""Readable text: aligned tables, and numbers with units."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def format_table(
    rows: Sequence[Sequence[str]],
    header: Sequence[str] | None = None,
    right: Collection[int] = (),
    indent: str = "",
) -> str:
    """Align columns. ``right`` holds the indices of the right-aligned columns."""
    lines = [list(header), *rows] if header else list(rows)
    if not lines:
        return ""
    columns = max(len(line) for line in lines)
    widths = [
        max((len(line[i]) for line in lines if i < len(line)), default=0) for i in range(columns)
    ]

    def cell(text: str, column: int) -> str:
        return text.rjust(widths[column]) if column in right else text.ljust(widths[column])

    return "\n".join(
        (indent + "  ".join(cell(text, i) for i, text in enumerate(line))).rstrip()
        for line in lines
    )


def format_bytes(count: int) -> str:
    """Return a size such as ``16 MiB``. It is exact below 1 KiB."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} TiB"


def format_time(seconds: float) -> str:
    """Return a time such as ``12.3 us``, with three digits."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def format_shape(shape: Sequence[int]) -> str:
    """Return a shape such as ``4x4x3``."""
    return "x".join(str(size) for size in shape) or "scalar"


def plural(count: int, noun: str) -> str:
    """Return ``1 input`` or ``2 inputs``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

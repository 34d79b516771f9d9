# SPDX-License-Identifier: Apache-2.0
"""A progress bar on the terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TextIO, final

WIDTH = 30


@final
class Progress:
    """Draws on stderr if that is a terminal. Clears the line at the end."""

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._total = max(1, total)
        self._done = 0
        self._shown = 0
        self._enabled = self._stream.isatty()

    def start(self, label: str) -> None:
        """Name the step that begins now."""
        filled = WIDTH * self._done // self._total
        bar = "#" * filled + "." * (WIDTH - filled)
        self._draw(f"[{bar}] {self._done}/{self._total} {label}"[:79])

    def advance(self) -> None:
        """Count the step as done."""
        self._done = min(self._done + 1, self._total)

    def _draw(self, line: str) -> None:
        if self._enabled:
            self._stream.write("\r" + line.ljust(self._shown))
            self._stream.flush()
            self._shown = len(line)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._enabled:
            self._stream.write("\r" + " " * self._shown + "\r")
            self._stream.flush()

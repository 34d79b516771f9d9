# SPDX-License-Identifier: Apache-2.0
"""The bar of kp.Autotuner(progress=True)."""

from __future__ import annotations

import sys
from typing import TextIO

from .._kp import TuningProgress

WIDTH = 30


class TuningBar:
    """Shows the progress of tuning on sys.stderr, in notebooks as well as terminals.

    There, it redraws one line. Elsewhere, as in a file, it writes a line for each round.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._shown = 0

    def __call__(self, state: TuningProgress) -> None:
        stream = self._stream or sys.stderr
        if stream is None:  # a program without a console
            return
        draws = stream.isatty() or "ipykernel" in sys.modules
        ends = state.done == state.total
        if not draws and not ends:
            return
        line = self._line(state)
        if draws:
            line, self._shown = "\r" + line.ljust(self._shown), 0 if ends else len(line)
        stream.write(line + ("\n" if ends else ""))
        stream.flush()

    @staticmethod
    def _line(state: TuningProgress) -> str:
        filled = WIDTH * state.done // max(1, state.total)
        line = (
            f"{state.kernel} round {state.round}/{state.rounds} "
            f"[{'=' * filled}{' ' * (WIDTH - filled)}] {state.done}/{state.total}"
        )
        if state.budget > 0:
            line += f" {state.elapsed:.1f}/{state.budget:.1f} s"
        if state.best_ns > 0:
            best = ", ".join(f"{name}={value}" for name, value in state.best.items())
            line += f" best {1e-3 * state.best_ns:.2f} us: {best}"
        return line

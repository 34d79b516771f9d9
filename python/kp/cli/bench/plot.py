# SPDX-License-Identifier: Apache-2.0
"""The plot of ``kp bench``. It needs matplotlib."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from kp.cli.errors import CommandError
from kp.cli.table import format_bytes


def require_matplotlib() -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise CommandError("--plot needs matplotlib: pip install matplotlib")


def plot_copies(path: str, numbers: Mapping[str, Any], names: Mapping[str, str]) -> None:
    """Plot the copy rate against the size, one line for each direction."""
    importlib.import_module("matplotlib").use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    rows = numbers["copies_bytes_per_second"]
    sizes = [row["bytes"] for row in rows]
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for key, label in names.items():
        axes.plot(sizes, [row[key] / 1e9 for row in rows], marker="o", label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(sizes, [format_bytes(size) for size in sizes])
    axes.set_xlabel("size of one copy")
    axes.set_ylabel("GB/s")
    axes.set_title(f"Copies: {numbers['device']}")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    try:
        figure.savefig(path)
    except ValueError as fault:
        raise CommandError(f"{path}: {str(fault).splitlines()[0]}") from fault
    finally:
        pyplot.close(figure)

# SPDX-License-Identifier: Apache-2.0
"""The text of a report."""

from __future__ import annotations

import getpass
import os
import platform
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import kp
from kp.cli.device_report.checks import FAILED, PASSED, UNSUPPORTED, Outcome
from kp.cli.table import format_bytes, format_table

#: Names that are too short would be found in other words.
_SHORTEST = 4


def report_text(
    device: dict[str, Any],
    facts: dict[str, Any],
    outcomes: list[Outcome],
    speeds: list[tuple[str, str]],
) -> str:
    """Return the report, without names of users, hosts and folders."""
    counts = Counter(outcome.result for outcome in outcomes)
    parts = [
        f"Kompute {kp.__version__} device report",
        format_table(_machine_rows(device, facts)),
        "limits\n" + format_table(_limit_rows(facts), indent="  "),
        "memory\n" + format_table(_memory_rows(facts), indent="  "),
        "features\n  " + _wrapped(facts["enabled_features"]),
        "features that the device lacks or the library does not enable\n  "
        + _wrapped(facts["missing_features"]),
        "extensions\n  " + _wrapped(facts["extensions"]),
        f"checks: {_summary(counts)}\n" + format_table(_check_rows(outcomes), indent="  "),
        "speeds\n" + format_table(speeds, indent="  "),
        "line for docs/guides/devices.md\n" + table_line(device, facts, counts, speeds),
    ]
    return without_names("\n\n".join(parts) + "\n")


def table_line(
    device: dict[str, Any],
    facts: dict[str, Any],
    counts: Counter[str],
    speeds: list[tuple[str, str]],
) -> str:
    """Return the row of the table of devices."""
    rates = "; ".join(
        f"{name.split(' of ')[0]} {speed}"
        for name, speed in speeds
        if name.startswith(("product", "sort", "sum")) and not speed.startswith("not measured")
    )
    cells = (
        str(device["device_name"]),
        f"{device['driver']}, {platform.system()}",
        str(device["api_version"]),
        kp.__version__,
        _summary(counts),
        rates or "-",
    )
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def _summary(counts: Counter[str]) -> str:
    parts = [f"{counts[result]} {result}" for result in (PASSED, UNSUPPORTED, FAILED)]
    return ", ".join(part for part in parts if not part.startswith("0 ")) or "none"


def _machine_rows(device: dict[str, Any], facts: dict[str, Any]) -> list[list[str]]:
    rows = [
        ["device", str(device["device_name"])],
        ["type", str(device["type"])],
        ["vendor and device", f"{facts['vendor_id']:#06x} {facts['device_id']:#06x}"],
        ["driver", f"{device['driver']} ({facts['driver_version']:#x})"],
        ["Vulkan", str(device["api_version"])],
        ["system", f"{platform.system()} {platform.machine()}"],
        ["Python", f"{platform.python_version()}, NumPy {np.__version__}"],
    ]
    if facts["profile"]:
        rows.insert(1, ["AS", f"the device profile {Path(facts['profile']).name}"])
    return rows


def _limit_rows(facts: dict[str, Any]) -> list[list[str]]:
    rows = [
        [name, " ".join(map(str, value)) if isinstance(value, tuple) else str(value)]
        for name, value in sorted(facts["limits"].items())
    ]
    return [*rows, ["subgroup operations", " ".join(facts["subgroup_operations"]) or "none"]]


def _memory_rows(facts: dict[str, Any]) -> list[list[str]]:
    heaps = [[f"heap {i}", format_bytes(size)] for i, size in enumerate(facts["heap_bytes"])]
    types = [
        [f"type {i}", f"heap {heap}", " ".join(flags)]
        for i, (heap, flags) in enumerate(facts["memory_types"])
    ]
    return [*heaps, *types]


def _check_rows(outcomes: list[Outcome]) -> list[list[str]]:
    return [
        [each.group, each.name, each.result + (f": {_line(each.reason)}" if each.reason else "")]
        for each in outcomes
    ]


def _line(text: str) -> str:
    return " ".join(text.split())[:300]


def _wrapped(names: list[str], width: int = 98) -> str:
    lines = [""]
    for name in names:
        if lines[-1] and len(lines[-1]) + len(name) + 1 > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + name
    return "\n  ".join(lines) or "none"


def without_names(text: str) -> str:
    """Return a text without the names of this user, this host and their folders."""
    folders = {str(Path.home()), os.getcwd(), tempfile.gettempdir(), str(Path(kp.__file__).parent)}
    for folder in sorted(folders, key=len, reverse=True):
        if len(folder) >= _SHORTEST:
            text = text.replace(folder, "<folder>")
    # Remaining absolute paths: two names at least, so that "GB/s" stays.
    text = re.sub(r"(?<![\w<>.])(?:[A-Za-z]:)?(?:[\\/][\w.+-]+){2,}", "<path>", text)
    for name in (_user(), platform.node(), platform.node().split(".")[0]):
        if len(name) >= _SHORTEST:
            text = re.sub(rf"\b{re.escape(name)}\b", "<name>", text)
    return text


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""

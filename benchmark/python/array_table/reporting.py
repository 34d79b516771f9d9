# SPDX-License-Identifier: Apache-2.0
"""Tables of ratios: on the terminal, as a page and as JSON."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import kp

#: The ratios below which cases are counted.
MARKS = (0.8, 0.5)


#: The measures in words.
MEASURES = {
    "wait": "with the wait",
    "call": "until the call returns",
    "processor": "in processor time",
}


@dataclass
class Entry:
    """The result for one case at one size. Times are in seconds."""

    text: str
    family: str
    dtype: str
    form: str
    n: int
    ours: float | None = None
    theirs: float | None = None
    failure: str = ""
    #: Why the other library has no time.
    note: str = ""
    #: Whether a failure was expected.
    expected: bool = False
    #: The size that was asked for.
    asked: int = 0

    @property
    def ratio(self) -> float | None:
        """The other library's time for one of ours."""
        if not self.ours or not self.theirs:
            return None
        return self.theirs / self.ours

    @property
    def kind(self) -> str:
        return f"{self.dtype} {self.form}".strip()


def power(n: int) -> str:
    """Return a size as people write it."""
    exponent = n.bit_length() - 1
    return f"2^{exponent}" if n == 1 << exponent and exponent > 9 else f"{n:,}"


def _label(size: int, head: dict[str, Any]) -> str:
    """Return the heading of a size that was asked for."""
    if head["unit"] == "elements":
        return power(size)
    return "ratio" if size == 1 else f"1/{size} of it"


def mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean."""
    logs = [math.log(each) for each in ratios]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def ratios_of(entries: Iterable[Entry]) -> list[float]:
    """Return the ratios of the entries that have one."""
    return [each.ratio for each in entries if each.ratio is not None]


def head_of(other: str, measure: str, seconds: float, measured: float) -> dict[str, Any]:
    """Return the device, versions and date of a run."""
    device = kp.default_manager().get_device_properties()
    library = __import__(other.lower())
    return {
        "device": device["device_name"],
        "driver": device["driver"],
        "other": f"{other} {library.__version__}",
        "kp": kp.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0,
        "measures": MEASURES[measure],
        "seconds": seconds,
        "took": round(measured, 1),
        "date": time.strftime("%Y-%m-%d"),
        "commit": _commit(),
    }


def _commit() -> str:
    if "KOMPUTE_COMMIT" in os.environ:
        return os.environ["KOMPUTE_COMMIT"]
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e3:.4g}"


def sizes_of(entries: list[Entry]) -> list[int]:
    """Return the sizes that were asked for."""
    return sorted({each.asked for each in entries})


def failures_of(entries: list[Entry]) -> list[Entry]:
    """Return one entry for each case and failure, the smallest size's."""
    found: dict[tuple[str, str, str], Entry] = {}
    for each in sorted(entries, key=lambda entry: entry.n):
        if each.failure:
            key = each.text, each.kind, each.failure.split(":")[0]
            found.setdefault(key, each)
    return list(found.values())


def summary(entries: list[Entry]) -> list[tuple[str, list[list[float]]]]:
    """Return the ratios of all cases, then of each family, by size."""
    sizes = sizes_of(entries)
    families = list(dict.fromkeys(each.family for each in entries))
    rows = []
    for name in ["all", *families]:
        chosen = [each for each in entries if name in ("all", each.family)]
        rows.append((name, [ratios_of(e for e in chosen if e.asked == size) for size in sizes]))
    return rows


def print_report(entries: list[Entry], head: dict[str, Any]) -> None:
    """Print failures, means and all ratios, the worst first."""
    failures = failures_of(entries)
    if failures:
        print(f"\n{len(failures)} failures:")
        for each in failures:
            print(f"  {each.text} | {each.kind} at {power(each.n)}: {each.failure}")
    print(f"\n{head['device']}, {head['other']}: their time / ours, {head['measures']}")
    print(f"{'ratio':>9}{'kp ms':>11}{'other ms':>11}  elements  case")
    for each in sorted((e for e in entries if e.ratio is not None), key=lambda e: e.ratio or 0):
        print(
            f"{each.ratio:9.3f}{_milliseconds(each.ours):>11}{_milliseconds(each.theirs):>11}"
            f"  {power(each.n):>8}  {each.text} | {each.kind}"
        )
    alone = [each for each in entries if each.ratio is None and not each.failure]
    for each in alone:
        print(f"{'':9}{_milliseconds(each.ours):>11}{'':11}  {power(each.n):>8}  {each.text} | "
              f"{each.kind}: {each.note}")  # fmt: skip
    print(f"\n{'geometric mean (cases below ' + ' and '.join(map(str, MARKS)) + ')':44}", end="")
    print("".join(f"{_label(size, head):>20}" for size in sizes_of(entries)))
    for name, columns in summary(entries):
        print(f"{name:44}" + "".join(f"{_cell(ratios):>20}" for ratios in columns))
    print(f"{len(entries)} measurements in {head['took']} s")


def _cell(ratios: list[float]) -> str:
    if not ratios:
        return ""
    below = " ".join(str(sum(each < mark for each in ratios)) for mark in MARKS)
    return f"{mean(ratios):.3f} ({below} of {len(ratios)})"


def write_json(file: Path, entries: list[Entry], head: dict[str, Any]) -> None:
    """Write all that was found."""
    rows = [{**asdict(each), "ratio": each.ratio} for each in entries]
    file.write_text(json.dumps({"head": head, "entries": rows}, indent=1) + "\n", encoding="utf-8")


def read_json(files: list[Path]) -> tuple[list[Entry], dict[str, Any]]:
    """Return the measurements of several runs, such as the shards of one table."""
    entries, head = [], {}
    for file in files:
        found = json.loads(file.read_text(encoding="utf-8"))
        took = head.get("took", 0) + found["head"]["took"]
        head = {**found["head"], "took": round(took, 1)}
        for row in found["entries"]:
            row.pop("ratio")
            entries.append(Entry(**row))
    return entries, head


def write_page(file: Path, title: str, command: str, entries: list[Entry], head: Any) -> None:
    """Write a page in Markdown."""
    sizes = sizes_of(entries)
    other = head["other"].split()[0]
    lines = [
        f"# {title}",
        "",
        f"`{command}` writes this page. A ratio is {other}'s time divided by kp's, "
        f"{head['measures']}: above 1, kp is faster. Both take turns in one process; times are medians.",
        "",
        f"- Device: {head['device']}, {head['driver']}",
        f"- Beside: {head['other']}, Python {head['python']}, {head['processors']} processors in use",
        f"- Date: {head['date']}, commit {head['commit']}, {head['took']:.0f} s",
        "",
    ]
    failures = failures_of(entries)
    if failures:
        lines += ["## Failures", "", "| case | types | elements | failure |", "|---|---|---:|---|"]
        lines += [
            f"| {_code(each.text)} | {each.kind} | {power(each.n)} | {_plain(each.failure)} |"
            for each in failures
        ]
        lines.append("")
    marks = " and ".join(str(mark) for mark in MARKS)
    lines += [
        "## Means",
        "",
        f"The geometric mean of the ratios, and how many are below {marks}.",
        "",
    ]
    labels = [_label(size, head) for size in sizes]
    lines += _markdown_row(["family", *labels])
    lines += ["|---|" + "---:|" * len(sizes)]
    for name, columns in summary(entries):
        lines += _markdown_row([name, *map(_cell, columns)])
    lines += ["", "## All ratios, the worst first", ""]
    lines += _markdown_row(["case", "types", "family", *labels, "kp ms", f"{other} ms"])
    lines += ["|---|---|---|" + "---:|" * (len(sizes) + 2)]
    lines += _rows(entries, sizes, head)
    alone = [each for each in entries if each.ratio is None and not each.failure]
    if alone:
        lines += ["", f"## Not in {other}", "", "| case | types | elements | kp ms | why |"]
        lines += ["|---|---|---:|---:|---|"]
        for each in alone:
            cells = [_code(each.text), each.kind, power(each.n), _milliseconds(each.ours), _plain(each.note)]  # fmt: skip
            lines += _markdown_row(cells)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _rows(entries: list[Entry], sizes: list[int], head: dict[str, Any]) -> list[str]:
    """Return a line for each case: its ratios, and the times of its largest size."""
    elements = head["unit"] == "elements"
    grouped: dict[tuple[str, str], dict[int, Entry]] = {}
    for each in entries:
        if each.ratio is not None:
            grouped.setdefault((each.text, each.kind), {})[each.asked] = each
    lines = []
    for (text, kind), found in sorted(
        grouped.items(), key=lambda item: min(ratios_of(item[1].values()))
    ):
        last = max(found.values(), key=lambda each: each.n)
        cells = [f"{found[size].ratio:.3g}" if size in found else "" for size in sizes]
        times = [_milliseconds(last.ours), _milliseconds(last.theirs)]
        if not elements:
            kind += f", {power(last.n)}"
        elif last.n != last.asked:
            kind += f", at most {power(last.n)}"
        lines += _markdown_row(
            [_code(text) if elements else text, kind, last.family, *cells, *times]
        )
    return lines


def _markdown_row(cells: list[str]) -> list[str]:
    return ["| " + " | ".join(cells) + " |"]


def _code(text: str) -> str:
    return "`" + _plain(text) + "`"


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "; ")

# SPDX-License-Identifier: Apache-2.0
"""The command line of functions.py and programs.py."""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from .libraries import Kompute, other_library
from .measuring import Sides
from .reporting import Entry, head_of, print_report, read_json, write_json, write_page
from .subjects import Subject

_T = TypeVar("_T")

#: Measurements, and the device, versions and date of their run.
Found = tuple[list[Entry], dict[str, Any]]


def parser_of(description: str | None, seconds: float) -> argparse.ArgumentParser:
    """Return a parser with the options that both programs have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--only", type=re.compile, default="", metavar="REGEX", help="cases whose name it matches")
    add("--family", default="", help="cases of the families that contain this word")
    add("--shard", default="0/1", metavar="I/N", help="every Nth case, from I on (0/4 to 3/4)")
    add("--seconds", type=float, default=seconds, help="for each case, size and library")
    add("--longest", type=float, default=20, metavar="SECONDS",
        help="leave out sizes at which a call would take longer, by the size before")  # fmt: skip
    measure = parser.add_mutually_exclusive_group()
    for name, text in (
        ("call", "until the call returns, without the wait"),
        ("processor", "the time of all processors"),
    ):
        option = {"call": "--host-time", "processor": "--processor-time"}[name]
        measure.add_argument(option, action="store_const", const=name, default="wait", dest="measure",
                             help=f"measure {text}")  # fmt: skip
    add("--beside", choices=["cupy", "numpy"], default="", help="the other library")
    add("--json", type=Path, metavar="FILE", help="write all numbers")
    add("--markdown", type=Path, metavar="FILE", help="write a page")
    add("--join", type=Path, nargs="+", default=[], metavar="FILE",
        help="report the files of earlier runs (--json) and measure nothing")  # fmt: skip
    return parser


def shard_of(given: argparse.Namespace, all_of_them: Sequence[_T]) -> list[_T]:
    """Return the part that this process measures."""
    first, _, count = given.shard.partition("/")
    if not (first.isdecimal() and count.isdecimal() and int(first) < int(count)):
        raise SystemExit(f"--shard is I/N with I from 0 to N - 1, such as 0/4, not {given.shard!r}")
    return list(all_of_them[int(first) :: int(count)])


def _stop(*_: Any) -> None:
    raise KeyboardInterrupt


def _progress(text: str, shown: float) -> float:
    """Show how far it is: always on a terminal, else every half minute. Returns when it was shown last."""
    terminal = sys.stderr.isatty()
    if not terminal and perf_counter() - shown < 30:
        return shown
    print(
        f"\r\033[K{text}" if terminal else text,
        end="" if terminal else "\n",
        file=sys.stderr,
        flush=True,
    )
    return perf_counter()


def table_of(
    given: argparse.Namespace, subjects: Sequence[Subject], sizes: Sequence[int], unit: str
) -> Found:
    """Return new measurements, or the ones from earlier runs (--join). An interrupted run returns
    the first ones.

    Sizes are "elements", or say which "part" of a program's elements is used: the divisor.
    """
    if given.join:
        return read_json(given.join)
    ours, theirs = Kompute(), other_library(given.beside)
    sides = Sides(ours, theirs, given.seconds, given.measure)
    entries: list[Entry] = []
    slow: set[int] = set()
    signal.signal(signal.SIGTERM, _stop)
    start = shown = perf_counter()
    try:
        for place, size in enumerate(sizes):
            following = sizes[place + 1] if place + 1 < len(sizes) else 0
            larger = max(following / size, size / following) if following else 0
            for number, subject in enumerate(subjects):
                if number in slow:
                    continue
                entry = sides.measure(subject, size)
                entries.append(entry)
                if max(entry.ours or 0, entry.theirs or 0) * larger > given.longest:
                    slow.add(number)
                shown = _progress(
                    f"{size}: {number + 1} of {len(subjects)} {entry.text[:60]}", shown
                )
            ours.forget()
            theirs.forget()
    except KeyboardInterrupt:
        print("\ninterrupted: the report has the measurements until then", file=sys.stderr)
    if slow:
        print(f"{len(slow)} cases were left out at larger sizes (--longest {given.longest:g})", file=sys.stderr)  # fmt: skip
    took = perf_counter() - start
    head = head_of(theirs.title, given.measure, given.seconds, took)
    return entries, {**head, "unit": unit}


def finish(given: argparse.Namespace, title: str, program: str, found: Found) -> None:
    """Print and write the report. Exits with 1 if something failed."""
    entries, head = found
    if not entries:
        raise SystemExit("no case matches")
    print_report(entries, head)
    if given.json:
        write_json(given.json, entries, head)
    if given.markdown:
        command = f"python3 benchmark/python/{program} --markdown {given.markdown.name}"
        write_page(given.markdown, title, command, entries, head)
    raise SystemExit(1 if any(each.failure and not each.expected for each in entries) else 0)

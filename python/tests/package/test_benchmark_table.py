# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of array functions and programs: they cover every public function, run, and find differences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[3] / "benchmark" / "python"

if not FOLDER.is_dir():
    pytest.skip("the benchmarks are not beside the tests", allow_module_level=True)
sys.path.insert(0, str(FOLDER))

from array_table import cases, comparing, coverage, reporting  # noqa: E402
from array_table.table import CASES  # noqa: E402


def run(program: str, *options: str) -> tuple[dict[str, Any], str]:
    """Run a benchmark and return what it wrote and printed."""
    file = options[-1]
    done = subprocess.run(
        [sys.executable, str(FOLDER / program), "--beside", "numpy", *options[:-1], "--json", file],
        env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[:3000] + done.stderr[-3000:]
    return json.loads(Path(file).read_text()), done.stdout


def test_every_public_function_has_a_case_or_a_reason_to_have_none() -> None:
    assert coverage.without_case(CASES) == [], "add cases to benchmark/python/array_table"
    assert coverage.misspelt(CASES) == [], "UNMEASURED names what is measured, or does not exist"
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)), {name for name in names if names.count(name) > 1}


def test_a_function_without_a_case_is_found() -> None:
    without_sum = tuple(case for case in CASES if "sum" not in case.text)
    assert {"kp.sum", "kp.nansum", "Array.sum"} <= set(coverage.without_case(without_sum))


def test_cases_say_what_they_call_and_change() -> None:
    work, names = cases.work_of("x[1:] = y[:-1]")
    x, y = np.zeros(3), np.ones(3)
    assert sorted(names) == ["x", "y"]
    assert work(np, **{"x": x, "y": y}) is x
    assert x.tolist() == [0, 1, 1]
    strided = cases.Case("", "xp.sum(x, axis=axis) + xp.exp(y)", form="strided")
    assert strided.shown == "xp.sum(x[::2], axis=axis) + xp.exp(y[::2])"
    assert not strided.changing
    assert cases.Case("", "x += y").changing
    assert cases.mentioned(cases.Case("", "1 - xp.fft.fft(x).real")) == {
        "kp.fft",
        "kp.fft.fft",
        "Array.real",
        "Array.__rsub__",
    }


def test_results_that_differ_are_found() -> None:
    a = np.linspace(0, 1, 1000, dtype=np.float32)
    same = comparing.difference
    assert same([a], [a * np.float32(1 + 1e-6)]) == ""
    assert "1 of 1000" in same([a], [np.where(a == a[7], 2, a).astype(np.float32)])
    assert "shape (1000,), not (10, 100)" in same([a], [a.reshape(10, 100)])
    assert "float32, not float64" in same([a], [a.astype(np.float64)])
    assert same([a], [a.astype(np.float64)], types=False) == ""
    nan = np.array([np.nan, np.inf, -np.inf, 1])
    assert same([nan], [nan]) == ""
    assert same([nan], [nan[::-1].copy()])
    assert same([np.array([1, 2])], [np.array([1, 3])])
    assert "returns 1 arrays, not 2" in same([a], [a, a])
    large = np.zeros(1 << 22, np.int8)
    for place in (0, large.size - 1):
        wrong = large.copy()
        wrong[place] = 1
        assert same([large], [wrong])


@pytest.mark.parametrize("options", [(), ("--host-time",)])
def test_a_sample_of_the_table_is_measured(options: tuple[str, ...], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    found, text = run("functions.py", "--sizes", "4096,8192", "--seconds", "0.002", "--shard", "3/40",
                      "--markdown", str(page), *options, str(tmp_path / "all.json"))  # fmt: skip
    assert len(found["entries"]) >= 50
    assert all(each["ours"] > 0 for each in found["entries"] if not each["expected"])
    assert "geometric mean" in text
    written = page.read_text()
    assert "## All ratios, the worst first" in written
    assert "| 2^12 | 2^13 |" in written
    entries, _ = reporting.read_json([tmp_path / "all.json"] * 2)
    assert len(entries) == 2 * len(found["entries"])


def test_programs_are_measured(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    found, text = run("programs.py", "--divide", "4096,1024", "--seconds", "0.002", "--only", "pi|group|Sobel|bodies",
                      "--markdown", str(page), str(tmp_path / "all.json"))  # fmt: skip
    assert {each["n"] for each in found["entries"] if "pi" in each["text"]} == {1 << 12, 1 << 14}
    assert "1/1024 of it" in text
    assert "| Monte-Carlo pi | float32, 2^14 |" in page.read_text()

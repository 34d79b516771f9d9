# SPDX-License-Identifier: Apache-2.0
"""The autotuner's cache: known configurations, records in files, damaged and locked files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tuning_support import COUNT, Configuration, Problem, source, wasteful

import kp

# --- the cache ------------------------------------------------------------------------------------


def test_second_tuning_runs_no_benchmark(problem: Problem) -> None:
    first = problem.tuner().tune(wasteful([20, 2]), problem.arguments())
    again = problem.tuner().tune(wasteful([20, 2]), problem.arguments())
    assert first.benchmarks > 0
    assert (again.benchmarks, again.source) == (0, "cache")
    assert again.configuration == first.configuration
    assert again.nanoseconds == first.nanoseconds
    more = problem.tuner().tune(wasteful([20, 2, 40]), problem.arguments())
    assert 0 < more.benchmarks <= 5
    timed = [record.configuration["waste"] for record in more.records if not record.from_cache]
    assert timed == [40]
    keyed = problem.tuner().tune(wasteful([20, 2]), problem.arguments().key("other"))
    assert keyed.benchmarks > 0
    near = problem.tuner(effort="estimate").tune(
        wasteful([20, 2]), kp.TuningArguments([problem.input, problem.sums], COUNT // 2)
    )
    assert (near.source, near.configuration["waste"]) == ("nearest", 2)


def test_keyed_factory_is_not_called_for_known_configurations(problem: Problem) -> None:
    asked: list[int] = []

    def factory(configuration: Configuration) -> str:
        asked.append(configuration["waste"])
        return source(f"{configuration['waste']}u")

    def kernel() -> kp.TunableKernel:
        made = kp.TunableKernel("keyed").local_size(64).parameter("waste", [50, 4])
        return made.factory(factory, "1")

    problem.tuner().tune(kernel(), problem.arguments())
    asked.clear()
    assert problem.tuner().tune(kernel(), problem.arguments()).benchmarks == 0
    assert asked == [4]  # only to create the algorithm


def test_exports_and_imports_records(problem: Problem, tmp_path: Path) -> None:
    tuner = problem.tuner()
    tuner.tune(wasteful([20, 2]), problem.arguments())
    assert tuner.export_records(tmp_path / "times.json") == 2
    other = problem.tuner(cache_folder=str(tmp_path / "other"))
    assert other.import_records(tmp_path / "times.json") == 2
    assert other.tune(wasteful([20, 2]), problem.arguments()).benchmarks == 0
    with pytest.raises(kp.InvalidArgument, match="missing"):
        other.import_records(tmp_path / "missing.json")


# --- damaged and locked caches --------------------------------------------------------------------


def test_replaces_a_damaged_cache(problem: Problem, caplog: pytest.LogCaptureFixture) -> None:
    problem.tuner().tune(wasteful([20, 2]), problem.arguments())
    (file,) = (problem.folder / "tuning").glob("*.json")
    text = file.read_bytes()
    file.write_bytes(text[: len(text) // 2])
    assert problem.tuner().tune(wasteful([20, 2]), problem.arguments()).benchmarks > 0
    assert problem.tuner().tune(wasteful([20, 2]), problem.arguments()).benchmarks == 0


def test_tunes_with_a_locked_cache(problem: Problem) -> None:
    fcntl = pytest.importorskip("fcntl")
    tuner = problem.tuner()
    tuner.tune(wasteful([20]), problem.arguments())
    (file,) = (problem.folder / "tuning").glob("*.lock")
    with file.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = tuner.tune(wasteful([20, 2]), problem.arguments())
        assert result.configuration["waste"] == 2
        assert tuner.tune(wasteful([20, 2]), problem.arguments()).benchmarks == 0
    other = problem.tuner().tune(wasteful([20, 2]), problem.arguments())
    assert other.configuration["waste"] == 2

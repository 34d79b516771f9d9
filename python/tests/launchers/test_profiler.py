# SPDX-License-Identifier: Apache-2.0
"""kp.Profiler: scopes, device times, the table and the trace."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import INCREMENT, run_in_threads

import kp


def entry(profiler: kp.Profiler, name: str, track: str = "host") -> kp.ProfileEntry:
    (found,) = (e for e in profiler.entries() if (e.name, e.track) == (name, track))
    return found


def spans(profiler: kp.Profiler) -> list[dict[str, Any]]:
    return [event for event in json.loads(profiler.trace())["traceEvents"] if event["ph"] == "X"]


def test_scopes_nest() -> None:
    profiler = kp.Profiler("test")
    for _ in range(3):
        with profiler.scope("outer"):
            time.sleep(0.001)
            with profiler.scope("inner"):
                pass
    outer, inner = entry(profiler, "outer"), entry(profiler, "inner")
    assert (outer.depth, outer.count) == (0, 3)
    assert (inner.depth, inner.count) == (1, 3)
    assert outer.total >= 3_000_000
    assert outer.min <= outer.mean <= outer.max
    assert outer.total > inner.total
    assert outer.share == 1
    assert repr(outer) == "<kp.ProfileEntry outer x3>"
    lines = profiler.table().splitlines()
    assert lines[0].split()[:3] == ["name", "count", "total"]
    assert [line.split()[0] for line in lines[1:4]] == ["host", "outer", "inner"]


def test_scope_ends_with_an_exception() -> None:
    profiler = kp.Profiler()
    with pytest.raises(LookupError), profiler.scope("fails"):
        raise LookupError
    with profiler.scope("after"):
        pass
    assert entry(profiler, "fails").count == 1
    assert entry(profiler, "after").depth == 0


def test_scope_can_be_entered_again() -> None:
    profiler = kp.Profiler()
    scope = profiler.scope("again")
    assert not profiler.entries()  # it begins with the `with` block
    with scope, scope:
        pass
    with scope:
        pass
    assert sorted((e.depth, e.count) for e in profiler.entries()) == [(0, 2), (1, 1)]


def test_threads_have_tracks() -> None:
    profiler = kp.Profiler()

    def work(name: str) -> None:
        profiler.name_thread(name)
        with profiler.scope("work"):
            pass

    with profiler.scope("main"):
        run_in_threads(work, [(f"worker {i}",) for i in range(2)])
    assert entry(profiler, "work").depth == 0
    assert len({span["tid"] for span in spans(profiler)}) == 3
    assert '"worker 1"' in profiler.trace()


def test_adds_spans_measured_elsewhere() -> None:
    profiler = kp.Profiler()
    start = profiler.now()
    profiler.add_host_span("loaded", start, start + 500)
    profiler.add_device_span("kernel", "gpu 0", "queue 0", 1000, 4000, start)
    profiler.add_device_span("kernel", "gpu 0", "queue 1", 1000, 2000)
    assert entry(profiler, "loaded").total == 500
    assert entry(profiler, "kernel", "gpu 0, queue 0").total == 3000
    assert entry(profiler, "kernel", "gpu 0, queue 1").total == 1000
    assert len({(span["pid"], span["tid"]) for span in spans(profiler)}) == 3
    with pytest.raises(kp.InvalidArgument, match="before it starts"):
        profiler.add_host_span("turned", 2, 1)
    with pytest.raises(kp.InvalidArgument, match="before it starts"):
        profiler.add_device_span("turned", "gpu 0", "queue 0", 2, 1)


@pytest.mark.usefixtures("needs_timestamps")
def test_traces_the_times_of_a_device(mgr: kp.Manager, tmp_path: Path) -> None:
    profiler = kp.Profiler("steps")
    calibrated = profiler.calibrate("gpu 0", mgr)
    tensor = mgr.tensor([1.0, 2.0])
    algorithm = mgr.algorithm([tensor], INCREMENT, thread_count=2)
    sequence = mgr.sequence(total_timestamps=1).record(kp.OpAlgoDispatch(algorithm))
    for _ in range(2):
        with profiler.scope("step"):
            submitted = profiler.now()
            sequence.eval()
            begin, end = sequence.get_timestamps_ns()
            profiler.add_device_span("increment", "gpu 0", "queue 0", begin, end, submitted)
    assert entry(profiler, "increment", "gpu 0, queue 0").count == 2
    profiler.write_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    names = [event["name"] for event in trace["traceEvents"] if event["ph"] == "X"]
    assert sorted(names) == ["increment", "increment", "step", "step"]
    assert ("calibrated timestamps" in json.dumps(trace)) == calibrated
    with pytest.raises(kp.InvalidArgument, match="cannot be written"):
        profiler.write_trace(tmp_path / "missing" / "trace.json")
    with pytest.raises(TypeError, match="manager is a kp"):
        profiler.calibrate("gpu 0", None)  # type: ignore[arg-type]


def test_bounds_merges_and_clears_spans() -> None:
    profiler = kp.Profiler("bounded", max_spans=2)
    for _ in range(5):
        with profiler.scope("many"):
            pass
    assert (profiler.span_count, profiler.dropped_spans) == (2, 3)
    assert entry(profiler, "many").count == 5
    other = kp.Profiler()
    other.merge(profiler)
    assert entry(other, "many").count == 5
    with pytest.raises(kp.InvalidArgument):
        other.merge(other)
    profiler.clear()
    assert profiler.span_count == 0
    assert not profiler.entries()

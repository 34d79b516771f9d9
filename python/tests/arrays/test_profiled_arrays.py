# SPDX-License-Identifier: Apache-2.0
"""Profiler.launches() names the launches of array code by their functions."""

from __future__ import annotations

import numpy as np
import pytest

import kp
from kp import launcher


@pytest.fixture
def x() -> kp.Array:
    if not kp.default_manager().get_device_properties()["timestamps_supported"]:
        pytest.skip("the device has no timestamps")
    x = kp.asarray(np.linspace(1, 2, 1000, dtype=np.float32))
    x.get()
    return x


def counts(profiler: kp.Profiler) -> dict[str, int]:
    return {entry.name: entry.count for entry in profiler.entries() if entry.track != "host"}


def test_kernels_have_the_names_of_their_functions(x: kp.Array) -> None:
    profiler = kp.Profiler()
    with profiler.launches():
        kp.sqrt(x * x + 1).get()
        kp.exp(x).get()
        (x * x).sum().get()
        kp.max(x[:100]).get()
        x[kp.array([1, 2, 3])].get()
        kp.sort(x).get()
    found = counts(profiler)
    assert found["multiply, add, sqrt"] == 1
    assert found["exp"] == 1
    assert found["sum of multiply"] >= 1
    assert found["max"] >= 1
    assert found["take"] >= 1
    assert found["sort"] == 1
    assert all(entry.total > 0 for entry in profiler.entries())


def test_launches_outside_the_block_are_not_timed(x: kp.Array) -> None:
    profiler = kp.Profiler()
    with profiler.launches():
        pass
    kp.sin(x).get()
    assert counts(profiler) == {}
    assert not kp.default_manager().default_queue.profiling


def test_a_plan_that_was_made_before_is_named_too(x: kp.Array) -> None:
    kp.cos(x + 1).get()
    profiler = kp.Profiler()
    with profiler.launches():
        for _ in range(3):
            kp.cos(x + 1).get()
    assert counts(profiler) == {"add, cos": 3}


def test_long_expressions_have_short_names(x: kp.Array) -> None:
    profiler = kp.Profiler()
    with profiler.launches():
        (kp.sin(kp.exp(kp.sqrt(kp.abs(kp.cos(kp.log(x)))))) + 1 - x).get()
    assert [*counts(profiler)] == ["log, cos, abs, sqrt, exp, sin, ..."]


def test_kernels_of_other_kinds_have_their_own_names(x: kp.Array) -> None:
    double = kp.kernel("kernel void double_it(inout float x[]) { x[i] *= 2; }")
    triple = launcher.KernelLauncher(
        "triple",
        """#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer X { float x[]; };
        void main() { x[gl_GlobalInvocationID.x] *= 3.0; }""",
        [x.tensor()],
        default_global_work_size=1000,
    )
    profiler = kp.Profiler()
    with profiler.launches():
        double(x)
        triple().wait()
    assert counts(profiler) == {"double_it": 1, "triple": 1}


def test_launchers_with_a_profiler_are_counted_once(x: kp.Array) -> None:
    profiler = kp.Profiler()
    manager = kp.default_manager()
    fill = launcher.KernelLauncher(
        "fill",
        """#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer X { float x[]; };
        void main() { x[gl_GlobalInvocationID.x] = 3.0; }""",
        [x.tensor()],
        default_global_work_size=1000,
        profiler=profiler,
    )
    with profiler.launches(manager):
        fill().wait()
    assert fill.statistics.count == 1
    assert counts(profiler) == {"fill": 1}


def test_a_queue_has_one_profile_at_a_time(x: kp.Array) -> None:
    profiler = kp.Profiler()
    with profiler.launches():
        with pytest.raises(ValueError, match="are profiled already"):
            with kp.Profiler().launches():
                pass
        kp.sin(x).get()
    assert counts(profiler) == {"sin": 1}
    with profiler.launches(kp.default_manager().default_queue):
        kp.sin(x).get()
    assert counts(profiler) == {"sin": 2}
    with pytest.raises(TypeError):
        with profiler.launches(3):  # type: ignore[arg-type]
            pass

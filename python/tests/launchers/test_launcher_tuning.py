# SPDX-License-Identifier: Apache-2.0
"""Launchers together with the autotuner and the profiler."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp

SHADER = """#version 450
layout(local_size_x_id = 0) in;
layout(binding = 0) buffer V { uint v[]; };
void main() { if (gl_GlobalInvocationID.x < v.length()) v[gl_GlobalInvocationID.x] += 1u; }
"""


def test_launcher_tunes_itself_at_its_first_call(mgr: kp.Manager, tmp_path: Path) -> None:
    tensor = mgr.tensor_t(np.zeros(1000, np.uint32))
    mgr.sequence().record(kp.OpSyncDevice([tensor])).eval()
    kernel = kp.TunableKernel("increment").local_size([32, 64]).variant("only", SHADER)
    tuned = kp.TunedAlgorithm(kp.Autotuner(mgr, cache_folder=tmp_path, runs=1), kernel)
    arguments = kp.TuningArguments([tensor], (1000,))
    queue = mgr.queue(profiling=True)
    launcher = kp.launcher.TunedKernelLauncher(
        "increment", tuned, arguments, 1000, default_queue=queue
    )
    assert launcher.events == []
    assert launcher.statistics.count == 0
    gate = queue.barrier()
    launcher(wait_for=[gate]).wait()
    assert tuned.is_tuned(arguments)
    step = kp.launcher.KernelListLauncher("step")
    step += launcher
    step += launcher
    step(queue=queue).wait()
    assert (tensor.read() == 3).all()
    assert launcher.statistics.count == 3


def test_profiler_collects_launches(mgr: kp.Manager, tmp_path: Path) -> None:
    tensor = mgr.tensor_t(np.zeros(64, np.uint32))
    profiler = kp.Profiler("program")
    queue = mgr.queue(profiling=True)
    launcher = kp.launcher.KernelLauncher(
        "increment", SHADER, [tensor], 64, 64, queue, profiler, manager=mgr
    )
    for _ in range(3):
        launcher().wait()
    assert launcher.statistics.count == 3
    assert "increment" in profiler.table()
    trace = tmp_path / "trace.json"
    profiler.write_trace(trace)
    assert trace.read_text().count("increment") >= 3


SCALE = """#version 450
layout(local_size_x_id = 0) in;
layout(binding = 0) buffer V { float v[]; };
layout(push_constant) uniform P { float scale; float offset; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < v.length()) v[i] = v[i] * scale + offset;
}
"""


class Scaling:
    """A kernel v = v * scale + offset with the parameter scale, and a constraint in Python."""

    def __init__(self, mgr: kp.Manager, folder: Path, predicate: Any = None) -> None:
        self.tensor = mgr.tensor_t(np.ones(1000, np.float32))
        mgr.sequence().record(kp.OpSyncDevice([self.tensor])).eval()
        self.seen: list[int] = []
        kernel = kp.TunableKernel("scale", SCALE).local_size([32, 64])
        kernel.constraint("allowed", predicate or self.allowed)
        tuner = kp.Autotuner(mgr, cache_folder=folder, runs=1)
        self.tuned = kp.TunedAlgorithm(tuner, kernel)
        self.arguments = kp.TuningArguments([self.tensor], 1000, np.array([1, 7], np.float32))

    def allowed(self, configuration: dict[str, Any]) -> bool:
        self.seen.append(configuration["local_size_x"])
        return bool(configuration["local_size_x"] == 64)

    def launcher(self, **options: Any) -> kp.launcher.TunedKernelLauncher:
        options = {"parameters_map": {"factor": "scale"}, **options}
        return kp.launcher.TunedKernelLauncher("scale", self.tuned, self.arguments, **options)


def test_tuned_launcher_takes_parameters_by_name(mgr: kp.Manager, tmp_path: Path) -> None:
    scaling = Scaling(mgr, tmp_path)
    queue = mgr.queue()
    launcher = scaling.launcher(default_queue=queue)
    assert launcher.default_queue is queue
    assert launcher.parameters() == {"factor": "anything"}
    launcher(factor=3).wait()  # an int for a float
    assert (scaling.tensor.read() == 10).all()
    launcher(factor=np.float32(0.5)).wait()
    assert (scaling.tensor.read() == 12).all()
    for wrong in ({}, {"scale": 1.0}, {"factor": scaling.tensor}):
        with pytest.raises(kp.InvalidArgument):
            launcher(**wrong)


def test_tuning_describes_its_result_and_launches_nothing(mgr: kp.Manager, tmp_path: Path) -> None:
    scaling = Scaling(mgr, tmp_path)
    launcher = scaling.launcher(default_global_work_size=1000)
    assert launcher.global_size_configured()
    assert not launcher.is_tuned()
    result = launcher.tune()
    assert isinstance(result, kp.TuningResult)
    assert result.configuration["local_size_x"] == 64
    assert result.algorithm is None
    assert launcher.is_tuned()
    assert scaling.tuned.is_tuned(scaling.arguments)
    assert (scaling.tensor.read() == 1).all()
    launcher(factor=1.0).wait()  # on the manager's queue
    assert (scaling.tensor.read() == 8).all()


def test_default_size_replaces_the_threads_of_the_arguments(
    mgr: kp.Manager, tmp_path: Path
) -> None:
    scaling = Scaling(mgr, tmp_path)
    scaling.launcher(default_global_work_size=64)(queue=mgr.queue(), factor=2.0).wait()
    assert (scaling.tensor.read()[:64] == 9).all()
    assert (scaling.tensor.read()[64:] == 1).all()
    assert not scaling.tuned.is_tuned(scaling.arguments)


def test_list_tunes_with_python_functions(mgr: kp.Manager, tmp_path: Path) -> None:
    scaling = Scaling(mgr, tmp_path)
    queue = mgr.queue()
    launcher = scaling.launcher()
    host: list[int] = []
    inner = kp.launcher.KernelListLauncher("inner")
    inner += launcher
    step = kp.launcher.KernelListLauncher("step")
    step += kp.launcher.HostLauncher("host", lambda: host.append(1))
    step += inner
    step += launcher
    # Tuning waits for a function of the queue, which needs the GIL.
    queue.host_function(lambda: time.sleep(0.02))
    for factor, expected in ((2, 25.0), (0.25, 10.3125)):
        step(queue=queue, factor=factor).wait()
        assert (scaling.tensor.read() == expected).all()
    assert host == [1, 1]
    assert set(scaling.seen) == {32, 64}
    inner(queue=queue, factor=1).wait()
    assert (scaling.tensor.read() == 17.3125).all()


def test_failure_of_a_function_in_tuning_is_raised_by_the_list(
    mgr: kp.Manager, tmp_path: Path
) -> None:
    fails = True

    def predicate(configuration: dict[str, Any]) -> bool:
        if fails:
            raise LookupError("planted")
        return True

    scaling = Scaling(mgr, tmp_path, predicate)
    step = kp.launcher.KernelListLauncher("step")
    step += scaling.launcher()
    with pytest.raises(LookupError, match="planted"):
        step(queue=mgr.queue(), factor=1.0)
    assert (scaling.tensor.read() == 1).all()
    fails = False
    step(queue=mgr.queue(), factor=1.0).wait()
    assert (scaling.tensor.read() == 8).all()


def test_launch_while_another_thread_tunes_the_same_kernel(mgr: kp.Manager, tmp_path: Path) -> None:
    started = threading.Event()

    def predicate(configuration: dict[str, Any]) -> bool:
        started.set()
        time.sleep(0.02)  # lets the other thread have the GIL
        return True

    scaling = Scaling(mgr, tmp_path, predicate)
    other = kp.TuningArguments(
        [mgr.tensor_t(np.ones(64, np.float32))], 64, np.array([1, 7], np.float32)
    )
    thread = threading.Thread(target=lambda: scaling.tuned.result(other))
    thread.start()
    started.wait()
    step = kp.launcher.KernelListLauncher("step")
    step += scaling.launcher()
    step(queue=mgr.queue(), factor=1.0).wait()
    thread.join()
    assert (scaling.tensor.read() == 8).all()


def test_launcher_is_not_called_while_it_tunes(mgr: kp.Manager, tmp_path: Path) -> None:
    def predicate(configuration: dict[str, Any]) -> bool:
        launcher(queue=queue, factor=1.0)
        return True

    queue = mgr.queue()
    launcher = Scaling(mgr, tmp_path, predicate).launcher()
    with pytest.raises(kp.InvalidArgument, match="in a call already"):
        launcher(queue=queue, factor=1.0)

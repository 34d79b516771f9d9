# SPDX-License-Identifier: Apache-2.0
"""Launchers together with the autotuner and the profiler."""

from __future__ import annotations

from pathlib import Path

import numpy as np

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

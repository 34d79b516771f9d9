# SPDX-License-Identifier: Apache-2.0
"""Measures launches from Python and a wait at the end: a launcher of kp and, if it is installed, CuPy.

  PYTHONPATH=<build>/python python3 launches.py

Prints the median microseconds of a launch: until the calls return, and until the work is done.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np

import kp
from kp.launcher import KernelLauncher

ROUNDS = {1: 2000, 200: 30, 1000: 30}  # by number of launches

SHADER = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { float a[]; };
void main() { a[gl_GlobalInvocationID.x] += 1.0; }
"""
KERNEL = 'extern "C" __global__ void increment(float* a) { a[threadIdx.x] += 1.0f; }'


def timed(launch: Callable[[int], Callable[[], object]], count: int) -> tuple[float, float]:
    """The times of a launch: of the call, and with the wait that launch(count) returns."""
    start = perf_counter()
    wait = launch(count)
    called = perf_counter()
    wait()
    return (called - start) / count * 1e6, (perf_counter() - start) / count * 1e6


def with_kp() -> Callable[[int], Callable[[], object]]:
    manager = kp.Manager()
    tensor = manager.tensor(np.zeros(256, np.float32))
    launcher = KernelLauncher(
        "increment", SHADER, [tensor], default_global_work_size=64, manager=manager
    )

    def launch(count: int) -> Callable[[], object]:
        for _ in range(count):
            event = launcher()
        return event.wait

    return launch


def with_cupy() -> Callable[[int], Callable[[], object]] | None:
    try:
        import cupy
    except ImportError:
        return None
    kernel = cupy.RawKernel(KERNEL, "increment")
    values = cupy.zeros(256, cupy.float32)

    def launch(count: int) -> Callable[[], object]:
        for _ in range(count):
            kernel((1,), (64,), (values,))
        return cupy.cuda.Stream.null.synchronize

    return launch


def main() -> None:
    sides = {"kp": with_kp(), "CuPy": with_cupy()}
    print(f"{'':28}{'call':>10}{'done':>10}   us per launch")
    for count, rounds in ROUNDS.items():
        for name, launch in sides.items():
            if launch is None:
                continue
            timed(launch, 200)
            times = [timed(launch, count) for _ in range(rounds)]
            call, done = (median(each[i] for each in times) for i in (0, 1))
            label = f"{name}, {count} launches" if count > 1 else f"{name}, launch and wait"
            print(f"{label:28}{call:10.2f}{done:10.2f}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Measures launches from Python and a wait at the end: a launcher of kp and, if it is installed, CuPy.

  PYTHONPATH=<build>/python python3 launches.py

Prints the median microseconds of a launch: until the calls return, and until the work is done. As in
the C++ benchmarks, the GPU works before anything is timed, because an idle one has low clocks, and
the sides take turns.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np

import kp
from kp.launcher import KernelLauncher

Launch = Callable[[int], Callable[[], object]]  # launches so often, and returns the wait for it

#: By number of launches: the number of turns, and of measurements in a turn.
ROUNDS = {1: (20, 200), 200: (10, 4), 1000: (10, 4)}
#: The first measurements of a turn do not count: the GPU changes between Vulkan and CUDA.
UNCOUNTED = 2
#: The seconds that the GPU works before the first measurement, and before each number of launches.
WARM_UP = (0.6, 0.03)

SHADER = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { float a[]; };
void main() { a[gl_GlobalInvocationID.x] += 1.0; }
"""
KERNEL = 'extern "C" __global__ void increment(float* a) { a[threadIdx.x] += 1.0f; }'


def timed(launch: Launch, count: int) -> tuple[float, float]:
    """The times of a launch: of the call, and with the wait that launch(count) returns."""
    start = perf_counter()
    wait = launch(count)
    called = perf_counter()
    wait()
    return (called - start) / count * 1e6, (perf_counter() - start) / count * 1e6


def launcher_of(manager: kp.Manager, elements: int) -> KernelLauncher:
    tensor = manager.tensor(np.zeros(elements, np.float32))
    return KernelLauncher(
        "increment", SHADER, [tensor], default_global_work_size=elements, manager=manager
    )


def work(launcher: KernelLauncher, seconds: float) -> None:
    """Keeps the GPU busy."""
    end = perf_counter() + seconds
    while perf_counter() < end:
        launcher().wait()


def with_kp(manager: kp.Manager) -> Launch:
    launcher = launcher_of(manager, 64)

    def launch(count: int) -> Callable[[], object]:
        for _ in range(count):
            event = launcher()
        return event.wait

    return launch


def with_cupy() -> Launch | None:
    try:
        import cupy
    except ImportError:
        return None
    kernel = cupy.RawKernel(KERNEL, "increment")
    values = cupy.zeros(64, cupy.float32)

    def launch(count: int) -> Callable[[], object]:
        for _ in range(count):
            kernel((1,), (64,), (values,))
        return cupy.cuda.Stream.null.synchronize

    return launch


def main() -> None:
    manager = kp.Manager()
    sides = {"kp": with_kp(manager)}
    if cupy := with_cupy():
        sides["CuPy"] = cupy
    large = launcher_of(manager, 1 << 21)
    work(large, WARM_UP[0])
    print(f"{'':28}{'call':>10}{'done':>10}   us per launch")
    for count, (turns, measurements) in ROUNDS.items():
        work(large, WARM_UP[1])
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
        for turn in range(turns):
            for name, launch in sorted(sides.items(), reverse=turn % 2 == 1):
                measured = [timed(launch, count) for _ in range(UNCOUNTED + measurements)]
                times[name] += measured[UNCOUNTED:]
        for name in sides:
            call, done = (median(each[i] for each in times[name]) for i in (0, 1))
            label = f"{name}, {count} launches" if count > 1 else f"{name}, launch and wait"
            print(f"{label:28}{call:10.2f}{done:10.2f}")


if __name__ == "__main__":
    main()

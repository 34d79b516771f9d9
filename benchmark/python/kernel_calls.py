# SPDX-License-Identifier: Apache-2.0
"""Measures the host's time for a call of kp.kernel and of kp.jit.

Each is called with tensors and with arrays: the same ones each time, others in turn, and NumPy arrays,
which are uploaded and downloaded. Prints microseconds of processor time of the calling thread, the
smallest of many measurements.

    python benchmark/python/kernel_calls.py [--size 64] [--repeat 1000]
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kp

#: Calls of one measurement.
COUNT = 12

glsl = kp.kernel("kernel void saxpy(float a, in float x[], inout float y[]) { y[i] += a * x[i]; }")


@kp.jit
def python(a, x, y):
    i = kp.global_id()
    y[i] += a * x[i]


def best(call: Callable[[], Any], repeat: int) -> float:
    """Return the smallest time of a call in microseconds."""
    for _ in range(COUNT):
        call()
    times = []
    for _ in range(repeat):
        start = time.thread_time()
        for _ in range(COUNT):
            call()
        times.append((time.thread_time() - start) / COUNT)
    kp.synchronize()
    return min(times) * 1e6


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--size", type=int, default=64)
    options.add_argument("--repeat", type=int, default=1000)
    given = options.parse_args()
    ones = np.ones(given.size, np.float32)
    mgr = kp.default_manager()
    print(f"{given.size} floats".ljust(19) + "    same   others")
    for name, kernel in (("kp.kernel", glsl), ("kp.jit", python)):
        for kind, make in (("tensors", mgr.tensor), ("arrays", kp.asarray)):
            pairs = [(make(ones), make(ones)) for _ in range(2)]
            turns = itertools.cycle(pairs)
            same = best(lambda: kernel(2.0, *pairs[0]), given.repeat)
            others = best(lambda: kernel(2.0, *next(turns)), given.repeat)
            print(f"{name:10} {kind:8} {same:8.1f} {others:8.1f}")
        numpy = best(lambda: kernel(2.0, ones, ones.copy()), given.repeat // 10)
        print(f"{name:10} {'NumPy':8} {numpy:8.1f}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Measures what a step of kp.OpRepeat costs that runs, and one that is skipped because the flag is set.

  env PYTHONPATH=<build>/python python3 benchmark/python/repeated_steps.py [--dispatches N ...] [--rounds N]

A step consists of so many dispatches over 4,096 floats. The times are differences between sequences of 1,000 steps and
of one, each evaluated with its wait; the best of the rounds counts.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

import kp

STEPS = 1000
ADD = """
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer X { float x[]; };
void main() { x[gl_GlobalInvocationID.x] += 1.0; }
"""


def microseconds(manager: kp.Manager, dispatches: int, skipped: bool, rounds: int) -> float:
    """Return the microseconds of a step."""
    x = manager.tensor_t(np.zeros(4096, np.float32))
    flag = manager.tensor_t(np.array([skipped], np.uint32))
    add = manager.algorithm([x], manager.compile(ADD), (64, 1, 1))
    step = [kp.OpAlgoDispatch(add)] * dispatches
    best = []
    for steps in (1, STEPS):
        sequence = manager.sequence().record(kp.OpRepeat(step, flag, steps))
        times = []
        for _ in range(rounds):
            begin = perf_counter()
            sequence.eval()
            times.append(perf_counter() - begin)
        best.append(min(times))
    evaluated = 0 if skipped else rounds * (STEPS + 1) * dispatches
    if x.read(0, 1)[0] != evaluated:
        raise RuntimeError(f"{evaluated} dispatches should have run, but {x.read(0, 1)[0]} have")
    return (best[1] - best[0]) / (STEPS - 1) * 1e6


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dispatches", type=int, nargs="+", default=[1, 2, 5])
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    manager = kp.Manager()
    print(manager.get_device_properties()["device_name"])
    print("dispatches of a step    runs    is skipped")
    for dispatches in given.dispatches:
        runs, skips = (
            microseconds(manager, dispatches, each, given.rounds) for each in (False, True)
        )
        print(f"{dispatches:20} {runs:7.2f} us {skips:7.2f} us")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Measures the overhead of frequent Python calls: kp and ordinary pybind11 bindings against C++.

Every figure is the median over rounds in which the variants take turns, and on a software driver,
which shares its processors with other programs, the least. The exit status is 1 if kp adds more
nanoseconds to a C++ call than ADDED allows. A software driver may run on any machine, so there the
overhead must also exceed OF_PLAIN of the overhead of the ordinary bindings, and calls that wait are
only shown. On a software driver the exit status is also 1 if two threads that evaluate one
sequence each are slower than one after the other.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, perf_counter_ns

import kompute_plain
import numpy as np

import kp

#: The nanoseconds that a call may add to the call in C++.
ADDED = {"record": 200, "eval_async": 200, "data": 200, "launch": 700, "launch, wait": 1000}

#: Calls that wait for the device. On a software driver their times vary by more than Python adds.
WAITING = {"launch, wait"}

#: The limit relative to the overhead of ordinary bindings, on a software driver. Usual are 0.2 to
#: 0.4, and 0.72 on a slow machine.
OF_PLAIN = 1

#: The limit for two threads relative to one after the other, on a software driver. It keeps all
#: processors busy, so 0.97 to 1.00 is usual, and more than 1 is noise.
TWO_THREADS = 1.05

#: The number of sequences that are submitted, and of launches, before a wait.
SEQUENCES = 100

INCREMENT = """#version 450
layout(local_size_x = 16) in;
layout(binding = 0) buffer Values { float values[]; };
void main() { values[gl_GlobalInvocationID.x] += 1.0; }
"""

SPIN = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint rounds; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint x = values[i] + 1u;
    for (uint k = 0u; k < rounds; ++k)
        x = x * 1664525u + 1013904223u;
    values[i] = x;
}
"""


def loop(count: int, call: Callable[[], object]) -> float:
    """The mean nanoseconds of a call, without the overhead of the loop."""
    repeated = [None] * count
    start = perf_counter_ns()
    for _ in repeated:
        pass
    empty = perf_counter_ns() - start
    start = perf_counter_ns()
    for _ in repeated:
        call()
    return (perf_counter_ns() - start - empty) / count


def submissions(sequences: list[kp.Sequence] | list[kompute_plain.Sequence]) -> float:
    """The mean nanoseconds of eval_async, without the waits that follow."""
    start = perf_counter_ns()
    for _ in sequences:
        pass
    empty = perf_counter_ns() - start
    start = perf_counter_ns()
    for sequence in sequences:
        sequence.eval_async()
    elapsed = perf_counter_ns() - start
    for sequence in sequences:
        sequence.eval_await()
    return (elapsed - empty) / len(sequences)


def launches(launcher: Callable[[], kp.Event]) -> float:
    """The mean nanoseconds of a launch, without the wait that follows."""
    elapsed = loop(SEQUENCES, launcher)
    launcher().wait()
    return elapsed


class Subject:
    """The objects of one of the two modules."""

    def __init__(self, module: object) -> None:
        self.manager = module.Manager()  # type: ignore[attr-defined]
        if module is kp:
            self.tensor = self.manager.tensor(shape=16)
            self.op = kp.OpSyncDevice([self.tensor])
            self.launcher = kp.launcher.KernelLauncher("launch", INCREMENT, [self.tensor], 16)
        else:
            self.tensor = self.manager.tensor(16)
            self.op = kompute_plain.OpSyncDevice(self.tensor)
            self.launcher = kompute_plain.KernelLauncher(self.manager, INCREMENT, self.tensor)
        self.recording = self.manager.sequence()
        self.sequences = [self.manager.sequence() for _ in range(SEQUENCES)]
        for sequence in self.sequences:
            sequence.record(self.op)

    def record(self, count: int) -> float:
        sequence, op = self.recording, self.op
        sequence.clear()
        return loop(count, lambda: sequence.record(op))

    def eval_async(self, count: int) -> float:
        return median(submissions(self.sequences) for _ in range(count // SEQUENCES))

    def launch(self, count: int) -> float:
        return median(launches(self.launcher) for _ in range(count // SEQUENCES))

    def launch_and_wait(self, count: int) -> float:
        return loop(count, lambda: self.launcher().wait())

    def data(self, count: int) -> float:
        return loop(count, self.tensor.data)


def measure(
    rounds: int, count: int, of_rounds: Callable[[list[float]], float]
) -> dict[str, dict[str, float]]:
    """Return nanoseconds per call by name and variant: `of_rounds` of the rounds' numbers."""
    library, plain = Subject(kp), Subject(kompute_plain)

    def cpp_record(n: int) -> float:
        plain.recording.clear()
        return kompute_plain.time_record(plain.recording, plain.op, n)

    runs: dict[str, dict[str, Callable[[int], float]]] = {
        "record": {"c++": cpp_record, "plain": plain.record, "kp": library.record},
        "eval_async": {
            "c++": lambda n: median(
                kompute_plain.time_eval_async(plain.sequences) for _ in range(n // SEQUENCES)
            ),
            "plain": plain.eval_async,
            "kp": library.eval_async,
        },
        "data": {
            "c++": lambda n: kompute_plain.time_data(plain.tensor, n),
            "plain": plain.data,
            "kp": library.data,
        },
        "launch": {
            "c++": lambda n: median(
                kompute_plain.time_launch(plain.launcher, SEQUENCES) for _ in range(n // SEQUENCES)
            ),
            "plain": plain.launch,
            "kp": library.launch,
        },
        "launch, wait": {
            "c++": lambda n: kompute_plain.time_launch_and_wait(plain.launcher, n),
            "plain": plain.launch_and_wait,
            "kp": library.launch_and_wait,
        },
    }
    result: dict[str, dict[str, float]] = {}
    for name, variants in runs.items():
        times: dict[str, list[float]] = {variant: [] for variant in variants}
        for turn in range(rounds + 1):
            for variant, run in variants.items():
                elapsed = run(count)
                if turn > 0:  # the first round warms up
                    times[variant].append(elapsed)
        result[name] = {variant: of_rounds(values) for variant, values in times.items()}
    return result


def threads(rounds: int) -> list[float]:
    """The time of two threads at once relative to one after the other, for each round."""
    manager = kp.Manager()

    def spinning() -> kp.Sequence:
        tensor = manager.tensor_t(np.zeros(64, np.uint32))
        algorithm = manager.algorithm(
            [tensor], SPIN, (1,), push_consts=np.array([60_000], np.uint32)
        )
        sequence = manager.sequence()
        for _ in range(20):
            sequence.record(kp.OpAlgoDispatch(algorithm))
        return sequence.eval()

    sequences = [spinning(), spinning()]

    def work(sequence: kp.Sequence) -> None:
        for _ in range(5):
            sequence.eval()

    ratios = []
    for _ in range(rounds):
        start = perf_counter()
        for sequence in sequences:
            work(sequence)
        alone = perf_counter() - start
        both = [threading.Thread(target=work, args=(sequence,)) for sequence in sequences]
        start = perf_counter()
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        ratios.append((perf_counter() - start) / alone)
    return ratios


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15, help="number of rounds (default: 15)")
    parser.add_argument("--count", type=int, default=2000, help="calls per round (default: 2000)")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    arguments = parser.parse_args()

    device = kp.Manager().get_device_properties()
    software = device["type"] == "cpu"
    print(f"{device['device_name']}, kp {kp.__version__}, nanoseconds per call")
    print(f"{'':12}{'c++':>10}{'plain':>10}{'kp':>10}{'plain adds':>12}{'kp adds':>10}")
    measured = measure(arguments.rounds, arguments.count, min if software else median)
    missed = []
    for name, times in measured.items():
        added = {variant: times[variant] - times["c++"] for variant in ("plain", "kp")}
        print(
            f"{name:12}{times['c++']:10.0f}{times['plain']:10.0f}{times['kp']:10.0f}"
            f"{added['plain']:12.0f}{added['kp']:10.0f}"
        )
        allowed = max(ADDED[name], OF_PLAIN * added["plain"]) if software else ADDED[name]
        if added["kp"] > allowed and not (software and name in WAITING):
            missed.append(f"{name} adds {added['kp']:.0f} ns, the limit is {allowed:.0f} ns")
    ratios = threads(arguments.rounds)
    print(
        f"two threads relative to one after the other: {median(ratios):.2f} "
        f"(best {min(ratios):.2f})"
    )
    # A GPU runs the submissions to a queue one after the other (docs/reports/benchmarks.md).
    if software and min(ratios) > TWO_THREADS:
        missed.append(
            f"two threads take {min(ratios):.2f} of one after the other, the limit is {TWO_THREADS}"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps({"calls": measured, "threads": ratios}, indent=2))
    for line in missed:
        print(f"MISSED: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

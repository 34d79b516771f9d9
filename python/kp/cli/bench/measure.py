# SPDX-License-Identifier: Apache-2.0
"""The measurements of ``kp bench``. Times are in seconds, rates are per second."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import kp
from kp.cli.errors import CommandError
from kp.cli.bench.kernels import EMPTY, MATMUL, SAXPY

STORAGE = kp.MemoryTypes.storage
BATCH = 100

Copies = dict[str, float]


class Measure:
    """Measures one device. ``quick`` gives less precise numbers in less time."""

    def __init__(self, manager: kp.Manager, quick: bool) -> None:
        self.manager = manager
        self.min_seconds = 0.02 if quick else 0.3
        self.on_device = bool(manager.get_device_properties()["timestamps_supported"])

    def repeated(self, action: Callable[[], float | None], at_least: int = 5) -> float:
        """Return the median time of an action, repeated for a while after an untimed first run.

        If the action returns a number, that is its time.
        """
        action()
        times: list[float] = []
        end = time.perf_counter() + self.min_seconds
        while len(times) < at_least or time.perf_counter() < end:
            start = time.perf_counter()
            own = action()
            times.append(time.perf_counter() - start if own is None else own)
        return statistics.median(times)

    def evaluated(self, sequence: kp.Sequence) -> float:
        """Return the time of one evaluation, by the device's clock if it has one."""
        start = time.perf_counter()
        sequence.eval()
        if not self.on_device:
            return time.perf_counter() - start
        stamps = sequence.get_timestamps_ns()
        return (stamps[-1] - stamps[0]) * 1e-9

    def timed_sequence(self) -> kp.Sequence:
        return self.manager.sequence(total_timestamps=1 if self.on_device else 0)

    def dispatch(self) -> dict[str, float]:
        """Measure the time of an empty dispatch on the host."""
        algorithm = self.manager.algorithm([], EMPTY, (1, 1, 1))
        operation = kp.OpAlgoDispatch(algorithm)
        once = self.manager.sequence().record(operation)
        fresh = self.manager.sequence()
        many = self.manager.sequence()
        for _ in range(BATCH):
            many.record(operation)
        return {
            "recorded": self.repeated(lambda: no_result(once.eval()), 50),
            "record_and_evaluate": self.repeated(lambda: no_result(fresh.eval(operation)), 50),
            "in_a_batch": self.repeated(lambda: no_result(many.eval())) / BATCH,
        }

    def copies(self, size: int) -> Copies:
        """Measure copies of ``size`` bytes between host and device and within the device."""
        source = self.manager.tensor_t(None, STORAGE, shape=(size,), dtype=np.uint8)
        target = self.manager.tensor_t(None, STORAGE, shape=(size,), dtype=np.uint8)
        plain = np.resize(np.arange(251, dtype=np.uint8), size)
        result = np.zeros(size, np.uint8)
        pinned = self.manager.pinned_array(size, np.uint8)
        pinned[:] = plain
        sequence = self.timed_sequence().record(kp.OpCopy([source, target]))
        seconds = {
            "host_to_device": self.repeated(lambda: source.write(plain)),
            "pinned_to_device": self.repeated(lambda: source.write(pinned)),
            "device_to_device": self.repeated(lambda: self.evaluated(sequence)),
            "device_to_host": self.repeated(lambda: no_result(target.read(out=result))),
            "device_to_pinned": self.repeated(lambda: no_result(target.read(out=pinned))),
        }
        if not (np.array_equal(result, plain) and np.array_equal(pinned, plain)):
            raise CommandError(
                f"a copy of {size} bytes changed the data; results of this device are not reliable"
            )
        for memory in (source, target):
            memory.destroy()
        return {name: size / each for name, each in seconds.items()}

    def saxpy(self, count: int) -> float:
        """Measure y = a x + y over ``count`` floats in bytes per second: two reads, one write."""
        x = self.manager.tensor_t(np.ones(count, np.float32), STORAGE)
        y = self.manager.tensor_t(np.zeros(count, np.float32), STORAGE)
        algorithm = self.manager.algorithm(
            [x, y], SAXPY, push_consts=[1.0], thread_count=count // 4
        )
        sequence = self.timed_sequence().record(kp.OpAlgoDispatch(algorithm))
        runs = 0

        def run() -> float:
            nonlocal runs
            runs += 1
            return self.evaluated(sequence)

        seconds = self.repeated(run)
        found = y.read()
        if not np.all(found == runs):
            raise CommandError(
                f"saxpy computed values from {found.min()} to {found.max()}, but {runs} is "
                "expected; results of this device are not reliable"
            )
        return 3 * 4 * count / seconds

    def matmul(self, size: int) -> float:
        """Measure a tiled multiplication of square matrices in operations per second."""
        generator = np.random.default_rng(7)
        left, right = (generator.integers(-4, 5, (size, size)).astype(np.float32) for _ in range(2))
        a = self.manager.tensor_t(left, STORAGE)
        b = self.manager.tensor_t(right, STORAGE)
        c = self.manager.tensor_t(None, STORAGE, shape=(size, size), dtype=np.float32)
        algorithm = self.manager.algorithm(
            [a, b, c], MATMUL, push_consts=np.array([size], np.uint32), thread_count=(size, size)
        )
        sequence = self.timed_sequence().record(kp.OpAlgoDispatch(algorithm))
        seconds = self.repeated(lambda: self.evaluated(sequence), 3)
        if not np.array_equal(c.read(), left @ right):
            raise CommandError(
                "the matrix product differs from NumPy's; results of this device are not reliable"
            )
        return 2 * size**3 / seconds


def no_result(_: object) -> None:
    """Return None for an action's result, so that the host's clock times the action."""

# SPDX-License-Identifier: Apache-2.0
"""A few speeds of a device."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import kp
from kp.cli.errors import CommandError
from kp.cli.bench.measure import Measure
from kp.cli.table import format_time

MIB = 1 << 20


def run_speeds(manager: kp.Manager, quick: bool) -> list[tuple[str, str]]:
    """Return names and speeds, with units. A speed that cannot be measured is a reason."""
    device = manager.get_device_properties()
    small = quick or device["type"] == "cpu"
    measure = Measure(manager, quick)
    copied = min((4 if small else 64) * MIB, int(device["memory_bytes"]) // 16)
    count = (1 if small else 16) * MIB
    size = 256 if small else 2048
    values = np.random.default_rng(3).random(count, dtype=np.float32)

    def copies() -> list[tuple[str, str]]:
        rates = measure.copies(copied)
        names = {"host_to_device": "to the device", "device_to_host": "to the host"}
        names["device_to_device"] = "within the device"
        return [
            (f"copy of {copied // MIB} MiB {text}", f"{rates[name] * 1e-9:.3g} GB/s")
            for name, text in names.items()
        ]

    def launch() -> list[tuple[str, str]]:
        seconds = measure.dispatch()
        return [
            ("launch, recorded once, with its wait", format_time(seconds["recorded"])),
            ("launch, one of 100 in a submission", format_time(seconds["in_a_batch"])),
        ]

    def product() -> list[tuple[str, str]]:
        matrix = kp.array(np.resize(values, (size, size)), device=manager)
        seconds = measure.repeated(lambda: _wait(manager, lambda: kp.matmul(matrix, matrix)))
        return [(f"product of {size} x {size} float32", f"{2e-9 * size**3 / seconds:.4g} GFLOP/s")]

    def order() -> list[tuple[str, str]]:
        array = kp.array(values, device=manager)
        seconds = measure.repeated(lambda: _wait(manager, lambda: kp.sort(array)))
        return [(f"sort of {count} float32", f"{count / seconds * 1e-9:.3g} G elements/s")]

    def total() -> list[tuple[str, str]]:
        array = kp.array(values, device=manager)
        seconds = measure.repeated(lambda: _wait(manager, lambda: kp.sum(array)))
        return [(f"sum of {count} float32", f"{4 * count / seconds * 1e-9:.3g} GB/s")]

    measured: list[tuple[str, str]] = []
    for name, speed in (
        *(("copies", copies), ("launch", launch), ("matrix product", product)),
        *(("sort", order), ("sum", total)),
    ):
        try:
            measured += speed()
        except (kp.Error, CommandError, MemoryError) as error:
            measured.append((name, f"not measured: {error}"))
    return measured


def _wait(manager: kp.Manager, make: Callable[[], object]) -> None:
    made = make()
    made.evaluate()  # type: ignore[attr-defined]
    manager.wait_idle()

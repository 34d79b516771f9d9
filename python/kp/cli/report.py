# SPDX-License-Identifier: Apache-2.0
"""The output of ``kp run``."""

from __future__ import annotations

from typing import Any

import numpy as np

from kp.cli.bindings import Slot
from kp.cli.files import Array, read_array
from kp.cli.runner import Runner
from kp.cli.shaders import kind_name
from kp.cli.table import format_bytes, format_shape, format_table, format_time

SHOWN = 8


def print_run(shader: str, runner: Runner) -> None:
    groups, local = runner.algorithm.workgroup, runner.algorithm.local_size
    device = runner.manager.get_device_properties()["device_name"]
    rows = [
        ["device", str(device)],
        ["shader", shader],
        ["dispatch", f"{format_shape(groups)} work groups of {format_shape(local)}"],
    ]
    print(format_table(rows))
    print()
    print(format_table([binding_row(slot) for slot in runner.slots], BINDING_HEADER))
    print()
    print(
        format_table(
            [time_row(runner, *each) for each in runner.times], ("step", "time"), right={1}
        )
    )
    print(flush=True)


BINDING_HEADER = ("binding", "name", "kind", "type", "shape", "size", "from")


def binding_row(slot: Slot) -> list[str]:
    binding = slot.binding
    return [
        str(slot.index),
        binding.name if binding else "",
        kind_name(binding.kind) if binding else "not used",
        str(slot.dtype),
        format_shape(slot.shape),
        format_bytes(slot.nbytes),
        f"--{slot.role}" if slot.data is None else slot.source,
    ]


def time_row(runner: Runner, name: str, seconds: float) -> list[str]:
    row = [name, format_time(seconds)]
    if name == "dispatch":
        clock = "device" if runner.on_device else "host"
        many = len(runner.dispatches)
        if many > 1:
            low, high = min(runner.dispatches), max(runner.dispatches)
            limits = f"{format_time(low)} to {format_time(high)}"
            row.append(f"by the {clock}'s clock, median of {many} ({limits})")
        else:
            row.append(f"by the {clock}'s clock")
    return row


def print_output(number: int, slot: Slot, array: Array) -> None:
    print(f"output {number}: {slot.name}, {format_shape(array.shape)} {array.dtype}")
    if array.dtype.kind in "biuf":
        print(f"  {statistics_of(array)}")
    flat = array.ravel()
    more = " ..." if flat.size > SHOWN else ""
    print("  " + " ".join(number_text(value) for value in flat[:SHOWN]) + more)


def statistics_of(array: Array) -> str:
    finite = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    if finite.size == 0:
        return "no finite values"
    text = (
        f"min {number_text(finite.min())}, max {number_text(finite.max())}, "
        f"mean {number_text(finite.mean(dtype=np.float64))}"
    )
    others = array.size - finite.size
    return text + (f", {others} not finite" if others else "")


def number_text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def difference(array: Array, path: str, tolerance: float) -> str:
    """Describe how the array differs from the file's. The text is empty if they are equal."""
    expected = read_array(path)
    if expected.shape != array.shape:
        given, wanted = format_shape(array.shape), format_shape(expected.shape)
        return f"the shape is {given}, but {wanted} is expected"
    if array.dtype.kind == "f" or expected.dtype.kind == "f":
        same = np.isclose(array, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    else:
        same = np.asarray(array == expected)
    wrong = int(same.size - np.count_nonzero(same))
    if wrong == 0:
        return ""
    place = np.unravel_index(int(np.flatnonzero(~same)[0]), same.shape)
    where = ",".join(str(index) for index in place)
    return (
        f"{wrong} of {same.size} elements differ, the first at [{where}]: it is "
        f"{number_text(array[place])}, but {number_text(expected[place])} is expected"
    )

# SPDX-License-Identifier: Apache-2.0
"""``kp bench``: measures copies, dispatches and kernels on a device."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import kp
from kp.cli.arguments import add_device_option
from kp.cli.command import Command
from kp.cli.devices import open_manager
from kp.cli.files import check_can_write
from kp.cli.bench.measure import BATCH, Measure
from kp.cli.bench.plot import plot_copies, require_matplotlib
from kp.cli.progress import Progress
from kp.cli.table import format_bytes, format_table, format_time

EXAMPLE = """example:
  kp bench --plot copies.png --json numbers.json

1 GB/s is 10^9 bytes per second. Each number is the median of repeated runs. Kernels and copies
within the device are timed by the device's clock if it has one. Everything else is timed by the
host's clock. All results are checked.
"""

KIB, MIB = 1 << 10, 1 << 20
QUICK_SIZES = (4 * KIB, 256 * KIB, 4 * MIB)
SIZES = (4 * KIB, 64 * KIB, MIB, 16 * MIB, 64 * MIB, 256 * MIB)

COPY_NAMES = {
    "host_to_device": "to device",
    "pinned_to_device": "pinned to device",
    "device_to_host": "to host",
    "device_to_pinned": "to pinned",
    "device_to_device": "within device",
}
DISPATCH_NAMES = {
    "recorded": "recorded once",
    "record_and_evaluate": "recorded each time",
    "in_a_batch": f"one of {BATCH} in a submission",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="measure roughly, in about a second")
    parser.add_argument("--plot", metavar="FILE", help="plot the copy rates (needs matplotlib)")
    parser.add_argument(
        "--json", metavar="FILE", help="write all numbers as JSON; - is standard output"
    )
    add_device_option(parser)


def bench(arguments: argparse.Namespace) -> int:
    if arguments.plot:
        require_matplotlib()
        check_can_write(arguments.plot)
    if arguments.json and arguments.json != "-":
        check_can_write(arguments.json)
    manager = open_manager(arguments.device)
    numbers = measure(manager, arguments.quick)
    if arguments.json == "-":
        print(json.dumps(numbers, indent=2))
    else:
        print_numbers(numbers)
    if arguments.json and arguments.json != "-":
        Path(arguments.json).write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    if arguments.plot:
        plot_copies(arguments.plot, numbers, COPY_NAMES)
    return 0


def measure(manager: kp.Manager, quick: bool) -> dict[str, Any]:
    """Return all numbers for JSON: seconds, bytes per second, operations per second."""
    device = manager.get_device_properties()
    on_cpu = device["type"] == "cpu"
    largest = int(device["memory_bytes"]) // 8
    sizes = [size for size in (QUICK_SIZES if quick else SIZES) if size <= largest]
    floats = MIB if quick else 16 * MIB
    side = 128 if quick else 512 if on_cpu else 2048
    tools = Measure(manager, quick)
    numbers: dict[str, Any] = {
        "version": kp.__version__,
        "device": device["device_name"],
        "driver": device["driver"],
        "device_clock": tools.on_device,
    }
    with Progress(len(sizes) + 3) as progress:
        progress.start("dispatch")
        numbers["dispatch_seconds"] = tools.dispatch()
        progress.advance()
        copies: list[dict[str, float]] = []
        for size in sizes:
            progress.start(f"copies of {format_bytes(size)}")
            copies.append({"bytes": size, **tools.copies(size)})
            progress.advance()
        numbers["copies_bytes_per_second"] = copies
        progress.start("saxpy")
        numbers["saxpy"] = {"floats": floats, "bytes_per_second": tools.saxpy(floats)}
        progress.advance()
        progress.start("matrix multiplication")
        numbers["matmul"] = {"side": side, "flops": tools.matmul(side)}
        progress.advance()
    return numbers


def print_numbers(numbers: dict[str, Any]) -> None:
    print(f"{numbers['device']}, {numbers['driver']}\n")
    rows = [
        [DISPATCH_NAMES[name], format_time(seconds)]
        for name, seconds in numbers["dispatch_seconds"].items()
    ]
    print(format_table(rows, ("empty dispatch", "time"), right={1}) + "\n")
    rows = [
        [format_bytes(row["bytes"]), *(f"{row[name] / 1e9:.3g}" for name in COPY_NAMES)]
        for row in numbers["copies_bytes_per_second"]
    ]
    header = ("copies, GB/s", *COPY_NAMES.values())
    print(format_table(rows, header, right=range(len(header))) + "\n")
    saxpy, matmul = numbers["saxpy"], numbers["matmul"]
    rows = [
        [f"saxpy, {saxpy['floats']} floats", f"{saxpy['bytes_per_second'] / 1e9:.4g} GB/s"],
        [
            f"matrix multiplication, {matmul['side']} x {matmul['side']}",
            f"{matmul['flops'] / 1e9:.4g} GFLOP/s",
        ],
    ]
    print(format_table(rows, ("kernel", "rate"), right={1}))


COMMAND = Command(
    name="bench",
    help="measure copies, dispatches and kernels on this machine",
    description="Measures dispatch latency, copies, memory bandwidth and arithmetic.",
    epilog=EXAMPLE,
    add_options=add_options,
    run=bench,
)

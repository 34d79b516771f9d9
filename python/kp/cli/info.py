# SPDX-License-Identifier: Apache-2.0
"""``kp info``: lists the devices and their capabilities."""

from __future__ import annotations

import argparse
import json
from typing import Any

import kp
from kp.cli.arguments import add_device_option
from kp.cli.command import Command
from kp.cli.devices import find_device
from kp.cli.errors import CommandError
from kp.cli.features import probe
from kp.cli.table import format_bytes, format_shape, format_table

EXAMPLE = """example:
  kp info
  kp info --json --device gpu
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--brief", action="store_true", help="omit the shader features, which need an open device"
    )
    add_device_option(parser)


def info(arguments: argparse.Namespace) -> int:
    devices = kp.list_devices()
    if not devices:
        raise CommandError(
            "no Vulkan device found; install a driver (mesa-vulkan-drivers includes one for CPUs)"
        )
    if arguments.device:
        devices = [devices[find_device(arguments.device, devices)]]
    if not arguments.brief:
        for device in devices:
            device.update(probe(device["index"]))
    if arguments.json:
        print(json.dumps({"version": kp.__version__, "devices": devices}, indent=2, default=str))
    else:
        print("\n\n".join(describe(device) for device in devices))
    return 0


def describe(device: dict[str, Any]) -> str:
    rows = [
        ["type", device["type"]],
        ["driver", device["driver"]],
        ["Vulkan", device["api_version"]],
        ["UUID", device["uuid"]],
        ["memory", format_bytes(device["memory_bytes"])],
        ["work groups", format_shape(device["max_work_group_count"])],
        ["work group size", format_shape(device["max_work_group_size"])],
        ["invocations", f"{device['max_work_group_invocations']} per work group"],
        ["subgroup", str(device["subgroup_size"])],
        ["compute queues", " ".join(str(count) for count in device["compute_queues"])],
        ["timestamps", "yes" if device["timestamps_supported"] else "no"],
    ]
    if "error" in device:
        rows.append(["not usable", str(device["error"]).splitlines()[0]])
    elif "features" in device:
        rows.append(["shaders can use", " ".join(names(device, True)) or "no optional feature"])
        rows.append(["shaders cannot use", " ".join(names(device, False)) or "-"])
    return f"{device['index']}  {device['device_name']}\n{format_table(rows, indent='   ')}"


def names(device: dict[str, Any], usable: bool) -> list[str]:
    """Return the names of the features that are, or are not, usable."""
    return [name for name, value in device["features"].items() if value == usable]


COMMAND = Command(
    name="info",
    help="show the devices of this machine",
    description="Shows the devices of this machine with their memory, limits and shader features.",
    epilog=EXAMPLE,
    add_options=add_options,
    run=info,
)

# SPDX-License-Identifier: Apache-2.0
"""``kp memory``: shows what is left of the devices' memory, and what a program has of it."""

from __future__ import annotations

import argparse
import functools
import json
import runpy
import sys
import traceback
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kp
from kp._default import current_manager
from kp.cli.arguments import add_device_option
from kp.cli.command import Command
from kp.cli.devices import find_device
from kp.cli.errors import CommandError, UsageError
from kp.cli.table import format_bytes, format_table, plural

EXAMPLE = """example:
  kp memory
  kp memory program.py --its --options

With a program, the report comes when the program ends, also with an exception. It has the objects that
exist then. Name them with set_name().
"""

#: Objects that are listed for each manager.
MOST_LISTED = 20


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_device_option(parser)
    parser.add_argument("program", nargs="?", help="a Python program to run first")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")


@dataclass
class Watched:
    """The managers and groups that were made since, by their creation."""

    managers: list[weakref.ref[kp.Manager]] = field(default_factory=list)
    groups: list[weakref.ref[kp.DeviceGroup]] = field(default_factory=list)

    def living(self) -> list[kp.Manager]:
        """Return the managers in use, each once."""
        default = current_manager()
        found = [] if default is None else [default]
        found += [each for ref in self.managers if (each := ref()) is not None]
        for ref in self.groups:
            if (group := ref()) is not None:
                found += list(group)
        alive = {id(each): each for each in found if each.is_init()}
        return list(alive.values())


def watch(kind: Any, made: list[Any]) -> Callable[[], None]:
    """Note objects of a class when they are made. Return a function that ends it."""
    original = kind.__init__

    @functools.wraps(original)
    def noting(self: Any, *args: Any, **keywords: Any) -> None:
        original(self, *args, **keywords)
        made.append(weakref.ref(self))

    kind.__init__ = noting
    return lambda: setattr(kind, "__init__", original)


def memory(arguments: argparse.Namespace) -> int:
    if arguments.program is None:
        managers = [kp.Manager(index) for index in chosen(arguments.device)]
        return show(managers, arguments.json, only_heaps=True)
    if arguments.device:
        raise UsageError(
            "--device is for 'kp memory' alone; KOMPUTE_DEVICE chooses a program's device"
        )
    if not Path(arguments.program).is_file():
        raise CommandError(f"{arguments.program} is not a file; name a Python program to run")
    return run_and_show(arguments)


def chosen(device: str | None) -> list[int]:
    devices = kp.list_devices()
    if not devices:
        raise CommandError(
            "no Vulkan device found; install a driver (mesa-vulkan-drivers includes one for CPUs)"
        )
    return [find_device(device, devices)] if device else list(range(len(devices)))


def run_and_show(arguments: argparse.Namespace) -> int:
    """Run the program as Python does, then show the memory. Return the program's exit code."""
    watched = Watched()
    ends = [watch(kp.Manager, watched.managers), watch(kp.DeviceGroup, watched.groups)]
    arguments_before, path_before = sys.argv, list(sys.path)
    sys.argv = [arguments.program, *arguments.arguments]
    sys.path.insert(0, str(Path(arguments.program).resolve().parent))
    code = 0
    kept: object = None  # the program's objects, while they are listed
    try:
        kept = runpy.run_path(arguments.program, run_name="__main__")
    except SystemExit as end:
        kept = end
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code == 1 and isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except Exception as error:
        kept = error  # its frames have the objects
        traceback.print_exc()
        code = 1
    finally:
        for end_watching in ends:
            end_watching()
        sys.argv = arguments_before
        sys.path[:] = path_before
        sys.stdout.flush()
        show(watched.living(), arguments.json)
        del kept
    return code


def show(managers: list[kp.Manager], as_json: bool, only_heaps: bool = False) -> int:
    if as_json:
        print(json.dumps([facts(each) for each in managers], indent=2))
    elif managers:
        print("\n\n".join(describe(each, only_heaps) for each in managers))
    else:
        print("no manager of kp is in use")
    return 0


def facts(manager: kp.Manager) -> dict[str, Any]:
    usage = manager.memory()
    return {
        "device": manager.get_device_properties()["device_name"],
        "allocated": usage.allocated,
        "peak": usage.peak,
        "cached": usage.cached,
        "reserved": usage.reserved,
        "peak_reserved": usage.peak_reserved,
        "kinds": [
            {"kind": each.kind, "count": each.count, "bytes": each.bytes}
            for each in manager.memory_kinds()
        ],
        "objects": [
            {"name": each.name, "kind": each.kind, "bytes": each.bytes}
            for each in manager.memory_objects()
        ],
        "heaps": [
            {
                "device_local": each.device_local,
                "size": each.size,
                "budget": each.budget,
                "used": each.used,
                "reserved": each.reserved,
            }
            for each in manager.memory_heaps()
        ],
    }


def describe(manager: kp.Manager, only_heaps: bool) -> str:
    parts = [] if only_heaps else [*in_use(manager)]
    heaps = [
        [
            f"{index}, of the {'device' if each.device_local else 'host'}",
            format_bytes(each.size),
            format_bytes(each.budget),
            format_bytes(each.used),
        ]
        for index, each in enumerate(manager.memory_heaps())
    ]
    header = ["heap", "size", "can be used", "in use"]
    parts.append(format_table(heaps, header, right=(1, 2, 3), indent="   "))
    name = manager.get_device_properties()["device_name"]
    return f"{name}\n" + "\n\n".join(parts)


def in_use(manager: kp.Manager) -> Iterator[str]:
    """Yield tables of the sums, the kinds and the objects."""
    usage = manager.memory()
    sums = [
        ["in use", format_bytes(usage.allocated), f"at most {format_bytes(usage.peak)}"],
        ["kept for reuse", format_bytes(usage.cached)],
        ["reserved", format_bytes(usage.reserved), f"at most {format_bytes(usage.peak_reserved)}"],
    ]
    yield format_table(sums, right=(1,), indent="   ")
    kinds = [
        [each.kind, format_bytes(each.bytes), plural(each.count, "object") if each.count else ""]
        for each in manager.memory_kinds()
        if each.bytes
    ]
    if kinds:
        yield format_table(kinds, ["reserved for"], right=(1,), indent="   ")
    objects = manager.memory_objects()
    listed, rest = objects[:MOST_LISTED], objects[MOST_LISTED:]
    rows = [[each.name or "-", format_bytes(each.bytes), each.kind] for each in listed]
    if rest:
        rows.append([f"{len(rest)} more", format_bytes(sum(each.bytes for each in rest))])
    if rows:
        yield format_table(rows, ["object"], right=(1,), indent="   ")


COMMAND = Command(
    name="memory",
    help="show the memory of the devices, or of a program",
    description="Shows the heaps of the devices, and how much of them this process can have. With a Python program, "
    "runs it, and shows the device memory that it has in use at its end, by kind and by object.",
    epilog=EXAMPLE,
    add_options=add_options,
    run=memory,
)

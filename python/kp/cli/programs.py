# SPDX-License-Identifier: Apache-2.0
"""The part of ``kp run`` that runs saved programs."""

from __future__ import annotations

import argparse
import time

import kp
from kp.cli.arguments import assignment
from kp.cli.devices import open_manager
from kp.cli.errors import UsageError
from kp.cli.files import check_can_write, read_array, write_array

MAGIC = b"KPROGRAM"


def add_program_options(parser: argparse.ArgumentParser) -> None:
    program = parser.add_argument_group("programs")
    program.add_argument(
        "--input", metavar="NAME=FILE", type=assignment, action="append", default=[],
        help="an input of a saved program: a .npy file or an image",
    )  # fmt: skip
    program.add_argument(
        "--output", metavar="NAME=FILE", type=assignment, action="append", default=[],
        help="save an output of a program as .npy or an image",
    )  # fmt: skip


def is_program(path: str) -> bool:
    """Return whether a file is a program that kp.Program.save() wrote."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def run_program(arguments: argparse.Namespace) -> int:
    program = kp.Program.load(arguments.shader, device=open_manager(arguments.device))
    inputs = named("--input", arguments.input)
    outputs = named("--output", arguments.output)
    require_known("--input", inputs, [each.name for each in program.tensors() if each.input])
    require_known("--output", outputs, [each.name for each in program.tensors() if each.output])
    for path in outputs.values():
        check_can_write(path)
    arrays = {
        name: kp.asarray(read_array(path), device=program.device) for name, path in inputs.items()
    }
    start = time.perf_counter()
    made = program(**arrays)
    results = made if isinstance(made, dict) else {output_name(program): made}
    values = {name: array.numpy() for name, array in results.items()}
    seconds = time.perf_counter() - start
    device = program.device.get_device_properties()["device_name"]
    print(f"{arguments.shader}: {seconds * 1000:.3f} ms on {device}")
    for name, value in values.items():
        print(f"  {name}: {value.dtype}{list(value.shape)}")
        if name in outputs:
            write_array(outputs[name], value)
            print(f"  saved to {outputs[name]}")
    return 0


def output_name(program: kp.Program) -> str:
    return next(each.name for each in program.tensors() if each.output)


def named(option: str, given: list[tuple[str, str]]) -> dict[str, str]:
    files: dict[str, str] = {}
    for name, path in given:
        if name in files:
            raise UsageError(f"{option} {name} was given twice")
        files[name] = path
    return files


def require_known(option: str, given: dict[str, str], known: list[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(
                f"the program has nothing called {name!r} for {option}; it has {', '.join(known)}"
            )

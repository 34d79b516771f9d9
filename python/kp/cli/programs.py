# SPDX-License-Identifier: Apache-2.0
"""The part of ``kp run`` that runs saved programs."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

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
    refuse_shader_options(arguments)
    program = kp.Program.load(arguments.shader, device=open_manager(arguments.device))
    inputs = named("--input", arguments.input)
    outputs = named("--output", arguments.output)
    require_known("--input", inputs, [each.name for each in program.tensors() if each.input])
    require_known("--output", outputs, [each.name for each in program.tensors() if each.output])
    for path in outputs.values():
        check_can_write(path)
    arrays = {
        name: kp.asarray(read_input(path), device=program.device) for name, path in inputs.items()
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


def refuse_shader_options(arguments: argparse.Namespace) -> None:
    """Refuse options that a program has no use for, instead of ignoring them."""
    given = {
        "--in, --out or --in-out": arguments.memory,
        "--save": arguments.save,
        "--check": arguments.check,
        "--push": arguments.push,
        "--spec": arguments.spec,
        "--groups": arguments.groups,
        "--threads": arguments.threads,
        "--repeat": arguments.repeat > 1,
    }
    for option, value in given.items():
        if value:
            raise UsageError(
                f"{option} is for shaders; a program takes --input NAME=FILE and --output NAME=FILE"
            )


def read_input(path: str) -> Any:
    """Return an array of any type that arrays have, also complex numbers, or an image."""
    return np.load(path, allow_pickle=False) if path.endswith(".npy") else read_array(path)


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

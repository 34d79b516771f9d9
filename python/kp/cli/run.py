# SPDX-License-Identifier: Apache-2.0
"""``kp run``: runs a compute shader or a saved program on .npy files and images."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import kp
from kp.cli import arguments as args
from kp.cli.bindings import Slot, default_threads, fit, warnings
from kp.cli.command import Command
from kp.cli.constants import push_constants, spec_constants
from kp.cli.devices import open_manager
from kp.cli.errors import CommandError, UsageError
from kp.cli.files import check_can_write, write_array
from kp.cli.report import difference, print_output, print_run
from kp.cli.programs import add_program_options, is_program, run_program
from kp.cli.runner import Runner

EXAMPLE = """example:
  kp run add.comp --in a.npy --in b.npy --out 1000xf32 --save sum.npy
  kp run blur.comp --in photo.png --out 480x640x4xu8 --push radius=3 --save blurred.png
  kp run step.kp --input u=u.npy --output result=next.npy

The options --in, --out and --in-out are bound to the shader's bindings in command-line order: the
first one to the first binding. A buffer or image of floats gets the pixels of an image file as
values from 0 to 1. Other types get them as bytes. An image of a normalised format, such as rgba8,
has the type of its memory: u8, u16, i8 or i16. Without --groups and --threads, the shader runs one
invocation for each element of the first output. Shaders with samplers are not supported.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    args.add_shader_options(parser)
    add_memory_options(parser)
    add_launch_options(parser)
    add_program_options(parser)
    args.add_device_option(parser)


def add_memory_options(parser: argparse.ArgumentParser) -> None:
    memory = parser.add_argument_group("memory")
    memory.add_argument(
        "--in", dest="memory", metavar="FILE", type=args.input_file, action=args.AppendMemory,
        default=[], help="an input: a .npy file or an image",
    )  # fmt: skip
    memory.add_argument(
        "--out", dest="memory", metavar="SHAPExTYPE", type=args.output_shape,
        action=args.AppendMemory, default=[],
        help="an output, initially zero: 16xf32, 480x640x4xu8",
    )  # fmt: skip
    memory.add_argument(
        "--in-out", dest="memory", metavar="FILE", type=args.in_out_file, action=args.AppendMemory,
        default=[], help="an input that the shader changes; the result is an output",
    )  # fmt: skip
    memory.add_argument(
        "--cast", action="store_true", help="convert inputs to the types in the shader"
    )
    memory.add_argument(
        "--save", metavar="FILE", action="append", default=[],
        help="save the next output as .npy or an image; out%%d.npy numbers all outputs",
    )  # fmt: skip
    memory.add_argument(
        "--check", metavar="FILE", action="append", default=[],
        help="compare the next output with a .npy file; exit code 1 if they differ",
    )  # fmt: skip
    memory.add_argument(
        "--tolerance", metavar="T", type=args.tolerance, default=1e-5,
        help="the relative and absolute tolerance of --check for floats (default: %(default)s)",
    )  # fmt: skip


def add_launch_options(parser: argparse.ArgumentParser) -> None:
    launch = parser.add_argument_group("dispatch")
    launch.add_argument(
        "--push", metavar="NAME=VALUE", action="append", default=[],
        help="a push constant (NAME=1,2,3 for a vector), or all of them as a list: 1,2,3 (write "
        "--push=-1,2 if the first is negative)",
    )  # fmt: skip
    launch.add_argument(
        "--spec", metavar="NAME=VALUE", type=args.assignment, action="append", default=[],
        help="a specialization constant, by name or constant_id",
    )  # fmt: skip
    size = launch.add_mutually_exclusive_group()
    size.add_argument(
        "--groups", metavar="X[,Y[,Z]]", type=args.counts, help="the number of work groups"
    )
    size.add_argument(
        "--threads", metavar="X[,Y[,Z]]", type=args.counts,
        help="the number of invocations, rounded up to whole work groups",
    )  # fmt: skip
    launch.add_argument(
        "--repeat", metavar="N", type=args.positive, default=1,
        help="dispatch N times and show the median time; the outputs come from the last run",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    if is_program(arguments.shader):
        return run_program(arguments)
    outputs = sum(1 for each in arguments.memory if each.role != "in")
    save = output_names("--save", arguments.save, outputs)
    check = output_names("--check", arguments.check, outputs)
    for name in save:
        check_can_write(name)

    runner = Runner(open_manager(arguments.device))
    runner.compile(arguments)
    slots = fit(arguments.memory, runner.reflection, arguments.cast)
    for text in warnings(slots):
        print(f"kp: warning: {text}", file=sys.stderr)
    runner.build(
        slots,
        push=push_constants(arguments.push, runner.reflection),
        spec=spec_constants(arguments.spec, runner.reflection),
    )
    set_size(runner.algorithm, arguments, slots)
    runner.upload()
    runner.dispatch(arguments.repeat)
    arrays = runner.download()

    print_run(arguments.shader, runner)
    finish(runner.outputs(), arrays, save, check, arguments.tolerance)
    return 0


def set_size(algorithm: kp.Algorithm, arguments: argparse.Namespace, slots: list[Slot]) -> None:
    if arguments.groups:
        algorithm.set_workgroup(arguments.groups)
    else:
        threads = arguments.threads or default_threads(slots, algorithm.local_size)
        algorithm.set_thread_count(*threads)


def output_names(option: str, names: list[str], outputs: int) -> list[str]:
    """Return file names for the outputs in order. ``%d`` stands for each output's number."""
    if len(names) == 1 and "%d" in names[0]:
        return [names[0].replace("%d", str(number)) for number in range(outputs)]
    if len(names) > outputs:
        raise UsageError(
            f"{len(names)} {option} options were given, but there are only {outputs} outputs "
            "(--out and --in-out)"
        )
    return names


def finish(
    slots: list[Slot], arrays: list[Any], save: list[str], check: list[str], tolerance: float
) -> None:
    """Print, save and compare all outputs. Then raise CommandError if any differ."""
    different: list[str] = []
    for number, (slot, array) in enumerate(zip(slots, arrays, strict=True)):
        print_output(number, slot, array)
        if number < len(save):
            write_array(save[number], array)
            print(f"  saved to {save[number]}")
        if number < len(check):
            text = difference(array, check[number], tolerance)
            print(f"  {'differs from' if text else 'equal to'} {check[number]}")
            if text:
                different.append(f"output {number} differs from {check[number]}: {text}")
    if different:
        raise CommandError("; ".join(different))


COMMAND = Command(
    name="run",
    help="run a compute shader or a saved program on .npy files and images",
    description="Runs a compute shader, or a program that kp.Program saved, on .npy files and images.",
    epilog=EXAMPLE,
    add_options=add_options,
    run=run,
)

# SPDX-License-Identifier: Apache-2.0
"""The argument parser with its subcommands."""

from __future__ import annotations

import argparse
from typing import NoReturn

import kp
from kp.cli import compile, info, memory, run
from kp.cli.bench import command as bench
from kp.cli.device_report import command as report
from kp.cli.errors import UsageError

COMMANDS = (
    info.COMMAND,
    memory.COMMAND,
    run.COMMAND,
    compile.COMMAND,
    bench.COMMAND,
    report.COMMAND,
)


class Parser(argparse.ArgumentParser):
    """Reports an invalid command line in one line, like every other failure."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see '{self.prog} --help')")


def build_parser() -> argparse.ArgumentParser:
    common = Parser(add_help=False, allow_abbrev=False)
    common.add_argument(
        "--debug",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show the traceback of a failure (like KOMPUTE_DEBUG=1)",
    )
    parser = Parser(
        prog="kp",
        parents=[common],
        allow_abbrev=False,
        description="Runs compute shaders on any GPU from the command line.",
        epilog="'kp COMMAND --help' explains a command and shows an example. Without --device, the "
        "environment variable KOMPUTE_DEVICE selects the device.",
    )
    parser.add_argument("--version", action="version", version=f"kp {kp.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        subparser = commands.add_parser(
            command.name,
            parents=[common],
            allow_abbrev=False,
            help=command.help,
            description=command.description,
            epilog=command.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_options(subparser)
        subparser.set_defaults(run=command.run)
    return parser

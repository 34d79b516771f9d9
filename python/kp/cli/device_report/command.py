# SPDX-License-Identifier: Apache-2.0
"""The command ``kp report``."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from kp.cli.arguments import add_device_option
from kp.cli.command import Command
from kp.cli.device_report.checks import FAILED, run_checks
from kp.cli.device_report.speeds import run_speeds
from kp.cli.device_report.text import report_text
from kp.cli.devices import open_manager
from kp.cli.files import check_can_write

EXAMPLE = """example:
  kp report -o report.txt

The report has no names of users, hosts or folders. The exit code is 1 if a check found a wrong result.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="write to a file; - is standard output"
    )
    parser.add_argument("--quick", action="store_true", help="measure roughly, in a few seconds")
    add_device_option(parser)


def report(arguments: argparse.Namespace) -> int:
    if arguments.output != "-":
        check_can_write(arguments.output)
    manager = open_manager(arguments.device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the report includes it anyway
        outcomes = run_checks(manager)
        speeds = run_speeds(manager, arguments.quick)
    text = report_text(manager.get_device_properties(), manager._facts(), outcomes, speeds)
    if arguments.output == "-":
        print(text, end="")
    else:
        Path(arguments.output).write_text(text, encoding="utf-8")
        print(f"written to {arguments.output}; read it before you send it")
    return 1 if any(outcome.result == FAILED for outcome in outcomes) else 0


COMMAND = Command(
    name="report",
    help="write a report about a device that you can send",
    description="Writes a device's properties, the results of checks, and a few speeds, as "
    "text that you can send.",
    epilog=EXAMPLE,
    add_options=add_options,
    run=report,
)

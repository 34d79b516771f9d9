# SPDX-License-Identifier: Apache-2.0
"""The entry point: parses the arguments, runs a command, converts failures to exit codes."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Sequence

import kp
from kp.cli.errors import CommandError, UsageError
from kp.cli.parser import build_parser

INTERRUPTED = 130
CLOSED_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line, by default this process's, and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words or os.environ.get("KOMPUTE_DEBUG", "0") not in ("", "0")
    try:
        code = run_command(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        complain("interrupted", debug)
        return INTERRUPTED
    except BrokenPipeError:
        abandon_output()
        return CLOSED_PIPE
    except UsageError as error:
        complain(str(error), debug)
        return 2
    except Exception as error:
        complain(describe(error), debug)
        return 1


def run_command(words: Sequence[str]) -> int:
    try:
        arguments = build_parser().parse_args(words)
    except SystemExit as end:
        sys.stdout.flush()
        return int(end.code or 0)
    code: int = arguments.run(arguments)
    return code


def describe(error: Exception) -> str:
    """Return the message of a failure of any kind."""
    if isinstance(error, CommandError):
        return str(error)
    if isinstance(error, kp.Error):
        return str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return f"out of memory: {error}" if str(error) else "out of memory"
    return f"{type(error).__name__}: {error} (KOMPUTE_DEBUG=1 shows the traceback)"


def complain(message: str, debug: bool) -> None:
    with contextlib.suppress(OSError, ValueError):
        if debug:
            traceback.print_exc(file=sys.stderr)
        print(f"kp: error: {message}", file=sys.stderr, flush=True)


def abandon_output() -> None:
    """Discard buffered output, so that the interpreter's last flush does not fail."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)

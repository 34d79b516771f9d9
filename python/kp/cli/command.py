# SPDX-License-Identifier: Apache-2.0
"""The parts of a command of ``kp``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command: its help texts, its options, and a function that returns the exit code."""

    name: str
    help: str
    description: str
    epilog: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]

# SPDX-License-Identifier: Apache-2.0
"""What a command of ``kp`` consists of."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command: its texts for ``--help``, its options, and what runs it and gives the exit code."""

    name: str
    help: str
    description: str
    epilog: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]

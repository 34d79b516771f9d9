# SPDX-License-Identifier: Apache-2.0
"""Types of command-line options, for argparse: refused values end with status 2."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Callable


def number(least: int) -> Callable[[str], int]:
    """Return the type of a whole number from `least` on."""

    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"'{text}' was given; expected a whole number from {least} on"
            )
        return int(text)

    return parse


def seed(text: str) -> int:
    """Return a seed: a whole number, or the day's for "date"."""
    if text == "date":
        return datetime.date.today().toordinal()
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' was given; expected a whole number or 'date'")
    return int(text)

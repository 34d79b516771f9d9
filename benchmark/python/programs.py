# SPDX-License-Identifier: Apache-2.0
"""Measures whole programs of array calls beside CuPy, or NumPy if CuPy has no device: the same code for each.

  PYTHONPATH=<build>/python python3 programs.py
  ... programs.py --divide 256 --seconds 0.02                           # a quick look at small sizes
  ... programs.py --only 'k-means|Poisson' --json programs.json --markdown programs.md

A ratio is the other library's time divided by kp's. A program that raises, or returns something else than the other
library, is a failure, and this one ends with 1. array_table/simulations.py and learning.py hold the programs.
"""

from __future__ import annotations

import re

from array_table import learning, simulations
from array_table.command import finish, parser_of, shard_of, table_of


def main() -> None:
    """Measure the programs that the command line chooses."""
    parser = parser_of(__doc__, seconds=0.5)
    parser.add_argument("--divide", default="1", help="divide the elements by these, by commas")
    given = parser.parse_args()
    every = [*simulations.programs(), *learning.programs()]
    chosen = [
        each
        for each in every
        if re.search(given.only, f"{each.name} | {each.dtype}") and given.family in each.family
    ]
    divisors = sorted((int(each) for each in given.divide.split(",")), reverse=True)
    finish(
        given, "Programs", "programs.py", table_of(given, shard_of(given, chosen), divisors, "part")
    )


if __name__ == "__main__":
    main()

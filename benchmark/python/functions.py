# SPDX-License-Identifier: Apache-2.0
"""Measures every public function of arrays beside CuPy's, or NumPy's where CuPy has no device.

  PYTHONPATH=<build>/python python3 functions.py                        # the whole table
  ... functions.py --sizes 4096 --seconds 0.02                          # a quick look
  ... functions.py --only 'xp.sum' --family reductions                  # some cases
  ... functions.py --shard 0/4 --json 0.json                            # a quarter of it
  ... functions.py --join 0.json 1.json 2.json 3.json --markdown page.md

A ratio is the other library's time divided by kp's. A case that raises, or returns something else than the other
library, is a failure; failures come first, and the program ends with 1. Of results with more than 131,072 elements,
so many are compared. array_table/ holds the cases.

On a driver that computes on the processor, one thread each and processor time are fairest:

  LP_NUM_THREADS=0 OPENBLAS_NUM_THREADS=1 taskset -c 1 ... functions.py --processor-time --sizes 1048576
"""

from __future__ import annotations

import re

from array_table.command import finish, parser_of, shard_of, table_of
from array_table.subjects import CaseSubject
from array_table.table import CASES


def main() -> None:
    """Measure the cases that the command line chooses."""
    parser = parser_of(__doc__, seconds=0.01)
    parser.add_argument("--sizes", default="4096,262144,16777216", help="elements, by commas")
    given = parser.parse_args()
    chosen = [each for each in CASES if re.search(given.only, each.name)]
    if given.family:
        chosen = [each for each in chosen if given.family in each.family]
    sizes = [int(each) for each in given.sizes.split(",")]
    subjects = [CaseSubject(each) for each in shard_of(given, chosen)]
    finish(given, "Array functions", "functions.py", table_of(given, subjects, sizes, "elements"))


if __name__ == "__main__":
    main()
